//! Caches in the user's cache folder.

#[cfg(feature = "gpu")]
use super::messages::note;
#[cfg(feature = "gpu")]
use super::program::Program;
use std::io;
use std::path::PathBuf;

/// Keeps compiled kernels in the user's cache folder, and returns where.
#[cfg(feature = "gpu")]
pub fn cache_kernels() -> io::Result<Option<PathBuf>> {
    let Some(folder) = user_cache() else { return Ok(None) };
    match multisplit::cache_kernels_of(&folder.join("multisplit"), &Program::this()?.code) {
        Ok(folder) => Ok(Some(folder)),
        Err(error) => {
            // Slower, not wrong.
            note(error);
            Ok(None)
        }
    }
}

/// Without GPUs there are no kernels.
#[cfg(not(feature = "gpu"))]
pub fn cache_kernels() -> io::Result<Option<PathBuf>> {
    Ok(None)
}

/// Returns the folder where this user's programs keep files that can be made again.
pub fn user_cache() -> Option<PathBuf> {
    let set = |name| std::env::var_os(name).filter(|value| !value.is_empty()).map(PathBuf::from);
    set("XDG_CACHE_HOME").or_else(|| set("LOCALAPPDATA")).or_else(|| Some(set("HOME")?.join(".cache")))
}
