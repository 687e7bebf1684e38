//! The table of the demo.

use super::compile::CompiledAhead;
use super::measure::DemoTiming;
use super::options::DemoOptions;
use crate::shared::timing::median;
use anyhow::Result;
use multisplit::DeviceKind;
use std::io::Write;

/// The times of one number of buckets.
pub struct DemoRow {
    pub m: u32,
    pub keys: DemoTiming,
    pub pairs: DemoTiming,
    /// Seconds of a plain sequential split of the keys, on the CPU.
    pub sequential: Option<f64>,
}

/// Writes the times and rates.
pub fn table(
    out: &mut impl Write,
    options: &DemoOptions,
    ahead: Option<&CompiledAhead>,
    rows: &[DemoRow],
) -> Result<()> {
    let on_cpu = options.device.info().kind == DeviceKind::Cpu;
    writeln!(out)?;
    writeln!(out, "{} random u32 keys, and pairs with u32 values, by equal ranges of the key;", options.n)?;
    writeln!(out, "{} method on {}.", options.method, options.device.info())?;
    writeln!(
        out,
        "Every result equals the reference. Times are medians of {} runs, data on the device.",
        options.runs
    )?;
    let ranges: Vec<f64> =
        rows.iter().flat_map(|row| [&row.keys, &row.pairs]).filter_map(|timing| timing.later.range_percent()).collect();
    if options.runs > 1
        && let (Some(least), Some(most)) =
            (ranges.iter().copied().reduce(f64::min), ranges.iter().copied().reduce(f64::max))
    {
        writeln!(out, "The interquartile ranges of the runs are {least:.1} to {most:.1} % of the medians.")?;
    }
    if let Some(CompiledAhead { processes, time }) = ahead {
        let seconds = time.as_secs_f64();
        writeln!(out, "Kernels were compiled before, in {processes} processes, in {seconds:.1} s.")?;
    }
    writeln!(out)?;
    write!(out, "buckets |  keys ms  Gkeys/s   first ms | pairs ms Gpairs/s   first ms")?;
    writeln!(out, "{}", if on_cpu { " | of limit: keys  pairs | x sequential" } else { "" })?;
    for DemoRow { m, keys, pairs, sequential } in rows {
        write!(out, "{m:>7} | {} | {}", timing(options, keys), timing(options, pairs))?;
        if let (Some(keys_copy), Some(pairs_copy), Some(sequential)) = (keys.copy, pairs.copy, sequential) {
            // A copy moves 2n words; a split of keys moves 3n at least, of pairs 5n.
            let (keys_limit, pairs_limit) = (1.5 * keys_copy, 2.5 * pairs_copy);
            write!(out, " | {:>14.2} {:>6.2}", keys_limit / keys.later.median, pairs_limit / pairs.later.median)?;
            write!(out, " | {:>12.2}", sequential / keys.later.median)?;
        }
        writeln!(out)?;
    }
    if on_cpu {
        let copies = rows.iter().flat_map(|row| [row.keys.copy, row.pairs.copy]).flatten().collect();
        let bandwidth = 8e-9 * options.n as f64 / median(copies);
        writeln!(out)?;
        writeln!(
            out,
            "The limit: the least that a split must move (3n words for keys, 5n for pairs) at the speed of a"
        )?;
        writeln!(out, "parallel copy, timed in turn with the splits; it moved {bandwidth:.1} GB/s (median).")?;
        writeln!(out, "Sequential: count, add up, scatter, on one thread.")?;
    }
    Ok(())
}

fn timing(options: &DemoOptions, timing: &DemoTiming) -> String {
    let (first, later) = (timing.first, timing.later.median);
    format!("{:>8.3} {:>8.2} {:>10.1}", 1e3 * later, 1e-9 * options.n as f64 / later, 1e3 * first)
}
