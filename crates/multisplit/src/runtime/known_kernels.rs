//! Kernels that have been launched on a GPU.
//!
//! CubeCL's own thread submits a launch, and is what many small calls wait for. It is handed a reference to a known
//! kernel, not a new one each time: memory that one thread allocates and another frees, and counts of references that
//! both change, take as long as the rest of a launch.

use super::facts::Dialect;
use super::scalars;
use cubecl::ir::StorageType;
use cubecl::prelude::*;
use rustc_hash::FxHashMap;
use std::fmt;
use std::hash::{Hash, Hasher};
use std::sync::{Mutex, PoisonError};

/// The kernels of a GPU, by the hash of all that they depend on. They are never forgotten: nor is what CubeCL compiles.
#[derive(Default)]
pub(super) struct KnownKernels(Mutex<FxHashMap<u64, Vec<AnyKernel>>>);

impl KnownKernels {
    /// The kernel with this hash and identity, if it is known.
    pub fn find(&self, digest: u64, id: &KernelId) -> Option<AnyKernel> {
        let known = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        known.get(&digest)?.iter().find(|kernel| kernel.0.own_id == *id).copied()
    }

    /// Remembers a kernel; `of` names its type.
    pub fn add(
        &self,
        digest: u64,
        own_id: KernelId,
        of: KernelId,
        dialect: Dialect,
        kernel: Box<dyn CubeKernel>,
    ) -> AnyKernel {
        let id = of.cube_dim(own_id.cube_dim).info(DigestedId { digest, id: own_id.clone() });
        let kernel = AnyKernel(Box::leak(Box::new(Known { own_id, id, dialect, kernel })));
        let mut known = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        known.entry(digest).or_default().push(kernel);
        kernel
    }
}

struct Known {
    /// As the kernel tells itself apart.
    own_id: KernelId,
    /// The same with its hash.
    id: KernelId,
    /// What it is compiled to.
    dialect: Dialect,
    kernel: Box<dyn CubeKernel>,
}

/// A known kernel. It is one type for all kernels, so that what CubeCL does with one is compiled once.
#[doc(hidden)]
#[derive(Clone, Copy)]
pub struct AnyKernel(&'static Known);

impl KernelMetadata for AnyKernel {
    fn name(&self) -> &'static str {
        self.0.kernel.name()
    }

    fn id(&self) -> KernelId {
        self.0.id.clone()
    }

    fn address_type(&self) -> StorageType {
        self.0.kernel.address_type()
    }
}

impl CubeKernel for AnyKernel {
    fn define(&self) -> KernelDefinition {
        let mut definition = self.0.kernel.define();
        if self.0.dialect == Dialect::Wgsl {
            scalars::read_once(&mut definition.body);
        }
        definition
    }
}

/// What tells kernels apart. CubeCL hashes it several times in each launch.
#[derive(PartialEq, Eq)]
struct DigestedId {
    digest: u64,
    id: KernelId,
}

impl Hash for DigestedId {
    fn hash<H: Hasher>(&self, state: &mut H) {
        state.write_u64(self.digest);
    }
}

impl fmt::Debug for DigestedId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.id.fmt(f)
    }
}
