//! Reorganising the far pile: a multisplit by bucket, or a sort by distance.
//!
//! The library has to know how many vertices there are, so the host must have read the state; it does so now and then
//! anyway, to see whether the search is over. A reorganisation serves many advances: the buckets are then taken one by
//! one, in place.

use super::kernels::reorganise::{BOUND_WORDS, Listed, ListedLaunch, install, list};
use super::kernels::{grid, launch};
use super::memory::Slices;
use super::state::control::{LAST, NONE, Status};
use crate::graph::Weight;
use multisplit::bucket::Identity;
use multisplit::cubecl::prelude::*;
use multisplit::{
    Arg, Buffer, Column, Device, DoubleColumn, KernelApi, Multisplit, Offsets, Result, Side as Sorted, Slice, Sort,
    Workspace,
};

/// Units per cube of the kernels here.
const UNITS: u32 = 64;

/// Keys and the vertices that they belong to.
struct Side {
    keys: Buffer<u32>,
    vertices: Buffer<u32>,
}

impl Side {
    fn new(device: &Device, room: usize) -> Result<Self> {
        Ok(Self { keys: device.alloc(room)?, vertices: device.alloc(room)? })
    }

    /// Makes both `len` entries long.
    fn set_len(&mut self, len: usize) -> Result<()> {
        self.keys.set_len(len)?;
        self.vertices.set_len(len)
    }
}

/// What orders the vertices.
enum Order {
    /// By bucket: one split.
    Split { f: Identity<u32>, offsets: Offsets },
    /// By distance: a radix sort, as Davidson et al. have it.
    Sort,
}

pub(crate) struct Reorganiser {
    device: Device,
    order: Order,
    workspace: Workspace,
    buckets: u32,
    /// Entries of a side: a vertex can be listed twice, once as part of a bucket that it has left.
    room: usize,
    /// Holds the sorted vertices.
    front: Side,
    back: Side,
}

impl Reorganiser {
    pub fn split(device: &Device, n: usize, buckets: u32) -> Result<Self> {
        // One more bucket, for vertices that no longer wait.
        let f = Identity::new(buckets + 1);
        let by = Multisplit::by(&f);
        let (offsets, workspace) = (by.offsets(device)?, by.workspace(device, 2 * n, 1)?);
        Self::new(device, n, buckets, Order::Split { f, offsets }, workspace)
    }

    pub fn sort(device: &Device, n: usize, buckets: u32) -> Result<Self> {
        let workspace = Sort::new().double_workspace::<u32>(device, 2 * n)?;
        Self::new(device, n, buckets, Order::Sort, workspace)
    }

    fn new(device: &Device, n: usize, buckets: u32, order: Order, workspace: Workspace) -> Result<Self> {
        let (front, back) = (Side::new(device, 2 * n)?, Side::new(device, 2 * n)?);
        Ok(Self { device: device.clone(), order, workspace, buckets, room: 2 * n, front, back })
    }

    /// The sorted vertices, with room for all that there can be.
    pub fn sorted<R: Runtime>(&mut self, gpu: &KernelApi<'_, R>) -> Result<Slice<u32>> {
        self.front.set_len(self.room)?;
        gpu.writes(&mut self.front.vertices)
    }

    /// Orders all vertices that are far.
    pub fn run<R: Runtime, W: Weight>(
        &mut self,
        gpu: &KernelApi<'_, R>,
        memory: &Slices,
        status: &Status,
        delta: W,
    ) -> Result<()> {
        let (remaining_start, remaining) = status.sorted();
        let piled = status.pile();
        let len = piled as usize + remaining as usize;
        let bounds = self.device.upload(&bounds(status.floor(), delta, self.buckets))?;
        let bounds = gpu.reads(&bounds)?;
        let buckets = self.buckets;
        let listed = || {
            let launched = status.launched();
            Arg::<Listed, R>(ListedLaunch::new(launched, memory.n, piled, remaining, remaining_start, buckets))
        };
        let by_distance = matches!(self.order, Order::Sort);
        let (cubes, units) = grid(len as u32, UNITS);
        self.front.set_len(self.room)?;
        self.back.set_len(self.room)?;
        let sorted = gpu.writes(&mut self.front.vertices)?;
        let (keys, vertices) = (gpu.writes(&mut self.back.keys)?, gpu.writes(&mut self.back.vertices)?);
        // A side has room for all that can be listed, and what is listed are vertices.
        launch!(
            *gpu, list::List<R>, cubes, units;
            distances: &memory.distances,
            marks: &memory.marks,
            queued: &memory.queued,
            sorted: &sorted,
            control: &memory.control,
            bounds: &bounds,
            keys: &keys,
            vertices: &vertices,
            listed: listed();
            by_distance,
        )?;
        let found = self.order(gpu, len)?;
        // Units below 64 write their words of the control block, and read offsets or keys that are there.
        launch!(
            *gpu, install::Install<R>, CubeCount::new_1d(1), CubeDim::new_1d(UNITS);
            found: &found, control: &memory.control, bounds: &bounds, listed: listed(); by_distance,
        )
    }

    /// Orders the first `len` pairs of the back, into the front. Returns where the buckets begin, or the sorted keys.
    fn order<R: Runtime>(&mut self, gpu: &KernelApi<'_, R>, len: usize) -> Result<Slice<u32>> {
        let Self { front, back, workspace, room, .. } = self;
        front.set_len(len)?;
        back.set_len(len)?;
        match &mut self.order {
            Order::Split { f, offsets } => {
                let columns = &mut [Column::new(&back.vertices, &mut front.vertices)];
                Multisplit::by(f).enqueue(&back.keys, &mut front.keys, columns, offsets, workspace)?;
                gpu.reads_offsets(offsets)
            }
            Order::Sort => {
                let columns = &mut [DoubleColumn::new(&mut back.vertices, &mut front.vertices)];
                let sorted = Sort::new().enqueue_double(&mut back.keys, &mut front.keys, columns, workspace)?;
                if sorted == Sorted::First {
                    std::mem::swap(front, back);
                }
                front.set_len(*room)?;
                gpu.reads(&front.keys)
            }
        }
    }
}

/// The largest distance of each bucket, the first of which begins above `floor`. The last one has no end.
fn bounds<W: Weight>(floor: u32, delta: W, buckets: u32) -> Vec<u32> {
    let mut bounds = vec![NONE; BOUND_WORDS as usize];
    let mut bound = W::from_ordered(floor);
    for slot in &mut bounds[..buckets as usize - 1] {
        bound = bound.plus(delta);
        *slot = bound.to_ordered().min(LAST - 1);
    }
    bounds[buckets as usize - 1] = LAST;
    bounds
}
