//! What a person reads.

use super::histogram::Counted;
use super::key::FileKey;
use super::plan::{PartitionPlan, Places, Plan, SortPlan};
use anyhow::Result;
use multisplit::DeviceKind;
use std::io::Write;
use std::path::Path;
use std::time::Duration;

/// Where the buckets are.
pub struct Parts {
    /// What a bucket is, in words.
    pub about: String,
    /// One more than there are buckets.
    pub offsets: Vec<usize>,
    pub time: Duration,
}

/// Bins that are shown one by one.
const FEW_BINS: usize = 64;
/// Characters of the longest bar.
const BAR: u64 = 40;

pub fn input<K: FileKey>(out: &mut impl Write, plan: &Plan, n: usize, columns: usize) -> Result<()> {
    write!(out, "{}: {n} {} keys", plan.input.display(), K::KIND)?;
    match columns {
        0 => writeln!(out)?,
        1 => writeln!(out, " with values")?,
        _ => writeln!(out, " with {columns} columns of values")?,
    }
    Ok(())
}

pub fn sorted(out: &mut impl Write, plan: &Plan, sort: &SortPlan, n: usize, took: Duration) -> Result<()> {
    write!(out, "Sorted, {} first", if sort.descending { "largest" } else { "smallest" })?;
    if let Some(bits) = &sort.bits {
        write!(out, ", by bits {bits:?}")?;
    }
    writeln!(out, ", on {}:", plan.device.info())?;
    time(out, plan, n, took)?;
    places(out, &sort.places)
}

pub fn split(out: &mut impl Write, plan: &Plan, to: &Places, parts: &Parts) -> Result<()> {
    let sizes = || parts.offsets.windows(2).map(|pair| pair[1] - pair[0]).enumerate();
    let n = parts.offsets.last().copied().unwrap_or(0);
    writeln!(out, "Split into {} {}, on {}:", counted(sizes().count(), "bucket"), parts.about, plan.device.info())?;
    // Of equal ones the first.
    if let Some((b, size)) = sizes().max_by_key(|&(b, size)| (size, std::cmp::Reverse(b))) {
        writeln!(out, "  largest      bucket {b}, {}", counted(size, "key"))?;
    }
    if let Some((b, size)) = sizes().min_by_key(|&(b, size)| (size, b)) {
        writeln!(out, "  smallest     bucket {b}, {}", counted(size, "key"))?;
    }
    writeln!(out, "  empty        {}", counted(sizes().filter(|&(_, size)| size == 0).count(), "bucket"))?;
    time(out, plan, n, parts.time)?;
    places(out, to)
}

pub fn partition(out: &mut impl Write, plan: &Plan, asked: &PartitionPlan, parts: &Parts) -> Result<()> {
    let n = parts.offsets.last().copied().unwrap_or(0);
    let verb = if asked.select { "Selected" } else { "Parted" };
    writeln!(out, "{verb} {}, on {}:", parts.about, plan.device.info())?;
    let names: &[&str] = match (asked.select, &asked.and_below) {
        (true, _) => &["kept", "left out"],
        (false, None) => &["below", "others"],
        (false, Some(_)) => &["below", "then below", "others"],
    };
    for (name, pair) in names.iter().zip(parts.offsets.windows(2)) {
        writeln!(out, "  {name:<12} {}", counted(pair[1] - pair[0], "key"))?;
    }
    time(out, plan, n, parts.time)?;
    places(out, &asked.places)
}

pub fn histogram<K: FileKey>(
    out: &mut impl Write,
    plan: &Plan,
    output: Option<&Path>,
    counted_keys: &Counted<K>,
) -> Result<()> {
    let Counted { ranges, counts, time: took } = counted_keys;
    let bins = &counts.bins;
    let (from, to) = (ranges.edge(0), ranges.edge(bins.len()));
    writeln!(out, "Counted in {} from {from} to {to}, on {}:", counted(bins.len(), "bin"), plan.device.info())?;
    let most = bins.iter().copied().max().unwrap_or(0);
    if bins.len() <= FEW_BINS {
        let edges: Vec<String> = (0..=bins.len()).map(|i| ranges.edge(i)).collect();
        let width = edges.iter().map(String::len).max().unwrap_or(0);
        let digits = most.to_string().len();
        for (pair, &count) in edges.windows(2).zip(bins) {
            // The product may be more than 64 bits, and a count that is not 0 is seen.
            let bar = (u128::from(count) * u128::from(BAR)).div_ceil(u128::from(most.max(1))) as usize;
            let row = format!("  {:>width$} .. {:<width$} {count:>digits$} {}", pair[0], pair[1], "#".repeat(bar));
            writeln!(out, "{}", row.trim_end())?;
        }
    } else {
        let of = |bin: usize| format!("bin {bin}, {} .. {}", ranges.edge(bin), ranges.edge(bin + 1));
        if let Some((bin, &count)) = bins.iter().enumerate().max_by_key(|&(b, count)| (count, std::cmp::Reverse(b))) {
            writeln!(out, "  most         {} in {}", counted(count as usize, "key"), of(bin))?;
        }
        if let Some((bin, &count)) = bins.iter().enumerate().min_by_key(|&(b, count)| (count, b)) {
            writeln!(out, "  fewest       {} in {}", counted(count as usize, "key"), of(bin))?;
        }
        writeln!(out, "  empty        {}", counted(bins.iter().filter(|&&count| count == 0).count(), "bin"))?;
    }
    writeln!(out, "  inside       {}", counted(bins.iter().sum::<u64>() as usize, "key"))?;
    writeln!(out, "  outside      {}", counted(counts.outside as usize, "key"))?;
    let n = counts.total() as usize;
    time(out, plan, n, *took)?;
    if let Some(path) = output {
        writeln!(out, "  counts       {}", path.display())?;
    }
    Ok(())
}

fn time(out: &mut impl Write, plan: &Plan, n: usize, time: Duration) -> Result<()> {
    write!(out, "  time         {:.2} ms", 1e3 * time.as_secs_f64())?;
    if plan.device.info().kind != DeviceKind::Cpu {
        // A rate would be one of the compiler.
        writeln!(out, ", with the compilation of kernels that were not cached")?;
    } else {
        writeln!(out, ": {:.1} million keys per second", 1e-6 * n as f64 / time.as_secs_f64().max(1e-9))?;
    }
    Ok(())
}

fn places(out: &mut impl Write, places: &Places) -> Result<()> {
    let mut line = |what: &str, path: &Path| writeln!(out, "  {what:<12} {}", path.display());
    let mut line_if =
        |what: &str, path: &Option<std::path::PathBuf>| path.as_deref().map_or(Ok(()), |path| line(what, path));
    line_if("keys", &places.keys)?;
    line_if("offsets", &places.offsets)?;
    line_if("permutation", &places.permutation)?;
    for (_, path) in &places.values {
        line("values", path)?;
    }
    Ok(())
}

/// Some of a thing, or one.
fn counted(n: usize, what: &str) -> String {
    format!("{n} {what}{}", if n == 1 { "" } else { "s" })
}
