//! What the words that keys travel in say about the bits of a key.

use super::half::{unwiden_half, widen_half};
use super::order::Order;
use super::words::Words;
use multisplit_graph::parallel;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Encoding {
    /// They are the bits.
    Bits,
    /// They are numbers in the order of the keys.
    Ordered(Order),
    /// Floats of 16 bits travel as floats of 32.
    WideHalf,
}

impl Encoding {
    pub fn is_identity(self) -> bool {
        match self {
            Self::Bits => true,
            Self::Ordered(order) => order.is_identity(),
            Self::WideHalf => false,
        }
    }

    /// Encodes the bits of keys.
    pub fn apply(self, keys: &mut Words) {
        match (self, keys) {
            (Self::Ordered(order), keys) => order.apply(keys),
            (Self::WideHalf, Words::Narrow(keys)) => parallel::change(keys, |key| *key = widen_half(*key)),
            _ => {}
        }
    }

    /// Turns words back into the bits of keys.
    pub fn undo(self, words: &mut Words) {
        match (self, words) {
            (Self::Ordered(order), words) => order.undo(words),
            (Self::WideHalf, Words::Narrow(words)) => parallel::change(words, |word| *word = unwiden_half(*word)),
            _ => {}
        }
    }

    /// Returns the bits of the key that a word stands for.
    pub fn bits(self, word: u64) -> u64 {
        match self {
            Self::Bits => word,
            Self::Ordered(order) => order.bits(word),
            Self::WideHalf => unwiden_half(word as u32).into(),
        }
    }
}
