//! The bytes of a file or of standard input.

use crate::shared::progress::{self, Reading};
use crate::shared::same_file::STANDARD;
use anyhow::{Context, Result, ensure};
use std::fs::File;
use std::io::{self, Cursor, Read, Seek};
use std::path::{Path, PathBuf};

/// Bytes that tell the format.
const HEAD: u64 = 1 << 12;

/// What can be read in any order.
pub trait ReadSeek: Read + Seek {}
impl<T: Read + Seek> ReadSeek for T {}

/// An open input, of which the first bytes are known.
pub struct Source {
    pub path: PathBuf,
    head: Vec<u8>,
    from: Box<dyn Read>,
    /// The number of bytes. Unknown for pipes.
    pub len: Option<u64>,
}

/// Returns whether a path is that of standard input or output.
pub fn is_standard(path: &Path) -> bool {
    path.as_os_str() == STANDARD
}

impl Source {
    pub fn open(path: &Path) -> Result<Self> {
        let (from, len): (Box<dyn Read>, _) = if is_standard(path) {
            (Box::new(io::stdin()), None)
        } else {
            let file = File::open(path)?;
            let about = file.metadata()?;
            ensure!(!about.is_dir(), "this is a folder, not a file");
            // The system says 0 of files that it makes up while they are read.
            let len = (about.is_file() && about.len() > 0).then_some(about.len());
            (Box::new(file), len)
        };
        len.into_iter().for_each(progress::expect);
        let mut from: Box<dyn Read> = Box::new(Reading(from));
        let mut head = Vec::new();
        from.by_ref().take(HEAD).read_to_end(&mut head)?;
        Ok(Self { path: path.to_path_buf(), head, from, len })
    }

    /// Returns the first bytes.
    pub fn head(&self) -> &[u8] {
        &self.head
    }

    /// Returns all bytes, the first ones too.
    pub fn bytes(self) -> impl Read + 'static {
        Cursor::new(self.head).chain(self.from)
    }

    /// Reads everything into memory.
    pub fn into_memory(self) -> Result<Vec<u8>> {
        let mut all = Vec::new();
        if let Some(len) = self.len {
            let len = usize::try_from(len).unwrap_or(usize::MAX);
            all.try_reserve_exact(len).with_context(|| format!("there is no memory for {len} bytes"))?;
        }
        self.bytes().read_to_end(&mut all)?;
        Ok(all)
    }

    /// Reads in any order: a pipe is read into memory.
    pub fn seekable(self) -> Result<Box<dyn ReadSeek>> {
        Ok(match self.len {
            Some(_) => Box::new(Reading(File::open(&self.path)?)),
            None => Box::new(Cursor::new(self.into_memory()?)),
        })
    }
}
