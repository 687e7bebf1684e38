//! Whether there is room for what will be written.

use anyhow::Result;
use std::path::Path;

/// Refuses outputs of so many bytes that there is no room for. Where nobody can tell, there is.
#[cfg(unix)]
pub fn ensure_room<'a>(outputs: impl IntoIterator<Item = (&'a Path, u64)>) -> Result<()> {
    use super::output_files::folder_and_prefix;
    use super::same_file::{is_standard_output, place};
    use std::fs;
    use std::os::unix::fs::MetadataExt;

    // By file system: it, one of its folders, and what goes there.
    let mut needed: Vec<(u64, std::path::PathBuf, u64)> = Vec::new();
    for (path, bytes) in outputs {
        let is_other = fs::metadata(path).is_ok_and(|there| !there.is_file());
        if is_other || is_standard_output(path) {
            continue;
        }
        let place = place(path);
        let Ok((folder, _)) = folder_and_prefix(&place) else { continue };
        let Ok(about) = fs::metadata(folder) else { continue };
        match needed.iter_mut().find(|(device, ..)| *device == about.dev()) {
            Some((.., sum)) => *sum = sum.saturating_add(bytes),
            None => needed.push((about.dev(), folder.to_path_buf(), bytes)),
        }
    }
    needed.iter().try_for_each(|(_, folder, bytes)| check(folder, *bytes, left(folder)))
}

/// Nobody asks the system.
#[cfg(not(unix))]
pub fn ensure_room<'a>(_: impl IntoIterator<Item = (&'a Path, u64)>) -> Result<()> {
    Ok(())
}

/// Returns how many bytes there is room for. None of file systems that do not say.
#[cfg(unix)]
fn left(folder: &Path) -> Option<u64> {
    let about = rustix::fs::statvfs(folder).ok().filter(|about| about.f_blocks > 0)?;
    about.f_bavail.checked_mul(about.f_frsize)
}

#[cfg(unix)]
fn check(folder: &Path, bytes: u64, left: Option<u64>) -> Result<()> {
    use super::memory::show_size;

    let Some(left) = left.filter(|&left| left < bytes) else { return Ok(()) };
    anyhow::bail!(
        "{}: {} would be written, but there is room for {} only; make room, or name another folder",
        folder.display(),
        show_size(bytes),
        show_size(left)
    )
}

#[cfg(all(test, unix))]
mod tests {
    use super::*;

    #[test]
    fn room_is_added_up() {
        let folder = tempfile::tempdir().unwrap();
        let (a, b) = (folder.path().join("a"), folder.path().join("b"));
        let left = left(folder.path()).unwrap();
        ensure_room([(&*a, 1), (&*b, 1)]).unwrap();
        let half = left / 2 + (1 << 40);
        let error = ensure_room([(&*a, half), (&*b, half)]).unwrap_err().to_string();
        assert!(error.contains("would be written, but there is room for") && error.contains("GiB"), "{error}");
        ensure_room([(Path::new("-"), u64::MAX), (Path::new("/dev/null"), u64::MAX)]).unwrap();
    }

    #[test]
    fn what_nobody_knows_is_room_enough() {
        let folder = Path::new("there");
        check(folder, u64::MAX, None).unwrap();
        check(folder, 5, Some(5)).unwrap();
        assert_eq!(
            check(folder, 2_500_000, Some(5)).unwrap_err().to_string(),
            "there: 2.3 MiB would be written, but there is room for 5 bytes only; make room, or name another folder"
        );
    }
}
