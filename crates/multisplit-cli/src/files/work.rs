//! One task, from the file of its keys to the files of its results.

use super::key::FileKey;
use super::moves::Moves;
use super::plan::{Places, Plan, Task};
use super::read::Source;
use super::report::{self, Parts};
use super::split::{self, Function, Kind, Split};
use super::values::Values;
use super::write::Outputs;
use super::{histogram, sort};
use crate::parallel;
use anyhow::{Context, Result};
use multisplit::bucket::Buckets;
use multisplit::{Key, Method};
use std::io;
use std::path::PathBuf;

/// Does the task with keys of one type.
pub fn work<K: FileKey>(plan: &Plan, source: Source) -> Result<()> {
    let keys: Vec<K> = source.keys().with_context(|| plan.input.display().to_string())?;
    let (n, out) = (keys.len(), &mut io::stdout().lock());
    let mut outputs = Outputs::default();
    match &plan.task {
        Task::Sort(sort) => {
            let mut moves = bring(plan, &sort.places, keys, K::to_word)?;
            let time = sort::run::<K>(sort, &mut moves)?;
            moves.write(n, K::from_word, &sort.places, &mut outputs)?;
            outputs.commit()?;
            report::input::<K>(out, plan, n, sort.places.values.len())?;
            report::sorted(out, plan, sort, n, time)
        }
        Task::Split(split) => {
            let function = Function::of(&split.rule, &keys)?;
            let job = Job { plan, places: &split.places, method: split.method, select: false };
            let parts = job.run(keys, function, &mut outputs)?;
            outputs.commit()?;
            report::input::<K>(out, plan, n, split.places.values.len())?;
            report::split(out, plan, &split.places, &parts)
        }
        Task::Partition(partition) => {
            let function = Function::parts(partition)?;
            let places = &partition.places;
            let job = Job { plan, places, method: Method::Auto, select: partition.select };
            let parts = job.run(keys, function, &mut outputs)?;
            outputs.commit()?;
            report::input::<K>(out, plan, n, places.values.len())?;
            report::partition(out, plan, partition, &parts)
        }
        Task::Histogram(histogram) => {
            let counted = histogram::run(&histogram.bins, &plan.device, &keys)?;
            if let Some(path) = &histogram.output {
                outputs.numbers(path, &counted.counts.bins)?;
            }
            outputs.commit()?;
            report::input::<K>(out, plan, n, 0)?;
            report::histogram(out, plan, histogram.output.as_deref(), &counted)
        }
    }
}

/// A split whose function is all that is not known yet.
struct Job<'a> {
    plan: &'a Plan,
    places: &'a Places,
    method: Method,
    /// Whether the first bucket is all that is written.
    select: bool,
}

impl Job<'_> {
    fn run<K: FileKey>(&self, keys: Vec<K>, function: Function<K>, outputs: &mut Outputs) -> Result<Parts> {
        let Function { about, kind } = function;
        let (offsets, time) = match kind {
            Kind::Delta(f) => self.by(&f, keys, K::carry, K::carried, outputs),
            Kind::Splitters(f) => self.by(&f, keys, K::carry, K::carried, outputs),
            Kind::Hash(f) => self.by(&f, keys, K::to_word, K::from_word, outputs),
            Kind::Window(f) => self.by(&f, keys, K::to_word, K::from_word, outputs),
        }?;
        Ok(Parts { about, offsets, time })
    }

    /// Splits and writes, with keys as the function wants them.
    fn by<K: FileKey, F: Buckets>(
        &self,
        f: &F,
        keys: Vec<K>,
        there: impl Fn(K) -> F::Key + Sync,
        back: impl Fn(F::Key) -> K + Sync,
        outputs: &mut Outputs,
    ) -> Result<Split> {
        let n = keys.len();
        let mut moves = bring(self.plan, self.places, keys, there)?;
        let (offsets, time) = split::split(f, self.method, &mut moves)?;
        let kept = if self.select { offsets.get(1).copied().unwrap_or(n) } else { n };
        moves.write(kept, back, self.places, outputs)?;
        write_offsets(&offsets, self.places, outputs)?;
        Ok((offsets, time))
    }
}

/// Reads the values, and brings all to the device.
fn bring<K: FileKey, C: Key>(
    plan: &Plan,
    places: &Places,
    keys: Vec<K>,
    there: impl Fn(K) -> C + Sync,
) -> Result<Moves<C>> {
    let n = keys.len();
    let carriers: Vec<C> = parallel::map(&keys, &there);
    drop(keys);
    let read = |(path, _): &(PathBuf, PathBuf)| -> Result<Values> {
        let values = Source::open(path).and_then(|source| source.values(n));
        values.with_context(|| format!("--values {}", path.display()))
    };
    let values = places.values.iter().map(read).collect::<Result<_>>()?;
    Moves::new(&plan.device, &carriers, values, places.permutation.is_some())
}

fn write_offsets(offsets: &[usize], places: &Places, outputs: &mut Outputs) -> Result<()> {
    let Some(path) = &places.offsets else { return Ok(()) };
    let offsets: Vec<u64> = offsets.iter().map(|&offset| offset as u64).collect();
    outputs.numbers(path, &offsets)
}
