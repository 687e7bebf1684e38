//! Gather: rows of any size, brought into the order of a permutation.

use cubecl::prelude::*;

/// Output row i = input row `permutation[i]`; a row is `words` 32-bit words. Consecutive units move consecutive words.
/// An index beyond the input reads its last row.
#[cube(launch_unchecked, address_type = "dynamic")]
pub(crate) fn gather(
    from: &Array<u32>,
    permutation: &Array<u32>,
    to: &mut Array<u32>,
    words: u32,
    from_rows: u32,
    rows: u32,
) {
    // In address arithmetic: 32 bits would wrap before they reach a number of rows close to 2^32.
    let mut row = CUBE_POS * CUBE_DIM_Y as usize + UNIT_POS_Y as usize;
    while row < rows as usize {
        let source = permutation[row].min(from_rows - 1) as usize * words as usize;
        let target = row * words as usize;
        let mut word = UNIT_POS_X;
        while word < words {
            to[target + word as usize] = from[source + word as usize];
            word += CUBE_DIM_X;
        }
        row += CUBE_COUNT * CUBE_DIM_Y as usize;
    }
}
