//! Writes of whole files.

use anyhow::{Context, Result};
use std::fs::{self, OpenOptions};
use std::io::Write;
use std::path::Path;

/// Writes a file beside its place and moves it there when it is complete, so that an error leaves what was there. A
/// link stays one.
pub fn replace(path: &Path, text: &str) -> Result<()> {
    let write = || -> Result<()> {
        let place = fs::canonicalize(path).unwrap_or_else(|_| path.to_path_buf());
        let name = place.file_name().context("this is not the name of a file")?;
        let there = fs::metadata(&place).ok();
        if there.as_ref().is_some_and(|there| !there.is_file()) {
            // A pipe or a device takes what is written. A folder says that it is one.
            return Ok(OpenOptions::new().write(true).open(&place)?.write_all(text.as_bytes())?);
        }
        let folder = place.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
        // Opened here, so that it has the permissions of any new file: those of tempfile are private.
        let create = |path: &Path| OpenOptions::new().write(true).create_new(true).open(path);
        let prefix = format!(".{}.", name.to_string_lossy());
        let mut file = tempfile::Builder::new().prefix(&prefix).suffix(".tmp").make_in(folder, create)?;
        if let Some(there) = there {
            file.as_file().set_permissions(there.permissions())?;
        }
        file.write_all(text.as_bytes())?;
        file.persist(&place).map_err(|error| error.error)?;
        Ok(())
    };
    write().with_context(|| path.display().to_string())
}
