//! Compiled kernels, kept on disk between runs of a program.

use super::Device;
use crate::error::{Error, Result};
use cubecl::config::cache::CacheConfig;
use cubecl::config::{CubeClRuntimeConfig, RuntimeConfig};
use cubecl::prelude::KernelBuilder;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// Keeps compiled kernels in a folder below `root`, so that a program's next run does not compile them again. Call it
/// first thing: CubeCL reads its configuration when it is first used.
///
/// CubeCL caches what the CUDA compiler makes, which is most of a first call's time there; WGSL kernels are not cached.
/// It finds kernels by their names alone. So the folder that this function chooses, and returns, is one per build of
/// the program and set of devices: a changed bucket function never meets its old kernel. Folders of old builds can be
/// deleted at any time.
///
/// # Errors
/// [`Error::KernelCache`] if CubeCL is already in use, or the running program cannot be told apart from other builds.
pub fn cache_kernels(root: &Path) -> Result<PathBuf> {
    let program = std::env::current_exe().map_err(|error| Error::KernelCache(error.to_string()))?;
    cache_kernels_of(root, &program)
}

/// The same for code that is not in the running program but in a file that it has loaded, such as a module of Python's:
/// each build of that file has a folder of its own.
///
/// # Errors
/// As [`cache_kernels`].
pub fn cache_kernels_of(root: &Path, code: &Path) -> Result<PathBuf> {
    let fail = |reason: &str| Error::KernelCache(reason.into());
    let program = std::fs::metadata(code).map_err(|error| fail(&error.to_string()))?;
    let mut hasher = DefaultHasher::new();
    env!("CARGO_PKG_VERSION").hash(&mut hasher);
    program.len().hash(&mut hasher);
    program.modified().map_err(|error| fail(&error.to_string()))?.hash(&mut hasher);
    for device in Device::list() {
        device.description.hash(&mut hasher);
    }
    let folder = root.join(format!("{:016x}", hasher.finish()));

    if CubeClRuntimeConfig::storage().lock().is_some() {
        return Err(fail("CubeCL is already in use; ask for the cache before opening a device"));
    }
    // The first use makes CubeCL read its configuration. To read it here would compile its reader a second time.
    KernelBuilder::default();
    if let Some(config) = CubeClRuntimeConfig::storage().lock().as_mut() {
        Arc::make_mut(config).compilation.cache = Some(CacheConfig::File(folder.clone()));
    }
    Ok(folder)
}
