//! Whether two paths are of one file, and where a path leads.

use super::usage::usage;
use anyhow::Result;
use std::ffi::OsStr;
use std::fs;
use std::path::{Path, PathBuf};

/// A path, and what the command line calls it.
pub type Named<'a> = (&'a str, &'a Path);

/// The path that is standard input or standard output.
pub const STANDARD: &str = "-";

/// Refuses outputs that are an input, or that are each other.
///
/// They are the same if their paths lead to the same place, over links too; and on Unix, if they are hard links of one
/// file. Pipes and devices can be written to more than once, standard output cannot.
pub fn ensure_distinct(inputs: &[Named<'_>], outputs: &[Named<'_>]) -> Result<()> {
    let is_standard_input = |path: &Path| path.as_os_str() == STANDARD;
    let read: Vec<_> =
        inputs.iter().map(|&(_, path)| if is_standard_input(path) { None } else { identity(path) }).collect();
    let written: Vec<_> = outputs.iter().map(|&(_, path)| identity_of_output(path)).collect();
    for (i, &(name, path)) in outputs.iter().enumerate() {
        let Some(identity) = &written[i] else { continue };
        let equal = |other: &Option<Identity>| other.as_ref() == Some(identity);
        if let Some(input) = read.iter().position(equal) {
            let (input, from) = inputs[input];
            let (path, from) = (path.display(), from.display());
            return Err(usage(format!("{name} {path} is the same file as {input} {from}; write to another file")));
        }
        if let Some(other) = written[..i].iter().position(equal) {
            let (other, there) = outputs[other];
            let (path, there) = (path.display(), there.display());
            return Err(usage(format!("{name} {path} is the same file as {other} {there}; name a file for each")));
        }
    }
    Ok(())
}

/// Returns whether an output is standard output: by its name, or because the shell sends standard output to that file.
pub fn is_standard_output(path: &Path) -> bool {
    if path.as_os_str() == STANDARD || path == Path::new("/dev/stdout") {
        return true;
    }
    #[cfg(unix)]
    {
        use std::os::fd::AsFd;
        let own = std::io::stdout().as_fd().try_clone_to_owned().map(fs::File::from);
        let own = own.and_then(|own| own.metadata()).ok().filter(fs::Metadata::is_file);
        own.is_some_and(|own| fs::metadata(path).is_ok_and(|there| inode(&there) == inode(&own)))
    }
    #[cfg(not(unix))]
    false
}

/// Returns where a file is or will be: links are followed, also one to a file that is not there yet.
pub fn place(path: &Path) -> PathBuf {
    if let Ok(place) = fs::canonicalize(path) {
        return place;
    }
    let folder_of = |path: &Path| match path.parent() {
        Some(folder) if folder != OsStr::new("") => folder.to_path_buf(),
        _ => PathBuf::from("."),
    };
    let mut at = path.to_path_buf();
    // As many links as Linux follows: those that form a cycle are given up.
    for _ in 0..40 {
        match fs::read_link(&at) {
            Ok(to) => at = folder_of(&at).join(to),
            Err(_) => break,
        }
    }
    match (fs::canonicalize(folder_of(&at)), at.file_name()) {
        (Ok(folder), Some(name)) => folder.join(name),
        _ => at,
    }
}

#[derive(PartialEq, Eq)]
enum Identity {
    StandardOutput,
    /// The device and the number that a file has there.
    #[cfg(unix)]
    Inode((u64, u64)),
    /// A place where no file is yet, or how a file is known where the system does not number them.
    Place(PathBuf),
}

fn identity_of_output(path: &Path) -> Option<Identity> {
    if is_standard_output(path) { Some(Identity::StandardOutput) } else { identity(path) }
}

/// Returns what tells a file from all others: nothing for what takes any number of outputs.
fn identity(path: &Path) -> Option<Identity> {
    match fs::metadata(path) {
        Ok(there) if !there.is_file() => None,
        #[cfg(unix)]
        Ok(there) => Some(Identity::Inode(inode(&there))),
        _ => Some(Identity::Place(place(path))),
    }
}

#[cfg(unix)]
fn inode(there: &fs::Metadata) -> (u64, u64) {
    use std::os::unix::fs::MetadataExt;
    (there.dev(), there.ino())
}
