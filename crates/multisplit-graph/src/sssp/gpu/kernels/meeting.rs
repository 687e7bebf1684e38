//! A barrier for all cubes of a launch that never waits for a cube that does not run.
//!
//! A word counts the cubes that have arrived. When all have, all go on. A cube that has waited for long sets a bit of
//! the word, which it can do only as long as a cube is missing; from then on the barrier cannot complete, and whoever
//! finds the bit ends its launch, as does a cube that arrives later. So all cubes agree whether they go on, and each of
//! them ends without the others: where not all cubes run at the same time, a launch takes one step, and nothing is
//! lost but the time that was waited.

use crate::sssp::gpu::state::buckets::PARTED;
use cubecl::prelude::*;
use multisplit::between_cubes::{fence, load};
use multisplit::cubecl;

/// The bit that says that the barrier was given up; greater than any number of cubes.
const GIVEN_UP: u32 = 1 << 31;

/// How often a cube looks for the others before it gives up: about half a millisecond.
const PATIENCE: u32 = 1000;

/// Waits until all cubes have arrived, and returns whether they have. What they have written is seen by all units then.
/// `flag` is shared memory for the result, which no unit may need any more.
#[cube]
pub(crate) fn meet(control: &Array<Atomic<u32>>, word: u32, flag: &mut SharedMemory<u32>) -> bool {
    sync_cube();
    if UNIT_POS_X == 0 {
        // Once it was given up, nobody waits for long.
        let mut looks = load(control, PARTED) * PATIENCE;
        fence();
        let mut seen = control[word as usize].fetch_add(1u32) + 1;
        while seen < CUBE_COUNT_X {
            if looks < PATIENCE {
                seen = load(control, word);
                looks += 1;
            } else {
                // It fails if another cube has arrived, or given up.
                let old = control[word as usize].compare_exchange_weak(seen, seen | GIVEN_UP);
                if old == seen {
                    control[PARTED as usize].store(1u32);
                    seen |= GIVEN_UP;
                } else {
                    seen = old;
                }
            }
        }
        fence();
        flag[0] = seen;
    }
    sync_cube();
    flag[0] == CUBE_COUNT_X
}
