//! The inverse of a permutation.

use rayon::prelude::*;
use std::sync::atomic::{AtomicU32, Ordering};

/// Elements per thread and step, at least.
const FEW: usize = 1 << 12;

/// `inverse[permutation[i]] = i`. Indices that are out of range are ignored; of equal ones, any is taken. There are
/// fewer than 2^32 elements.
pub(crate) fn invert(permutation: &[u32], inverse: &mut [u32]) {
    let inverse = atomics(inverse);
    permutation.par_iter().with_min_len(FEW).enumerate().for_each(|(i, &index)| {
        if let Some(place) = inverse.get(index as usize) {
            place.store(i as u32, Ordering::Relaxed);
        }
    });
}

/// The same words, for several threads to write.
fn atomics(words: &mut [u32]) -> &[AtomicU32] {
    const { assert!(align_of::<AtomicU32>() == align_of::<u32>()) };
    // SAFETY: an atomic word has the size and the bit validity of a plain one, and by the line above its alignment. The
    // words are borrowed mutably for as long as the result lives, so that nobody else can see them meanwhile.
    unsafe { &*(std::ptr::from_mut(words) as *const [AtomicU32]) }
}
