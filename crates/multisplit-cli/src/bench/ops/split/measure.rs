//! The measurement of one split, stage by stage if asked for.

use super::cases::{SplitCase, SplitCases, SplitMethod};
use crate::bench::harness::columns::{InOutColumn, ValueColumn};
use crate::bench::harness::key_types::ValueType;
use crate::bench::harness::keys::BenchKey;
use crate::bench::harness::latency;
use crate::bench::harness::measure::Measured;
use crate::shared::timing::{Quartiles, median, once, per_call};
use multisplit::approach::Approach;
use multisplit::bucket::Buckets;
use multisplit::measure::bandwidth;
use multisplit::{Multisplit, Offsets, Result, Stage};

/// Times splits. The last result stays in the outputs.
pub fn measure<F: Buckets>(
    bench: &SplitCases,
    case: &SplitCase,
    f: &F,
    keys: &mut InOutColumn<F::Key>,
    values: &mut ValueColumn,
) -> Result<(Measured, Offsets)>
where
    F::Key: BenchKey,
{
    let device = &bench.options.device;
    match case.method {
        SplitMethod::Method(method) => {
            let split = Multisplit::by(f).method(method);
            let mut workspace = split.workspace(device, case.n, 1)?;
            time(bench, case, true, split.offsets(device)?, keys, values, |keys, values, offsets, stage| {
                let (split, mut column) = (split.through(stage), values.column());
                split.enqueue(&keys.from, &mut keys.to, column.as_mut_slice(), offsets, &mut workspace)
            })
        }
        SplitMethod::Approach(way) => {
            let split = Approach::by(f, way);
            let wide = usize::from(case.value == ValueType::U64);
            let narrow = usize::from(case.value == ValueType::U32);
            let mut workspace = split.workspace(device, case.n, narrow, wide)?;
            time(bench, case, false, split.offsets(device)?, keys, values, |keys, values, offsets, _| {
                let mut column = values.column();
                split.enqueue(&keys.from, &mut keys.to, column.as_mut_slice(), offsets, &mut workspace)
            })
        }
    }
}

/// Times `call`, which goes up to a stage if it `has_stages`.
fn time<K: BenchKey>(
    bench: &SplitCases,
    case: &SplitCase,
    has_stages: bool,
    mut offsets: Offsets,
    keys: &mut InOutColumn<K>,
    values: &mut ValueColumn,
    mut call: impl FnMut(&mut InOutColumn<K>, &mut ValueColumn, &mut Offsets, Stage) -> Result<()>,
) -> Result<(Measured, Offsets)> {
    let device = &bench.options.device;
    let mut call =
        |keys: &mut InOutColumn<K>, values: &mut ValueColumn, stage: Stage| call(keys, values, &mut offsets, stage);

    // Compiles kernels; warms up caches, clocks and memory.
    call(keys, values, Stage::Postscan)?;
    per_call(device, &mut || call(keys, values, Stage::Postscan))?;
    keys.spoil()?;
    values.spoil()?;

    let (mut whole, mut copies) = (Vec::new(), Vec::new());
    // The first stage, and what the second and the third add to it.
    let mut added = [Vec::new(), Vec::new(), Vec::new()];
    for _ in 0..bench.options.runs {
        // Alternated, so that a busy moment of the machine affects all.
        if !bench.options.on_gpu() {
            copies.push(once(|| bandwidth::copy(&keys.from, &mut keys.to))?);
        }
        let mut through = |stage| per_call(device, &mut || call(keys, values, stage));
        if bench.options.on_gpu() && bench.stages && has_stages {
            let (prescan, scan, all) = (through(Stage::Prescan)?, through(Stage::Scan)?, through(Stage::Postscan)?);
            for (times, time) in added.iter_mut().zip([prescan, scan - prescan, all - scan]) {
                times.push(time);
            }
            whole.push(all);
        } else {
            whole.push(through(Stage::Postscan)?);
        }
    }
    let latency = latency::measure(&bench.options, case.n, &mut || call(keys, values, Stage::Postscan))?;

    let copied_bytes = (2 * case.key.bytes() * case.n as u64) as f64;
    let seconds = Quartiles::of(whole);
    let copy_bandwidth = (!copies.is_empty()).then(|| copied_bytes / median(copies));
    let stages = added.iter().all(|times| !times.is_empty()).then(|| added.map(Quartiles::of));
    Ok((Measured { seconds, latency, stages, copy_bandwidth }, offsets))
}
