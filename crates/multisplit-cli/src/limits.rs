//! What a CPU split is held against, in the same memory: the speed of copying, and a plain sequential split.

use multisplit::bucket::{BucketFn, Buckets, Delta};
use rayon::prelude::*;
use std::hint::black_box;

/// Copies the keys, one part per thread. It moves 2n words; a split must move 3n (keys are read twice and written once),
/// pairs 5n.
pub fn copy(keys: &[u32], to: &mut [u32]) {
    let part = keys.len().div_ceil(rayon::current_num_threads()).max(1);
    to.par_chunks_mut(part).zip(keys.par_chunks(part)).for_each(|(to, from)| to.copy_from_slice(from));
    black_box(to);
}

/// The obvious sequential split: count, add up, scatter.
pub fn sequential_split(keys: &[u32], to: &mut [u32], f: &Delta<u32>) {
    let mut next = vec![0usize; f.buckets() as usize];
    for &key in keys {
        next[f.bucket(key) as usize] += 1;
    }
    let mut sum = 0;
    for count in &mut next {
        sum += std::mem::replace(count, sum);
    }
    for &key in keys {
        let place = &mut next[f.bucket(key) as usize];
        to[*place] = key;
        *place += 1;
    }
    black_box(to);
}
