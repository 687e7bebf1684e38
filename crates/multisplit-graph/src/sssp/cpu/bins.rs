//! The buckets of one worker.
//!
//! Distances may be anything, so the number of buckets is not known. A ring has those near the current one, and a map
//! the others. The ring moves on with the current bucket, and leaves room for some buckets before it: a worker that
//! takes over the work of another may go back a little.

use std::collections::BTreeMap;

/// Buckets in the ring: as many as a word has bits.
const NEAR: u32 = u128::BITS;

/// Buckets of the ring that are kept for going back.
const BEHIND: u32 = NEAR / 4;

/// A vertex that came nearer, and the distance that it had then.
///
/// A vertex has an entry for each of its distances so far. Only the one with its distance of today counts.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Entry<W> {
    pub(super) vertex: u32,
    pub(super) distance: W,
}

pub(super) struct Bins<W> {
    /// Bucket b is at place b modulo [`NEAR`], if it is one of the [`NEAR`] buckets from `base` on.
    near: Vec<Vec<Entry<W>>>,
    /// One bit for each place that is not empty.
    filled: u128,
    base: u32,
    far: BTreeMap<u32, Vec<Entry<W>>>,
}

impl<W> Default for Bins<W> {
    fn default() -> Self {
        Self { near: (0..NEAR).map(|_| Vec::new()).collect(), filled: 0, base: 0, far: BTreeMap::new() }
    }
}

impl<W> Bins<W> {
    /// Puts an entry into a bucket, which may be any.
    #[inline(always)]
    pub(super) fn push(&mut self, bucket: u32, entry: Entry<W>) {
        if bucket.wrapping_sub(self.base) < NEAR {
            let place = bucket % NEAR;
            self.filled |= 1 << place;
            self.near[place as usize].push(entry);
        } else {
            self.push_far(bucket, entry);
        }
    }

    #[cold]
    fn push_far(&mut self, bucket: u32, entry: Entry<W>) {
        self.far.entry(bucket).or_default().push(entry);
    }

    /// The first bucket that is not empty.
    pub(super) fn first(&self) -> Option<u32> {
        let ahead = self.filled.rotate_right(self.base % NEAR).trailing_zeros();
        let near = (self.filled != 0).then(|| self.base.wrapping_add(ahead));
        near.into_iter().chain(self.far.keys().next().copied()).min()
    }

    /// Appends the entries of the first bucket that is not empty to `to`, and returns its number.
    pub(super) fn take_first(&mut self, to: &mut Vec<Entry<W>>) -> Option<u32> {
        let bucket = self.first()?;
        let ahead = bucket.wrapping_sub(self.base);
        if ahead >= NEAR {
            to.extend(self.far.remove(&bucket).into_iter().flatten());
        } else {
            let entries = &mut self.near[(bucket % NEAR) as usize];
            if to.is_empty() {
                std::mem::swap(to, entries);
            } else {
                to.append(entries);
            }
            self.filled &= !(1 << (bucket % NEAR));
        }
        // All before the bucket are empty. One that lies before the ring leaves the ring where it is.
        if bucket > self.base && ahead > BEHIND {
            self.move_to(bucket - BEHIND);
        }
        Some(bucket)
    }

    /// Lets the ring begin with `base`. It has no entries before.
    fn move_to(&mut self, base: u32) {
        self.base = base;
        while let Some(first) = self.far.first_entry()
            && first.key().wrapping_sub(base) < NEAR
        {
            let (bucket, mut entries) = first.remove_entry();
            self.filled |= 1 << (bucket % NEAR);
            self.near[(bucket % NEAR) as usize].append(&mut entries);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn entry(vertex: usize) -> Entry<u32> {
        Entry { vertex: vertex as u32, distance: 0 }
    }

    /// Takes everything, and checks that it was put where it came from. Returns the buckets in the order of taking.
    fn drain(bins: &mut Bins<u32>, buckets: &[u32]) -> Vec<u32> {
        let mut found = Vec::new();
        let mut entries = Vec::new();
        while let Some(bucket) = bins.take_first(&mut entries) {
            assert!(!entries.is_empty());
            assert!(entries.iter().all(|entry| buckets[entry.vertex as usize] == bucket));
            found.extend(entries.drain(..).map(|_| bucket));
        }
        found
    }

    #[test]
    fn buckets_come_in_order() {
        let mut bins = Bins::default();
        let buckets = [5, 0, 127, 128, 5, 4_000_000_000, u32::MAX, u32::MAX - 1, 300, 128, 129];
        for (v, &bucket) in buckets.iter().enumerate() {
            bins.push(bucket, entry(v));
        }
        let mut sorted = buckets.to_vec();
        sorted.sort_unstable();
        assert_eq!(drain(&mut bins, &buckets), sorted);
        assert_eq!(bins.first(), None);
    }

    #[test]
    fn a_bucket_can_be_filled_again() {
        let mut bins = Bins::default();
        let mut entries = Vec::new();
        bins.push(7, entry(1));
        assert_eq!(bins.take_first(&mut entries), Some(7));
        bins.push(7, entry(2));
        bins.push(8, entry(3));
        assert_eq!((bins.take_first(&mut entries), bins.first()), (Some(7), Some(8)));
        assert_eq!(entries, [entry(1), entry(2)]);
    }

    #[test]
    fn workers_can_go_back() {
        // However far, and with entries ahead in the ring and beyond it.
        for back in [999, 980, 950, 900, 500, 0] {
            let mut bins = Bins::default();
            let buckets = [1000, 1010, 1090, 1200, back, back + 1];
            bins.push(1000, entry(0));
            assert_eq!(bins.take_first(&mut Vec::new()), Some(1000));
            for (v, &bucket) in buckets.iter().enumerate().skip(1) {
                bins.push(bucket, entry(v));
            }
            let mut sorted = buckets[1..].to_vec();
            sorted.sort_unstable();
            assert_eq!(drain(&mut bins, &buckets), sorted);
        }
    }
}
