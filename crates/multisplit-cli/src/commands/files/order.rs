//! The bits of keys as unsigned words in the order of the keys.

use super::words::{Words, WordsRef};
use multisplit_graph::parallel;

/// How the bits of a key become a word in its order, and back. Both are one to one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Order {
    kind: OrderKind,
    /// How many bits keys have.
    bits: u32,
    /// The word that is moved to 0, in a circle: those before it come last.
    first: u64,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum OrderKind {
    Unsigned,
    Signed,
    /// The total order of IEEE 754: negative NaN, −∞, …, −0, +0, …, +∞, NaN.
    Float,
}

impl Order {
    pub fn new(kind: OrderKind, bits: u32) -> Self {
        Self { kind, bits, first: 0 }
    }

    /// Returns the same order, begun at another word: what is before it comes last.
    pub fn starting_at(self, first: u64) -> Self {
        Self { first, ..self }
    }

    fn sign(self) -> u64 {
        1 << (self.bits - 1)
    }

    /// Returns the largest word.
    pub fn largest(self) -> u64 {
        u64::MAX >> (64 - self.bits)
    }

    /// Converts the bits of a key.
    pub fn word(self, bits: u64) -> u64 {
        let word = match self.kind {
            OrderKind::Unsigned => bits,
            OrderKind::Signed => bits ^ self.sign(),
            // Negative floats count backwards.
            OrderKind::Float if bits & self.sign() != 0 => bits ^ self.largest(),
            OrderKind::Float => bits | self.sign(),
        };
        word.wrapping_sub(self.first) & self.largest()
    }

    /// Converts a word back.
    pub fn bits(self, word: u64) -> u64 {
        let word = word.wrapping_add(self.first) & self.largest();
        match self.kind {
            OrderKind::Unsigned => word,
            OrderKind::Signed => word ^ self.sign(),
            OrderKind::Float if word & self.sign() == 0 => word ^ self.largest(),
            OrderKind::Float => word ^ self.sign(),
        }
    }

    /// Returns whether words are the bits.
    pub fn is_identity(self) -> bool {
        self.kind == OrderKind::Unsigned && self.first == 0
    }

    /// Converts the bits of many keys.
    pub fn apply(self, words: &mut Words) {
        if self.is_identity() {
            return;
        }
        match words {
            Words::Narrow(words) => parallel::change(words, |word| *word = self.word((*word).into()) as u32),
            Words::Wide(words) => parallel::change(words, |word| *word = self.word(*word)),
        }
    }

    /// Converts many words back.
    pub fn undo(self, words: &mut Words) {
        if self.is_identity() {
            return;
        }
        match words {
            Words::Narrow(words) => parallel::change(words, |word| *word = self.bits((*word).into()) as u32),
            Words::Wide(words) => parallel::change(words, |word| *word = self.bits(*word)),
        }
    }

    /// Returns the smallest and the largest word, of keys given as bits, within some bounds. None if there are none.
    pub fn extent(self, keys: WordsRef<'_>, (least, most): (u64, u64)) -> Option<(u64, u64)> {
        let of_bits = |bits: u64, (smallest, largest): (u64, u64)| {
            let word = self.word(bits);
            let inside = (least..=most).contains(&word);
            (if inside { smallest.min(word) } else { smallest }, if inside { largest.max(word) } else { largest })
        };
        let none = (u64::MAX, 0);
        let parts = match keys {
            WordsRef::Narrow(keys) => parallel::parts(keys, |_, part: &[u32]| {
                part.iter().fold(none, |extent, &bits| of_bits(bits.into(), extent))
            }),
            WordsRef::Wide(keys) => {
                parallel::parts(keys, |_, part: &[u64]| part.iter().fold(none, |extent, &bits| of_bits(bits, extent)))
            }
        };
        let (smallest, largest) = parts.into_iter().fold(none, |a, b| (a.0.min(b.0), a.1.max(b.1)));
        (smallest <= largest).then_some((smallest, largest))
    }

    /// Returns the index of the first key, given as bits, of which the word is not within some bounds.
    pub fn find_outside(self, keys: WordsRef<'_>, (least, most): (u64, u64)) -> Option<usize> {
        let outside = |i: usize| !(least..=most).contains(&self.word(keys.get(i)));
        let part = 1 << 14;
        parallel::find(keys.len().div_ceil(part), |p| (p * part..keys.len().min((p + 1) * part)).find(|&i| outside(i)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_are_in_order_and_keep_every_bit() {
        let check = |order: Order, bits: &[u64]| {
            let words: Vec<u64> = bits.iter().map(|&bits| order.word(bits)).collect();
            assert!(words.is_sorted_by(|a, b| a < b), "{order:?}: {words:?}");
            assert!(bits.iter().zip(&words).all(|(&bits, &word)| order.bits(word) == bits), "{order:?}");
            assert!(words.iter().all(|&word| word <= order.largest()));
        };
        check(Order::new(OrderKind::Unsigned, 8), &[0, 1, 127, 128, 255]);
        check(Order::new(OrderKind::Signed, 8), &[128, 255, 0, 1, 127]);
        check(Order::new(OrderKind::Signed, 32), &[1 << 31, u32::MAX.into(), 0, 1, (1 << 31) - 1]);
        check(Order::new(OrderKind::Unsigned, 64), &[0, 1, 1 << 63, u64::MAX]);
        check(Order::new(OrderKind::Signed, 64), &[1 << 63, u64::MAX, 0, 1, (1 << 63) - 1]);
        let halves = [0xfe00, 0xfc00, 0x8001, 0x8000, 0, 1, 0x3c00, 0x7c00, 0x7e00];
        check(Order::new(OrderKind::Float, 16), &halves);
        let singles = [-f32::NAN, f32::NEG_INFINITY, -1.5, -0.0, 0.0, 1e-45, 1.5, f32::INFINITY, f32::NAN];
        let singles = singles.map(|key| u64::from(key.to_bits()));
        let order = Order::new(OrderKind::Float, 32);
        check(order, &singles);
        // Every NaN last, or first.
        let last = order.starting_at(order.word(singles[1]));
        check(last, &[&singles[1..], &singles[..1]].concat());
        let first = order.starting_at(order.word(singles[7]) + 1);
        check(first, &[&singles[8..], &singles[..8]].concat());
        let doubles = [-f64::NAN, f64::NEG_INFINITY, -1.5, -0.0, 0.0, 5e-324, 1.5, f64::INFINITY, f64::NAN];
        check(Order::new(OrderKind::Float, 64), &doubles.map(f64::to_bits));
    }

    #[test]
    fn extents() {
        let order = Order::new(OrderKind::Signed, 8);
        let keys = [3u32, 0xff, 0x80, 5];
        assert_eq!(order.extent(WordsRef::of(&keys), (0, 255)), Some((0, 133)));
        assert_eq!(order.extent(WordsRef::of(&keys), (1, 132)), Some((127, 131)));
        assert_eq!(order.extent(WordsRef::of(&keys), (200, 255)), None);
        assert_eq!(order.extent(WordsRef::of::<u64>(&[]), (0, 255)), None);
    }
}
