//! The bits in which keys differ.

use super::rank::{Bits, Ranking, word};
use crate::bucket::key::Key;
use crate::request::order::{Order, mask};
use rayon::prelude::*;

/// Keys that one thread looks at.
const PART: usize = 1 << 16;

/// Keys that are looked at before it is asked whether to go on.
const FEW_KEYS: usize = 32;

/// Which bits of those that the order goes by are not the same in all keys.
pub(crate) fn differing_bits<K: Key>(order: Order, keys: &[K]) -> u64 {
    let Some(&first) = keys.first() else { return 0 };
    let part = |keys: &[K]| keys.iter().fold(0, |bits, &key| bits | (word(key) ^ word(first)));
    let bits = if keys.len() <= PART { part(keys) } else { keys.par_chunks(PART).map(part).reduce(|| 0, |a, b| a | b) };
    bits & mask(order.start, order.end)
}

/// The same ranking of these keys by fewer bits: those at either end that are the same in all keys are left out.
pub(super) fn trim<B: Bits>(by: &Ranking, keys: &[B]) -> Ranking {
    // Most often the first few keys differ in the bits at both ends, and nothing is left out.
    let (first, rest) = keys.split_at(keys.len().min(FEW_KEYS));
    let (by_few, _) = trim_few(by, first);
    if rest.is_empty() || by_few.order == by.order {
        return by_few;
    }
    let part = |part: &[B]| differing(by, keys[0], part);
    let bits = keys.par_chunks(PART).map(part).reduce(|| 0, |a, b| a | b);
    by.cut_to(bits)
}

/// [`trim`], on the calling thread. Also returns bits of the window in which keys differ: not all, but those at the
/// ends and all that differ in some of the keys.
pub(super) fn trim_few<B: Bits>(by: &Ranking, keys: &[B]) -> (Ranking, u64) {
    let ends = mask(0, by.bits()) ^ mask(1, by.bits().saturating_sub(1));
    let mut bits = 0;
    for part in keys.chunks(FEW_KEYS) {
        bits |= differing(by, keys[0], part);
        if bits & ends == ends {
            break;
        }
    }
    let trimmed = by.cut_to(bits);
    (trimmed, bits.checked_shr(trimmed.order.start - by.order.start).unwrap_or(0))
}

/// The bits in which the numbers of keys differ from that of the first.
fn differing<B: Bits>(by: &Ranking, first: B, keys: &[B]) -> u64 {
    let window = by.window();
    keys.iter().fold(0, |bits, &key| bits | (window.of(key) ^ window.of(first)))
}

#[cfg(test)]
mod tests {
    use super::super::rank::Float;
    use super::*;

    fn trimmed<K: Key, B: Bits>(keys: &[K], start: u32, end: u32) -> (u32, u32) {
        let by = Ranking::of::<K>(Order { start, end, digit_bits: None, descending: false });
        let words: &[B] = bytemuck::cast_slice(keys);
        let (all, few) = (trim(&by, words).order, trim_few(&by, words).0.order);
        assert_eq!(all, few);
        assert_eq!(all, by.order.cut_to(differing_bits(by.order, keys)));
        (all.start, all.end)
    }

    #[test]
    fn only_bits_that_differ() {
        assert_eq!(trimmed::<u32, u32>(&[0x0ff0u32, 0x0f00], 0, 32), (4, 8));
        assert_eq!(trimmed::<u32, u32>(&[0x0ff0u32, 0x0f00], 0, 6), (4, 6));
        assert_eq!(trimmed::<u32, u32>(&[0x0ff0u32, 0x0f00], 6, 32), (6, 8));
        assert_eq!(trimmed::<u32, u32>(&[0x0ff0u32, 0x0f00], 8, 32), (8, 8));
        assert_eq!(trimmed::<u32, u32>(&[7u32; 9], 0, 32), (0, 0));
        assert_eq!(trimmed::<u32, u32>(&[], 0, 32), (0, 0));
        assert_eq!(trimmed::<u64, u64>(&[1u64, u64::MAX], 0, 64), (1, 64));
        assert_eq!(trimmed::<u64, u64>(&[1u64, u64::MAX], 64, 64), (64, 64));
        assert_eq!(trimmed::<f32, Float<u32>>(&[-0.0f32, 0.0], 0, 32), (0, 32));
        // Longer than what is looked at first, and than what one thread looks at.
        let mut keys = vec![0x100u64; 3 * PART];
        keys[2 * PART] = 0x300;
        assert_eq!(trimmed::<u64, u64>(&keys, 0, 64), (9, 10));
        keys[1] = 0x8000_0000_0000_0101;
        assert_eq!(trimmed::<u64, u64>(&keys, 0, 64), (0, 64));
        assert_eq!(trimmed::<u8, u8>(&[3u8, 2], 0, 8), (0, 1));
    }
}
