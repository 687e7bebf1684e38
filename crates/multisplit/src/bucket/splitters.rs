//! Ranges of any width, between given splitters.

use super::in_range;
use super::prelude::*;
use crate::error::{Error, Result};

/// Levels of the search from which on it pays to keep its results.
const COSTLY: u32 = 2;

/// Bucket of `key` = how many splitters are not above it: bucket `i` holds the keys in `splitters[i - 1]..splitters[i]`.
///
/// Found by a branch-free binary search; kernels keep the splitters in shared memory. For floats −0 equals +0 and NaN
/// lies above everything, in the last bucket. Equal splitters leave the bucket between them empty.
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
pub struct Splitters<K: Key> {
    last: u32,
    /// The splitters as a search tree, level by level: what lanes compare with at a time lies side by side, on different
    /// banks of shared memory, where the middles of a sorted array would be on the same.
    tree: Table<K::Bits>,
    /// The first two levels once more, where units have them at hand.
    root: K::Bits,
    left: K::Bits,
    right: K::Bits,
    /// Of 2^levels - 1 nodes; a compile-time number, so that kernels unroll the search.
    #[cube(comptime)]
    levels: u32,
    /// Whether there are as many splitters as nodes.
    #[cube(comptime)]
    perfect: bool,
}

impl<K: Key> Splitters<K> {
    /// `splitters.len() + 1` buckets.
    ///
    /// # Errors
    /// [`Error::InvalidBuckets`] if the splitters are not in ascending order or one is NaN.
    pub fn new(splitters: &[K]) -> Result<Self> {
        if let Some(i) = splitters.iter().position(|s| s.partial_cmp(s).is_none()) {
            return Err(Error::InvalidBuckets(format!("splitter {i} is NaN")));
        }
        if let Some(i) = splitters.windows(2).position(|pair| pair[0] > pair[1]) {
            let reason = format!("splitters must ascend, but splitter {} is below splitter {i}", i + 1);
            return Err(Error::InvalidBuckets(reason));
        }
        let last = splitters.len() as u32;
        let levels = u32::BITS - last.leading_zeros();
        let mut tree: Vec<K::Bits> = Vec::new();
        for level in 0..levels {
            for node in 0..1usize << level {
                // The middle of the node's part; beyond the end, the last splitter once more.
                let middle = ((2 * node + 1) << (levels - 1 - level)) - 1;
                tree.push(K::comparable(splitters[middle.min(splitters.len() - 1)]));
            }
        }
        if tree.is_empty() {
            tree.push(bytemuck::Zeroable::zeroed()); // never decides anything: there are no levels
        }
        let at = |node: usize| tree[node.min(tree.len() - 1)];
        Ok(Self {
            last,
            root: at(0),
            left: at(1),
            right: at(2),
            tree: Table::new(tree)?.in_shared_memory(),
            levels,
            perfect: splitters.len() + 1 == 1 << levels,
        })
    }
}

#[cube]
impl<K: Key> BucketFn for Splitters<K> {
    type Key = K;
    fn bucket(&self, key: K) -> u32 {
        let word = K::comparable(key);
        // The way down to a node, as a binary number: right is 1. Times 4, so that it is also a distance in bytes.
        let mut path = 0u32;
        #[unroll]
        for level in 0..self.levels {
            let node = if comptime!(level == 0) {
                self.root
            } else if comptime!(level == 1) {
                select(word >= self.root, self.right, self.left)
            } else {
                self.tree.get_within(comptime!((1u32 << level) - 1) + path / 4)
            };
            path = 2 * path + select(word >= node, 4u32, 0u32);
        }
        let id = path / 4;
        if comptime!(self.perfect) { id } else { id.min(self.last) }
    }
}

impl<K: Key> Buckets for Splitters<K> {
    fn buckets(&self) -> u32 {
        self.last + 1
    }
    fn is_costly(&self) -> bool {
        self.levels >= COSTLY
    }
    in_range!();
    kernel_fields!(last, tree, root, left, right, comptime levels, comptime perfect);
}
