//! A sort: splits by one digit after the other, from the lowest, submitted at once.
//!
//! Rows go from the input to the output or to the room beside it, whichever makes the last split end in the output.

use super::client::Gpu;
use super::links::{self, Links};
use super::request::{download, most_needs, plan_of_one, read_result};
use super::split::{GpuColumn, Job, result_words, split};
use super::workspace::{GpuWorkspace, Needs};
use crate::bucket::{Buckets, Digit};
use crate::columns::HostColumn;
use crate::error::{Error, Result};
use crate::key::Key;
use crate::multisplit::Multisplit;
use crate::policy::ONE_PASS;
use crate::split::Outputs;
use crate::stage::Stage;
use crate::value::Width;
use crate::workspace::WorkspaceMemory;
use cubecl::prelude::Runtime;
use cubecl::server::Handle;

/// The way of one column through a sort. The room may be the input: it has been read when something is written there.
pub(crate) struct Track {
    /// Of a value; the keys' is known.
    pub width: Width,
    /// Nothing for the permutation, which the first split makes up.
    pub from: Option<Handle>,
    pub to: Handle,
    pub room: Handle,
}

impl Track {
    /// What split `i` of `count` writes to.
    pub(super) fn target(&self, i: usize, count: usize) -> &Handle {
        if (count - 1 - i).is_multiple_of(2) { &self.to } else { &self.room }
    }

    /// What split `i` of `count` reads from.
    pub(super) fn source(&self, i: usize, count: usize) -> Option<&Handle> {
        if i == 0 { self.from.as_ref() } else { Some(self.target(i - 1, count)) }
    }
}

/// What one split of a sort leaves: its offsets, of no use here, and what went wrong.
pub(crate) struct Report {
    m: u32,
    words: Handle,
}

impl Report {
    /// Room for that of any split; nothing went wrong so far.
    pub fn new(gpu: &Gpu<impl Runtime>) -> Result<Self> {
        let m = ONE_PASS;
        Ok(Self { m, words: gpu.upload(bytemuck::cast_slice(&vec![0u32; result_words(m)]))? })
    }

    /// Where it is on the device.
    pub fn words(&self) -> &Handle {
        &self.words
    }

    /// Waits for the split.
    pub fn check(&self, gpu: &Gpu<impl Runtime>) -> Result<()> {
        read_result(gpu, &self.words, self.m, 1).map(drop)
    }
}

/// What the splits need, whatever columns come along.
pub(crate) fn needs<K: Key>(gpu: &Gpu<impl Runtime>, digits: &[Digit<K>], n: usize) -> Result<Needs> {
    let mut most = Needs::default();
    for digit in digits {
        most = most.max(most_needs(gpu, &Multisplit::by(digit), n, 0)?);
    }
    if digits.len() > 1 && links::pay::<K>(&gpu.facts) {
        most.labels = most.labels.max(links::words(n));
    }
    Ok(most)
}

/// A sort between buffers of this device.
pub(crate) fn enqueue<K: Key>(
    gpu: &Gpu<impl Runtime>,
    digits: &[Digit<K>],
    n: usize,
    keys: Option<Track>,
    columns: Vec<Track>,
    reports: &mut [Report],
    memory: &WorkspaceMemory,
) -> Result<()> {
    let (Some(keys), WorkspaceMemory::Gpu(workspace)) = (keys, memory) else { return Ok(()) };
    if reports.len() < digits.len() {
        let bytes = |splits: usize| splits * 4 * result_words(ONE_PASS);
        return Err(Error::WorkspaceTooSmall { got: bytes(reports.len()), needed: bytes(digits.len()) });
    }
    sort(gpu, digits, n, &keys, &columns, reports, workspace)
}

fn sort<K: Key>(
    gpu: &Gpu<impl Runtime>,
    digits: &[Digit<K>],
    n: usize,
    keys: &Track,
    columns: &[Track],
    reports: &mut [Report],
    workspace: &GpuWorkspace,
) -> Result<()> {
    // All that can be refused is, before the first split runs.
    let splits = digits.iter().enumerate().map(|(i, digit)| {
        let (moves, permutation) = moves(columns, i, digits.len());
        let plan = plan_of_one(gpu, &Multisplit::by(digit), n, &moves, permutation.is_some())?;
        workspace.check(plan.needs())?;
        Ok((digit, plan, moves, permutation))
    });
    let splits = splits.collect::<Result<Vec<_>>>()?;
    let pay = columns.is_empty() && links::pay::<K>(&gpu.facts);
    let linked: Vec<bool> = splits.windows(2).map(|pair| pay && links::between(&pair[0].1, &pair[1].1)).collect();
    if linked.contains(&true) {
        workspace.check(Needs { labels: links::words(n), ..Needs::default() })?;
    }
    for (i, ((digit, plan, moves, permutation), report)) in splits.into_iter().zip(reports).enumerate() {
        let Some(from) = keys.source(i, digits.len()) else { return Ok(()) };
        let job = Job {
            keys: from.clone(),
            keys_out: keys.target(i, digits.len()).clone(),
            columns: &moves,
            permutation,
            through: Stage::Postscan,
        };
        let links = Links {
            left: i > 0 && linked[i - 1],
            next: linked.get(i).filter(|&&linked| linked).map(|_| &digits[i + 1]),
        };
        report.m = digit.buckets();
        split(gpu, &plan, digit, &job, &links, &mut report.words, workspace)?;
    }
    Ok(())
}

/// What moves in split `i` of `count` besides the keys: columns, and the permutation if it is made up there.
pub(super) fn moves(columns: &[Track], i: usize, count: usize) -> (Vec<GpuColumn>, Option<Handle>) {
    let (mut moves, mut permutation) = (Vec::new(), None);
    for track in columns {
        let to = track.target(i, count).clone();
        match track.source(i, count) {
            Some(from) => moves.push(GpuColumn { width: track.width, from: from.clone(), to }),
            None => permutation = Some(to),
        }
    }
    (moves, permutation)
}

/// A sort on slices, by way of the device: up, sort, down.
pub(crate) fn sort_slices<K: Key>(
    gpu: &Gpu<impl Runtime>,
    digits: &[Digit<K>],
    keys: &[K],
    to: Outputs<'_, '_, K>,
) -> Result<()> {
    gpu.check_planes()?;
    gpu.check_key::<K>()?;
    let n = keys.len();
    let track = |width, from: Option<&[u8]>, bytes: usize| {
        let to = gpu.allocate(bytes)?;
        let room = if digits.len() > 1 { gpu.allocate(bytes)? } else { to.clone() };
        Ok(Track { width, from: from.map(|from| gpu.upload(from)).transpose()?, to, room })
    };
    let bytes: &[u8] = bytemuck::cast_slice(keys);
    let key_track = track(Width::Narrow, Some(bytes), bytes.len())?;
    let of_column = |c: &HostColumn<'_>| track(c.width, Some(c.from), c.from.len());
    let mut columns = to.columns.iter().map(of_column).collect::<Result<Vec<_>>>()?;
    if to.permutation.is_some() {
        columns.push(track(Width::Narrow, None, 4 * n)?);
    }
    let workspace = GpuWorkspace::new(gpu, needs(gpu, digits, n)?)?;
    let mut reports = digits.iter().map(|_| Report::new(gpu)).collect::<Result<Vec<_>>>()?;
    sort(gpu, digits, n, &key_track, &columns, &mut reports, &workspace)?;
    reports.iter().try_for_each(|report| report.check(gpu))?;

    download(gpu, &key_track.to, bytemuck::cast_slice_mut(to.keys))?;
    let (values, index) = columns.split_at(to.columns.len());
    for (from, to) in values.iter().zip(to.columns) {
        download(gpu, &from.to, to.to)?;
    }
    if let (Some(from), Some(to)) = (index.first(), to.permutation) {
        download(gpu, &from.to, bytemuck::cast_slice_mut(to))?;
    }
    Ok(())
}
