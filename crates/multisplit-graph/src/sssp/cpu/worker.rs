//! One of the threads of a search by delta-stepping.

use super::bins::{Bins, Entry};
use super::distances::Distances;
use super::shelf::{Chunk, Shelf};
use super::team::Team;
use crate::graph::{Graph, Weight};
use std::ops::Range;

/// Vertices that are taken together.
const BATCH: usize = 16;

/// Arcs that end a batch.
const BATCH_ARCS: usize = 512;

/// Vertices that are handed over together.
const CHUNK: usize = 64;

/// Fewer vertices than this are not divided.
const LEAST: usize = 16;

/// Arcs that are looked at before any distance is lowered.
const LOOK: usize = 256;

/// A vertex with more arcs shares them among workers, so many at once.
const HUB: usize = 512;

/// Looks for work, without success, that make a worker hungry. Others see when one is, and that costs them time.
const PATIENCE: u32 = 2;

/// Looks for work, without success, until a thread lets others run.
const LOOKS: u32 = 64;

/// Looks for work, without success, after which a worker goes ahead however far others are behind. Their threads may
/// not be running.
const LONGEST: u32 = 256;

/// What is searched, and how.
pub(super) struct Run<'a, W: Weight> {
    pub(super) graph: &'a Graph<W>,
    pub(super) delta: W,
    pub(super) distances: Distances<W>,
    pub(super) team: Team<W>,
}

/// What a worker counts.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Counts {
    pub(super) rounds: u64,
    pub(super) relaxed: u64,
}

pub(super) struct Worker<'a, W: Weight> {
    run: &'a Run<'a, W>,
    id: usize,
    shelf: &'a Shelf<W>,
    /// Whether it counts as busy.
    busy: bool,
    /// Looks for work without success.
    looks: u32,
    /// Whether it counts as hungry.
    hungry: bool,
    /// The bucket that it is at.
    bucket: u32,
    /// The vertices of this bucket that it takes, of which so many were taken.
    round: Vec<Entry<W>>,
    taken: usize,
    /// All else that it has found.
    bins: Bins<W>,
    /// Targets of arcs that come nearer. The first ones, as the one who fills it says.
    nearer: Box<[Entry<W>; LOOK]>,
    counts: Counts,
}

impl<'a, W: Weight> Worker<'a, W> {
    /// A worker without work.
    pub(super) fn new(run: &'a Run<'a, W>, id: usize) -> Self {
        let none = Entry { vertex: 0, distance: W::default() };
        Self {
            run,
            id,
            shelf: run.team.shelf(id),
            busy: false,
            looks: 0,
            hungry: false,
            bucket: 0,
            round: Vec::new(),
            taken: 0,
            bins: Bins::default(),
            nearer: Box::new([none; LOOK]),
            counts: Counts::default(),
        }
    }

    /// The one worker that the team has counted as busy: it has the source.
    pub(super) fn with_source(run: &'a Run<'a, W>, id: usize, source: u32) -> Self {
        let mut worker = Self::new(run, id);
        worker.busy = true;
        worker.round.push(Entry { vertex: source, distance: W::default() });
        worker.shelf.set_at(Some(0));
        worker
    }

    /// Works until the search is over.
    pub(super) fn work(mut self) -> Counts {
        loop {
            if self.step() {
                self.looks = 0;
                self.be_hungry(false);
            } else if self.run.team.is_done() {
                return self.counts;
            } else {
                self.looks = self.looks.wrapping_add(1);
                self.be_hungry(self.hungry || self.looks >= PATIENCE);
                if self.looks % LOOKS == 0 {
                    std::thread::yield_now();
                } else {
                    std::hint::spin_loop();
                }
            }
        }
    }

    /// Does a little work, or gets some. Returns false if there is none for it now.
    fn step(&mut self) -> bool {
        if self.taken < self.round.len() {
            self.take_batch();
            self.share_round();
        } else if !self.busy {
            let loot = self.run.team.join(self.id);
            self.busy = loot.is_some();
            return self.accept(loot);
        } else if let Some(chunk) = self.shelf.take() {
            self.open(chunk);
        } else if let Some(bucket) = self.bins.first() {
            return if bucket == self.bucket { self.begin_round() } else { self.go_to(bucket) };
        } else {
            self.busy = false;
            self.shelf.set_at(None);
            self.run.team.leave();
        }
        true
    }

    /// Goes to the next bucket that it has something in, unless others need help with an earlier one.
    fn go_to(&mut self, bucket: u32) -> bool {
        self.shelf.set_at(Some(bucket));
        let loot = self.run.team.steal(self.id, Some(bucket));
        if self.accept(loot) {
            return true;
        }
        let wait = self.looks < LONGEST && self.run.team.is_ahead(bucket);
        if !wait {
            self.bucket = bucket;
        }
        !wait
    }

    /// Goes to the bucket of chunks that were stolen. The shelf is empty then, and takes what is not needed now.
    fn accept(&mut self, loot: Option<(u32, Vec<Chunk<W>>)>) -> bool {
        let Some((bucket, chunks)) = loot else { return false };
        self.bucket = bucket;
        self.shelf.set_at(Some(bucket));
        let mut chunks = chunks.into_iter();
        let first = chunks.next();
        if chunks.len() > 0 {
            self.shelf.put(bucket, chunks);
        }
        first.into_iter().for_each(|chunk| self.open(chunk));
        true
    }

    /// Takes everything that it has in its bucket, and leaves what is too much for one to others.
    fn begin_round(&mut self) -> bool {
        self.counts.rounds += 1;
        self.round.clear();
        self.taken = 0;
        self.bins.take_first(&mut self.round);
        if self.round.len() > 2 * CHUNK && self.run.team.workers() > 1 {
            let rest = self.round[CHUNK..].chunks(CHUNK).map(|chunk| Chunk::Vertices(chunk.to_vec()));
            self.shelf.put(self.bucket, rest);
            self.round.truncate(CHUNK);
        }
        true
    }

    /// Leaves half of what is left of the round to others, if they have nothing.
    fn share_round(&mut self) {
        let left = self.round.len() - self.taken;
        if left >= LEAST && self.run.team.is_anybody_hungry() && self.shelf.bucket().is_none() {
            let half = self.round.split_off(self.taken + left / 2);
            self.shelf.put(self.bucket, [Chunk::Vertices(half)]);
        }
    }

    fn open(&mut self, chunk: Chunk<W>) {
        match chunk {
            Chunk::Vertices(entries) => (self.round, self.taken) = (entries, 0),
            Chunk::Arcs(distance, arcs) => self.relax(distance, arcs),
        }
    }

    fn be_hungry(&mut self, hungry: bool) {
        if hungry != self.hungry {
            self.run.team.count_hungry(hungry);
            self.hungry = hungry;
        }
    }

    /// Takes some vertices of the round.
    ///
    /// First it looks which of them count, and where their arcs are; then at the targets of all arcs. That is reading
    /// only, and nothing branches on what is read, so the processor waits for many places in memory at once.
    fn take_batch(&mut self) {
        let mut live = [(W::default(), 0, 0); BATCH];
        let (mut count, mut taken, mut arcs) = (0, 0, 0);
        for &Entry { vertex, distance } in self.round[self.taken..].iter().take(BATCH) {
            let range = self.run.graph.range(vertex);
            live[count % BATCH] = (distance, range.start, range.end);
            count += usize::from(self.run.distances.get(vertex) == distance);
            taken += 1;
            arcs += range.len();
            if arcs >= BATCH_ARCS {
                break;
            }
        }
        self.taken += taken;
        let mut nearer = 0;
        for &(distance, start, end) in &live[..count] {
            if end - start > LOOK - nearer {
                self.lower(nearer);
                nearer = 0;
            }
            if end - start > LOOK {
                self.relax_many(distance, start..end);
            } else {
                nearer = self.look(distance, start..end, nearer);
            }
        }
        self.lower(nearer);
    }

    /// Relaxes the arcs of a vertex with many, or leaves most of them to others.
    fn relax_many(&mut self, distance: W, mut arcs: Range<usize>) {
        if arcs.len() > HUB && self.run.team.workers() > 1 {
            let end = std::mem::replace(&mut arcs.end, arcs.start + HUB);
            let parts = (arcs.end..end).step_by(HUB).map(|start| Chunk::Arcs(distance, start..end.min(start + HUB)));
            self.shelf.put(self.bucket, parts);
        }
        self.relax(distance, arcs);
    }

    fn relax(&mut self, distance: W, arcs: Range<usize>) {
        for start in arcs.clone().step_by(LOOK) {
            let nearer = self.look(distance, start..arcs.end.min(start + LOOK), 0);
            self.lower(nearer);
        }
    }

    /// Looks which targets of arcs come nearer, and adds them to the first `count` that are known to. Returns how many
    /// there are then. There must be room for all.
    #[inline(always)]
    fn look(&mut self, distance: W, arcs: Range<usize>, mut count: usize) -> usize {
        self.counts.relaxed += arcs.len() as u64;
        for (vertex, weight) in self.run.graph.arcs_in(arcs) {
            let distance = distance.plus(weight);
            self.nearer[count % LOOK] = Entry { vertex, distance };
            count += usize::from(distance < self.run.distances.get(vertex));
        }
        count
    }

    /// Lowers the distances of the first `count` targets, and puts those into their buckets that nobody lowered more.
    #[inline(always)]
    fn lower(&mut self, count: usize) {
        for &entry in &self.nearer[..count] {
            if self.run.distances.lower(entry.vertex, entry.distance) {
                self.bins.push(entry.distance.bucket(self.run.delta), entry);
            }
        }
    }
}

impl<W: Weight> Drop for Worker<'_, W> {
    fn drop(&mut self) {
        if self.busy {
            self.run.team.fail();
        }
    }
}
