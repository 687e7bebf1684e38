//! Copies to shared memory that go on while units do something else, and how they are waited for.
//!
//! Where the device cannot do that there is nothing here: units load what they need and the cube waits as usual.

use super::super::blueprint::Blueprint;
use cubecl::prelude::barrier::Barrier;
use cubecl::prelude::*;

/// What signals the end of copies, where there are any.
#[derive(CubeType)]
pub(crate) struct Arrivals {
    barrier: Sequence<Shared<Barrier>>,
}

#[cube]
pub(crate) fn arrivals(#[comptime] bp: Blueprint) -> Arrivals {
    let mut barrier = Sequence::<Shared<Barrier>>::new();
    if comptime!(bp.copies) {
        barrier.push(Barrier::shared(comptime!(bp.units()).runtime(), UNIT_POS_X == 0));
    }
    Arrivals { barrier }
}

#[cube]
impl Arrivals {
    /// Says that this unit has started all copies of a load. All units must have waited for the load before.
    pub fn expect(&self) {
        let barrier = self.barrier.index(0usize);
        barrier.commit_copy_async();
        barrier.arrive();
    }

    /// Waits for a load, if one comes by copies; `turn` is 0 for the first, 1 for the second, 0 for the third, ….
    // Together they would be looked at when the kernel runs, and there be no barrier to wait at.
    #[allow(clippy::collapsible_if)]
    pub fn wait(&self, comes: bool, turn: u32, #[comptime] bp: Blueprint) {
        if comptime!(bp.copies) {
            if comes {
                self.barrier.index(0usize).wait_parity(turn);
            }
        }
    }
}
