//! What the workers of a search share, and how they know that it is over.
//!
//! Workers never need one another to be running. All work belongs to a worker that has begun: it is in its buckets, or
//! on its shelf until another worker, which has begun too, takes it from there. A worker is busy from before it gets
//! its first work until it has none left, and the search is over when nobody is busy. Whoever is not busy looks for
//! work until then.
//!
//! So a search ends even if only the worker with the source ever runs: the others find nobody busy when they begin.
//! Nobody waits for a lock while holding one. A busy worker waits only for workers at an earlier bucket, and not for
//! long, so that the one at the earliest bucket always goes on. A worker calls nothing that could block it or run other
//! tasks on its thread, so all this holds wherever it runs: within a task of a thread pool, or beside other searches.

use super::shelf::{Chunk, Shelf};
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering::AcqRel, Ordering::Acquire, Ordering::Relaxed};

/// Buckets that a worker may be ahead of another.
///
/// A worker that is ahead relaxes arcs too early, and one that waits does nothing. With 16 workers, simulated, roads
/// take 1.2 times as long if workers wait for each other at every bucket, and 1.7 times as long if they never do.
const AHEAD: u32 = 1;

pub(super) struct Team<W> {
    shelves: Vec<Shelf<W>>,
    /// Workers that have work.
    busy: AtomicUsize,
    hungry: Hungry,
    /// Whether a worker panicked, so that its work will not be done.
    failed: AtomicBool,
}

/// Workers that wish that others shared their work. All workers read this all the time.
#[repr(align(128))]
struct Hungry(AtomicUsize);

impl<W> Team<W> {
    /// A team with one busy worker.
    pub(super) fn new(workers: usize) -> Self {
        Self {
            shelves: (0..workers).map(|_| Shelf::default()).collect(),
            busy: AtomicUsize::new(1),
            hungry: Hungry(AtomicUsize::new(0)),
            failed: AtomicBool::new(false),
        }
    }

    pub(super) fn workers(&self) -> usize {
        self.shelves.len()
    }

    pub(super) fn shelf(&self, worker: usize) -> &Shelf<W> {
        &self.shelves[worker]
    }

    /// Whether there is nothing to wait for any more.
    pub(super) fn is_done(&self) -> bool {
        self.busy.load(Acquire) == 0 || self.failed.load(Relaxed)
    }

    pub(super) fn is_anybody_hungry(&self) -> bool {
        self.hungry.0.load(Relaxed) > 0
    }

    pub(super) fn count_hungry(&self, hungry: bool) {
        if hungry {
            self.hungry.0.fetch_add(1, Relaxed)
        } else {
            self.hungry.0.fetch_sub(1, Relaxed)
        };
    }

    /// Says that a worker has no work left.
    pub(super) fn leave(&self) {
        self.busy.fetch_sub(1, AcqRel);
    }

    /// Says that a worker will not do its work.
    pub(super) fn fail(&self) {
        self.failed.store(true, Relaxed);
    }

    /// Whether some worker is so much before `bucket` that it is better to wait.
    pub(super) fn is_ahead(&self, bucket: u32) -> bool {
        self.shelves.iter().any(|shelf| shelf.is_before(bucket.saturating_sub(AHEAD)))
    }

    /// Takes chunks of the earliest bucket that any other worker has some of, if it is before `end`. For a worker that
    /// is busy.
    pub(super) fn steal(&self, worker: usize, end: Option<u32>) -> Option<(u32, Vec<Chunk<W>>)> {
        let others = (worker + 1..self.workers()).chain(0..worker);
        let shelves = others.filter_map(|other| Some((self.shelves[other].bucket()?, &self.shelves[other])));
        let (bucket, shelf) = shelves.min_by_key(|&(bucket, _)| bucket)?;
        if end.is_some_and(|end| bucket >= end) { None } else { shelf.steal() }
    }

    /// The same for one that is not busy yet. It is, if it finds some.
    pub(super) fn join(&self, worker: usize) -> Option<(u32, Vec<Chunk<W>>)> {
        self.shelves.iter().find_map(Shelf::bucket)?;
        // It counts before it takes anything, so that never nobody is busy while there is work.
        self.busy.fetch_add(1, AcqRel);
        let loot = self.steal(worker, None);
        if loot.is_none() {
            self.leave();
        }
        loot
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_search_is_over_when_nobody_is_busy() {
        let team = Team::<u32>::new(3);
        assert!(!team.is_done() && team.join(1).is_none());
        team.shelf(0).put(5, [Chunk::Arcs(1, 0..1), Chunk::Arcs(1, 1..2)]);
        assert_eq!(team.join(1).map(|(bucket, loot)| (bucket, loot.len())), Some((5, 1)));
        assert!(team.steal(2, Some(5)).is_none());
        assert!(team.steal(0, Some(6)).is_none(), "a worker does not steal from itself");
        team.leave();
        assert!(!team.is_done());
        team.leave();
        assert!(team.is_done());
    }

    #[test]
    fn a_search_is_over_when_a_worker_fails() {
        let team = Team::<u32>::new(2);
        team.fail();
        assert!(team.is_done());
    }

    #[test]
    fn the_earliest_bucket_comes_first() {
        let team = Team::<u32>::new(4);
        team.shelf(1).put(9, [Chunk::Arcs(1, 0..1)]);
        team.shelf(3).put(4, [Chunk::Arcs(1, 0..1)]);
        assert_eq!(team.steal(0, Some(7)).map(|(bucket, _)| bucket), Some(4));
        assert!(team.steal(0, Some(7)).is_none());
        team.shelf(2).set_at(Some(4));
        assert!(team.is_ahead(6) && !team.is_ahead(5) && !team.is_ahead(0));
    }
}
