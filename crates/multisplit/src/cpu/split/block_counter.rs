//! Counting ids with vector instructions, whichever they are.

use crate::cpu::plan::{BLOCK, MAX_BUCKETS};

/// Something that counts whole blocks of ids with vector instructions.
pub(super) trait BlockCounter {
    /// # Safety
    ///
    /// The processor has the features that the type needs; this holds for the other functions as well.
    unsafe fn new(m: usize) -> Self;

    /// Adds the ids of a block, all less than `m`.
    ///
    /// # Safety
    ///
    /// As for [`BlockCounter::new`].
    unsafe fn add(&mut self, ids: &[u8; BLOCK]);

    /// How many ids of each bucket there were.
    ///
    /// # Safety
    ///
    /// As for [`BlockCounter::new`].
    unsafe fn sums(&mut self) -> [usize; MAX_BUCKETS];
}
