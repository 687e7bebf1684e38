//! The naive reference: what every back end and method must equal, bit for bit.

use crate::bucket::Buckets;
use crate::ops::histogram::Counts;

/// A split as the definition says it: a list per bucket, filled in input order, then one after the other.
///
/// Sequential and simple; for tests.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Reference {
    /// `permutation[i]` is the index in the input of output element i.
    pub permutation: Vec<u32>,
    /// The m + 1 boundaries of the buckets.
    pub offsets: Vec<usize>,
    /// Keys whose bucket id was not below m. They stand in the last bucket.
    pub out_of_range: u64,
}

impl Reference {
    /// Splits `keys` by `f`.
    pub fn split<F: Buckets>(keys: &[F::Key], f: &F) -> Self {
        let m = f.buckets().max(1) as usize;
        let mut buckets = vec![Vec::new(); m];
        let mut out_of_range = 0;
        for (i, &key) in keys.iter().enumerate() {
            let bucket = f.bucket(key) as usize;
            out_of_range += u64::from(bucket >= m);
            buckets[bucket.min(m - 1)].push(i as u32);
        }
        let mut offsets = vec![0];
        for bucket in &buckets {
            offsets.push(offsets.last().copied().unwrap_or(0) + bucket.len());
        }
        Self { permutation: buckets.concat(), offsets, out_of_range }
    }

    /// Counts `keys` by `f`, one after the other.
    pub fn histogram<F: Buckets>(keys: &[F::Key], f: &F) -> Counts {
        let mut counts = Counts { bins: vec![0; f.buckets() as usize], outside: 0 };
        for &key in keys {
            match counts.bins.get_mut(f.bucket(key) as usize) {
                Some(bin) => *bin += 1,
                None => counts.outside += 1,
            }
        }
        counts
    }

    /// A column of the input in the order of the output. Elements that the column does not have are left out.
    pub fn permute<T: Copy>(&self, column: &[T]) -> Vec<T> {
        self.permutation.iter().filter_map(|&i| column.get(i as usize).copied()).collect()
    }
}
