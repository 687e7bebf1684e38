//! Sorts, splits, histograms and partitions of arrays in files.
//!
//! What was asked for ([`args`]) becomes a plan ([`plan`]). The file says of which type the keys are ([`kind`]), and from
//! there on all is of that type ([`key`]): keys and values are read ([`read`]), brought to the device ([`moves`]), moved
//! there ([`sort`], [`split`]) or counted ([`histogram`]), written ([`write`]) and told about ([`report`]).

pub mod args;
mod extent;
mod histogram;
mod key;
mod kind;
mod moves;
pub mod plan;
mod read;
mod report;
mod sort;
mod split;
mod values;
mod write;

use anyhow::{Context, Result};
use key::FileKey;
use kind::KeyKind;
use moves::Moves;
use plan::{Places, Plan, Task};
use read::Source;
use std::io;
use values::Values;
use write::Outputs;

pub fn run(plan: &Plan) -> Result<()> {
    let named = || plan.input.display().to_string();
    let (kind, source) = read::open_keys(&plan.input, plan.kind).with_context(named)?;
    match kind {
        KeyKind::U8 => work::<u8>(plan, source),
        KeyKind::U16 => work::<u16>(plan, source),
        KeyKind::U32 => work::<u32>(plan, source),
        KeyKind::U64 => work::<u64>(plan, source),
        KeyKind::I32 => work::<i32>(plan, source),
        KeyKind::I64 => work::<i64>(plan, source),
        KeyKind::F32 => work::<f32>(plan, source),
        KeyKind::F64 => work::<f64>(plan, source),
    }
}

/// Does the task with keys of one type.
fn work<K: FileKey>(plan: &Plan, source: Source) -> Result<()> {
    let keys: Vec<K> = source.keys().with_context(|| plan.input.display().to_string())?;
    let (n, out) = (keys.len(), &mut io::stdout().lock());
    let mut outputs = Outputs::default();
    match &plan.task {
        Task::Sort(sort) => {
            let mut moves = bring(plan, &sort.places, &keys)?;
            drop(keys);
            let time = sort::run(sort, &mut moves)?;
            moves.write(n, &sort.places, &mut outputs)?;
            outputs.commit()?;
            report::input::<K>(out, plan, n, sort.places.values.len())?;
            report::sorted(out, plan, sort, n, time)
        }
        Task::Split(split) => {
            let mut moves = bring(plan, &split.places, &keys)?;
            let parts = split::run(split, &keys, &mut moves)?;
            moves.write(n, &split.places, &mut outputs)?;
            write_offsets(&parts.offsets, &split.places, &mut outputs)?;
            outputs.commit()?;
            report::input::<K>(out, plan, n, split.places.values.len())?;
            report::split(out, plan, &split.places, &parts)
        }
        Task::Partition(partition) => {
            let mut moves = bring(plan, &partition.places, &keys)?;
            drop(keys);
            let parts = split::partition(partition, &mut moves)?;
            let kept = if partition.select { parts.offsets.get(1).copied().unwrap_or(n) } else { n };
            moves.write(kept, &partition.places, &mut outputs)?;
            write_offsets(&parts.offsets, &partition.places, &mut outputs)?;
            outputs.commit()?;
            report::input::<K>(out, plan, n, partition.places.values.len())?;
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

/// Reads the values, and brings all to the device.
fn bring<K: FileKey>(plan: &Plan, places: &Places, keys: &[K]) -> Result<Moves<K>> {
    let read = |(path, _): &(std::path::PathBuf, _)| -> Result<Values> {
        let values = Source::open(path).and_then(|source| source.values(keys.len()));
        values.with_context(|| format!("--values {}", path.display()))
    };
    let values = places.values.iter().map(read).collect::<Result<_>>()?;
    Moves::new(&plan.device, keys, values, places.permutation.is_some())
}

fn write_offsets(offsets: &[usize], places: &Places, outputs: &mut Outputs) -> Result<()> {
    let Some(path) = &places.offsets else { return Ok(()) };
    let offsets: Vec<u64> = offsets.iter().map(|&offset| offset as u64).collect();
    outputs.numbers(path, &offsets)
}
