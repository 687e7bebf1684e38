//! What a person reads.

use crate::plan::Plan;
use crate::timing::Timing;
use anyhow::Result;
use multisplit::{Device, DeviceKind};
use std::io::Write;

/// One number of buckets.
pub struct Row {
    pub m: u32,
    pub keys: Timing,
    pub pairs: Timing,
    /// Seconds of a plain sequential split of the keys, on the CPU.
    pub sequential: Option<f64>,
}

/// Lists the devices; the chosen one is marked.
pub fn devices(out: &mut impl Write, chosen: Option<&Device>) -> Result<()> {
    writeln!(out, "Devices:")?;
    for info in Device::list() {
        let mark = if chosen.is_some_and(|device| device.name() == info.name) { '*' } else { ' ' };
        let note = if info.kind == DeviceKind::Software { " - software, only on request" } else { "" };
        writeln!(out, " {mark} {:<8} {}{note}", info.name, info.description)?;
    }
    Ok(())
}

/// Times and rates. `copy` is what a parallel copy of the keys takes, where that was measured.
pub fn table(out: &mut impl Write, plan: &Plan, rows: &[Row], copy: Option<f64>) -> Result<()> {
    let n = plan.n as f64;
    let rate = |seconds: f64| n / seconds / 1e9;
    writeln!(out)?;
    writeln!(
        out,
        "{} random u32 keys, and pairs with u32 values, by equal ranges of the key; {} method on {}.",
        plan.n,
        plan.method,
        plan.device.info()
    )?;
    writeln!(out, "Every result equals the reference. Times are medians of {} runs on the device.", plan.runs)?;
    writeln!(out)?;
    write!(out, "buckets |  keys ms  Gkeys/s   first ms | pairs ms Gpairs/s   first ms")?;
    writeln!(out, "{}", if copy.is_some() { " | of copy limit: keys pairs | x sequential" } else { "" })?;
    for Row { m, keys, pairs, sequential } in rows {
        write!(out, "{m:>7} | {:>8.3} {:>8.2} {:>10.1}", 1e3 * keys.seconds, rate(keys.seconds), 1e3 * keys.first)?;
        write!(out, " | {:>8.3} {:>8.2} {:>10.1}", 1e3 * pairs.seconds, rate(pairs.seconds), 1e3 * pairs.first)?;
        if let (Some(copy), Some(sequential)) = (copy, sequential) {
            // A copy moves 2n words; a split of keys moves 3n at least, of pairs 5n.
            let (keys_limit, pairs_limit) = (1.5 * copy, 2.5 * copy);
            write!(out, " | {:>20.2} {:>5.2}", keys_limit / keys.seconds, pairs_limit / pairs.seconds)?;
            write!(out, " | {:>12.2}", sequential / keys.seconds)?;
        }
        writeln!(out)?;
    }
    if let Some(copy) = copy {
        writeln!(out)?;
        let bandwidth = 8.0 * n / copy / 1e9;
        writeln!(out, "A parallel copy moved {bandwidth:.1} GB/s here. The limit is that speed for the least that a")?;
        writeln!(out, "split must move: 3n words for keys, 5n for pairs. Sequential: count, add up, scatter.")?;
    }
    Ok(())
}
