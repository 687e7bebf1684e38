//! The bits in which keys differ.

use crate::bucket::key::Key;
use crate::bucket::word::Word;
use crate::request::order::{Order, mask};
use rayon::prelude::*;

/// Keys that one thread looks at.
const PART: usize = 1 << 16;

/// Which bits of those that the order goes by are not the same in all keys.
pub(crate) fn differing_bits<K: Key>(order: Order, keys: &[K]) -> u64 {
    let Some(&first) = keys.first() else { return 0 };
    let part = |keys: &[K]| keys.iter().fold(0, |bits, &key| bits | (word(key) ^ word(first)));
    let bits = if keys.len() <= PART { part(keys) } else { keys.par_chunks(PART).map(part).reduce(|| 0, |a, b| a | b) };
    bits & mask(order.start, order.end)
}

/// The same order of these keys by fewer bits: those at either end that are the same in all keys are left out.
pub(crate) fn trim<K: Key>(order: Order, keys: &[K]) -> Order {
    order.cut_to(differing_bits(order, keys))
}

/// The key as a number in its order.
#[inline(always)]
fn word<K: Key>(key: K) -> u64 {
    let word = K::ordered(key);
    let low = u64::from(K::Bits::window(word, 0, u32::MAX));
    if size_of::<K::Bits>() == 8 { low | u64::from(K::Bits::window(word, 32, u32::MAX)) << 32 } else { low }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn trimmed<K: Key>(keys: &[K], start: u32, end: u32) -> (u32, u32) {
        let order = trim(Order { start, end, digit_bits: None, descending: false }, keys);
        (order.start, order.end)
    }

    #[test]
    fn only_bits_that_differ() {
        assert_eq!(trimmed(&[0x0ff0u32, 0x0f00], 0, 32), (4, 8));
        assert_eq!(trimmed(&[0x0ff0u32, 0x0f00], 0, 6), (4, 6));
        assert_eq!(trimmed(&[0x0ff0u32, 0x0f00], 6, 32), (6, 8));
        assert_eq!(trimmed(&[0x0ff0u32, 0x0f00], 8, 32), (8, 8));
        assert_eq!(trimmed(&[7u32; 9], 0, 32), (0, 0));
        assert_eq!(trimmed::<u32>(&[], 0, 32), (0, 0));
        assert_eq!(trimmed(&[1u64, u64::MAX], 0, 64), (1, 64));
        assert_eq!(trimmed(&[1u64, u64::MAX], 64, 64), (64, 64));
        assert_eq!(trimmed(&[-0.0f32, 0.0], 0, 32), (0, 32));
        assert_eq!(trimmed(&[3u8, 2], 0, 8), (0, 1));
    }
}
