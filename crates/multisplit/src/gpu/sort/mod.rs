//! A sort: splits by one digit after the other, from the lowest, submitted at once.
//!
//! Rows go from the input to the output or to a spare place, whichever makes the last split end in the output.

pub(crate) mod differing_bits;

use super::double_buffer::DoubleTable;
use super::request::{Request, plan};
use super::split::enqueue::most_needs;
use super::split::pass_fusion;
use super::split::pass_fusion::Fusion;
use super::split::{Job, split};
use super::table::Table;
use super::workspace::{Arena, Needs, Passes, Scratch};
use crate::bucket::key::Key;
use crate::bucket::{Buckets, Digit};
use crate::error::Result;
use crate::method::Stage;
use crate::request::outputs::Outputs;
use crate::runtime::Gpu;
use cubecl::prelude::Runtime;

/// What the splits need, whatever columns come along, with rows of so many columns of 4 and of 8 bytes between them.
/// `rows` is 0 where there is other room for those.
pub(crate) fn needs<R: Runtime, K: Key>(
    gpu: &Gpu<R>,
    splits: &[Request<'_, R, K>],
    n: usize,
    rows: usize,
    (narrow, wide): (usize, usize),
) -> Result<Needs> {
    gpu.check_planes()?;
    let mut most = Needs::default();
    for request in splits {
        most = most.max(most_needs(gpu, request, n, 0)?);
    }
    if splits.len() > 1 && pass_fusion::pay::<K>(&gpu.facts) {
        most.ids = most.ids.max(pass_fusion::words(n));
    }
    let rows = if splits.len() > 1 { rows } else { 0 };
    most.passes = Passes { results: splits.len(), rows, key: size_of::<K>(), narrow, wide };
    Ok(most)
}

/// The splits of a sort by these digits.
pub(crate) fn splits<R: Runtime, K: Key>(digits: &[Digit<K>]) -> Vec<Request<'_, R, K::Unsigned>> {
    digits.iter().map(|digit| Request::by(digit, digit.buckets())).collect()
}

/// Sorts a table. What each split leaves is in the results of the scratch memory.
pub(crate) fn sort<R: Runtime, K: Key>(
    gpu: &Gpu<R>,
    splits: &[Request<'_, R, K>],
    n: usize,
    double: &DoubleTable,
    scratch: &Scratch,
) -> Result<()> {
    let count = splits.len();
    // All that can be refused is, before the first split runs.
    let planned = splits.iter().enumerate().map(|(i, request)| {
        let table = double.pass(i, count);
        let plan = plan(gpu, request, request.f, n, request.m, table.carried())?;
        Ok((plan, table))
    });
    let planned = planned.collect::<Result<Vec<_>>>()?;
    let pay = double.columns.is_empty() && pass_fusion::pay::<K>(&gpu.facts);
    let linked: Vec<bool> =
        planned.windows(2).map(|pair| pay && pass_fusion::between(&pair[0].0, &pair[1].0)).collect();
    for (i, ((plan, table), result)) in planned.into_iter().zip(&scratch.results).enumerate() {
        let fusion = Fusion {
            left: i > 0 && linked[i - 1],
            next: linked.get(i).filter(|&&linked| linked).map(|_| splits[i + 1].f),
        };
        let job = Job { table: &table, through: Stage::Postscan, leaves_g: false };
        split(gpu, &plan, splits[i].f, &job, &fusion, result, scratch)?;
    }
    Ok(())
}

/// A sort between slices of this device, with room of a workspace for the rows between splits.
pub(crate) fn enqueue<R: Runtime, K: Key>(
    gpu: &Gpu<R>,
    splits: &[Request<'_, R, K>],
    n: usize,
    table: &Table,
    arena: &Arena,
) -> Result<()> {
    let (narrow, wide, permutation) = table.carried();
    let narrow = narrow + usize::from(permutation);
    let needs = needs(gpu, splits, n, n, (narrow, wide))?;
    let scratch = Scratch::cut(&mut arena.cut(gpu, needs.bytes(gpu))?, &needs)?;
    sort(gpu, splits, n, &DoubleTable::new(table, &scratch), &scratch)
}

/// A sort between slices of this device that bring their own room for the rows between splits.
pub(crate) fn enqueue_double<R: Runtime, K: Key>(
    gpu: &Gpu<R>,
    splits: &[Request<'_, R, K>],
    n: usize,
    double: &DoubleTable,
    arena: &Arena,
) -> Result<()> {
    let needs = needs(gpu, splits, n, 0, (0, 0))?;
    let scratch = Scratch::cut(&mut arena.cut(gpu, needs.bytes(gpu))?, &needs)?;
    sort(gpu, splits, n, double, &scratch)
}

/// A sort on slices, by way of the device: up, sort, down.
pub(crate) fn sort_slices<R: Runtime, K: Key>(
    gpu: &Gpu<R>,
    splits: &[Request<'_, R, K>],
    keys: &[K],
    to: Outputs<'_, '_, K>,
) -> Result<()> {
    let table = Table::upload(gpu, keys, &to)?;
    let (narrow, wide, permutation) = table.carried();
    let narrow = narrow + usize::from(permutation);
    let needs = needs(gpu, splits, keys.len(), keys.len(), (narrow, wide))?;
    let arena = Arena::new(gpu, needs.bytes(gpu))?;
    enqueue(gpu, splits, keys.len(), &table, &arena)?;
    table.download(gpu, to)
}
