//! Keys as numbers in the order of a sort, whatever their type is.
//!
//! A type of keys is a word of its width here ([`Bits`]), and which of its bits flip. So what sorts is compiled once
//! for the integers of a width and once for the floats, and not for each type and direction.

use crate::bucket::key::Key;
use crate::bucket::word::Word;
use crate::request::order::{Order, mask};
use bytemuck::{Pod, Zeroable};

/// What rows are sorted by: bits of their keys, as numbers in the order of the sort.
#[derive(Clone, Copy)]
pub(super) struct Ranking {
    /// Which bits. Its direction is in what flips.
    pub order: Order,
    /// The bits that flip in all keys: the sign of signed ones, and all if larger keys come first.
    flip: u64,
}

impl Ranking {
    pub(super) fn of<K: Key>(order: Order) -> Self {
        let (zero, ones) = (word(K::zeroed()), mask(0, 8 * size_of::<K>() as u32));
        Self { order, flip: if order.descending { zero ^ ones } else { zero } }
    }

    /// The same ranking by other bits.
    pub(super) fn within(self, start: u32, end: u32) -> Self {
        Self { order: self.order.within(start, end), ..self }
    }

    /// The same ranking by the bits of its [`window`](Ranking::window) that differ, and those between them.
    pub(super) fn cut_to(&self, differing: u64) -> Self {
        let differing = differing.checked_shl(self.order.start).unwrap_or(0);
        Self { order: self.order.cut_to(differing), ..*self }
    }

    /// The highest bits, as many as that, and what is left below them.
    pub(super) fn cut_top(&self, bits: u32) -> (Self, Self) {
        let start = self.order.end - bits.min(self.bits());
        (self.within(start, self.order.end), self.within(self.order.start, start))
    }

    /// How many bits it goes by.
    pub(super) fn bits(&self) -> u32 {
        self.order.end - self.order.start
    }

    /// The number that all bits make up.
    pub(super) fn window(&self) -> Window {
        self.window_of(self.order.start, self.order.end)
    }

    /// The number that digit `i` makes up, counted from the lowest of so many that are as equal as can be.
    pub(super) fn digit(&self, i: u32, digits: u32) -> Window {
        let boundary = |i: u32| self.order.start + (self.bits() * i.min(digits)).div_ceil(digits.max(1));
        self.window_of(boundary(i), boundary(i + 1))
    }

    fn window_of(&self, start: u32, end: u32) -> Window {
        // No bits may begin behind the last one.
        let (shift, mask) = (if start < end { start } else { 0 }, mask(0, end - start));
        Window { flip: self.flip >> shift & mask, shift, mask }
    }
}

/// Some bits of keys, as numbers in the order of a sort.
#[derive(Clone, Copy)]
pub(super) struct Window {
    flip: u64,
    shift: u32,
    mask: u64,
}

impl Window {
    /// How many numbers there are, of a window that is a digit.
    pub(super) fn values(self) -> usize {
        self.mask as usize + 1
    }

    /// The key's number.
    #[inline(always)]
    pub(super) fn of<B: Bits>(self, key: B) -> u64 {
        key.window(self)
    }
}

/// The bits of a key.
pub(super) trait Bits: Pod + Send + Sync {
    /// The number of some of them. Computed in the width of the key: wider words would halve the speed of loops over
    /// narrower keys.
    fn window(self, window: Window) -> u64;
}

/// The bits of a float.
#[derive(Clone, Copy, Pod, Zeroable)]
#[repr(transparent)]
pub(super) struct Float<U>(U);

macro_rules! bits {
    ($($unsigned:ident $signed:ident)*) => {$(
        impl Bits for $unsigned {
            #[inline(always)]
            fn window(self, Window { flip, shift, mask }: Window) -> u64 {
                u64::from(self >> shift & mask as $unsigned ^ flip as $unsigned)
            }
        }

        impl Bits for Float<$unsigned> {
            #[inline(always)]
            fn window(self, window: Window) -> u64 {
                // Negative ones count backwards: all bits but the sign flip.
                let sign = (self.0 as $signed >> ($signed::BITS - 1)) as $unsigned;
                (self.0 ^ sign >> 1).window(window)
            }
        }
    )*};
}

bits!(u8 i8 u16 i16 u32 i32 u64 i64);

/// The key as a number in its order.
#[inline(always)]
pub(super) fn word<K: Key>(key: K) -> u64 {
    let word = K::ordered(key);
    let low = u64::from(K::Bits::window(word, 0, u32::MAX));
    if size_of::<K::Bits>() == 8 { low | u64::from(K::Bits::window(word, 32, u32::MAX)) << 32 } else { low }
}

/// Whether keys are floats, whose bits are [`Float`].
pub(super) fn is_float<K: Key>() -> bool {
    // All bits set are the first of all floats, and not the first of any integers.
    let mut ones = K::zeroed();
    bytemuck::bytes_of_mut(&mut ones).fill(u8::MAX);
    word(ones) == 0
}

#[cfg(test)]
mod tests {
    use super::*;
    use bytemuck::cast_slice;
    use half::{bf16, f16};
    use test_support::Random;

    fn same<K: Key, B: Bits>() {
        assert_eq!(is_float::<K>(), std::any::type_name::<B>().contains("Float"));
        let mut random = Random::new(3);
        let words: Vec<u64> = (0..200).map(|_| random.next_u64()).chain([0, u64::MAX, 1 << 63, 1 << 31]).collect();
        let (keys, bits): (&[K], &[B]) = (cast_slice(&words), cast_slice(&words));
        let width = 8 * size_of::<K>() as u32;
        for descending in [false, true] {
            for (start, end) in [(0, width), (width / 4, width), (1, width - 1), (3, 3), (width, width)] {
                let window = Ranking::of::<K>(Order { start, end, digit_bits: None, descending }).window();
                for (&key, &bits) in keys.iter().zip(bits) {
                    let ordered = if descending { !word(key) } else { word(key) };
                    let expected = if start < end { ordered >> start & mask(0, end - start) } else { 0 };
                    assert_eq!(window.of(bits), expected, "{}, {start}..{end}", K::NAME);
                }
            }
        }
    }

    #[test]
    fn ranks_are_the_order_of_every_type() {
        same::<u8, u8>();
        same::<i8, u8>();
        same::<u16, u16>();
        same::<i16, u16>();
        same::<f16, Float<u16>>();
        same::<bf16, Float<u16>>();
        same::<u32, u32>();
        same::<i32, u32>();
        same::<f32, Float<u32>>();
        same::<u64, u64>();
        same::<i64, u64>();
        same::<f64, Float<u64>>();
    }
}
