//! Histograms of strings: how many are in each bucket of a hash.

use super::bins::fitting;
use super::{FEW_BINS, HistogramArguments, bar};
use crate::commands::files::input::Input;
use crate::commands::files::keys::Keys;
use crate::commands::files::paths::OutputPaths;
use crate::commands::files::summary;
use crate::commands::files::write::OutputFiles;
use crate::shared::arguments::within;
use anyhow::{Result, ensure};
use multisplit::MAX_BINS;
use multisplit::bucket::{BucketFn, Hash};
use multisplit_graph::parallel;
use std::time::{Duration, Instant};

/// Counts strings by the buckets that `split --by hash` puts them into.
pub fn run(raw: &HistogramArguments, paths: &OutputPaths, input: &Input, keys: &dyn Keys) -> Result<()> {
    let none = raw.from.is_none() && raw.to.is_none() && raw.edges.is_none();
    ensure!(
        none && raw.edges_output.is_none() && raw.svg.is_none(),
        "strings are counted by a hash, which has no --from, --to, --edges, --edges-output or --svg"
    );
    let (short, format) = (keys.about(), keys.format());
    let bins = raw.bins.map_or(Ok(fitting(short.n)), |bins| within("--bins", bins, MAX_BINS))?;
    let hash = Hash::<u64>::new(bins, 0);
    let (mut counts, mut time) = (vec![0u64; bins as usize], Duration::ZERO);
    keys.each(&mut |hashes| {
        let start = Instant::now();
        let buckets = parallel::fill(hashes.len(), |i| hash.bucket(hashes.get(i)));
        buckets.iter().for_each(|&bucket| counts[bucket as usize] += 1);
        time += start.elapsed();
        Ok(())
    })?;
    let mut files = OutputFiles::default();
    if let Some(path) = &paths.counts {
        files.counts(path, paths.format(path, format)?, "count", &counts)?;
    }
    files.commit()?;
    let out = &mut *paths.report();
    if input.json {
        let facts = summary::facts("histogram", input, &short, paths, time).with("m", counts.len());
        return Ok(facts.with_numbers("counts", &mut counts.iter().map(u64::to_string)).write(out)?);
    }
    summary::keys(out, input, &short, 0)?;
    writeln!(out, "Counted in {} by a hash, seed 0:", summary::counted(counts.len(), "bucket"))?;
    let most = counts.iter().copied().max().unwrap_or(0);
    let (digits, width) = (most.to_string().len(), counts.len().to_string().len());
    for (b, &count) in counts.iter().enumerate().take(FEW_BINS) {
        writeln!(out, "{}", format!("  {b:>width$} {count:>digits$} {}", bar(count, most)).trim_end())?;
    }
    if counts.len() > FEW_BINS {
        writeln!(out, "  and {} more", counts.len() - FEW_BINS)?;
    }
    summary::outputs(out, paths)
}
