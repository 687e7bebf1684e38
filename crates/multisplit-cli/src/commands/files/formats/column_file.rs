//! Columns that are written to temporary files, to be read in pieces from there.

use super::elements::{self, Layout};
use super::format::Format;
use super::shape::Shape;
use super::stored::StoredColumn;
use crate::commands::files::encoding::Encoding;
use crate::commands::files::key_type::KeyType;
use crate::commands::files::words::WordsRef;
use crate::shared::npy;
use crate::shared::output_files::in_folder;
use anyhow::{Context, Result};
use std::fs::File;
use std::io::{BufWriter, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};

/// A file without a name that gets elements.
pub struct ColumnFile {
    file: BufWriter<File>,
    folder: PathBuf,
    width: usize,
    n: u64,
}

impl ColumnFile {
    /// Begins a column of elements of so many bytes, in a folder.
    pub fn new(folder: &Path, width: usize) -> Result<Self> {
        let file = tempfile::tempfile_in(folder).with_context(|| in_folder(folder))?;
        Ok(Self { file: BufWriter::with_capacity(1 << 16, file), folder: folder.to_path_buf(), width, n: 0 })
    }

    /// Appends elements.
    pub fn push(&mut self, words: WordsRef<'_>) -> Result<()> {
        self.n += words.len() as u64;
        elements::write(&mut self.file, words, self.width, Encoding::Bits).with_context(|| in_folder(&self.folder))
    }

    /// Begins anew, with elements of so many bytes.
    pub fn clear(&mut self, width: usize) -> Result<()> {
        let mut clear = || {
            self.file.seek(SeekFrom::Start(0))?;
            self.file.get_ref().set_len(0)
        };
        clear().with_context(|| in_folder(&self.folder))?;
        (self.width, self.n) = (width, 0);
        Ok(())
    }

    /// Returns the column, for the keys of a file if they have a type.
    pub fn finish(self, key_type: Option<KeyType>, name: Option<String>, format: Format) -> Result<StoredColumn> {
        let Self { mut file, folder, width, n } = self;
        file.flush().with_context(|| in_folder(&folder))?;
        let file = file.into_inner().map_err(|error| error.into_error()).with_context(|| in_folder(&folder))?;
        let dtype = npy::dtype(if width == 1 { "|u1".into() } else { format!("<u{width}") }.as_str())?;
        let shape = Shape { n, layout: Layout { width, big_endian: false }, key_type, dtype };
        StoredColumn::of_file(file, shape, name, format)
    }
}
