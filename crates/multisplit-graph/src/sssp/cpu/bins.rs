//! The buckets of one worker.
//!
//! Distances may be anything, so the number of buckets is not known. Those near the current one are in an array, the
//! others in a map. When the array is empty, it moves on to the first bucket of the map.

use std::collections::BTreeMap;

/// Buckets in the array.
const NEAR: usize = 128;

pub(super) struct Bins {
    near: Vec<Vec<u32>>,
    /// The bucket that the array begins with.
    base: u32,
    /// All before this place in the array are empty.
    start: usize,
    far: BTreeMap<u32, Vec<u32>>,
}

impl Default for Bins {
    fn default() -> Self {
        Self { near: vec![Vec::new(); NEAR], base: 0, start: 0, far: BTreeMap::new() }
    }
}

impl Bins {
    /// Puts a vertex into a bucket. Buckets that were taken are not used again, but for the last one.
    #[inline]
    pub(super) fn push(&mut self, v: u32, bucket: u32) {
        match self.near.get_mut(bucket.wrapping_sub(self.base) as usize) {
            Some(bin) => bin.push(v),
            None => self.far.entry(bucket).or_default().push(v),
        }
    }

    /// The first bucket that is not empty.
    pub(super) fn first(&self) -> Option<u32> {
        let near = self.near[self.start..].iter().position(|bin| !bin.is_empty());
        let near = near.map(|place| self.base + (self.start + place) as u32);
        near.into_iter().chain(self.far.keys().next().copied()).min()
    }

    /// Takes the vertices of a bucket that is no later than the first that is not empty.
    pub(super) fn take(&mut self, bucket: u32) -> Vec<u32> {
        let place = bucket.wrapping_sub(self.base) as usize;
        if place >= NEAR {
            self.move_to(bucket);
        }
        self.start = bucket.wrapping_sub(self.base) as usize;
        std::mem::take(&mut self.near[self.start])
    }

    /// How many vertices wait in the bucket that was taken last.
    pub(super) fn waiting(&self, bucket: u32) -> usize {
        self.near.get(bucket.wrapping_sub(self.base) as usize).map_or(0, Vec::len)
    }

    /// Keeps the memory of vertices that were taken and are done with.
    pub(super) fn give_back(&mut self, bucket: u32, mut vertices: Vec<u32>) {
        if let Some(bin) = self.near.get_mut(bucket.wrapping_sub(self.base) as usize)
            && bin.is_empty()
        {
            vertices.clear();
            *bin = vertices;
        }
    }

    /// Lets the array, which is empty, begin with `base`.
    fn move_to(&mut self, base: u32) {
        self.base = base;
        let beyond = base.checked_add(NEAR as u32).map(|end| self.far.split_off(&end)).unwrap_or_default();
        for (bucket, vertices) in std::mem::replace(&mut self.far, beyond) {
            self.near[(bucket - base) as usize] = vertices;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn buckets_come_in_order() {
        let mut bins = Bins::default();
        let buckets = [5, 0, 127, 128, 5, 4_000_000_000, u32::MAX, 300, 128, 129];
        for (v, &bucket) in buckets.iter().enumerate() {
            bins.push(v as u32, bucket);
        }
        let mut found = Vec::new();
        while let Some(bucket) = bins.first() {
            let vertices = bins.take(bucket);
            assert!(!vertices.is_empty());
            assert!(vertices.iter().all(|&v| buckets[v as usize] == bucket));
            found.extend(vertices.iter().map(|_| bucket));
        }
        let mut sorted = buckets.to_vec();
        sorted.sort_unstable();
        assert_eq!(found, sorted);
    }

    #[test]
    fn a_bucket_can_be_filled_while_it_is_worked_off() {
        let mut bins = Bins::default();
        bins.push(1, 7);
        let vertices = bins.take(7);
        bins.push(2, 7);
        bins.push(3, 8);
        assert_eq!(bins.waiting(7), 1);
        bins.give_back(7, vertices);
        assert_eq!((bins.first(), bins.take(7), bins.first()), (Some(7), vec![2], Some(8)));
    }

    #[test]
    fn workers_without_the_bucket_keep_up() {
        let mut bins = Bins::default();
        bins.push(1, 1000);
        assert!(bins.take(500).is_empty());
        bins.push(2, 510);
        assert_eq!((bins.first(), bins.take(510), bins.take(1000)), (Some(510), vec![2], vec![1]));
    }
}
