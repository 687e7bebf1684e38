//! Scan-based split (the paper's section 3.2): rounds of binary splits.

use super::rounds::Rounds;
use crate::bucket::Buckets;
use crate::buffer::{Buffer, ErasedBuffer};
use crate::column::{Column, ColumnKind};
use crate::cpu;
use crate::device::{Device, dispatch};
use crate::error::{Error, Result};
#[cfg(feature = "gpu")]
use crate::gpu::scan_split as on_gpu;
use crate::key::Key;
use crate::offsets::{Offsets, OffsetsMemory};
use crate::value::Width;

/// The memory of a scan-based split: where elements are between rounds, and on a GPU the flags.
pub(super) struct Room<K> {
    n: usize,
    sides: Vec<Side<K>>,
    /// Of splits on the CPU.
    scratch: cpu::Scratch,
    #[cfg(feature = "gpu")]
    flags: Buffer<u32>,
    #[cfg(feature = "gpu")]
    sums: Buffer<u32>,
}

/// Room for all elements.
struct Side<K> {
    keys: Buffer<K>,
    narrow: Vec<Buffer<u32>>,
    wide: Vec<Buffer<u64>>,
}

impl<K: Key> Side<K> {
    fn new(device: &Device, n: usize, (narrow, wide): (usize, usize)) -> Result<Self> {
        Ok(Self {
            keys: device.alloc(n)?,
            narrow: (0..narrow).map(|_| device.alloc(n)).collect::<Result<_>>()?,
            wide: (0..wide).map(|_| device.alloc(n)).collect::<Result<_>>()?,
        })
    }
}

fn is_gpu(device: &Device) -> bool {
    dispatch!(device, _gpu => true, cpu => false)
}

/// Bytes of the sides, and of the flags on a GPU.
fn bytes<K>(device: &Device, rounds: Rounds, n: usize, (narrow, wide): (usize, usize)) -> usize {
    let side = size_of::<K>() + 4 * narrow + 8 * wide;
    let flag = if is_gpu(device) { 4 } else { 0 };
    n.saturating_mul(rounds.sides(is_gpu(device)) * side + flag)
}

impl<K: Key> Room<K> {
    pub fn new(device: &Device, rounds: Rounds, n: usize, columns: (usize, usize)) -> Result<Self> {
        let on_gpu = is_gpu(device);
        let sides = (0..rounds.sides(on_gpu)).map(|_| Side::new(device, n, columns)).collect::<Result<_>>()?;
        Ok(Self {
            n,
            sides,
            scratch: if on_gpu { cpu::Scratch::default() } else { cpu::Scratch::for_split(device, n, 2, 1)? },
            #[cfg(feature = "gpu")]
            flags: device.alloc(if on_gpu { n + 1 } else { 0 })?,
            #[cfg(feature = "gpu")]
            sums: device.alloc(if on_gpu { on_gpu::sums(n) } else { 0 })?,
        })
    }

    pub fn bytes(&self, device: &Device, rounds: Rounds) -> usize {
        let columns = self.sides.first().map_or((0, 0), |side| (side.narrow.len(), side.wide.len()));
        bytes::<K>(device, rounds, self.n, columns) + self.scratch.size()
    }

    fn check(&self, device: &Device, rounds: Rounds, n: usize, columns: &[Column<'_>]) -> Result<()> {
        let (narrow, wide) = widths(columns);
        let fits = |side: &Side<K>| narrow <= side.narrow.len() && wide <= side.wide.len();
        if n <= self.n && self.sides.len() >= rounds.sides(is_gpu(device)) && self.sides.iter().all(fits) {
            return Ok(());
        }
        Err(Error::WorkspaceTooSmall {
            got: self.bytes(device, rounds),
            needed: needed::<K>(device, rounds, n, columns),
        })
    }
}

/// How many columns of 4 and of 8 bytes there are.
fn widths(columns: &[Column<'_>]) -> (usize, usize) {
    let is_wide = |column: &&Column<'_>| matches!(column.0, ColumnKind::Values { width: Width::Wide, .. });
    let wide = columns.iter().filter(is_wide).count();
    (columns.len() - wide, wide)
}

/// The bytes that a split needs.
pub(super) fn needed<K: Key>(device: &Device, rounds: Rounds, n: usize, columns: &[Column<'_>]) -> usize {
    bytes::<K>(device, rounds, n, widths(columns))
}

/// Splits. All buffers have been checked but the room.
pub(super) fn run<F: Buckets>(
    f: &F,
    rounds: Rounds,
    keys: &Buffer<F::Key>,
    keys_out: &mut Buffer<F::Key>,
    columns: &mut [Column<'_>],
    out: &mut Offsets,
    room: &mut Room<F::Key>,
) -> Result<()> {
    room.check(keys.device(), rounds, keys.len(), columns)?;
    let m = f.buckets();
    dispatch!(keys.device(),
    gpu => {
        let (Some(key_lane), lanes) = lanes(keys, keys_out, columns, room) else { return Ok(()) };
        if let (OffsetsMemory::Gpu(result), Some(flags), Some(sums)) =
            (&mut out.memory, room.flags.handle(), room.sums.handle())
        {
            let job = on_gpu::Job { rounds, n: keys.len(), keys: &key_lane, columns: &lanes, flags, sums };
            job.run(gpu, f, result)?;
        }
    },
    cpu => {
        #[allow(irrefutable_let_patterns)] // without GPUs there is no other kind
        if let OffsetsMemory::Host { offsets, astray } = &mut out.memory {
            offsets.resize(m as usize + 1, 0);
            *astray = run_on_cpu(f, rounds, keys, keys_out, columns, offsets, room)?;
        }
    });
    out.holds(m, 1);
    Ok(())
}

/// The ways of keys and columns through the rounds on a GPU.
#[cfg(feature = "gpu")]
fn lanes<K: Key>(
    keys: &Buffer<K>,
    keys_out: &Buffer<K>,
    columns: &[Column<'_>],
    room: &Room<K>,
) -> (Option<on_gpu::Lane>, Vec<on_gpu::Lane>) {
    use on_gpu::Lane;
    let (mut narrow, mut wide) = (0, 0);
    let mut spare_of = |width: Width| {
        let count = if width == Width::Wide { &mut wide } else { &mut narrow };
        let i = *count;
        *count += 1;
        let of_side = |side: &Side<K>| match width {
            Width::Narrow => side.narrow[i].handle().cloned(),
            Width::Wide => side.wide[i].handle().cloned(),
        };
        room.sides.iter().filter_map(of_side).collect::<Vec<_>>()
    };
    let key_lane = keys.handle().zip(keys_out.handle()).map(|(from, out)| {
        let spare = room.sides.iter().filter_map(|side| side.keys.handle().cloned()).collect();
        Lane { width: Width::Narrow, from: Some(from.clone()), out: out.clone(), spare }
    });
    let of_column = |column: &Column<'_>| {
        let (width, from, out) = match &column.0 {
            ColumnKind::Values { width, from, to } => (*width, Some(from.handle()?.clone()), to.handle()?.clone()),
            ColumnKind::Permutation { to } => (Width::Narrow, None, to.handle()?.clone()),
        };
        Some(Lane { width, from, out, spare: spare_of(width) })
    };
    (key_lane, columns.iter().filter_map(of_column).collect())
}

fn run_on_cpu<F: Buckets>(
    f: &F,
    rounds: Rounds,
    keys: &Buffer<F::Key>,
    keys_out: &mut Buffer<F::Key>,
    columns: &mut [Column<'_>],
    offsets: &mut [usize],
    room: &mut Room<F::Key>,
) -> Result<u64> {
    let n = keys.len();
    let device = keys.device();
    let Some(side) = room.sides.first_mut() else { return Ok(0) };
    let (mut narrow, mut wide) = (side.narrow.iter_mut(), side.wide.iter_mut());
    let mut lanes = vec![cpu::Lane::of_keys(
        keys.as_slice().unwrap_or_default(),
        &mut keys_out.as_mut_slice().unwrap_or_default()[..n],
        &mut side.keys.as_mut_slice().unwrap_or_default()[..n],
    )];
    for column in columns {
        let (width, from, out) = match &mut column.0 {
            ColumnKind::Values { width, from, to } => (*width, Some(from.host()), to.host_mut()),
            ColumnKind::Permutation { to } => (Width::Narrow, None, ErasedBuffer::host_mut(*to)),
        };
        let spare: &mut [u8] = match width {
            Width::Narrow => narrow.next().map(ErasedBuffer::host_mut),
            Width::Wide => wide.next().map(ErasedBuffer::host_mut),
        }
        .unwrap_or_default();
        let row = if width == Width::Wide { 8 } else { 4 };
        lanes.push(cpu::Lane { width: row, from, out: &mut out[..row * n], spare: &mut spare[..row * n] });
    }
    let keys = keys.as_slice().unwrap_or_default();
    let bucket = |key| f.bucket(key);
    cpu::scan_split(device, rounds, keys, &mut lanes, f.buckets(), bucket, offsets, &mut room.scratch)
}
