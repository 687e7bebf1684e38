//! The bytes of a file or of standard input.

use super::file_reader::FileReader;
use crate::shared::output_files::in_folder;
use crate::shared::progress::{self, Moving};
use crate::shared::same_file::STANDARD;
use anyhow::{Context, Result, ensure};
use std::fs::File;
use std::io::{self, Cursor, Read, Seek, Write};
use std::path::{Path, PathBuf};

/// Bytes that tell the format.
const HEAD: u64 = 1 << 12;

/// Bytes that are held for each line, beside the line: where it is, where its field is, and the key.
const OF_LINE: u64 = 40;

/// What can be read in any order.
pub trait ReadSeek: Read + Seek {}
impl<T: Read + Seek> ReadSeek for T {}

/// An open input, of which the first bytes are known.
pub struct Source {
    pub path: PathBuf,
    head: Vec<u8>,
    contents: Contents,
    /// The number of bytes. Unknown for pipes.
    pub len: Option<u64>,
}

enum Contents {
    /// A file of the user's, or a temporary one that has what came through a pipe.
    File(File),
    /// The bytes behind the first ones.
    Pipe(Box<dyn Read>),
    Memory(Vec<u8>),
}

/// Returns whether a path is that of standard input or output.
pub fn is_standard(path: &Path) -> bool {
    path.as_os_str() == STANDARD
}

/// Refuses a file that grew or shrank since it was opened, when it had so many bytes.
pub fn check_length(file: &File, length: u64) -> Result<()> {
    let now = file.metadata()?.len();
    ensure!(
        now == length,
        "the file changed while it was read: it had {length} bytes, and now has {now}; try again when nothing writes \
         to it"
    );
    Ok(())
}

impl Source {
    pub fn open(path: &Path) -> Result<Self> {
        let mut head = Vec::new();
        let (contents, len) = if is_standard(path) {
            let mut from = Moving(io::stdin());
            from.by_ref().take(HEAD).read_to_end(&mut head)?;
            (Contents::Pipe(Box::new(from)), None)
        } else {
            let mut file = File::open(path)?;
            let about = file.metadata()?;
            ensure!(!about.is_dir(), "this is a folder, not a file");
            (&mut file).take(HEAD).read_to_end(&mut head)?;
            // The system says 0 of files that it makes up while they are read.
            if about.is_file() && about.len() > 0 {
                (Contents::File(file), Some(about.len()))
            } else {
                (Contents::Pipe(Box::new(Moving(file))), None)
            }
        };
        Ok(Self { path: path.to_path_buf(), head, contents, len })
    }

    /// Reads a pipe: into memory, or if that are more bytes than `most`, into a temporary file. Then the bytes can be
    /// read more than once.
    pub fn settled(mut self, most: u64) -> Result<Self> {
        let Contents::Pipe(from) = &mut self.contents else { return Ok(self) };
        let mut bytes = self.head.clone();
        from.by_ref().take(most.saturating_sub(bytes.len() as u64)).read_to_end(&mut bytes)?;
        let mut next = [0];
        if from.read(&mut next)? == 0 {
            self.contents = Contents::Memory(bytes);
            return Ok(self);
        }
        let mut spool = || -> io::Result<File> {
            let mut file = tempfile::tempfile()?;
            file.write_all(&bytes)?;
            file.write_all(&next)?;
            io::copy(from, &mut file)?;
            Ok(file)
        };
        let place = std::env::temp_dir();
        let about = || format!("it is more than --memory holds, and cannot be kept in {}", place.display());
        self.contents = Contents::File(spool().with_context(about)?);
        Ok(self)
    }

    /// Keeps bytes that are in memory in a temporary file.
    pub fn in_file(mut self) -> Result<Self> {
        if let Contents::Memory(bytes) = &self.contents {
            let mut file = tempfile::tempfile()?;
            file.write_all(bytes).with_context(|| in_folder(&std::env::temp_dir()))?;
            self.contents = Contents::File(file);
        }
        Ok(self)
    }

    /// Returns the first bytes.
    pub fn head(&self) -> &[u8] {
        &self.head
    }

    /// Returns how many bytes there are, also of a pipe that was read.
    pub fn size(&self) -> Result<Option<u64>> {
        Ok(match &self.contents {
            Contents::File(file) => Some(file.metadata()?.len()),
            Contents::Pipe(_) => None,
            Contents::Memory(bytes) => Some(bytes.len() as u64),
        })
    }

    /// Returns about how many bytes the lines of a text take in memory, with where each of them is.
    pub fn text_in_memory(&self) -> Result<Option<u64>> {
        let Some(size) = self.size()? else { return Ok(None) };
        let lines = self.head.iter().filter(|&&byte| byte == b'\n').count() as u64;
        Ok(Some(size.saturating_add(size.saturating_mul(lines * OF_LINE) / (self.head.len() as u64).max(1))))
    }

    /// Returns a handle of the file that has the bytes. They may be in memory.
    pub fn file(&self) -> Result<Option<File>> {
        Ok(match &self.contents {
            Contents::File(file) => Some(file.try_clone()?),
            _ => None,
        })
    }

    /// Returns all bytes, the first ones too.
    pub fn bytes(self) -> Result<Box<dyn Read>> {
        self.len.into_iter().for_each(progress::expect);
        Ok(match self.contents {
            Contents::File(file) => Box::new(FileReader::new(file, 0)),
            Contents::Pipe(from) => Box::new(Cursor::new(self.head).chain(from)),
            Contents::Memory(bytes) => Box::new(Cursor::new(bytes)),
        })
    }

    /// Reads everything into memory.
    pub fn into_memory(self) -> Result<Vec<u8>> {
        if let Contents::Memory(bytes) = self.contents {
            return Ok(bytes);
        }
        let mut all = Vec::new();
        if let Some(len) = self.len {
            let len = usize::try_from(len).unwrap_or(usize::MAX);
            all.try_reserve_exact(len).with_context(|| format!("there is no memory for {len} bytes"))?;
        }
        self.bytes()?.read_to_end(&mut all)?;
        Ok(all)
    }

    /// Reads in any order: a pipe is read into memory.
    pub fn seekable(self) -> Result<Box<dyn ReadSeek>> {
        self.len.into_iter().for_each(progress::expect);
        Ok(match self.contents {
            Contents::File(file) => Box::new(Moving(file)),
            _ => Box::new(Cursor::new(self.into_memory()?)),
        })
    }
}
