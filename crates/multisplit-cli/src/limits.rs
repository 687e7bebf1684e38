//! What a CPU split is held against, in the same memory: the speed of copying, and a plain sequential split.

use crate::timing::median;
use multisplit::bucket::{BucketFn, Buckets, Delta};
use rayon::prelude::*;
use std::hint::black_box;
use std::time::Instant;

/// Seconds that a parallel copy of the keys takes, one part per thread. It moves 2n words; a split must move 3n (keys
/// are read twice and written once), pairs 5n.
pub fn copy_seconds(keys: &[u32], to: &mut [u32], runs: usize) -> f64 {
    let part = keys.len().div_ceil(rayon::current_num_threads()).max(1);
    median(runs, || {
        let start = Instant::now();
        to.par_chunks_mut(part).zip(keys.par_chunks(part)).for_each(|(to, from)| to.copy_from_slice(from));
        black_box(&mut *to);
        start.elapsed().as_secs_f64()
    })
}

/// Seconds that the obvious sequential split takes: count, add up, scatter.
pub fn sequential_seconds(keys: &[u32], to: &mut [u32], f: &Delta<u32>, runs: usize) -> f64 {
    median(runs, || {
        let start = Instant::now();
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
        black_box(&mut *to);
        start.elapsed().as_secs_f64()
    })
}
