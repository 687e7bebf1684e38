//! Ranges of any width, between given splitters.

use super::prelude::*;
use super::{Delta, DeltaKey, in_range};
use crate::cpu::Loops;
use crate::error::{Error, Result};

/// Bucket of `key` = how many splitters are not above it: bucket `i` holds the keys in `splitters[i -
/// 1]..splitters[i]`.
///
/// For floats −0 equals +0 and NaN lies above everything, in the last bucket. Equal splitters leave the bucket between
/// them empty.
///
/// The search begins at a guess. What lies between the first and the last splitter is cut into equal cells, several
/// per bucket; a table says how many splitters lie before each, and the few within it are searched. How many steps
/// that takes is known when the splitters are: one or two where they are spread about evenly, and never more than a
/// plain binary search plus one.
///
/// ```
/// use multisplit::{Device, bucket::Splitters, split};
/// let f = Splitters::new(&[0.0, 10.0])?;
/// let result = split(&Device::cpu(), &[5.0f32, 10.0, -3.0, 99.0, 0.0], &f)?;
/// assert_eq!(result.keys, [-3.0, 5.0, 0.0, 10.0, 99.0]);
/// assert_eq!(result.offsets, [0, 1, 3, 5]);
/// # Ok::<(), multisplit::Error>(())
/// ```
#[derive(CubeType, CubeLaunch, Clone, Debug)]
pub struct Splitters<K: DeltaKey> {
    last: u32,
    cells: Delta<K>,
    /// Splitters before each cell.
    before: Table<u32>,
    /// The splitters, and the last one a few times more: the search may look beyond it.
    splitters: Table<K::Bits>,
    /// Of the search within a cell; a compile-time number, so that kernels unroll it.
    #[cube(comptime)]
    steps: u32,
}

/// Cells per bucket, at least.
const FINENESS: usize = 4;
/// The most cells whose table fits shared memory beside the splitters.
const SHARED_CELLS: usize = 1024;
/// Buckets up to which it does not pay to have more cells, in device memory.
const FEW_BUCKETS: usize = 1024;
/// Buckets up to which both tables may find room in the shared memory of a large GPU, and cells for those.
pub(super) const LARGE_BUCKETS: usize = 1 << 14;
const LARGE_CELLS: usize = 1 << 14;
/// More cells than this are further away than the splitters.
const MOST_CELLS: usize = 1 << 20;
/// Bytes of shared memory for each of the two tables, in any kernel.
const SHARED_BYTES: usize = 4096;
/// Splitters from which on it pays to search once and keep the result.
const COSTLY: u32 = 3;

impl<K: DeltaKey> Splitters<K> {
    /// `splitters.len() + 1` buckets.
    ///
    /// # Errors
    /// [`Error::InvalidBuckets`] if the splitters are not in ascending order or one is NaN, or if there are 2^32 or
    /// more.
    pub fn new(splitters: &[K]) -> Result<Self> {
        check_ascending(splitters, "splitter")?;
        let last = u32::try_from(splitters.len())
            .map_err(|_| Error::InvalidBuckets("there are 2^32 splitters or more".into()))?;
        let cells = cells(splitters);
        let mut before = vec![0; cells.buckets() as usize];
        for &splitter in splitters {
            before[cells.bucket(splitter) as usize] += 1;
        }
        let most: u32 = before.iter().copied().max().unwrap_or(0);
        let steps = u32::BITS - most.leading_zeros();
        let mut sum = 0;
        for count in &mut before {
            sum += *count;
            *count = sum - *count;
        }
        let mut words: Vec<K::Bits> = splitters.iter().map(|&splitter| K::least(splitter)).collect();
        // If there are none, no step ever looks.
        let end = words.last().copied().unwrap_or_else(bytemuck::Zeroable::zeroed);
        words.extend(std::iter::repeat_n(end, 1 << steps));
        let large = splitters.len() > FEW_BUCKETS && splitters.len() < LARGE_BUCKETS;
        let (before, splitters) = (placed(Table::new(before)?, large), placed(Table::new(words)?, large));
        Ok(Self { last, cells, before, splitters, steps })
    }

    /// How many steps the search takes after the guess.
    #[cfg(test)]
    pub(super) fn steps(&self) -> u32 {
        self.steps
    }
}

/// Refuses numbers that are not in ascending order.
pub(super) fn check_ascending<K: Key>(numbers: &[K], name: &str) -> Result<()> {
    if let Some(i) = numbers.iter().position(|number| number.partial_cmp(number).is_none()) {
        return Err(Error::InvalidBuckets(format!("{name} {i} is NaN")));
    }
    if let Some(i) = numbers.windows(2).position(|pair| pair[0] > pair[1]) {
        let reason = format!("{name}s must ascend, but {name} {} is below {name} {i}", i + 1);
        return Err(Error::InvalidBuckets(reason));
    }
    Ok(())
}

/// Equal parts of what the splitters span; a single one where it cannot be divided.
fn cells<K: DeltaKey>(splitters: &[K]) -> Delta<K> {
    let (Some(&first), Some(&end)) = (splitters.first(), splitters.last()) else { return Delta::single() };
    let wanted = (FINENESS * splitters.len()).next_power_of_two();
    let most = match splitters.len() {
        few if few <= FEW_BUCKETS => SHARED_CELLS,
        some if some < LARGE_BUCKETS => LARGE_CELLS,
        _ => MOST_CELLS,
    };
    Delta::over(first..end, wanted.min(most) as u32).unwrap_or_else(|_| Delta::single())
}

/// Both tables must fit what kernels keep free for tables; large ones, what some kernels have besides.
fn placed<T: Scalar + bytemuck::Pod>(table: Table<T>, large: bool) -> Table<T> {
    let bytes = (table.len() as usize).next_power_of_two() * size_of::<T>();
    match bytes {
        ..=SHARED_BYTES => table.in_shared_memory(),
        _ if large => table.in_large_shared_memory(),
        _ => table,
    }
}

#[cube]
impl<K: DeltaKey> BucketFn for Splitters<K> {
    type Key = K;
    #[inline(always)]
    fn bucket(&self, key: K) -> u32 {
        self.search(K::nan_last(key), self.cells.bucket(key))
    }
}

#[cube]
impl<K: DeltaKey> Splitters<K> {
    /// The bucket of a key inside some range, given its word; any bucket for others.
    #[inline(always)]
    pub(super) fn bucket_inside(&self, key: K, word: K::Bits, inside: bool) -> u32 {
        self.search(word, self.cells.bucket_inside(key, inside))
    }

    /// Searches the splitters within a cell.
    #[inline(always)]
    fn search(&self, word: K::Bits, cell: u32) -> u32 {
        let mut bucket = self.before.get_within(cell);
        #[unroll]
        for step in 0..self.steps {
            let stride = comptime!(1u32 << (self.steps - 1 - step));
            let splitter = self.splitters.get_within(bucket + comptime!(stride - 1));
            bucket += zero_unless(word >= splitter, stride.runtime());
        }
        bucket.min(self.last)
    }
}

impl<K: DeltaKey> Buckets for Splitters<K> {
    fn buckets(&self) -> u32 {
        self.last + 1
    }

    fn loops(&self) -> Loops<'_> {
        K::splitters_loops(self)
    }

    fn is_costly(&self) -> bool {
        self.last >= COSTLY
    }
    in_range!();
    kernel_fields!(last, cells, before, splitters, comptime steps);
}
