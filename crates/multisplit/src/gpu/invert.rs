//! The inverse of a permutation.

use crate::error::Result;
use crate::runtime::{FirstRun, Gpu, Slice, launch, variant};
use cubecl::prelude::*;

/// Units of a cube.
const UNITS: u32 = 256;

/// `inverse[permutation[i]] = i`, for all i below n.
pub(crate) struct Invert {
    pub permutation: Slice<u32>,
    pub inverse: Slice<u32>,
    pub n: u32,
}

impl Invert {
    /// Submits it. Before the first time, a small one is seen to work.
    pub fn launch<R: Runtime>(self, gpu: &Gpu<R>) -> Result<()> {
        if self.n == 0 {
            return Ok(());
        }
        FirstRun { kernel: "invert", variants: &[variant("invert")] }.rehearse(gpu, || {
            let memory = [gpu.upload(&[2u32, 0, 9, 1])?, gpu.upload(&[7u32; 4])?];
            let [permutation, inverse] = [gpu.writes(&memory[0])?, gpu.writes(&memory[1])?];
            let read = inverse.first(4)?;
            Self { permutation, inverse, n: 4 }.submit(gpu)?;
            Ok(gpu.read(&read)? == [1, 3, 0, 7])
        })?;
        self.submit(gpu)
    }

    /// The kernel reads n indices, and writes below n.
    fn submit<R: Runtime>(&self, gpu: &Gpu<R>) -> Result<()> {
        let units = UNITS.min(gpu.facts.max_units);
        let cubes = CubeCount::new_1d(self.n.div_ceil(units).min(gpu.facts.processors * 64));
        launch!(
            *gpu, invert::Invert<R>, cubes, CubeDim::new_1d(units);
            permutation: self.permutation.first(self.n as usize)?,
            inverse: self.inverse.first(self.n as usize)?,
            n: self.n,
        )
    }
}

#[cube(launch_unchecked, address_type = "dynamic")]
fn invert(permutation: &Array<u32>, inverse: &mut Array<u32>, n: u32) {
    // In address arithmetic: 32 bits would wrap before they reach a count close to 2^32.
    let mut i = ABSOLUTE_POS;
    while i < n as usize {
        let index = permutation[i];
        if index < n {
            inverse[index as usize] = i as u32;
        }
        i += CUBE_COUNT * CUBE_DIM as usize;
    }
}
