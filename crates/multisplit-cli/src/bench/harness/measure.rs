//! Times of repeated calls.

use super::columns::{InOutColumn, ValueColumn};
use super::keys::BenchKey;
use super::latency::{self, Latency};
use super::options::Options;
use crate::shared::timing::{Quartiles, per_call};
use multisplit::Result;

/// What was measured of one case.
pub struct Measured {
    /// The times of the calls.
    pub seconds: Quartiles,
    /// One call that is waited for, where that says something.
    pub latency: Option<Latency>,
    /// The times of the three stages of a call in seconds, where they were timed.
    pub stages: Option<[Quartiles; 3]>,
    /// Bytes per second of a plain copy, where it was alternated with the calls.
    pub copy_bandwidth: Option<f64>,
}

/// Repeats a call on `n` keys and times it.
///
/// The first calls compile kernels and warm up caches, clocks and memory. Then `spoil` overwrites the outputs, and the
/// timed calls follow.
pub fn repeat<T>(
    options: &Options,
    n: usize,
    on: &mut T,
    call: &mut dyn FnMut(&mut T) -> Result<()>,
    spoil: &mut dyn FnMut(&mut T) -> Result<()>,
) -> Result<Measured> {
    let device = &options.device;
    call(on)?;
    per_call(device, &mut || call(on))?;
    spoil(on)?;
    let mut times = Vec::new();
    for _ in 0..options.runs {
        times.push(per_call(device, &mut || call(on))?);
    }
    let latency = latency::measure(options, n, &mut || call(on))?;
    Ok(Measured { seconds: Quartiles::of(times), latency, stages: None, copy_bandwidth: None })
}

/// Repeats a call that moves keys and values. The last result stays in the outputs, without a trace of an earlier one.
pub fn repeat_move<K: BenchKey>(
    options: &Options,
    keys: &mut InOutColumn<K>,
    values: &mut ValueColumn,
    call: &mut dyn FnMut(&mut InOutColumn<K>, &mut ValueColumn) -> Result<()>,
) -> Result<Measured> {
    let n = keys.from.len();
    let mut call = |(keys, values): &mut (&mut InOutColumn<K>, &mut ValueColumn)| call(keys, values);
    let mut spoil = |(keys, values): &mut (&mut InOutColumn<K>, &mut ValueColumn)| {
        keys.spoil()?;
        values.spoil()
    };
    repeat(options, n, &mut (keys, values), &mut call, &mut spoil)
}
