//! Fill: one value for all words.

use cubecl::prelude::*;

/// Writes `value` to the words from `start` to `end`.
#[cube(launch_unchecked, address_type = "dynamic")]
pub(crate) fn fill(words: &mut Array<u32>, start: u32, end: u32, value: u32) {
    let mut i = start as usize + ABSOLUTE_POS;
    while i < end as usize {
        words[i] = value;
        i += CUBE_COUNT * CUBE_DIM as usize;
    }
}
