//! The launch of a gather.

use super::client::Gpu;
use super::kernels::gather;
use crate::error::Result;
use cubecl::prelude::*;
use cubecl::server::Handle;

/// Output row i = input row `permutation[i]`, for rows of `words` words.
pub(crate) struct Gather {
    pub from: Handle,
    pub from_rows: u32,
    pub permutation: Handle,
    pub to: Handle,
    pub rows: u32,
    pub words: u32,
}

impl Gather {
    pub fn launch<R: Runtime>(self, gpu: &Gpu<R>) -> Result<()> {
        let Self { from, from_rows, permutation, to, rows, words } = self;
        if rows == 0 || from_rows == 0 {
            return Ok(());
        }
        let across = words.next_power_of_two().min(32);
        let down = 128 / across;
        let cubes = rows.div_ceil(down).min(gpu.facts.processors * 64);
        let array = |handle: Handle, rows: u32, words: u32| {
            // SAFETY: the caller checked that the buffer holds that many rows.
            unsafe { ArrayArg::from_raw_parts(handle, rows as usize * words as usize) }
        };
        // SAFETY: the kernel clamps what it reads of the permutation, and writes `rows` rows.
        gpu.launch(|| unsafe {
            gather::gather::launch_unchecked::<R>(
                &gpu.client,
                CubeCount::new_1d(cubes),
                CubeDim::new_2d(across, down),
                gpu.address(),
                array(from, from_rows, words),
                array(permutation, rows, 1),
                array(to, rows, words),
                words,
                from_rows,
                rows,
            )
        })
    }
}
