//! Bucket functions whose type, and that of their keys, is forgotten.
//!
//! What is in here is compiled for each function and each type of keys, so it is little: all else is done before and
//! after it, once for all.

use crate::dtype::Element;
use crate::error::Raise;
use crate::held::{AnyBuffer, Columns, Held};
use crate::job::{Done, Job};
use multisplit::bucket::{BucketFn, Buckets};
use multisplit::{Buffer, Histogram, Multisplit};
use pyo3::PyResult;
use std::sync::Arc;

/// A bucket function for keys of one type.
pub trait AnyFunction: Send + Sync {
    /// The number of buckets.
    fn buckets(&self) -> u32;

    /// Splits keys and columns.
    fn split(&self, job: &mut Job<'_>) -> PyResult<Done>;

    /// Counts the keys of each bucket, and then those of none.
    fn count(&self, job: &mut Job<'_>) -> PyResult<Buffer<u64>>;
}

/// Forgets the type of a function.
pub fn of<F: Buckets>(function: F) -> Arc<dyn AnyFunction>
where
    <F as BucketFn>::Key: Element,
{
    Arc::new(function)
}

impl<F: Buckets> AnyFunction for F
where
    F::Key: Element,
{
    fn buckets(&self) -> u32 {
        Buckets::buckets(self)
    }

    fn split(&self, job: &mut Job<'_>) -> PyResult<Done> {
        let (device, n, split) = (&job.stage.device, job.keys.len(), Multisplit::by(self));
        let keys = Held::<F::Key>::new(device, job.keys)?;
        let mut columns = Columns::new(job.stage, n, job.values, job.index)?;
        let (narrow, wide) = columns.widths();
        let segments = job.segments.map(|segments| segments.len().saturating_sub(1));
        let (bytes, offsets) = match segments {
            Some(count) => {
                (split.segment_workspace_bytes(device, n, count, narrow + wide), split.segment_offsets(device, count))
            }
            None => (split.workspace_bytes(device, n, narrow + wide), split.offsets(device)),
        };
        job.workspace.reserve(bytes.raise()?).raise()?;
        let (mut offsets, workspace) = (offsets.raise()?, &mut *job.workspace);
        let stay = job.keys_stay && !job.selects && segments.is_none();
        let mut room = if stay { None } else { Some(job.stage.alloc::<F::Key>(n)?) };
        let (from, list, to) = (keys.slice(), &mut columns.list()[..], &mut offsets);
        let done = match (&mut room, job.segments) {
            (None, _) => split.enqueue_columns(from, list, to, workspace),
            (Some(room), Some(segments)) => split.enqueue_segments(from, segments, room, list, to, workspace),
            (Some(room), None) if job.selects => split.enqueue_select(from, room, list, to, workspace),
            (Some(room), None) => split.enqueue(from, room, list, to, workspace),
        };
        if done.is_err() {
            // Before the arrays are given back.
            let _ = device.sync();
        }
        done.raise()?;
        Done::new(job, offsets, room.map(|room| Box::new(room) as Box<dyn AnyBuffer>), columns)
    }

    fn count(&self, job: &mut Job<'_>) -> PyResult<Buffer<u64>> {
        let device = &job.stage.device;
        let keys = Held::<F::Key>::new(device, job.keys)?;
        let mut counts = device.alloc(Buckets::buckets(self) as usize + 1).raise()?;
        Histogram::by(self).enqueue(keys.slice(), &mut counts).raise()?;
        // The keys are needed until they are counted.
        device.sync().raise()?;
        Ok(counts)
    }
}
