//! The inner loop of write combining: single rows to the slots of their buckets.
//!
//! It is a function of its own, which returns when a buffer is full rather than flushing it, so
//! that all its variables live in registers: with the flush inside, the compiler reloaded three
//! pointers from the stack for each row (10 to 20 % of the postscan).
//!
//! What bounds it are its two stores a row, to the buffer and to the cursor: the processor writes one
//! to its cache in a cycle. Slower were: two to eight rows at a time with all cursors before all
//! values (a cursor then waits for those before it), cursors of one or two bytes, and taking the ids
//! from a word.

use super::MAX_BUCKETS;
use super::ahead;
use super::plan::BLOCK;
use super::table::Row;

/// Rows whose loop is unrolled: a cache line of rows of 4 bytes.
const GROUP: usize = 16;

/// Puts rows in their slots until one of them was the last of its bucket, or no row is left.
/// Returns how many it took.
///
/// # Safety
///
/// For every bucket in `ids`, its slot and those after it up to the next multiple of `mask + 1` are
/// in the buffer; `mask + 1` is a power of two.
#[inline(never)]
pub(super) unsafe fn place<W: Row>(
    slots: &mut [u32; MAX_BUCKETS],
    buffer: &mut [W],
    mask: u32,
    ids: &[u8],
    values: &[W],
) -> usize {
    let mut put = |id: u8, value: W| {
        let slot = slots[id as usize];
        debug_assert!((slot as usize) < buffer.len());
        // SAFETY: the slot of a bucket in `ids`, or one after it up to the last.
        unsafe { *buffer.get_unchecked_mut(slot as usize) = value };
        slots[id as usize] = slot + 1;
        (slot + 1) & mask == 0
    };
    let mut taken = 0;
    let groups = ids.as_chunks::<GROUP>().0.iter();
    for (ids, values) in groups.zip(values.as_chunks::<GROUP>().0) {
        ahead::fetch(values, BLOCK * size_of::<W>());
        for i in 0..GROUP {
            if put(ids[i], values[i]) {
                return taken + i + 1;
            }
        }
        taken += GROUP;
    }
    for (&id, &value) in ids[taken..].iter().zip(&values[taken..]) {
        taken += 1;
        if put(id, value) {
            return taken;
        }
    }
    taken
}
