//! Where a worker puts work that others may take.

use super::bins::Entry;
use std::collections::VecDeque;
use std::ops::Range;
use std::sync::atomic::{AtomicU64, Ordering::Acquire, Ordering::Relaxed, Ordering::Release};
use std::sync::{Mutex, MutexGuard, PoisonError};

/// Work that is handed over at once.
pub(super) enum Chunk<W> {
    /// Vertices to be taken.
    Vertices(Vec<Entry<W>>),
    /// Some arcs of a vertex with very many, and its distance.
    Arcs(W, Range<usize>),
}

/// Chunks of one bucket, in the order in which they were put there. Their owner adds some, and any worker may take
/// them.
pub(super) struct Shelf<W> {
    chunks: Mutex<VecDeque<Chunk<W>>>,
    sign: Sign,
}

/// What others read all the time, in a cache line of its own: while nothing changes there, it costs the owner nothing.
#[repr(align(128))]
struct Sign {
    /// The bucket that the chunks are of, or [`NONE`]. It is written under the lock, and read without.
    bucket: AtomicU64,
    /// The bucket that the owner is at, or [`NONE`].
    at: AtomicU64,
}

/// Greater than all buckets.
const NONE: u64 = u64::MAX;

/// Chunks that another worker takes at most.
const LOOT: usize = 8;

impl<W> Default for Shelf<W> {
    fn default() -> Self {
        let sign = Sign { bucket: AtomicU64::new(NONE), at: AtomicU64::new(NONE) };
        Self { chunks: Mutex::default(), sign }
    }
}

impl<W> Shelf<W> {
    /// The bucket that its chunks are of, if there are any. If the owner sees none, there is none.
    #[inline]
    pub(super) fn bucket(&self) -> Option<u32> {
        u32::try_from(self.sign.bucket.load(Acquire)).ok()
    }

    /// Whether its owner is at a bucket before `end`.
    #[inline]
    pub(super) fn is_before(&self, end: u32) -> bool {
        self.sign.at.load(Relaxed) < u64::from(end)
    }

    /// Tells others which bucket the owner is at.
    #[inline]
    pub(super) fn set_at(&self, bucket: Option<u32>) {
        let at = bucket.map_or(NONE, u64::from);
        if self.sign.at.load(Relaxed) != at {
            self.sign.at.store(at, Relaxed);
        }
    }

    /// Adds chunks of a bucket, the same that others here are of. For the owner.
    pub(super) fn put(&self, bucket: u32, new: impl IntoIterator<Item = Chunk<W>>) {
        let mut chunks = self.lock();
        chunks.extend(new);
        self.publish(&chunks, bucket);
    }

    /// Takes one chunk of a bucket back. For the owner.
    pub(super) fn take(&self) -> Option<Chunk<W>> {
        let bucket = self.bucket()?;
        let mut chunks = self.lock();
        let chunk = chunks.pop_front();
        self.publish(&chunks, bucket);
        chunk
    }

    /// Takes half of the chunks, and tells the bucket that they are of, unless another worker is doing so.
    pub(super) fn steal(&self) -> Option<(u32, Vec<Chunk<W>>)> {
        let mut chunks = self.chunks.try_lock().ok()?;
        let bucket = self.bucket()?;
        let count = chunks.len().div_ceil(2).min(LOOT);
        let loot = chunks.drain(..count).collect();
        self.publish(&chunks, bucket);
        Some((bucket, loot))
    }

    fn publish(&self, chunks: &VecDeque<Chunk<W>>, bucket: u32) {
        let bucket = if chunks.is_empty() { NONE } else { u64::from(bucket) };
        if self.sign.bucket.load(Relaxed) != bucket {
            self.sign.bucket.store(bucket, Release);
        }
    }

    fn lock(&self) -> MutexGuard<'_, VecDeque<Chunk<W>>> {
        // Chunks are never left half moved.
        self.chunks.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn chunks_come_back_in_order_and_can_be_stolen() {
        let shelf = Shelf::default();
        let arcs = |chunk: Option<Chunk<u32>>| match chunk {
            Some(Chunk::Arcs(distance, arcs)) => Some((distance, arcs.start)),
            _ => None,
        };
        assert!(shelf.take().is_none() && shelf.steal().is_none());
        shelf.put(7, (0..5).map(|i| Chunk::Arcs(1, i..i + 1)));
        assert_eq!(shelf.bucket(), Some(7));
        assert_eq!(arcs(shelf.take()), Some((1, 0)));
        let (bucket, loot) = shelf.steal().unwrap();
        assert_eq!((bucket, loot.len()), (7, 2));
        assert_eq!((arcs(shelf.take()), arcs(shelf.take()), shelf.bucket()), (Some((1, 3)), Some((1, 4)), None));
        // A shelf that became empty can have another bucket, also the last.
        shelf.put(u32::MAX, [Chunk::Arcs(2, 0..1)]);
        assert_eq!(shelf.steal().map(|(bucket, loot)| (bucket, loot.len())), Some((u32::MAX, 1)));
        assert_eq!(shelf.bucket(), None);
    }

    #[test]
    fn owners_are_before_each_other() {
        let shelf = Shelf::<u32>::default();
        assert!(!shelf.is_before(u32::MAX));
        shelf.set_at(Some(3));
        assert!(shelf.is_before(4) && !shelf.is_before(3));
        shelf.set_at(None);
        assert!(!shelf.is_before(u32::MAX));
    }
}
