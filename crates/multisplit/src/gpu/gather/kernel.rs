//! Gather: rows of any size, brought into the order of a permutation.

use cubecl::prelude::*;

/// Output row i = input row `permutation[i]`; a row is `len` elements. The first row of the input begins at element
/// `from_start`, that of the output at `to_start`. Consecutive units move consecutive elements. An index beyond the
/// input reads its last row.
#[cube(launch_unchecked, address_type = "dynamic")]
pub(crate) fn gather<E: Scalar>(
    from: &Array<E>,
    permutation: &Array<u32>,
    to: &mut Array<E>,
    from_start: u32,
    to_start: u32,
    len: u32,
    from_rows: u32,
    rows: u32,
) {
    // In address arithmetic: 32 bits would wrap before they reach a number of rows close to 2^32.
    let mut row = CUBE_POS * CUBE_DIM_Y as usize + UNIT_POS_Y as usize;
    while row < rows as usize {
        let source = from_start as usize + permutation[row].min(from_rows - 1) as usize * len as usize;
        let target = to_start as usize + row * len as usize;
        let mut i = UNIT_POS_X;
        while i < len {
            to[target + i as usize] = from[source + i as usize];
            i += CUBE_DIM_X;
        }
        row += CUBE_COUNT * CUBE_DIM_Y as usize;
    }
}

/// The same where kernels know no bytes, for `total` bytes of rows of `bytes` bytes. The first row of the input begins
/// at byte `from_first`, that of the output `to_before` bytes behind the beginning of word `to_start`. Each unit makes
/// words of the bytes that lie there. Bytes of the first and the last word that are not written may be written by
/// someone else at the same time.
#[cube(launch_unchecked, address_type = "dynamic")]
pub(crate) fn gather_packed(
    from: &Array<u32>,
    permutation: &Array<u32>,
    to: &Array<Atomic<u32>>,
    from_first: u32,
    to_start: u32,
    to_before: u32,
    bytes: u32,
    from_rows: u32,
    total: u32,
) {
    let end = to_before + total;
    let mut word = ABSOLUTE_POS as u32;
    while word * 4 < end {
        let mut value = 0u32;
        let mut mask = 0u32;
        #[unroll]
        for byte in 0..4u32 {
            let place = word * 4 + byte;
            if place >= to_before && place < end {
                let at = place - to_before;
                let row = permutation[(at / bytes) as usize].min(from_rows - 1);
                let source = from_first + row * bytes + at % bytes;
                let found = (from[(source / 4) as usize] >> (source % 4 * 8)) & 0xff;
                value |= found << comptime!(8 * byte);
                mask |= comptime!(0xffu32 << (8 * byte));
            }
        }
        let target = (to_start + word) as usize;
        if mask == u32::MAX {
            to[target].store(value);
        } else {
            to[target].fetch_and(!mask);
            to[target].fetch_or(value);
        }
        word += (CUBE_COUNT * CUBE_DIM as usize) as u32;
    }
}
