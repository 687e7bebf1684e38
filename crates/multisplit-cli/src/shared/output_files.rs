//! Files that a command writes: all of them or none.
//!
//! Each is written to a temporary file in the folder where it goes. When all are complete they are renamed, so that an
//! error loses nothing, and a signal neither: it removes what is temporary.

use super::interrupts::{self, Temporary};
use super::messages::is_quiet;
use super::progress;
use super::same_file::{self, STANDARD};
use anyhow::{Context, Result, ensure};
use std::ffi::OsString;
use std::fs::{self, File, OpenOptions};
use std::io::{self, BufWriter, Write};
use std::path::{Path, PathBuf};
use tempfile::NamedTempFile;

/// A file that is written, and not in place yet. It is removed unless it is committed.
pub struct OutputFile {
    to: BufWriter<Target>,
    /// As the user named it.
    path: PathBuf,
}

enum Target {
    /// A file beside the place where it will be.
    Beside(Temporary<NamedTempFile>, PathBuf),
    /// A pipe or a device: it takes what is written, and must stay what it is.
    Straight(File),
    StandardOutput,
}

impl OutputFile {
    /// Opens a file to write to. `-` is standard output.
    pub fn create(path: &Path) -> Result<Self> {
        let target = Target::open(path).with_context(|| shown(path))?;
        Ok(Self { to: BufWriter::with_capacity(1 << 16, target), path: path.to_path_buf() })
    }

    /// Writes all of the file, which is removed again if that fails.
    pub fn written(path: &Path, write: &mut dyn FnMut(&mut dyn Write) -> Result<()>) -> Result<Self> {
        let _stage = progress::transfer(format!("writing {}", shown(path)));
        let mut file = Self::create(path)?;
        file.fill(write)?;
        Ok(file)
    }

    /// Writes to the file. Errors name it.
    pub fn fill(&mut self, write: &mut dyn FnMut(&mut dyn Write) -> Result<()>) -> Result<()> {
        write(&mut self.to).with_context(|| shown(&self.path))
    }
}

/// Moves files to their places when all of them are complete.
pub fn commit(files: Vec<OutputFile>) -> Result<()> {
    let mut complete = Vec::new();
    for OutputFile { to, path } in files {
        let named = || shown(&path);
        let mut target = to.into_inner().map_err(|error| error.into_error()).with_context(named)?;
        target.flush().with_context(named)?;
        complete.push((target, path));
    }
    let _all_or_none = interrupts::hold();
    for (target, path) in complete {
        if let Target::Beside(file, place) = target {
            let (file, _known) = file.into_parts();
            file.persist(&place).map_err(|error| error.error).with_context(|| shown(&path))?;
        }
    }
    Ok(())
}

/// Writes a text file, which replaces what was there when it is complete.
pub fn replace(path: &Path, text: &str) -> Result<()> {
    commit(vec![OutputFile::written(path, &mut |to| Ok(to.write_all(text.as_bytes())?))?])
}

/// Refuses an output that could not be written, before any work is done for it.
pub fn ensure_writable(path: &Path) -> Result<()> {
    // What is opened is removed again. Whoever reads from a pipe would take that for its end.
    let is_other = fs::metadata(path).is_ok_and(|there| !there.is_file() && !there.is_dir());
    if !is_other {
        OutputFile::create(path)?;
    }
    Ok(())
}

impl Target {
    fn open(path: &Path) -> Result<Self> {
        ensure!(path != Path::new(""), "the name of an output is empty");
        if same_file::is_standard_output(path) {
            return Ok(Self::StandardOutput);
        }
        let there = fs::metadata(path).ok();
        ensure!(!there.as_ref().is_some_and(fs::Metadata::is_dir), "this is a directory; name a file");
        if there.as_ref().is_some_and(|there| !there.is_file()) {
            return Ok(Self::Straight(OpenOptions::new().write(true).open(path)?));
        }
        // A link stays one, and its target is replaced.
        let place = same_file::place(path);
        if let Some(there) = &there {
            // Renaming would replace it all the same.
            ensure!(!there.permissions().readonly(), "the file is read-only; allow writing, or name another");
            OpenOptions::new().write(true).open(&place)?;
        }
        let file = create_beside(&place)?;
        if let Some(there) = there {
            file.as_file().set_permissions(there.permissions())?;
        }
        Ok(Self::Beside(file, place))
    }
}

impl Write for Target {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let written = match self {
            Self::Beside(file, _) => file.write(bytes),
            Self::Straight(file) => file.write(bytes),
            Self::StandardOutput => io::stdout().write(bytes),
        }?;
        progress::advance(written);
        Ok(written)
    }

    fn flush(&mut self) -> io::Result<()> {
        match self {
            Self::Beside(file, _) => file.flush(),
            Self::Straight(file) => file.flush(),
            Self::StandardOutput => io::stdout().flush(),
        }
    }
}

/// Returns how messages call a temporary file.
pub fn in_folder(folder: &Path) -> String {
    format!("a temporary file in {}", folder.display())
}

/// Returns the folder of a file, and how the names of temporary files for it begin.
pub fn folder_and_prefix(place: &Path) -> Result<(&Path, OsString)> {
    let name = place.file_name().context("this is not the name of a file")?;
    let folder = place.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
    let mut prefix = OsString::from(".");
    prefix.push(name);
    prefix.push(".");
    Ok((folder, prefix))
}

/// Creates a temporary file in the folder of `place`, so that it can be renamed to it.
fn create_beside(place: &Path) -> Result<Temporary<NamedTempFile>> {
    let (folder, prefix) = folder_and_prefix(place)?;
    // Opened here, so that it has the permissions of any new file: those of tempfile are private.
    let create = |path: &Path| OpenOptions::new().write(true).create_new(true).open(path);
    Ok(interrupts::create(|| tempfile::Builder::new().prefix(&prefix).suffix(".tmp").make_in(folder, create))?)
}

/// Returns where the report of a command goes: to standard error if an output is standard output, and with `--quiet`
/// nowhere then.
pub fn report_to<'a>(outputs: impl IntoIterator<Item = &'a Path>) -> Box<dyn Write> {
    match (outputs.into_iter().any(same_file::is_standard_output), is_quiet()) {
        (false, _) => Box::new(io::stdout().lock()),
        (true, false) => Box::new(io::stderr().lock()),
        (true, true) => Box::new(io::sink()),
    }
}

/// Returns how messages call an output.
pub fn shown(path: &Path) -> String {
    if path.as_os_str() == STANDARD { "standard output".into() } else { path.display().to_string() }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn write(path: &Path, bytes: &[u8]) -> Result<OutputFile> {
        OutputFile::written(path, &mut |to| Ok(to.write_all(bytes)?))
    }

    #[test]
    fn files_are_in_place_when_all_are_committed() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("numbers.bin");
        drop(write(&path, &[1, 2]).unwrap());
        ensure_writable(&path).unwrap();
        assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 0, "what is not committed is removed");

        let file = write(&path, &[1, 2]).unwrap();
        assert!(!path.exists());
        commit(vec![file]).unwrap();
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
        let error = write(&path, &[1]).err().unwrap();
        let expected = format!("{}: {}", path.display(), File::open(&path).unwrap_err());
        assert_eq!(format!("{error:#}"), expected);
    }

    #[test]
    fn read_only_files_stay() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("kept");
        fs::write(&path, "kept").unwrap();
        let mut permissions = fs::metadata(&path).unwrap().permissions();
        permissions.set_readonly(true);
        fs::set_permissions(&path, permissions).unwrap();
        let error = format!("{:#}", ensure_writable(&path).unwrap_err());
        assert!(error.contains("the file is read-only"), "{error}");
        assert_eq!(fs::read_to_string(&path).unwrap(), "kept");
    }
}
