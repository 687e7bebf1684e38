//! Writes files: all of them or none.
//!
//! Each is first written to a temporary file in the same folder. When all are complete they are renamed, so that an
//! error loses nothing, and an output can have the name of an input.

use super::encoding::Encoding;
use super::formats::{self, ColumnOut, Format, source::is_standard};
use super::words::WordsRef;
use crate::shared::npy;
use anyhow::{Context, Result, ensure};
use std::fs::{self, File, OpenOptions};
use std::io::{self, BufWriter, Write};
use std::path::{Path, PathBuf};
use tempfile::{NamedTempFile, TempDir};

/// Files that are complete, but not in place yet. They are removed unless they are committed.
#[derive(Default)]
pub struct OutputFiles {
    /// Each file, and its place.
    waiting: Vec<(NamedTempFile, PathBuf)>,
    /// A folder whose files are all written, and its place.
    folder: Option<(TempDir, PathBuf)>,
}

/// What writes the contents of a file.
type Contents<'a> = &'a dyn Fn(&mut dyn Write) -> io::Result<()>;

impl OutputFiles {
    /// Writes a file.
    pub fn write(&mut self, path: &Path, contents: Contents<'_>) -> Result<()> {
        self.try_write(path, contents).with_context(|| shown(path))
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
        let begin = || -> Result<(TempDir, PathBuf)> {
            // Files of a folder that is there are moved into it.
            let (parent, prefix) = if place.is_dir() { (place, ".split.".into()) } else { parent_and_prefix(place)? };
            let mut builder = tempfile::Builder::new();
            builder.prefix(&prefix).suffix(".tmp");
            #[cfg(unix)]
            builder.permissions(std::os::unix::fs::PermissionsExt::from_mode(0o777)); // as of any new folder
            Ok((builder.tempdir_in(parent)?, place.to_path_buf()))
        };
        let (folder, place) = begin().with_context(|| shown(place))?;
        let path = folder.path().to_path_buf();
        self.folder = Some((folder, place));
        Ok(path)
    }

    fn try_write(&mut self, path: &Path, contents: Contents<'_>) -> Result<()> {
        if is_standard(path) {
            let mut to = BufWriter::with_capacity(BUFFER, io::stdout().lock());
            contents(&mut to)?;
            return Ok(to.flush()?);
        }
        let write = |file: &mut File| -> io::Result<()> {
            let mut to = BufWriter::with_capacity(BUFFER, file);
            contents(&mut to)?;
            to.flush()
        };
        if self.folder.as_ref().is_some_and(|(folder, _)| path.starts_with(folder.path())) {
            return Ok(write(&mut File::create_new(path)?)?);
        }
        let place = resolved(path);
        let there = fs::metadata(&place).ok();
        if there.as_ref().is_some_and(|there| !there.is_file()) {
            // A pipe or a device: it takes what is written, and must stay what it is. A folder says that it is one.
            return Ok(write(&mut OpenOptions::new().write(true).open(&place)?)?);
        }
        let mut file = create_beside(&place)?;
        if let Some(there) = there {
            file.as_file().set_permissions(there.permissions())?;
        }
        write(file.as_file_mut())?;
        self.waiting.push((file, place));
        Ok(())
    }

    /// Moves every file to its place.
    pub fn commit(self) -> Result<()> {
        for (file, place) in self.waiting {
            file.persist(&place).map_err(|error| error.error).with_context(|| place.display().to_string())?;
        }
        if let Some((folder, place)) = self.folder {
            let moved =
                if place.is_dir() { move_files(folder.path(), &place) } else { fs::rename(folder.path(), &place) };
            moved.with_context(|| place.display().to_string())?;
        }
        Ok(())
    }
}

/// Bytes that are written at once.
const BUFFER: usize = 1 << 16;

fn move_files(from: &Path, to: &Path) -> io::Result<()> {
    fs::read_dir(from)?.try_for_each(|file| {
        let file = file?;
        fs::rename(file.path(), to.join(file.file_name()))
    })
}

/// Returns how messages call an output.
pub fn shown(path: &Path) -> String {
    if is_standard(path) { "standard output".into() } else { path.display().to_string() }
}

/// Returns the place of a file that a path leads to. A link stays one, and its target is replaced.
pub fn resolved(path: &Path) -> PathBuf {
    let absolute = || {
        let (name, folder) = (path.file_name()?, path.parent()?);
        let folder = if folder.as_os_str().is_empty() { Path::new(".") } else { folder };
        Some(fs::canonicalize(folder).ok()?.join(name))
    };
    fs::canonicalize(path).ok().or_else(absolute).unwrap_or_else(|| path.to_path_buf())
}

/// Refuses an output that could not be written, before any work.
pub fn check_place(path: &Path) -> Result<()> {
    let check = || -> Result<()> {
        if is_standard(path) {
            return Ok(());
        }
        let place = resolved(path);
        match fs::metadata(&place) {
            Ok(there) if there.is_dir() => ensure!(false, "this is a directory; name a file"),
            Ok(there) => {
                ensure!(!there.permissions().readonly(), "the file is read-only; allow writing, or name another");
                if there.is_file() {
                    create_beside(&place)?;
                }
            }
            Err(_) => drop(create_beside(&place)?),
        }
        Ok(())
    };
    check().with_context(|| shown(path))
}

/// Returns the folder of a file, and the beginning of the names of temporary ones.
fn parent_and_prefix(place: &Path) -> Result<(&Path, std::ffi::OsString)> {
    let name = place.file_name().context("this is not the name of a file")?;
    let folder = place.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
    let mut prefix = std::ffi::OsString::from(".");
    prefix.push(name);
    prefix.push(".");
    Ok((folder, prefix))
}

/// Creates a temporary file in the folder of `place`, so that it can be renamed to it.
fn create_beside(place: &Path) -> Result<NamedTempFile> {
    let (folder, prefix) = parent_and_prefix(place)?;
    // Opened here, so that it has the permissions of any new file: those of tempfile are private.
    let create = |path: &Path| OpenOptions::new().write(true).create_new(true).open(path);
    Ok(tempfile::Builder::new().prefix(&prefix).suffix(".tmp").make_in(folder, create)?)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn files_are_in_place_when_all_are_committed() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("numbers.bin");
        let mut files = OutputFiles::default();
        files.write(&path, &|to| to.write_all(&[1, 2])).unwrap();
        assert!(!path.exists());
        drop(files);
        assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 0, "what is not committed is removed");

        let mut files = OutputFiles::default();
        files.write(&path, &|to| to.write_all(&[1, 2])).unwrap();
        files.commit().unwrap();
        assert_eq!(fs::read(&path).unwrap(), [1, 2]);
        let plain = folder.path().join("plain");
        fs::write(&plain, "").unwrap();
        let permissions = |path: &Path| fs::metadata(path).unwrap().permissions();
        assert_eq!(permissions(&path), permissions(&plain), "those of any new file");
    }

    #[test]
    fn errors_name_the_file_that_the_user_named() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("none/numbers.bin");
        let error = OutputFiles::default().write(&path, &|to| to.write_all(&[1])).unwrap_err();
        let expected = format!("{}: {}", path.display(), File::open(&path).unwrap_err());
        assert_eq!(format!("{error:#}"), expected);
    }
}
