//! The settings of a search, by device and strategy.

use super::kernels::plane_rounds::ROOM;
use super::kernels::shape::Shape;
use super::state::{buckets, control};
use crate::strategy::Strategy;
use multisplit::KernelApi;
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
    /// A vertex with at least so many arcs is a hub: all cubes share its arcs.
    pub hub: u32,
    /// A step of up to so many vertices, with up to so many arcs, is left to one cube.
    pub solo: u32,
    pub solo_arcs: u32,
    /// The most steps of that cube in one launch.
    pub solo_steps: u32,
    /// Launches before the state is read.
    pub batch: u32,
    /// Whether steps may be launched while the state is read: on wgpu, CubeCL's buffers are in use until that is over.
    pub ahead: bool,
    /// So many vertices, or so many arcs, are enough for a step, if they can be had by taking more buckets.
    pub enough: u32,
    pub enough_arcs: u32,
    /// The most rounds of a tile: each but the first takes the vertices that the one before has brought near.
    pub rounds: u32,
    /// Whether all cubes may take several steps in one launch, and how many at most.
    pub meets: bool,
    pub steps: u32,
    /// Whether planes go on with what they find, instead of cubes.
    pub planes: bool,
    /// Whether memory that others change by atomic operations may be read without one. The types of WGSL forbid it.
    pub glimpses: bool,
}

/// A mean degree that is low. With so few arcs, as in road networks and meshes, a step is nearly all latency, and it
/// pays for a cube to go on with the vertices that it finds. With more, some cubes find many and the others wait for
/// them.
const FEW_ARCS: usize = 6;

/// With a vertex of more arcs than this, the arcs of vertices are shared by cubes, even if there are few in the mean. A
/// plane has room for so many.
const MOST_ARCS: u32 = ROOM;

/// Whether a graph has few arcs at every vertex, and in the mean. These are its offsets.
pub(super) fn has_few_arcs(offsets: &[u32]) -> bool {
    let arcs = offsets.last().map_or(0, |&end| end as usize);
    arcs > 0
        && arcs <= FEW_ARCS * (offsets.len() - 1)
        && offsets.windows(2).all(|vertex| vertex[1] - vertex[0] <= MOST_ARCS)
}

/// The most steps of a launch that all cubes take. So no launch is long: some systems end those that take seconds.
const STEPS: u32 = 256;

/// Launches before the state is read, where each takes one step.
const BATCH: u32 = 8;

/// Buckets in the work of Davidson et al., and in the paper.
const PILE_BUCKETS: u32 = 10;

impl Tuning {
    pub fn new<R: Runtime>(gpu: &KernelApi<'_, R>, pile: Pile, vertices: u32, arcs: usize, has_records: bool) -> Self {
        let has_few_arcs = arcs <= FEW_ARCS * vertices as usize;
        // Kernels need 64 units, a power of two.
        let most_units = (1 << gpu.max_units().max(64).ilog2()).min(256);
        let meets = gpu.is_cuda() && pile.has_lists();
        let planes = meets && has_records;
        if gpu.is_software() {
            // Small numbers: little memory and no parallelism to fill, and every path is taken by small graphs. Mesa
            // ends the loops of a kernel after 65535 rounds, so large graphs need many cubes.
            let cubes = (arcs / (64 * 64)).clamp(gpu.processors() as usize, 1 << 14) as u32;
            return Self {
                units: 64,
                items: 2,
                cubes,
                hub: 64,
                solo: 64,
                solo_arcs: 256,
                solo_steps: 8,
                batch: 4,
                ahead: false,
                enough: 128,
                enough_arcs: 1024,
                // Some tests have many arcs, and some few.
                rounds: if has_few_arcs { 4 } else { 2 },
                meets,
                steps: 1,
                planes,
                glimpses: false,
            };
        }
        Self {
            units: most_units,
            // See `shape`, for shared memory.
            items: if gpu.is_cuda() { 4 } else { 2 },
            // As many as fit. With 3, graphs of 10 and 134 million arcs take 1.2 and 1.3 times as long.
            cubes: gpu.processors() * if planes { 4 } else { 5 },
            hub: 1024,
            // Two tiles, two chunks. One cube that has more to do takes longer than a launch for all.
            solo: if planes { 64 } else { 512 },
            solo_arcs: if planes { 256 } else { 2048 },
            solo_steps: 32,
            batch: if meets { 2 } else { BATCH },
            ahead: gpu.is_cuda(),
            // More arcs are relaxed too early where vertices have many; fewer make more steps. The other number is
            // for vertices with few arcs: twice as many made roads take twice as many arcs, and no less time.
            enough: if planes { 4096 } else { 8192 },
            enough_arcs: if planes { 20480 } else { 40960 },
            rounds: if has_few_arcs { 6 } else { 1 },
            meets,
            steps: STEPS,
            planes,
            glimpses: gpu.is_cuda(),
        }
    }

    /// From now on a launch takes one step: not all of its cubes run at the same time.
    pub fn part(&mut self) {
        (self.steps, self.batch) = (1, BATCH);
    }

    pub fn shape(&self, float: bool, pile: Pile) -> Shape {
        let Self { units, items, hub, solo, solo_arcs, solo_steps, meets, planes, glimpses, .. } = *self;
        let lists = if pile.has_lists() { buckets::LISTS } else { 0 };
        // Shared memory of 16 KiB is all that WebGPU promises. Elsewhere queues are written when it is worth it.
        let capacity = if self.glimpses { 2 * units * items } else { units * items + units };
        Shape {
            units,
            items,
            hub,
            solo,
            solo_arcs,
            solo_steps,
            float,
            meets,
            planes,
            glimpses,
            lists,
            queues: pile.queues(),
            capacity,
        }
    }
}

/// How a strategy treats the far pile.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Pile {
    /// There is none: all vertices are near.
    None,
    /// It is scanned whenever no vertex is near.
    Scan,
    /// It is sorted by distance into so many buckets whenever no vertex is near.
    Sort(u32),
    /// It is split into so many buckets whenever no vertex is near.
    Split(u32),
    /// Vertices wait in the lists of many buckets from the start. The pile is for those beyond the lists.
    Lists,
}

impl Pile {
    /// The pile of a strategy, if it runs on GPUs.
    pub fn of(strategy: Strategy) -> Option<Self> {
        match strategy {
            Strategy::BellmanFord => Some(Self::None),
            Strategy::NearFar => Some(Self::Scan),
            Strategy::Bucketing => Some(Self::Sort(PILE_BUCKETS)),
            Strategy::SplitBucketing => Some(Self::Split(PILE_BUCKETS)),
            Strategy::Multisplit => Some(Self::Lists),
            Strategy::Dijkstra | Strategy::DeltaStepping => None,
        }
    }

    /// Whether vertices wait in the lists of many buckets.
    pub fn has_lists(self) -> bool {
        self == Self::Lists
    }

    /// Queues that vertices wait in.
    pub fn queues(self) -> u32 {
        if self.has_lists() { buckets::QUEUES } else { control::QUEUES }
    }

    /// Words of all rows of queues for each vertex: two rows per queue, and two words per entry of a list.
    pub fn row_words(self) -> usize {
        2 * self.queues() as usize * if self.has_lists() { 2 } else { 1 }
    }

    /// How many times as wide as [`auto_delta`](crate::auto_delta) buckets are: a step of a GPU costs more than a
    /// round of a CPU, and relaxing an arc again costs less. On an H200 6 is faster than 4 on R-MAT graphs of 10
    /// million arcs, roads and mails (by 4 to 15 %, read off a table of widths), and the same on 134 million. There 9
    /// takes 1.15 times as long, and on the others as long or 0.9 times.
    pub fn wider(self) -> f64 {
        match self {
            Self::None => 1.0,
            Self::Scan | Self::Sort(_) | Self::Split(_) => 6.0,
            // A step takes several.
            Self::Lists => 3.0,
        }
    }
}
