//! Bins between given levels, and nothing outside them.

use super::prelude::*;
use super::{Delta, DeltaKey};
use crate::error::{Error, Result};

/// Bin `i` holds the keys of `levels[i]..levels[i + 1]`. Keys below the first level or not below the last, and NaN, have
/// no bin: a histogram counts them apart, a split reports them. Equal levels leave the bin between them empty; −0
/// equals +0.
///
/// The search begins at a guess. The range is cut into equal cells, several per bin; a table says how many levels lie
/// before each, and the few within it are searched. How many steps that takes is known when the levels are: one or two
/// where they are spread about evenly, and never more than a plain binary search plus one.
///
/// ```
/// use multisplit::{Device, bucket::RangeBins, histogram};
/// let counts = histogram(&Device::cpu(), &[1u32, 5, 10, 99, 100, 0], &RangeBins::new(&[1, 10, 100])?)?;
/// assert_eq!(counts.bins, [2, 2]);
/// assert_eq!(counts.outside, 2);
/// # Ok::<(), multisplit::Error>(())
/// ```
#[derive(CubeType, CubeLaunch, Clone, Debug)]
pub struct RangeBins<K: DeltaKey> {
    m: u32,
    first: K::Bits,
    end: K::Bits,
    cells: Delta<K>,
    /// Levels before each cell, not counting the first of all.
    before: Table<u32>,
    /// All levels but the first. The last one is above every key inside, so that the search stops there.
    levels: Table<K::Bits>,
    /// Of the search within a cell; a compile-time number, so that kernels unroll it.
    #[cube(comptime)]
    steps: u32,
}

/// Cells per bin, at least.
const FINENESS: usize = 4;
/// The most cells whose table fits shared memory beside the levels.
const SHARED_CELLS: usize = 1024;
/// Bins up to which it does not pay to have more cells, in device memory.
const FEW_BINS: usize = 1024;
/// More cells than this are further away than the levels.
const MOST_CELLS: usize = 1 << 20;
/// Bytes of shared memory for each of the two tables.
const SHARED_BYTES: usize = 4096;

impl<K: DeltaKey> RangeBins<K> {
    /// `levels.len() - 1` bins.
    ///
    /// # Errors
    /// [`Error::InvalidBuckets`] if there are fewer than two levels, if they are not in ascending order or one is NaN.
    pub fn new(levels: &[K]) -> Result<Self> {
        let invalid = |reason: String| Err(Error::InvalidBuckets(reason));
        let (&[first, .., end], Ok(m)) = (levels, u32::try_from(levels.len().wrapping_sub(1))) else {
            return invalid(format!("{} levels make no bins: there must be 2 to 2^32", levels.len()));
        };
        if let Some(i) = levels.iter().position(|level| level.partial_cmp(level).is_none()) {
            return invalid(format!("level {i} is NaN"));
        }
        if let Some(i) = levels.windows(2).position(|pair| pair[0] > pair[1]) {
            return invalid(format!("levels must ascend, but level {} is below level {i}", i + 1));
        }
        let inner = &levels[1..levels.len() - 1];
        let cells = cells(first, end, m as usize);
        let mut before = vec![0; cells.buckets() as usize];
        for &level in inner {
            before[cells.bucket(level) as usize] += 1;
        }
        let most = before.iter().copied().max().unwrap_or(0);
        let mut sum = 0;
        for count in &mut before {
            sum += *count;
            *count = sum - *count;
        }
        let words: Vec<K::Bits> = levels[1..].iter().map(|&level| K::comparable(level)).collect();
        Ok(Self {
            m,
            first: K::comparable(first),
            end: K::comparable(end),
            cells,
            before: in_shared_memory(Table::new(before)?),
            levels: in_shared_memory(Table::new(words)?),
            steps: u32::BITS - u32::leading_zeros(most),
        })
    }
}

/// Equal parts of the range; a single one where it cannot be divided.
fn cells<K: DeltaKey>(first: K, end: K, m: usize) -> Delta<K> {
    let wanted = (FINENESS * m).next_power_of_two();
    let cells = if m <= FEW_BINS { wanted.min(SHARED_CELLS) } else { wanted.min(MOST_CELLS) };
    Delta::over(first..end, cells as u32).unwrap_or_else(|_| Delta::single())
}

/// Both tables must fit what kernels keep free for tables.
fn in_shared_memory<T: Scalar + bytemuck::Pod>(table: Table<T>) -> Table<T> {
    let bytes = (table.len() as usize).next_power_of_two() * size_of::<T>();
    if bytes <= SHARED_BYTES { table.in_shared_memory() } else { table }
}

#[cube]
impl<K: DeltaKey> BucketFn for RangeBins<K> {
    type Key = K;
    fn bucket(&self, key: K) -> u32 {
        let word = K::comparable(key);
        let mut bin = self.before.get(self.cells.bucket(key));
        #[unroll]
        for step in 0..self.steps {
            let stride = comptime!(1u32 << (self.steps - 1 - step));
            bin = select(word >= self.levels.get(bin + (stride - 1)), bin + stride, bin);
        }
        select(word >= self.first && word < self.end, bin, 0xffff_ffffu32)
    }
}

impl<K: DeltaKey> Buckets for RangeBins<K> {
    fn buckets(&self) -> u32 {
        self.m
    }
    kernel_fields!(m, first, end, cells, before, levels, comptime steps);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn few_steps_where_levels_are_even() {
        let even: Vec<u32> = (0..=256).map(|i| i << 16).collect();
        assert_eq!(RangeBins::new(&even).unwrap().steps, 1);
        assert_eq!(RangeBins::new(&even[..2]).unwrap().steps, 0);
        let floats: Vec<f32> = (0..=256).map(|i| i as f32 * 0.25).collect();
        assert_eq!(RangeBins::new(&floats).unwrap().steps, 1);
        // All in one cell, by their values or by their range.
        assert_eq!(RangeBins::new(&[vec![0u32; 256], vec![u32::MAX]].concat()).unwrap().steps, 8);
        let extremes = [&[f32::NEG_INFINITY][..], &[0.0; 255], &[f32::INFINITY]].concat();
        assert_eq!(RangeBins::new(&extremes).unwrap().steps, 8);
    }
}
