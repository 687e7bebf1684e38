//! What a CPU split is held against: a plain sequential one, in the same memory.

use multisplit::bucket::{BucketFn, Buckets, Delta};
use std::hint::black_box;

/// The obvious sequential split: count, add up, scatter.
pub fn split(keys: &[u32], to: &mut [u32], f: &Delta<u32>) {
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
