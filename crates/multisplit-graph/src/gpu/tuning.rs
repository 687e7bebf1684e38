//! Tuning, as data.

use super::kernels::Shape;
use crate::sssp::Strategy;
use multisplit::Lent;
use multisplit::cubecl::prelude::Runtime;

/// How a search runs on a device. It never changes distances.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Tuning {
    /// Units per cube.
    pub units: u32,
    /// Arcs per unit that are relaxed at once.
    pub items: u32,
    /// Cubes.
    pub cubes: u32,
    /// A vertex with so many arcs is shared by all cubes.
    pub hub: u32,
    /// Up to so many vertices are left to one cube.
    pub solo: u32,
    /// The most steps of that cube in one launch.
    pub solo_steps: u32,
    /// Launches before the first look at what they did; every look doubles them, up to the most.
    pub first_batch: u32,
    pub most_batch: u32,
    /// A far pile of so many vertices is worth a split.
    pub worth_splitting: u32,
}

/// Buckets of Davidson et al.
const SORTED_BUCKETS: u32 = 10;
/// Buckets of a multisplit: with one more for what waits no longer, 32.
const SPLIT_BUCKETS: u32 = 31;

impl Tuning {
    pub fn new<R: Runtime>(gpu: &Lent<'_, R>, arcs: usize) -> Self {
        // Kernels need 64 units, a power of two.
        let most_units = (1 << gpu.max_units().max(64).ilog2()).min(256);
        if gpu.is_software() {
            // Small numbers: little memory and no parallelism to fill, and every path is taken by small graphs. Mesa ends
            // the loops of a kernel after 65535 rounds, so large graphs need many cubes.
            let cubes = (arcs / (64 * 64)).clamp(gpu.processors() as usize, 1 << 14) as u32;
            return Self {
                units: 64,
                items: 2,
                cubes,
                hub: 64,
                solo: 64,
                solo_steps: 8,
                first_batch: 2,
                most_batch: 16,
                worth_splitting: 256,
            };
        }
        Self {
            units: most_units,
            // Shared memory of 16 KiB is all that WebGPU promises.
            items: if gpu.is_cuda() { 4 } else { 2 },
            // More are faster on graphs of 100 million arcs (9.1 to 8.5 ms with 5), and slower on all smaller ones: every
            // step has all of them read the same words.
            cubes: gpu.processors() * 3,
            hub: 1024,
            // Of 256 to 4096, in one run: 512 is better for an R-MAT graph of 10 million arcs (2.6 to 3.0 ms), this one for mails
            // (1.3 to 2.1) and for roads (42 to 46).
            solo: 1024,
            solo_steps: 32,
            first_batch: 8,
            most_batch: 64,
            // On an H200, splitting piles of 2^17 and more made R-MAT graphs of 10 and 134 million arcs 1.4 and 1.6 times as slow
            // as looking through them: the host waits for every split, and a look is part of a step.
            worth_splitting: 1 << 22,
        }
    }

    pub fn shape(&self, float: bool) -> Shape {
        let Self { units, items, hub, solo, solo_steps, .. } = *self;
        Shape { units, items, hub, solo, solo_steps, float }
    }
}

/// How a strategy treats the far pile.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Pile {
    /// There is none: all is near.
    None,
    /// It is looked through whenever nothing is near.
    Scan,
    /// It is sorted by distance whenever nothing is near, into so many buckets.
    Sort(u32),
    /// It is split into so many buckets when it is large.
    Split(u32),
}

impl Pile {
    /// That of a strategy, if it runs on GPUs.
    pub fn of(strategy: Strategy) -> Option<Self> {
        match strategy {
            Strategy::BellmanFord => Some(Self::None),
            Strategy::NearFar => Some(Self::Scan),
            Strategy::Bucketing => Some(Self::Sort(SORTED_BUCKETS)),
            Strategy::Multisplit => Some(Self::Split(SPLIT_BUCKETS)),
            Strategy::Dijkstra | Strategy::DeltaStepping => None,
        }
    }

    /// How many times as wide as [`auto_delta`](crate::auto_delta) buckets are: a step of a GPU costs more than a round of
    /// a CPU, and relaxing an arc again costs less. On an H200 6 is faster than 4 on R-MAT graphs of 10 million arcs, roads and
    /// mails (by 4 to 15 %, read off a table of widths), and the same on 134 million.
    pub fn wider(self) -> f64 {
        match self {
            Self::None => 1.0,
            Self::Scan | Self::Sort(_) | Self::Split(_) => 6.0,
        }
    }
}
