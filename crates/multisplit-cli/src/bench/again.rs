//! The same call many times, of which the median counts.

use super::columns::{Moved, Values};
use super::keys::BenchKey;
use super::latency::{self, Latency};
use super::setting::Setting;
use crate::shared::timing::{median, per_call};
use multisplit::Result;

/// Seconds of a call that moves keys and values, and how long one takes by itself, where that says something. The last
/// result stays in the outputs, where nothing of an earlier one is left.
pub fn again<K: BenchKey>(
    setting: &Setting,
    keys: &mut Moved<K>,
    values: &mut Values,
    call: &mut dyn FnMut(&mut Moved<K>, &mut Values) -> Result<()>,
) -> Result<(f64, Option<Latency>)> {
    let device = &setting.device;
    // Kernels are compiled; caches, clocks and memory wake up.
    call(keys, values)?;
    per_call(device, &mut || call(keys, values))?;
    keys.spoil()?;
    values.spoil()?;
    let mut times = Vec::new();
    for _ in 0..setting.runs {
        times.push(per_call(device, &mut || call(keys, values))?);
    }
    let latency = latency::measure(setting, keys.from.len(), &mut || call(keys, values))?;
    Ok((median(times), latency))
}
