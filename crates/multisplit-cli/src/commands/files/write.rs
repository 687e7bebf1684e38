//! Writes files: all of them or none, so that an output can have the name of an input.

use super::encoding::Encoding;
use super::formats::{self, ColumnOut, Format};
use super::words::WordsRef;
use crate::shared::interrupts::{self, Temporary};
use crate::shared::npy;
use crate::shared::output_files::{self, OutputFile, folder_and_prefix, shown};
use crate::shared::progress::{self, Moving};
use anyhow::{Context, Result};
use std::fs::{self, File};
use std::io::{self, BufWriter, Write};
use std::path::{Path, PathBuf};
use tempfile::TempDir;

/// Files that are complete, but not in place yet. They are removed unless they are committed.
#[derive(Default)]
pub struct OutputFiles {
    waiting: Vec<OutputFile>,
    /// A folder whose files are all written, and its place.
    folder: Option<(Temporary<TempDir>, PathBuf)>,
}

/// A file that is written part by part.
pub enum OpenFile {
    Waiting(OutputFile),
    /// In a folder that is moved as a whole.
    InFolder(BufWriter<Moving<File>>, PathBuf),
}

impl OpenFile {
    /// Writes some of the file. Errors name it.
    pub fn fill(&mut self, write: &mut dyn FnMut(&mut dyn Write) -> Result<()>) -> Result<()> {
        match self {
            Self::Waiting(file) => file.fill(write),
            Self::InFolder(file, path) => write(file).with_context(|| shown(path)),
        }
    }
}

/// What writes the contents of a file.
type Contents<'a> = &'a dyn Fn(&mut dyn Write) -> io::Result<()>;

impl OutputFiles {
    /// Writes a file.
    pub fn write(&mut self, path: &Path, contents: Contents<'_>) -> Result<()> {
        let _stage = progress::transfer(format!("writing {}", shown(path)));
        let mut file = self.open(path)?;
        file.fill(&mut |to| Ok(contents(to)?))?;
        self.close(file)
    }

    /// Opens a file to be written part by part.
    pub fn open(&self, path: &Path) -> Result<OpenFile> {
        if self.folder.as_ref().is_some_and(|(folder, _)| path.starts_with(folder.path())) {
            let file = File::create_new(path).with_context(|| shown(path))?;
            return Ok(OpenFile::InFolder(BufWriter::with_capacity(1 << 16, Moving(file)), path.to_path_buf()));
        }
        OutputFile::create(path).map(OpenFile::Waiting)
    }

    /// Takes a file that is complete. One in a folder is closed at once: there may be many.
    pub fn close(&mut self, file: OpenFile) -> Result<()> {
        match file {
            OpenFile::Waiting(file) => self.waiting.push(file),
            OpenFile::InFolder(mut file, path) => file.flush().with_context(|| shown(&path))?,
        }
        Ok(())
    }

    /// Writes a column.
    pub fn column(&mut self, path: &Path, format: Format, column: &ColumnOut<'_>) -> Result<()> {
        self.write(path, &|to| formats::write(to, format, column))
    }

    /// Writes counts or offsets.
    pub fn counts(&mut self, path: &Path, format: Format, name: &str, counts: &[u64]) -> Result<()> {
        let (dtype, words) = (&npy::dtype("<u8")?, WordsRef::Wide(counts));
        self.column(path, format, &ColumnOut { name, dtype, words, encoding: Encoding::Bits })
    }

    /// Begins a folder that is moved to `place` with all its files, and returns where they are written to until then.
    pub fn begin_folder(&mut self, place: &Path) -> Result<PathBuf> {
        let begin = || -> Result<Temporary<TempDir>> {
            // Files of a folder that is there are moved into it.
            let (parent, prefix) = if place.is_dir() { (place, ".split.".into()) } else { folder_and_prefix(place)? };
            let mut builder = tempfile::Builder::new();
            builder.prefix(&prefix).suffix(".tmp");
            #[cfg(unix)]
            builder.permissions(std::os::unix::fs::PermissionsExt::from_mode(0o777)); // as of any new folder
            Ok(interrupts::create(|| builder.tempdir_in(parent))?)
        };
        let folder = begin().with_context(|| shown(place))?;
        let path = folder.path().to_path_buf();
        self.folder = Some((folder, place.to_path_buf()));
        Ok(path)
    }

    /// Moves every file to its place.
    pub fn commit(self) -> Result<()> {
        output_files::commit(self.waiting)?;
        if let Some((folder, place)) = self.folder {
            let _all_or_none = interrupts::hold();
            let moved =
                if place.is_dir() { move_files(folder.path(), &place) } else { fs::rename(folder.path(), &place) };
            moved.with_context(|| shown(&place))?;
        }
        Ok(())
    }
}

fn move_files(from: &Path, to: &Path) -> io::Result<()> {
    fs::read_dir(from)?.try_for_each(|file| {
        let file = file?;
        fs::rename(file.path(), to.join(file.file_name()))
    })
}
