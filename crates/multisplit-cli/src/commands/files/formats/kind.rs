//! What a file is, by its first bytes.

use super::table::{TableFormat, is_stream};

/// What the first bytes of a file say.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    Npy,
    Zip,
    Table(TableFormat),
    /// A kind that is not read here: its name, and what to do.
    Foreign(&'static str, &'static str),
    Text,
    Empty,
    /// Nothing known: maybe numbers alone.
    Unknown,
}

const DECOMPRESS: &str = "decompress it first";
const EXPORT: &str = "save the column as a .npy or .csv file";

/// The first bytes of kinds of files.
const MAGIC: [(&[u8], Kind); 27] = [
    (b"\x93NUMPY", Kind::Npy),
    (b"PK\x03\x04", Kind::Zip),
    (b"PK\x05\x06", Kind::Zip),
    (b"PAR1", Kind::Table(TableFormat::Parquet)),
    (b"PARE", Kind::Foreign("an encrypted Parquet file", EXPORT)),
    (b"ARROW1", Kind::Table(TableFormat::ArrowFile)),
    (
        b"FEA1",
        Kind::Foreign("a Feather file of version 1", "save it as version 2, or the column as a .npy or .csv file"),
    ),
    (b"ORC", Kind::Foreign("an ORC file", EXPORT)),
    (b"Obj\x01", Kind::Foreign("an Avro file", EXPORT)),
    (b"\x89HDF\r\n\x1a\n", Kind::Foreign("an HDF5 file", EXPORT)),
    (b"CDF\x01", Kind::Foreign("a NetCDF file", EXPORT)),
    (b"CDF\x02", Kind::Foreign("a NetCDF file", EXPORT)),
    (b"MATLAB 5.0 MAT-file", Kind::Foreign("a MATLAB file", EXPORT)),
    (b"SQLite format 3\0", Kind::Foreign("an SQLite database", EXPORT)),
    (b"\x80\x04\x95", Kind::Foreign("a Python pickle", EXPORT)),
    (b"\x80\x05\x95", Kind::Foreign("a Python pickle", EXPORT)),
    (b"\x1f\x8b\x08", Kind::Foreign("a gzip file", DECOMPRESS)),
    (b"\x28\xb5\x2f\xfd", Kind::Foreign("a zstd file", DECOMPRESS)),
    (b"\xfd7zXZ\0", Kind::Foreign("an xz file", DECOMPRESS)),
    (b"\x04\x22\x4d\x18", Kind::Foreign("an lz4 file", DECOMPRESS)),
    (b"LZIP\x01", Kind::Foreign("an lzip file", DECOMPRESS)),
    (b"7z\xbc\xaf\x27\x1c", Kind::Foreign("a 7z archive", "extract the file first")),
    (b"Rar!\x1a\x07", Kind::Foreign("a RAR archive", "extract the file first")),
    (b"\x7fELF", Kind::Foreign("a program", "name a file of keys")),
    (b"\x89PNG\r\n\x1a\n", Kind::Foreign("a picture", "name a file of keys")),
    (b"\xff\xd8\xff\xe0", Kind::Foreign("a picture", "name a file of keys")),
    (b"%PDF-", Kind::Foreign("a PDF document", "name a file of keys")),
];

impl Kind {
    /// Finds out what a file is that begins with these bytes.
    pub fn of(head: &[u8]) -> Self {
        if head.is_empty() {
            return Self::Empty;
        }
        // Text may begin with anything, such as ORCID.
        if is_text(head) {
            return Self::Text;
        }
        if let Some(&(_, kind)) = MAGIC.iter().find(|(magic, _)| head.starts_with(magic)) {
            return kind;
        }
        if is_stream(head) {
            return Self::Table(TableFormat::ArrowStream);
        }
        // The block that follows begins with digits of pi, and the end of an empty file with those of its square root.
        if head.starts_with(b"BZh")
            && head.get(4..10).is_some_and(|block| block == b"1AY&SY" || block == b"\x17\x72\x45\x38\x50\x90")
        {
            return Self::Foreign("a bzip2 file", DECOMPRESS);
        }
        if head.get(257..262) == Some(b"ustar") {
            return Self::Foreign("a tar archive", "extract the file first");
        }
        Self::Unknown
    }
}

/// Returns whether bytes are UTF-8 without control characters. The last character may be cut.
fn is_text(head: &[u8]) -> bool {
    let valid = match std::str::from_utf8(head) {
        Ok(_) => true,
        Err(error) => error.error_len().is_none() && error.valid_up_to() > 0,
    };
    let is_control = |byte: &u8| (*byte < b' ' && !b"\t\n\r\x0c".contains(byte)) || *byte == 0x7f;
    valid && !head.iter().any(is_control)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn kinds_by_their_first_bytes() {
        assert_eq!(Kind::of(b""), Kind::Empty);
        assert_eq!(Kind::of(b"\x93NUMPY\x01\x00"), Kind::Npy);
        assert_eq!(Kind::of(b"PK\x03\x04abc"), Kind::Zip);
        assert_eq!(Kind::of(b"PAR1\x15\x04"), Kind::Table(TableFormat::Parquet));
        assert!(matches!(Kind::of(b"BZh91AY&SY\x01"), Kind::Foreign("a bzip2 file", _)));
        assert!(matches!(Kind::of(b"ORC\x11\x00\x00"), Kind::Foreign("an ORC file", _)));
        for text in ["BZh is text", "ORCID,name\n", "PAR1;PAR2\n"] {
            assert_eq!(Kind::of(text.as_bytes()), Kind::Text);
        }
        assert_eq!(Kind::of("größe,zahl\r\n1,2\n".as_bytes()), Kind::Text);
        assert_eq!(Kind::of(&"größe".as_bytes()[..3]), Kind::Text, "cut within a character");
        assert_eq!(Kind::of(&[3, 0, 0, 0, 1, 0, 0, 0]), Kind::Unknown);
        assert_eq!(Kind::of(&[0xff, 0xff]), Kind::Unknown);
        assert_eq!(Kind::of(&[0xff; 100]), Kind::Unknown);
        assert_eq!(Kind::of(&[0xc3]), Kind::Unknown);
    }
}
