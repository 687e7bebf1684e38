//! The reference that every timed result must equal.

use super::keys::BenchKey;
use anyhow::{Result, ensure};
use multisplit::bucket::Buckets;
use multisplit::measure::Reference;
use multisplit_graph::parallel;
use rayon::prelude::*;

/// The right result of a split.
pub struct Expected {
    pub permutation: Vec<u32>,
    pub offsets: Vec<usize>,
}

impl Expected {
    /// Splits parts of the keys by the naive reference, in parallel, and joins them bucket by bucket: a stable split.
    pub fn new<F: Buckets>(keys: &[F::Key], f: &F) -> Self {
        let parts = parallel::parts(keys, |start, part| (start as u32, Reference::split(part, f)));
        let buckets = parallel::collect(f.buckets() as usize, |b| {
            let of_part = |(start, part): &(u32, Reference)| {
                part.permutation[part.offsets[b]..part.offsets[b + 1]].iter().map(|i| start + i).collect()
            };
            parts.iter().map(of_part).collect::<Vec<Vec<u32>>>().concat()
        });
        let mut offsets = vec![0];
        offsets.extend(buckets.iter().scan(0, |sum, bucket| {
            *sum += bucket.len();
            Some(*sum)
        }));
        Self { permutation: buckets.concat(), offsets }
    }

    /// Splits each segment by the naive reference.
    pub fn of_segments<F: Buckets>(keys: &[F::Key], bounds: &[usize], f: &F) -> Self {
        let segments = bounds.len().saturating_sub(1);
        let parts = parallel::collect(segments, |i| Reference::split(&keys[bounds[i]..bounds[i + 1]], f));
        let (mut permutation, mut offsets) = (Vec::with_capacity(keys.len()), Vec::new());
        for (&start, part) in bounds.iter().zip(parts) {
            permutation.extend(part.permutation.iter().map(|i| start as u32 + i));
            offsets.extend(part.offsets[..part.offsets.len() - 1].iter().map(|offset| start + offset));
        }
        offsets.push(keys.len());
        Self { permutation, offsets }
    }

    /// Sorts by another library's stable sort. There are no buckets.
    pub fn sorted<K: BenchKey>(keys: &[K]) -> Self {
        let mut permutation: Vec<u32> = (0..keys.len() as u32).collect();
        permutation.par_sort_by_key(|&i| keys[i as usize]);
        Self { permutation, offsets: Vec::new() }
    }

    /// Returns the first bucket alone: what a selection keeps.
    pub fn first(&self) -> Self {
        let end = self.offsets.get(1).copied().unwrap_or(0);
        Self {
            permutation: self.permutation[..end].to_vec(),
            offsets: self.offsets[..self.offsets.len().min(2)].to_vec(),
        }
    }

    /// Compares the bucket offsets.
    pub fn check_offsets(&self, got: &[usize]) -> Result<()> {
        ensure!(got == self.offsets, "the bucket offsets differ from the reference");
        Ok(())
    }

    /// Compares the keys.
    pub fn check_keys<K: BenchKey>(&self, keys: &[K], got: &[K]) -> Result<()> {
        self.check("keys", got, |i| keys[i as usize])
    }

    /// Compares the values. They name the index of their element (see [`IndexValue`]), so this proves permutation and
    /// stability.
    pub fn check_values<V: IndexValue>(&self, got: &[V]) -> Result<()> {
        self.check("values", got, V::of)
    }

    fn check<T: PartialEq + Sync>(&self, what: &str, got: &[T], expected: impl Fn(u32) -> T + Sync) -> Result<()> {
        let n = self.permutation.len();
        ensure!(got.len() == n, "{} {what} came back instead of {n}", got.len());
        let wrong = parallel::position(n, |i| got[i] != expected(self.permutation[i]));
        if let Some(at) = wrong {
            anyhow::bail!("the {what} differ from the reference, first at {at}");
        }
        Ok(())
    }
}

/// A value that names the index of its element.
pub trait IndexValue: multisplit::Value + PartialEq + std::ops::Not<Output = Self> {
    /// Returns the value of element `i`.
    fn of(i: u32) -> Self;
}

impl IndexValue for u32 {
    fn of(i: u32) -> Self {
        i
    }
}

/// The index is in both halves, so that neither can be lost.
impl IndexValue for u64 {
    fn of(i: u32) -> Self {
        u64::from(i) << 32 | u64::from(i)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use multisplit::bucket::Delta;

    #[test]
    fn the_parts_make_the_whole() {
        for n in [0, 1, 2, 7, 1000, 10_001] {
            let keys = crate::shared::random::uniform(n, 3);
            for m in [1, 2, 7, 256] {
                let f = Delta::<u32>::whole(m).unwrap();
                let (expected, reference) = (Expected::new(&keys, &f), Reference::split(&keys, &f));
                assert_eq!((&expected.permutation, &expected.offsets), (&reference.permutation, &reference.offsets));
                expected.check_keys(&keys, &reference.permute(&keys)).unwrap();
                expected.check_values(&reference.permutation).unwrap();
            }
        }
    }

    #[test]
    fn what_is_wrong_is_found() {
        let keys = [3u32 << 30, 0, 1 << 30, 1];
        let expected = Expected::new(&keys, &Delta::<u32>::whole(4).unwrap());
        assert!(expected.check_offsets(&[0, 2, 3, 3, 4]).is_ok());
        assert!(expected.check_offsets(&[0, 2, 3, 4]).is_err());
        assert!(expected.check_keys(&keys, &[0, 1, 1 << 30, 3 << 30]).is_ok());
        let error = expected.check_keys(&keys, &[0, 1, 3 << 30, 1 << 30]).unwrap_err();
        assert!(error.to_string().contains("first at 2"), "{error}");
        assert!(expected.check_keys(&keys, &[0, 1]).is_err());
        assert!(expected.check_values(&[1u32, 3, 2, 0]).is_ok());
        assert!(expected.check_values(&[3u32, 1, 2, 0]).is_err(), "equal buckets keep their order");
        assert!(expected.check_values(&[1u64, 3, 2, 0].map(|i| i << 32 | i)).is_ok());
        assert!(expected.check_values(&[1u64, 3, 2, 0]).is_err(), "both halves count");
        assert!(expected.first().check_keys(&keys, &[0, 1]).is_ok());
        assert!(expected.first().check_keys(&keys, &[1, 0]).is_err());
    }
}
