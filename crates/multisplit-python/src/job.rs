//! What a split is asked for, and what comes of it.

use crate::array::{Array, Place};
use crate::dtype::{DType, Element};
use crate::error::{Raise, value_error};
use crate::freed::Freed;
use crate::held::{AnyBuffer, Columns};
use crate::memory::Owned;
use crate::workspace::Kept;
use multisplit::{Buffer, Device, Offsets, PaddedGroups, Workspace, invert};
use pyo3::prelude::*;
use std::sync::Arc;

/// A split that is asked for.
pub struct Job<'a> {
    /// Where.
    pub stage: &'a Stage,
    /// What has buckets.
    pub keys: &'a Array,
    /// Whether the keys stay where they are, so that there are none among the results.
    pub keys_stay: bool,
    /// What moves with the keys.
    pub values: &'a [&'a Array],
    /// Whether the permutation is a result.
    pub index: bool,
    /// Whether its inverse is.
    pub inverse: bool,
    /// Elements of the blocks that groups are padded to, if they are.
    pub block: Option<u32>,
    /// Whether only the first bucket is wanted.
    pub selects: bool,
    /// Where segments begin, and where the last one ends, if there are any.
    pub segments: Option<&'a [usize]>,
    /// Memory for it.
    pub workspace: &'a mut Workspace,
}

impl<'a> Job<'a> {
    /// One that only tells the offsets, until more is asked for.
    pub fn new(stage: &'a Stage, keys: &'a Array, workspace: &'a mut Workspace) -> Self {
        let (values, block, segments) = (&[][..], None, None);
        let (keys_stay, index, inverse, selects) = (false, false, false, false);
        Self { stage, keys, keys_stay, values, index, inverse, block, selects, segments, workspace }
    }
}

/// What came of it.
pub struct Done {
    /// The keys, unless they stayed.
    pub keys: Option<Owned>,
    /// What moved with them.
    pub values: Vec<Owned>,
    /// The permutation.
    pub index: Option<Owned>,
    /// Its inverse.
    pub inverse: Option<Owned>,
    /// The offsets, of which there are so many.
    pub offsets: (Owned, usize),
    /// Starts, the group of each block, and the index with padding; and the number of blocks.
    pub groups: Option<([Owned; 3], usize)>,
    /// Rows of the results.
    pub rows: usize,
}

impl Done {
    /// Waits until all has run, and makes results of it.
    pub fn new(
        job: &Job<'_>,
        offsets: Offsets,
        keys: Option<Box<dyn AnyBuffer>>,
        mut columns: Columns<'_>,
    ) -> PyResult<Self> {
        let (Stage { device, stay, .. }, n) = (job.stage, job.keys.len());
        let groups = job.block.map(|block| pad(job, block, &offsets, &columns)).transpose();
        let inverse = columns.index().filter(|_| job.inverse).map(|index| {
            let mut inverse = job.stage.alloc(n)?;
            invert(index, &mut inverse).raise().map(|()| inverse)
        });
        let inverse = inverse.transpose();
        // The device works meanwhile.
        let read = offsets.read_later().raise();
        let inverse_there = inverse.as_ref().ok().and_then(Option::as_ref);
        let located = locate(*stay, &offsets, keys.as_deref(), &columns, inverse_there);
        // Whatever went wrong, all that was submitted has run after this.
        let read = read.and_then(|read| read().raise());
        if read.is_err() {
            let _ = device.sync();
        }
        let (groups, inverse, read) = (groups?, inverse?, read?);
        located?;
        let rows = if job.selects { read.get(1).copied().unwrap_or(0) } else { n };
        let (values, index) = columns.take(rows, job.stage)?;
        let keys = keys.map(|mut keys| keys.cut(rows).and_then(|()| keys.own(job.stage))).transpose()?;
        let inverse = inverse.map(|inverse| Owned::of_buffer(inverse, job.stage)).transpose()?;
        let offsets = if *stay {
            let offsets = offsets.into_buffer().raise()?;
            let len = offsets.len();
            (Owned::of_buffer(offsets, job.stage)?, len)
        } else {
            let len = read.len();
            (Owned::of_vec(read.into_iter().map(|offset| offset as i64).collect::<Vec<_>>()), len)
        };
        let index = index.filter(|_| job.index);
        Ok(Self { keys, values, index, inverse, offsets, groups, rows })
    }
}

/// Asks where results that stay are.
fn locate(
    stay: bool,
    offsets: &Offsets,
    keys: Option<&dyn AnyBuffer>,
    columns: &Columns<'_>,
    inverse: Option<&Buffer<u32>>,
) -> PyResult<()> {
    if !stay {
        return Ok(());
    }
    #[cfg(feature = "cuda")]
    offsets.cuda_address().raise()?;
    #[cfg(not(feature = "cuda"))]
    let _ = offsets;
    keys.map_or(Ok(()), AnyBuffer::locate)?;
    columns.locate()?;
    inverse.map_or(Ok(()), AnyBuffer::locate)
}

/// Pads the groups of a split, and tells how many blocks there is room for.
fn pad(job: &Job<'_>, block: u32, offsets: &Offsets, columns: &Columns<'_>) -> PyResult<([Owned; 3], usize)> {
    let Some(index) = columns.index() else { return Err(value_error("groups are padded by the permutation")) };
    let (Stage { device, stay, .. }, n) = (job.stage, job.keys.len());
    let m = offsets.capacity();
    let groups = PaddedGroups::new(device, n, m, block).raise()?;
    let mut groups = groups.with_padding(n as u32);
    groups.enqueue(offsets, index).raise()?;
    let blocks = groups.blocks();
    if *stay {
        device.sync().raise()?;
    }
    let [starts, of_block, padded] = groups.into_buffers();
    let own = |buffer| Owned::of_buffer(buffer, job.stage);
    Ok(([own(starts)?, own(of_block)?, own(padded)?], blocks))
}

/// Where an operation runs, and whether its results stay there.
#[derive(Clone, Debug)]
pub struct Stage {
    /// The device.
    pub device: Device,
    /// Whether results stay on it; else they go to the host.
    pub stay: bool,
    /// Memory for results, of those of earlier calls.
    pub freed: Option<Arc<Freed>>,
}

impl Stage {
    /// Where a call on these arrays runs, each with what messages call it: where they are, or for arrays of the host on
    /// the device that the caller names.
    pub fn of(arrays: &[(&Array, &str)], device: Option<&str>) -> PyResult<Self> {
        let place = |array: &Array| match array.place {
            Place::Host(_) => None,
            Place::Cuda(ordinal, _) => Some(ordinal),
        };
        let show = |place: Option<i32>| place.map_or_else(|| "the CPU".into(), |ordinal| format!("cuda:{ordinal}"));
        let Some((first, name)) = arrays.first() else { return Err(value_error("there are no arrays")) };
        let at = place(first);
        if let Some((other, what)) = arrays.iter().find(|(array, _)| place(array) != at) {
            let (there, here) = (show(place(other)), show(at));
            return Err(value_error(format!(
                "{what} is on {there}, but {name} on {here}; move one to the other's device"
            )));
        }
        let Some(ordinal) = at else {
            return Ok(Self { device: crate::device::open(device)?, stay: false, freed: None });
        };
        let here = format!("cuda:{ordinal}");
        if device.is_some_and(|device| device != here && (device, ordinal) != ("cuda", 0)) {
            let wanted = device.unwrap_or_default();
            return Err(value_error(format!("{name} is on {here}, and stays there; it is not split on {wanted}")));
        }
        Ok(Self { device: crate::device::open(Some(&here))?, stay: true, freed: None })
    }

    /// The same with memory for results that a workspace keeps.
    pub fn keeping(self, workspace: Option<&Bound<'_, Kept>>) -> Self {
        Self { freed: workspace.map(|kept| kept.get().freed()), ..self }
    }

    /// Room for a result.
    pub fn alloc<T: Element>(&self, len: usize) -> PyResult<Buffer<T>> {
        let freed = self.freed.as_ref().filter(|_| self.device.name() == "cpu").and_then(|freed| freed.take(len));
        freed.map_or_else(|| self.device.alloc(len), |elements| self.device.upload_vec(elements)).raise()
    }

    /// Works there, without the interpreter, on threads of this process, with memory that is kept in a workspace or is
    /// the work's own.
    pub fn work<T: Send>(
        &self,
        py: Python<'_>,
        workspace: Option<&Kept>,
        work: impl FnOnce(&mut Workspace) -> PyResult<T> + Send,
    ) -> PyResult<T> {
        crate::error::work(py, || {
            crate::fork::on_threads(|| {
                #[cfg(feature = "cuda")]
                if self.stay {
                    crate::device::free_returned(&self.device)?;
                }
                match workspace {
                    Some(kept) => kept.lend(&self.device, work),
                    None => work(&mut Workspace::new(&self.device)),
                }
            })
        })
    }

    /// The type of offsets.
    pub fn offset_type(&self) -> DType {
        if self.stay { DType::I32 } else { DType::I64 }
    }
}
