//! A sort: splits by one digit after the other, from the lowest, submitted at once. Few keys are compared with each
//! other instead ([`by_rank`]).
//!
//! Rows go from the input to the output or to a spare place, whichever makes the last split end in the output.

pub(crate) mod by_rank;
pub(crate) mod differing_bits;

use super::Function;
use super::double_buffer::DoubleTable;
use super::request::{Request, plan};
use super::split::pass_fusion;
use super::split::pass_fusion::Fusion;
use super::split::{self, Job, split};
use super::table::{Carried, Table};
use super::tuning::plan::SplitPlan;
use super::workspace::{Arena, Needs, Passes, Scratch};
use crate::bucket::key::Key;
use crate::bucket::{Buckets, Digit};
use crate::error::Result;
use crate::method::Stage;
use crate::request::outputs::Outputs;
use crate::runtime::Gpu;
use cubecl::prelude::Runtime;

/// What to sort by, from the lowest digit to the highest.
pub(crate) struct SortBy<'f, R: Runtime, K: Key> {
    /// The splits of a large input.
    splits: Vec<Request<'f, R, K>>,
    /// All bits that a small one is sorted by, in words of 32; none if it is to be split as well.
    words: Vec<&'f dyn Function<R, K>>,
}

impl<'f, R: Runtime, K: Key> SortBy<'f, R, K> {
    /// These digits, or all bits of these words.
    pub fn new<T: Key<Unsigned = K>>(digits: &'f [Digit<T>], words: &'f [Digit<T>]) -> Self {
        let splits = digits.iter().map(|digit| Request::by(digit, digit.buckets())).collect();
        Self { splits, words: words.iter().map(|word| word as &dyn Function<R, K>).collect() }
    }

    /// How many splits there are.
    pub fn splits(&self) -> usize {
        self.splits.len()
    }
}

/// What the splits need, whatever columns come along, with rows of so many columns of 4 and of 8 bytes between them.
/// `rows` is 0 where there is other room for those.
pub(crate) fn most_needs<R: Runtime, K: Key>(
    gpu: &Gpu<R>,
    by: &SortBy<'_, R, K>,
    n: usize,
    rows: usize,
    columns: (usize, usize),
) -> Result<Needs> {
    gpu.check_planes()?;
    let mut most = Needs::default();
    for request in &by.splits {
        most = most.max(split::enqueue::most_needs(gpu, request, n, 0)?);
    }
    Ok(with_passes(gpu, by, most, n, rows, columns))
}

/// What several splits need besides what each does.
fn with_passes<R: Runtime, K: Key>(
    gpu: &Gpu<R>,
    by: &SortBy<'_, R, K>,
    mut needs: Needs,
    n: usize,
    rows: usize,
    (narrow, wide): (usize, usize),
) -> Needs {
    if by.splits() > 1 && pass_fusion::pay::<K>(&gpu.facts) {
        needs.ids = needs.ids.max(pass_fusion::words(n));
    }
    let rows = if by.splits() > 1 { rows } else { 0 };
    needs.passes = Passes { results: by.splits(), rows, key: size_of::<K>(), narrow, wide };
    needs
}

/// The splits of a sort, planned: all that can be refused is, before the first one runs.
struct SortPlan {
    splits: Vec<SplitPlan>,
}

impl SortPlan {
    fn new<R: Runtime, K: Key>(
        gpu: &Gpu<R>,
        by: &SortBy<'_, R, K>,
        n: usize,
        (narrow, wide, permutation): Carried,
    ) -> Result<Self> {
        let mut splits: Vec<SplitPlan> = Vec::with_capacity(by.splits());
        for (i, request) in by.splits.iter().enumerate() {
            // The first makes the permutation, which is a column of the others. Most are as the one before.
            let like = splits.last().filter(|last| last.m == request.m && (i > 1 || !permutation));
            let carried =
                if i == 0 { (narrow, wide, permutation) } else { (narrow + usize::from(permutation), wide, false) };
            let next = like.cloned().map_or_else(|| plan(gpu, request, request.f, n, request.m, carried), Ok)?;
            splits.push(next);
        }
        Ok(Self { splits })
    }

    fn needs(&self) -> Needs {
        self.splits.iter().map(SplitPlan::needs).fold(Needs::default(), Needs::max)
    }

    /// Sorts a table. What each split leaves is in the results of the scratch memory.
    fn run<R: Runtime, K: Key>(
        &self,
        gpu: &Gpu<R>,
        by: &SortBy<'_, R, K>,
        double: &DoubleTable,
        scratch: &Scratch,
    ) -> Result<()> {
        let (plans, count) = (&self.splits, by.splits());
        let pay = double.columns.is_empty() && pass_fusion::pay::<K>(&gpu.facts);
        let linked: Vec<bool> = plans.windows(2).map(|pair| pay && pass_fusion::between(&pair[0], &pair[1])).collect();
        for (i, (plan, result)) in plans.iter().zip(&scratch.results).enumerate() {
            let fusion = Fusion {
                left: i > 0 && linked[i - 1],
                next: linked.get(i).filter(|&&linked| linked).map(|_| by.splits[i + 1].f),
            };
            let table = &double.pass(i, count);
            let job = Job { table, through: Stage::Postscan, leaves_g: false };
            split(gpu, plan, by.splits[i].f, &job, &fusion, result, scratch)?;
        }
        Ok(())
    }
}

/// Sorts a table by splits, in scratch memory that is enough for them.
pub(crate) fn sort_by_splits<R: Runtime, K: Key>(
    gpu: &Gpu<R>,
    by: &SortBy<'_, R, K>,
    n: usize,
    double: &DoubleTable,
    scratch: &Scratch,
) -> Result<()> {
    SortPlan::new(gpu, by, n, double.pass(0, by.splits()).carried())?.run(gpu, by, double, scratch)
}

/// A sort between slices of this device, with room of a workspace for the rows between splits.
pub(crate) fn enqueue<R: Runtime, K: Key>(
    gpu: &Gpu<R>,
    by: &SortBy<'_, R, K>,
    n: usize,
    table: &Table,
    arena: &Arena,
) -> Result<()> {
    if by_rank::sort(gpu, by, n, table, arena)? {
        return Ok(());
    }
    let (narrow, wide, permutation) = table.carried();
    let plan = SortPlan::new(gpu, by, n, (narrow, wide, permutation))?;
    let needs = with_passes(gpu, by, plan.needs(), n, n, (narrow + usize::from(permutation), wide));
    let scratch = Scratch::cut(&mut arena.cut(gpu, needs.bytes(gpu))?, &needs)?;
    plan.run(gpu, by, &DoubleTable::new(table, &scratch), &scratch)
}

/// A sort between slices of this device that bring their own room for the rows between splits.
pub(crate) fn enqueue_double<R: Runtime, K: Key>(
    gpu: &Gpu<R>,
    by: &SortBy<'_, R, K>,
    n: usize,
    double: &DoubleTable,
    arena: &Arena,
) -> Result<()> {
    if !double.in_place && by_rank::sort(gpu, by, n, &double.pass(0, 1), arena)? {
        return Ok(());
    }
    let plan = SortPlan::new(gpu, by, n, double.pass(0, by.splits()).carried())?;
    let needs = with_passes(gpu, by, plan.needs(), n, 0, (0, 0));
    let scratch = Scratch::cut(&mut arena.cut(gpu, needs.bytes(gpu))?, &needs)?;
    plan.run(gpu, by, double, &scratch)
}

/// A sort on slices, by way of the device: up, sort, down.
pub(crate) fn sort_slices<R: Runtime, K: Key>(
    gpu: &Gpu<R>,
    by: &SortBy<'_, R, K>,
    keys: &[K],
    to: Outputs<'_, '_, K>,
) -> Result<()> {
    let table = Table::upload(gpu, keys, &to)?;
    let (narrow, wide, permutation) = table.carried();
    let narrow = narrow + usize::from(permutation);
    let needs = most_needs(gpu, by, keys.len(), keys.len(), (narrow, wide))?;
    let arena = Arena::new(gpu, needs.bytes(gpu))?;
    enqueue(gpu, by, keys.len(), &table, &arena)?;
    table.download(gpu, to)
}
