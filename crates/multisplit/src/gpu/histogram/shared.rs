//! Histogram: cubes count in shared memory and add what they have to the result.
//!
//! Every plane has a histogram of its own while there is room, so that atomics rarely collide; then planes share
//! them, down to one per cube. Where the bins do not even fit once, they are dealt out in windows: cubes with the
//! same `CUBE_POS_Y` have the same window, and those of all windows read the same tiles at about the same time, so
//! that memory is read once and the cache does the rest.
//!
//! Many equal keys do no harm: adds of one to one address in shared memory are gathered by the hardware within a plane,
//! and across planes they go to different histograms.

use crate::gpu::function::AnyFn;
use crate::gpu::key::{AnyKey, KeyWidth};
use cubecl::prelude::*;

/// The compile-time shape of a histogram's kernels.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) struct Shape {
    /// Lanes per plane. Nothing depends on it but which units share a histogram.
    pub plane: u32,
    /// Planes per cube.
    pub planes: u32,
    /// Histograms per cube, in shared memory; 0 if bins are counted in memory.
    pub replicas: u32,
    /// Counters of each.
    pub capacity: u32,
    /// Whether a cube counts only some of the bins.
    pub windows: bool,
    /// 16-byte loads in flight per unit.
    pub unroll: u32,
}

impl Shape {
    pub const fn units(&self) -> u32 {
        self.plane * self.planes
    }

    /// Loads that a cube takes in one round.
    pub const fn tile(&self) -> u32 {
        self.units() * self.unroll
    }

    /// Counters of a cube.
    pub const fn counters(&self) -> u32 {
        self.replicas * self.capacity
    }
}

/// The run-time numbers of a histogram.
#[derive(CubeType, CubeLaunch)]
pub(crate) struct Extent {
    /// Keys.
    pub n: u32,
    /// Bins. One more counter is for keys outside.
    pub m: u32,
    /// Counters in a window.
    pub window: u32,
    /// The number of the first bin among all counts.
    pub first: u32,
    /// The number of the count of keys outside.
    pub outside: u32,
    /// 32-bit words of a count in memory.
    pub words: u32,
    /// 1 if counts may pass 32 bits, else 0.
    pub carry: u32,
}

#[cube]
impl Extent {
    /// The number of a bin's count, or that of the keys outside.
    pub fn count_of(&self, row: u32) -> u32 {
        select(row < self.m, self.first + row, self.outside)
    }
}

/// Adds the counts of n keys to `counts`. `N` keys per load; `keys` is allocated in whole loads.
#[cube(launch_unchecked, address_type = "dynamic")]
pub(crate) fn histogram<N: Size>(
    _width: &KeyWidth,
    keys: &Array<Vector<AnyKey, N>>,
    counts: &Array<Atomic<u32>>,
    f: &AnyFn,
    extent: &Extent,
    #[comptime] shape: Shape,
) {
    let bins = SharedMemory::<Atomic<u32>>::new(comptime!(shape.counters() as usize));
    let mut i = UNIT_POS_X;
    while i < comptime!(shape.counters()) {
        bins[i as usize].store(0u32);
        i += comptime!(shape.units());
    }
    sync_cube();
    let first = CUBE_POS_Y * extent.window;
    let rows = extent.window.min(extent.m + 1 - first);
    let mine = UNIT_POS_X / comptime!(shape.plane) % comptime!(shape.replicas) * comptime!(shape.capacity);

    let width = N::value().comptime() as u32;
    let whole = extent.n / width;
    let mut start = CUBE_POS_X * comptime!(shape.tile());
    while start * width < extent.n {
        let at = (start + UNIT_POS_X) as usize;
        if start + comptime!(shape.tile()) <= whole {
            let mut batch = Sequence::<Vector<AnyKey, N>>::new();
            #[unroll]
            for j in 0..comptime!(shape.unroll) {
                batch.push(keys[at + comptime!((j * shape.units()) as usize)]);
            }
            #[unroll]
            for j in 0..comptime!(shape.unroll as usize) {
                #[unroll]
                for e in 0..N::value() {
                    let row = f.bucket(batch[j][e]).min(extent.m);
                    count(&bins, mine, row, first, rows, shape);
                }
            }
        } else {
            #[unroll]
            for j in 0..comptime!(shape.unroll) {
                let i = at + comptime!((j * shape.units()) as usize);
                let before = i as u32 * width;
                if before < extent.n {
                    let load = keys[i];
                    #[unroll]
                    for e in 0..N::value() {
                        if (e as u32) < extent.n - before {
                            let row = f.bucket(load[e]).min(extent.m);
                            count(&bins, mine, row, first, rows, shape);
                        }
                    }
                }
            }
        }
        start += CUBE_COUNT_X * comptime!(shape.tile());
    }
    sync_cube();
    add_up(&bins, counts, first, rows, extent, shape);
}

/// Counts one key, if this cube has its bin.
#[cube]
fn count(bins: &SharedMemory<Atomic<u32>>, mine: u32, row: u32, first: u32, rows: u32, #[comptime] shape: Shape) {
    if comptime!(shape.windows) {
        // Rows before the first wrap around, beyond the last.
        let row = row - first;
        if row < rows {
            bins[(mine + row) as usize].fetch_add(1u32);
        }
    } else {
        bins[(mine + row) as usize].fetch_add(1u32);
    }
}

/// Adds the histograms of the cube to the result.
#[cube]
fn add_up(
    bins: &SharedMemory<Atomic<u32>>,
    counts: &Array<Atomic<u32>>,
    first: u32,
    rows: u32,
    extent: &Extent,
    #[comptime] shape: Shape,
) {
    // Cubes begin at different bins, so that they do not all add to the same one at a time.
    let skip = rows / CUBE_COUNT_X * CUBE_POS_X;
    let mut i = UNIT_POS_X;
    while i < rows {
        let mut row = i + skip;
        if row >= rows {
            row -= rows;
        }
        let mut sum = 0u32;
        #[unroll]
        for replica in 0..comptime!(shape.replicas) {
            sum += bins[(comptime!(replica * shape.capacity) + row) as usize].load();
        }
        if sum > 0 {
            add(counts, extent.count_of(first + row), sum, extent);
        }
        i += comptime!(shape.units());
    }
}

/// Adds to a count in memory.
#[cube]
pub(super) fn add(counts: &Array<Atomic<u32>>, count: u32, more: u32, extent: &Extent) {
    let at = (count * extent.words) as usize;
    let before = counts[at].fetch_add(more);
    if extent.carry == 1 && before > 0xffff_ffffu32 - more {
        counts[at + 1].fetch_add(1u32);
    }
}
