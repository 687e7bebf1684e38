//! The inner loop of write combining: single rows to the slots of their buckets.
//!
//! It is a function of its own, which returns when a buffer is full rather than flushing it, so
//! that all its variables live in registers: with the flush inside, the compiler reloaded three
//! pointers from the stack for each row (10 to 20 % of the postscan).
//!
//! What seems to bound it are its two stores a row, to the buffer and to the cursor: the processor writes
//! two stores to its cache at once only if they are neighbours in program order and go to the same
//! line. So two rows are put at a time, and their two cursors, which often share a line, are
//! written one after the other (10 %).

use super::MAX_BUCKETS;
use super::table::Row;

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
    let full = |slot: u32| (slot + 1) & mask == 0;
    let mut put = |slot: u32, value: W| {
        debug_assert!((slot as usize) < buffer.len());
        // SAFETY: the slot of a bucket in `ids`, or the one after it where it is not the last.
        unsafe { *buffer.get_unchecked_mut(slot as usize) = value };
    };
    let mut taken = 0;
    let pairs = ids.as_chunks::<2>().0.iter().zip(values.as_chunks::<2>().0);
    for (&[a, b], &[v, w]) in pairs {
        let s = slots[a as usize];
        let t = slots[b as usize] + u32::from(a == b);
        put(s, v);
        if full(s) {
            slots[a as usize] = s + 1;
            return taken + 1;
        }
        put(t, w);
        slots[a as usize] = s + 1;
        slots[b as usize] = t + 1;
        taken += 2;
        if full(t) {
            return taken;
        }
    }
    if let (Some(&id), Some(&value)) = (ids.get(taken), values.get(taken)) {
        let slot = slots[id as usize];
        put(slot, value);
        slots[id as usize] = slot + 1;
        taken += 1;
    }
    taken
}
