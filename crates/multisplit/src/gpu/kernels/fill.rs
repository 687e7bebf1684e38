//! Fill: one value for all words.

use cubecl::prelude::*;

/// Writes `value` to the first `len` words.
#[cube(launch_unchecked, address_type = "dynamic")]
pub(crate) fn fill(words: &mut Array<u32>, len: u32, value: u32) {
    let mut i = ABSOLUTE_POS;
    while i < len as usize {
        words[i] = value;
        i += CUBE_COUNT * CUBE_DIM as usize;
    }
}
