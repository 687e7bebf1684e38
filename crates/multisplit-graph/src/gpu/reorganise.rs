//! Reorganising the far pile: a multisplit by bucket, or a sort by distance.
//!
//! The library has to know how many vertices there are, so the host must have looked; it does so anyway, now and then, to
//! see whether the search is over. A reorganisation serves many advances: buckets are then taken one by one, where they
//! lie.

use super::control::{LAST, NONE, Status};
use super::kernels::reorganise::{BOUND_WORDS, ListedLaunch, install, list};
use super::memory::{Memory, allocate, array, upload};
use crate::weight::Weight;
use multisplit::bucket::Identity;
use multisplit::cubecl::prelude::*;
use multisplit::cubecl::server::Handle;
use multisplit::{
    Buffer, Column, Device, DoubleColumn, Lent, Multisplit, Offsets, Result, Side as Sorted, Sort, SortWorkspace,
    Workspace,
};

/// Units per cube of the kernels here.
const UNITS: u32 = 64;

/// Keys and the vertices that they belong to.
struct Side {
    keys: Handle,
    vertices: Handle,
}

impl Side {
    /// The first `len` keys and vertices.
    fn buffers(&self, device: &Device, len: usize) -> Result<(Buffer<u32>, Buffer<u32>)> {
        Ok((device.adopt(self.keys.clone(), len)?, device.adopt(self.vertices.clone(), len)?))
    }
}

/// What orders the vertices.
enum Order {
    /// By bucket: one split.
    Split(Box<ByBucket>),
    /// By distance: a radix sort, as Davidson et al. have it.
    Sort(Box<SortWorkspace<u32>>),
}

/// A split with its memory.
struct ByBucket {
    f: Identity<u32>,
    offsets: Offsets,
    workspace: Workspace,
}

impl ByBucket {
    fn new(device: &Device, buckets: u32, room: usize) -> Result<Self> {
        let f = Identity::new(buckets);
        let split = Multisplit::by(&f);
        let (offsets, workspace) = (split.offsets(device)?, split.workspace(device, room, 1)?);
        Ok(Self { f, offsets, workspace })
    }

    fn enqueue(&mut self, device: &Device, from: &Side, to: &Side, len: usize) -> Result<()> {
        let ((keys, vertices), (mut keys_out, mut vertices_out)) =
            (from.buffers(device, len)?, to.buffers(device, len)?);
        let columns = &mut [Column::new(&vertices, &mut vertices_out)];
        Multisplit::by(&self.f).enqueue(&keys, &mut keys_out, columns, &mut self.offsets, &mut self.workspace)
    }
}

pub(crate) struct Reorganiser {
    device: Device,
    order: Order,
    buckets: u32,
    /// Entries of a side: a vertex can be listed twice, once as part of a bucket that it has left.
    room: usize,
    sides: [Side; 2],
    /// Which side holds the sorted vertices.
    front: usize,
}

impl Reorganiser {
    pub fn split(device: &Device, n: usize, buckets: u32) -> Result<Self> {
        // One more for what waits no longer.
        let by = ByBucket::new(device, buckets + 1, 2 * n)?;
        Self::new(device, n, buckets, Order::Split(Box::new(by)))
    }

    pub fn sort(device: &Device, n: usize, buckets: u32) -> Result<Self> {
        let workspace = Sort::new().double_workspace(device, 2 * n)?;
        Self::new(device, n, buckets, Order::Sort(Box::new(workspace)))
    }

    fn new(device: &Device, n: usize, buckets: u32, order: Order) -> Result<Self> {
        let side = || Ok(Side { keys: allocate(device, 2 * n)?, vertices: allocate(device, 2 * n)? });
        let sides = [side()?, side()?];
        Ok(Self { device: device.clone(), order, buckets, room: 2 * n, sides, front: 0 })
    }

    /// The sorted vertices.
    pub fn sorted(&self) -> &Handle {
        &self.sides[self.front].vertices
    }

    pub fn room(&self) -> usize {
        self.room
    }

    /// Brings all that waits far away into order.
    pub fn run<R: Runtime, W: Weight>(
        &mut self,
        gpu: &Lent<'_, R>,
        memory: &Memory,
        status: &Status,
        delta: W,
    ) -> Result<()> {
        let (remaining_start, remaining) = status.sorted();
        let piled = status.pile();
        let len = piled as usize + remaining as usize;
        let bounds = upload(&self.device, &bounds(status.floor(), delta, self.buckets))?;
        let bounds_array = || array(&bounds, BOUND_WORDS as usize);
        let listed =
            || ListedLaunch::new(status.launched(), memory.n as u32, piled, remaining, remaining_start, self.buckets);
        let by_distance = matches!(self.order, Order::Sort(_));
        let [front, back] = [self.front, 1 - self.front];
        let cubes = (len as u32).div_ceil(UNITS).clamp(1, 1 << 14);
        // SAFETY: a side has room for all that can be listed, and what is listed are vertices.
        gpu.launch(|| unsafe {
            list::launch_unchecked::<R>(
                gpu.client(),
                CubeCount::new_1d(cubes),
                CubeDim::new_1d(UNITS),
                gpu.address(),
                memory.distances(),
                memory.marks(),
                memory.queued(),
                array(self.sorted(), self.room),
                memory.control(),
                bounds_array(),
                array(&self.sides[back].keys, self.room),
                array(&self.sides[back].vertices, self.room),
                listed(),
                by_distance,
            )
        })?;
        let found = match &mut self.order {
            Order::Split(by) => {
                by.enqueue(&self.device, &self.sides[back], &self.sides[front], len)?;
                let offsets = by.offsets.handle().ok_or_else(|| gpu.lost("multisplit"))?;
                array(offsets, self.buckets as usize + 2)
            }
            Order::Sort(workspace) => {
                let result = sort_pairs(&self.device, workspace, &self.sides, back, len)?;
                self.front = result;
                array(&self.sides[result].keys, self.room)
            }
        };
        // SAFETY: units below 64 write their words of the control block, and read offsets or keys that are there.
        gpu.launch(|| unsafe {
            install::launch_unchecked::<R>(
                gpu.client(),
                CubeCount::new_1d(1),
                CubeDim::new_1d(UNITS),
                gpu.address(),
                found,
                memory.control(),
                bounds_array(),
                listed(),
                by_distance,
            )
        })
    }
}

/// Sorts the pairs of a side by their keys. Returns the side where the result is.
fn sort_pairs(
    device: &Device,
    workspace: &mut SortWorkspace<u32>,
    sides: &[Side; 2],
    from: usize,
    len: usize,
) -> Result<usize> {
    let (mut keys, mut vertices) = sides[from].buffers(device, len)?;
    let (mut keys_room, mut vertices_room) = sides[1 - from].buffers(device, len)?;
    let columns = &mut [DoubleColumn::new(&mut vertices, &mut vertices_room)];
    let sorted = Sort::new().enqueue_double(&mut keys, &mut keys_room, columns, workspace)?;
    Ok(if sorted == Sorted::First { from } else { 1 - from })
}

/// The largest distance of each bucket, from a distance on that all are above. The last one has no end.
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
