//! Copies to shared memory that go on while units do something else, and how they are waited for.
//!
//! Where the device cannot do that there is nothing here: units load what they need and the cube waits as usual.

use super::async_copy;
use crate::gpu::tuning::blueprint::Blueprint;
use cubecl::prelude::*;

/// What signals the end of copies, where there are any: a barrier.
#[derive(CubeType)]
pub(crate) struct CopyBarrier {
    barrier: Sequence<SharedMemory<u64>>,
}

#[cube]
pub(crate) fn copy_barrier(#[comptime] bp: Blueprint) -> CopyBarrier {
    let mut barrier = Sequence::<SharedMemory<u64>>::new();
    if comptime!(bp.copies) {
        let word = SharedMemory::<u64>::new(1usize);
        if UNIT_POS_X == 0 {
            async_copy::init(&word.to_slice(), comptime!(bp.units()).runtime());
        }
        sync_cube();
        barrier.push(word);
    }
    CopyBarrier { barrier }
}

#[cube]
impl CopyBarrier {
    /// Says that this unit has started all copies of a load. All units must have waited for the load before.
    pub fn expect(&self) {
        async_copy::arrive(&self.barrier.index(0usize).to_slice());
    }

    /// Waits for a load, if one comes by copies; `turn` is 0 for the first, 1 for the second, 0 for the third, ….
    // Together they would be looked at when the kernel runs, and there be no barrier to wait at.
    #[allow(clippy::collapsible_if)]
    pub fn wait(&self, comes: bool, turn: u32, #[comptime] bp: Blueprint) {
        if comptime!(bp.copies) {
            if comes {
                async_copy::wait(&self.barrier.index(0usize).to_slice(), turn);
            }
        }
    }
}
