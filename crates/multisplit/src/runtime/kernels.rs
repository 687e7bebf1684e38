//! The kernels that copy, and write one value to all elements.

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

/// Copies `len` elements, or loads of N, from number `from_start` on to number `to_start` on. If it `repeats`, the
/// first `period` of them are copied again and again.
#[cube(launch_unchecked, address_type = "dynamic")]
pub(crate) fn copy<E: Scalar, N: Size>(
    from: &Array<Vector<E, N>>,
    to: &mut Array<Vector<E, N>>,
    from_start: u32,
    to_start: u32,
    len: u32,
    period: u32,
    #[comptime] repeats: bool,
) {
    let mut i = ABSOLUTE_POS;
    while i < len as usize {
        let mut source = i;
        if comptime!(repeats) {
            source = i % period as usize;
        }
        to[to_start as usize + i] = from[from_start as usize + source];
        i += CUBE_COUNT * CUBE_DIM as usize;
    }
}

/// Copies bytes where kernels have only words: `words` of them, of the first only the bytes in the mask `head`, and of
/// the last those in `tail`. Word i becomes the four bytes that begin `shift` bits before the end of word
/// `from_start` + i of `from`, or those of that word if the shift is 0. Words are counted from 1 there, since the first
/// may begin before `from` does. What is not one of its `from_len` words is not in the masks either.
///
/// Bytes that are not written may be written by someone else at the same time.
#[cube(launch_unchecked, address_type = "dynamic")]
pub(crate) fn copy_bytes(
    from: &Array<u32>,
    to: &Array<Atomic<u32>>,
    from_start: u32,
    from_len: u32,
    shift: u32,
    to_start: u32,
    words: u32,
    head: u32,
    tail: u32,
) {
    let last = from_len as usize;
    let mut i = ABSOLUTE_POS;
    while i < words as usize {
        let source = from_start as usize + i;
        let mut value = from[source.max(1).min(last) - 1];
        if shift > 0 {
            value = (value >> (32 - shift)) | (from[(source + 1).min(last) - 1] << shift);
        }
        let mut mask = u32::MAX.runtime();
        if i == 0 {
            mask = head;
        }
        if i + 1 == words as usize {
            mask &= tail;
        }
        let target = to_start as usize + i;
        if mask == u32::MAX {
            to[target].store(value);
        } else {
            to[target].fetch_and(!mask);
            to[target].fetch_or(value & mask);
        }
        i += CUBE_COUNT * CUBE_DIM as usize;
    }
}
