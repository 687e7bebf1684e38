//! How many keys there are in each bin.

use super::extent::extent;
use super::key::{End, FileKey};
use super::plan::Bins;
use super::read::read_like_keys;
use crate::parallel;
use anyhow::{Context, Result};
use multisplit::bucket::{EvenBins, RangeBins, Splitters};
use multisplit::{Counts, Device, histogram};
use std::time::{Duration, Instant};

pub struct Counted<K> {
    pub ranges: Ranges<K>,
    pub counts: Counts,
    pub time: Duration,
}

/// Where the bins are.
pub enum Ranges<K> {
    Even { lower: K, end: End<K>, bins: u32 },
    Edges(Vec<K>),
}

impl<K: FileKey> Ranges<K> {
    /// Where bin `i` begins, and where the one before it ends.
    pub fn edge(&self, i: usize) -> String {
        match self {
            Self::Even { end, bins, .. } if i >= *bins as usize => end.show(),
            Self::Even { lower, end, bins } => K::edge(*lower, *end, *bins, i as u32).show(),
            Self::Edges(edges) => edges.get(i).map_or(String::new(), |edge| edge.show()),
        }
    }
}

pub fn run<K: FileKey>(bins: &Bins, device: &Device, keys: &[K]) -> Result<Counted<K>> {
    let ranges = match bins {
        Bins::Even { bins, from, to } => even(keys, *bins, from.as_deref(), to.as_deref())?,
        Bins::Edges { path } => {
            let read = || {
                let edges: Vec<K> = read_like_keys(path)?;
                RangeBins::new(&carried(&edges))?;
                anyhow::Ok(Ranges::Edges(edges))
            };
            read().with_context(|| format!("--edges {}", path.display()))?
        }
    };
    let keys = carried(keys);
    let start = Instant::now();
    let counts = count(&ranges, device, &keys)?;
    Ok(Counted { ranges, counts, time: start.elapsed() })
}

fn even<K: FileKey>(keys: &[K], bins: u32, from: Option<&str>, to: Option<&str>) -> Result<Ranges<K>> {
    let (smallest, largest) = extent(keys);
    let (smallest, behind) = K::range_of(smallest, largest);
    let lower = from.map_or(Ok(smallest), |text| K::parse(text).context("--from"))?;
    let end = to.map_or(Ok(behind), |text| K::parse_end(text).context("--to"))?;
    Ok(Ranges::Even { lower, end, bins })
}

fn count<K: FileKey>(ranges: &Ranges<K>, device: &Device, keys: &[K::Carrier]) -> Result<Counts> {
    let (lower, end, bins) = match ranges {
        Ranges::Edges(edges) => return Ok(histogram(device, keys, &RangeBins::new(&carried(edges))?)?),
        Ranges::Even { lower, end, bins } => (*lower, *end, *bins),
    };
    if let Some(upper) = K::carry_end(end) {
        let about = || {
            let (from, to) = (lower.show(), end.show());
            format!("{bins} bins from {from} to {to}; name other ends with --from and --to")
        };
        let even = EvenBins::new(lower.carry()..upper, bins).with_context(about)?;
        return Ok(histogram(device, keys, &even)?);
    }
    // There is no key to end before. So bins are looked for among where they begin; what is below the first is outside.
    let starts: Vec<K> = (0..bins).map(|i| K::edge(lower, end, bins, i)).collect();
    let Counts { mut bins, outside } = histogram(device, keys, &Splitters::new(&carried(&starts))?)?;
    let below = bins.remove(0);
    Ok(Counts { bins, outside: outside + below })
}

fn carried<K: FileKey>(keys: &[K]) -> Vec<K::Carrier> {
    parallel::map(keys, K::carry)
}
