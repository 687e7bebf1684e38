//! What a person reads.

use crate::compile::Ahead;
use crate::plan::Plan;
use crate::timing::{Timing, median};
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

/// Times and rates.
pub fn table(out: &mut impl Write, plan: &Plan, ahead: Option<&Ahead>, rows: &[Row]) -> Result<()> {
    let on_cpu = plan.device.info().kind == DeviceKind::Cpu;
    writeln!(out)?;
    writeln!(out, "{} random u32 keys, and pairs with u32 values, by equal ranges of the key;", plan.n)?;
    writeln!(out, "{} method on {}.", plan.method, plan.device.info())?;
    writeln!(out, "Every result equals the reference. Times are medians of {} runs, data on the device.", plan.runs)?;
    if let Some(Ahead { processes, time }) = ahead {
        let seconds = time.as_secs_f64();
        writeln!(out, "Kernels were compiled before, in {processes} processes, in {seconds:.1} s.")?;
    }
    writeln!(out)?;
    write!(out, "buckets |  keys ms  Gkeys/s   first ms | pairs ms Gpairs/s   first ms")?;
    writeln!(out, "{}", if on_cpu { " | of limit: keys  pairs | x sequential" } else { "" })?;
    for Row { m, keys, pairs, sequential } in rows {
        write!(out, "{m:>7} | {} | {}", timing(plan, keys), timing(plan, pairs))?;
        if let (Some(keys_copy), Some(pairs_copy), Some(sequential)) = (keys.copy, pairs.copy, sequential) {
            // A copy moves 2n words; a split of keys moves 3n at least, of pairs 5n.
            let (keys_limit, pairs_limit) = (1.5 * keys_copy, 2.5 * pairs_copy);
            write!(out, " | {:>14.2} {:>6.2}", keys_limit / keys.seconds, pairs_limit / pairs.seconds)?;
            write!(out, " | {:>12.2}", sequential / keys.seconds)?;
        }
        writeln!(out)?;
    }
    if on_cpu {
        let copies = rows.iter().flat_map(|row| [row.keys.copy, row.pairs.copy]).flatten().collect();
        let bandwidth = 8e-9 * plan.n as f64 / median(copies);
        writeln!(out)?;
        writeln!(
            out,
            "The limit: the least that a split must move (3n words for keys, 5n for pairs) at the speed of a"
        )?;
        writeln!(out, "parallel copy, timed in turn with the splits; it moved {bandwidth:.1} GB/s in the middle.")?;
        writeln!(out, "Sequential: count, add up, scatter, on one thread.")?;
    }
    Ok(())
}

fn timing(plan: &Plan, timing: &Timing) -> String {
    let Timing { first, seconds, .. } = timing;
    format!("{:>8.3} {:>8.2} {:>10.1}", 1e3 * seconds, 1e-9 * plan.n as f64 / seconds, 1e3 * first)
}
