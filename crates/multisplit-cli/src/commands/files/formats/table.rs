//! Parquet files and Arrow's: tables of named columns. The Cargo feature `arrow` reads and writes them.

use std::fmt;

/// The formats of tables.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TableFormat {
    Parquet,
    /// Arrow's file, of which Feather is another name.
    ArrowFile,
    /// Arrow's stream, as pipes have it.
    ArrowStream,
}

impl TableFormat {
    /// Returns the format of files with this extension.
    pub fn of_extension(extension: &str) -> Option<Self> {
        Some(match extension {
            "parquet" => Self::Parquet,
            "arrow" | "feather" => Self::ArrowFile,
            "arrows" => Self::ArrowStream,
            _ => return None,
        })
    }

    /// Returns whether it is Parquet. Arrow's files and streams have each other's names at times.
    pub fn is_parquet(self) -> bool {
        self == Self::Parquet
    }

    /// Returns how files of this format are called.
    pub fn extension(self) -> &'static str {
        match self {
            Self::Parquet => "parquet",
            Self::ArrowFile => "arrow",
            Self::ArrowStream => "arrows",
        }
    }

    /// Says that the program was built without these formats, and what to do.
    #[cfg(not(feature = "arrow"))]
    pub fn not_built(what: &str, instead: &str) -> anyhow::Error {
        anyhow::anyhow!(
            "{what}, which this program was built without: build it with `--features arrow`, as in \
             `cargo install --locked --path crates/multisplit-cli --features arrow`, or {instead}"
        )
    }
}

impl fmt::Display for TableFormat {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Parquet => "a Parquet file",
            Self::ArrowFile => "an Arrow file",
            Self::ArrowStream => "an Arrow stream",
        })
    }
}

/// Returns whether a file begins as an Arrow stream does: with a message that has a schema. Numbers alone may begin with
/// the same four bytes, but hardly go on like this.
pub fn is_stream(head: &[u8]) -> bool {
    let word = |at: usize| Some(u32::from_le_bytes(head.get(at..)?.first_chunk().copied()?) as usize);
    let half = |at: usize| Some(u16::from_le_bytes(head.get(at..)?.first_chunk().copied()?) as usize);
    let kind_of_message = || {
        let (size, message) = (word(4)?, 8 + word(8)?);
        let fields = message.checked_sub(word(message)?)?;
        let kind = message + half(fields + 6)?;
        (size % 8 == 0 && kind < 8 + size && half(fields)? >= 8).then(|| head.get(kind).copied())?
    };
    head.starts_with(&[0xff; 4]) && kind_of_message() == Some(1)
}
