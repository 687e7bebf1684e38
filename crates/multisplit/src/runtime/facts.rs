//! What a device has, as far as kernels depend on it.

/// What the shape of kernels is chosen from.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Facts {
    /// Lanes per plane.
    pub plane: u32,
    /// Multiprocessors, or a guess.
    pub processors: u32,
    /// Bytes of shared memory per cube.
    pub shared_memory: u32,
    /// Units per cube.
    pub max_units: u32,
    /// Storage buffers that a kernel can bind.
    pub max_bindings: u32,
    /// Whether it can copy to shared memory while the units do something else.
    pub copies: bool,
    /// Whether kernels can write single bytes.
    pub bytes: bool,
    /// What its kernels are compiled to.
    pub dialect: Dialect,
    /// Whether this is a CPU posing as a GPU.
    pub software: bool,
}

impl Facts {
    /// Those of a device that copies nothing: a cube that has one tile has none to copy ahead.
    pub fn without_copies(&self) -> Self {
        Self { copies: false, ..self.clone() }
    }
}

#[cfg(test)]
impl Facts {
    pub fn h200() -> Self {
        Self {
            plane: 32,
            processors: 132,
            shared_memory: 232_448,
            max_units: 1024,
            max_bindings: 1024,
            copies: true,
            bytes: true,
            dialect: Dialect::Cuda,
            software: false,
        }
    }
}

/// What differs between the languages that kernels are compiled to.
// Each back end has its own, and either may be left out.
#[cfg_attr(not(all(feature = "cuda", feature = "wgpu")), allow(dead_code))]
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Dialect {
    /// CUDA: planes have a barrier of their own, and shared memory can be seen as another type than it was made for.
    Cuda,
    /// WGSL: neither; where planes would wait, the whole cube does.
    Wgsl,
}
