//! Which tile a segment takes: its class.
//!
//! There is a class for each shape of tiles that segments fit whole, in the order of their sizes, and a last one for
//! segments that fit none and are cut.

use crate::gpu::tuning::room::tile_of;
use crate::gpu::tuning::segment_shapes::SegmentShapes;
use crate::runtime::Facts;

/// Lengths that are looked at together, in cache.
const BLOCK: usize = 256;

/// The lengths of segments of each class.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Classes {
    /// The most keys of a segment of each class that fits a tile, ascending.
    pub limits: Vec<u32>,
    /// Keys of a tile of longer segments.
    pub tile: u32,
}

/// What segments add up to.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Tally {
    /// Segments of each class. The last are those that are cut.
    pub segments: Vec<u32>,
    /// Tiles of those.
    pub tiles: usize,
    /// Keys of those.
    pub keys: u32,
}

impl Classes {
    pub fn new(facts: &Facts, shapes: &SegmentShapes) -> Self {
        let limits = shapes.whole.iter().map(|shape| tile_of(facts, shape)).collect();
        Self { limits, tile: tile_of(facts, &shapes.cut) }
    }

    /// The class of a segment of so many keys.
    pub fn of(&self, len: u32) -> usize {
        self.limits.iter().filter(|&&limit| len > limit).count()
    }

    /// Counts so many segments of the same length.
    pub fn count_equal(&self, len: u32, count: u32) -> Tally {
        let (class, last) = (self.of(len), self.limits.len());
        let mut segments = vec![0; last + 1];
        segments[class] = count;
        let cut = if class == last { count } else { 0 };
        Tally { segments, tiles: cut as usize * len.div_ceil(self.tile) as usize, keys: cut * len }
    }

    /// Counts the segments between these offsets. There may be very many, so all loops over them are such that
    /// compilers make vector instructions of them.
    pub fn count(&self, offsets: &[u32]) -> Tally {
        let mut tally = self.count_equal(0, 0);
        let mut block = [0; BLOCK];
        let mut rest = offsets;
        while rest.len() > 1 {
            let count = BLOCK.min(rest.len() - 1);
            let (starts, ends) = (&rest[..count], &rest[1..=count]);
            let class = self.of(ends[0] - starts[0]);
            if self.all_are(class, starts, ends) {
                tally.segments[class] += count as u32;
            } else {
                let lengths = &mut block[..count];
                for (len, (start, end)) in lengths.iter_mut().zip(starts.iter().zip(ends)) {
                    *len = end - start;
                }
                self.add(lengths, &mut tally);
            }
            rest = &rest[count..];
        }
        tally
    }

    /// Whether all segments are of a class, and not cut.
    fn all_are(&self, class: usize, starts: &[u32], ends: &[u32]) -> bool {
        let Some(&most) = self.limits.get(class) else { return false };
        let least = if class > 0 { self.limits[class - 1] + 1 } else { 0 };
        // A difference that is negative has the highest bit, and so has one to a length that is no tile's.
        let bits = starts.iter().zip(ends).fold(0, |bits, (&start, &end)| {
            let len = end.wrapping_sub(start);
            bits | len.wrapping_sub(least) | most.wrapping_sub(len)
        });
        bits <= u32::MAX >> 1
    }

    /// Adds segments of these lengths.
    fn add(&self, lengths: &[u32], tally: &mut Tally) {
        let mut left = lengths.len() as u32;
        for (class, &limit) in self.limits.iter().enumerate() {
            let above: u32 = lengths.iter().map(|&len| u32::from(len > limit)).sum();
            tally.segments[class] += left - above;
            left = above;
            if left == 0 {
                return;
            }
        }
        let last = self.limits.len();
        tally.segments[last] += left;
        for &len in lengths.iter().filter(|&&len| self.of(len) == last) {
            tally.tiles += len.div_ceil(self.tile) as usize;
            tally.keys += len;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The same as one after the other, also where blocks end.
    #[test]
    fn segments_are_counted() {
        let classes = Classes { limits: vec![3, 10, 100], tile: 40 };
        for count in [0, 1, BLOCK - 1, BLOCK, BLOCK + 1, 5 * BLOCK + 7] {
            for longest in [1, 3, 11, 101, 5000] {
                // Lengths change slowly at first, so that there are blocks of one class.
                let length = |i: usize| if i < 3 * BLOCK { i / 300 % longest } else { i * i % longest };
                let lengths: Vec<usize> = (0..count).map(length).collect();
                let sum = |i: usize| lengths[..i].iter().sum::<usize>() as u32;
                let offsets: Vec<u32> = (0..=count).map(sum).collect();
                let mut expected = Tally { segments: vec![0; 4], ..Tally::default() };
                for len in lengths {
                    let class = [3, 10, 100].iter().position(|&limit| len <= limit).unwrap_or(3);
                    expected.segments[class] += 1;
                    if class == 3 {
                        expected.tiles += len.div_ceil(40);
                        expected.keys += len as u32;
                    }
                }
                assert_eq!(classes.count(&offsets), expected, "{count} segments of less than {longest}");
            }
        }
        // The longest that there may be.
        let huge = classes.count(&[0, 2, u32::MAX]);
        assert_eq!((huge.segments, huge.keys), (vec![1, 0, 0, 1], u32::MAX - 2));
        for len in [0, 3, 4, 100, 101, 1000] {
            let offsets: Vec<u32> = (0..=777).map(|i| i * len).collect();
            assert_eq!(classes.count_equal(len, 777), classes.count(&offsets));
        }
    }
}
