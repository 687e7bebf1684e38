//! The measurement of one row.

use super::cases::{Case, How};
use super::columns::{Moved, Values};
use super::keys::BenchKey;
use super::kinds::ValueKind;
use super::latency::{self, Latency};
use super::plan::Plan;
use super::row::{Stages, milliseconds};
use crate::shared::timing::{median, once, per_call};
use multisplit::approach::Approach;
use multisplit::bucket::Buckets;
use multisplit::measure::bandwidth;
use multisplit::{Multisplit, Offsets, Result, Stage};

/// What was measured, in seconds unless its type says otherwise.
pub struct Measured {
    pub seconds: f64,
    /// Bytes per second of a plain copy, where it was timed in turn with the calls.
    pub bandwidth: Option<f64>,
    pub stages: Option<Stages>,
    pub latency: Option<Latency>,
    pub offsets: Offsets,
}

/// Splits many times; the last result stays in the outputs.
pub fn measure<F: Buckets>(
    plan: &Plan,
    case: &Case,
    f: &F,
    keys: &mut Moved<F::Key>,
    values: &mut Values,
) -> Result<Measured>
where
    F::Key: BenchKey,
{
    let device = &plan.setting.device;
    match case.method {
        How::Method(method) => {
            let split = Multisplit::by(f).method(method);
            let mut workspace = split.workspace(device, case.n, 1)?;
            time(plan, case, true, split.offsets(device)?, keys, values, |keys, values, offsets, stage| {
                let (split, mut column) = (split.through(stage), values.column());
                split.enqueue(&keys.from, &mut keys.to, column.as_mut_slice(), offsets, &mut workspace)
            })
        }
        How::Approach(way) => {
            let split = Approach::by(f, way);
            let wide = usize::from(case.value == ValueKind::U64);
            let narrow = usize::from(case.value == ValueKind::U32);
            let mut workspace = split.workspace(device, case.n, narrow, wide)?;
            time(plan, case, false, split.offsets(device)?, keys, values, |keys, values, offsets, _| {
                let mut column = values.column();
                split.enqueue(&keys.from, &mut keys.to, column.as_mut_slice(), offsets, &mut workspace)
            })
        }
    }
}

/// Times `call`, which goes up to a stage if it `has_stages`.
fn time<K: BenchKey>(
    plan: &Plan,
    case: &Case,
    has_stages: bool,
    mut offsets: Offsets,
    keys: &mut Moved<K>,
    values: &mut Values,
    mut call: impl FnMut(&mut Moved<K>, &mut Values, &mut Offsets, Stage) -> Result<()>,
) -> Result<Measured> {
    let device = &plan.setting.device;
    let mut call = |keys: &mut Moved<K>, values: &mut Values, stage: Stage| call(keys, values, &mut offsets, stage);

    // Kernels are compiled; caches, clocks and memory wake up.
    call(keys, values, Stage::Postscan)?;
    per_call(device, &mut || call(keys, values, Stage::Postscan))?;
    keys.spoil()?;
    values.spoil()?;

    let (mut whole, mut copies) = (Vec::new(), Vec::new());
    // The first stage, and what the second and the third add to it.
    let mut added = [Vec::new(), Vec::new(), Vec::new()];
    for _ in 0..plan.setting.runs {
        // In turn, so that a busy moment of the machine meets all.
        if !plan.setting.on_gpu() {
            copies.push(once(|| bandwidth::copy(&keys.from, &mut keys.to))?);
        }
        let mut through = |stage| per_call(device, &mut || call(keys, values, stage));
        if plan.setting.on_gpu() && plan.stages && has_stages {
            let (prescan, scan, all) = (through(Stage::Prescan)?, through(Stage::Scan)?, through(Stage::Postscan)?);
            for (times, time) in added.iter_mut().zip([prescan, scan - prescan, all - scan]) {
                times.push(time);
            }
            whole.push(all);
        } else {
            whole.push(through(Stage::Postscan)?);
        }
    }
    let latency = latency::measure(&plan.setting, case.n, &mut || call(keys, values, Stage::Postscan))?;

    let copied_bytes = (2 * case.key.bytes() * case.n as u64) as f64;
    let seconds = median(whole);
    Ok(Measured {
        seconds,
        bandwidth: some_median(copies).map(|copy| copied_bytes / copy),
        stages: stages(added),
        latency,
        offsets,
    })
}

fn stages([prescan, scan, postscan]: [Vec<f64>; 3]) -> Option<Stages> {
    let stage = |times| some_median(times).map(milliseconds);
    Some(Stages { prescan: stage(prescan)?, scan: stage(scan)?, postscan: stage(postscan)? })
}

fn some_median(times: Vec<f64>) -> Option<f64> {
    (!times.is_empty()).then(|| median(times))
}
