//! The experiments of the paper, as benchmarks.

use super::settings::Settings;
use crate::bench::harness::batch::Batch;
use crate::bench::harness::key_types::{BucketKind, Distribution, Format, KeyType, PeerKind, ValueType};
use crate::bench::harness::operation::Benchmark;
use crate::bench::harness::options::CommonArguments;
use crate::bench::ops::histogram::samples::{BinKind, SampleType};
use crate::bench::ops::histogram::{self, BenchHistogramArguments};
use crate::bench::ops::sort::{self, BenchSortArguments};
use crate::bench::ops::split;
use crate::bench::ops::split::arguments::BenchSplitArguments;
use crate::bench::ops::sssp::{self, BenchSsspArguments};
use anyhow::Result;
use multisplit::Method;
use multisplit::approach::Way;
use multisplit_graph::Strategy;
use std::rc::Rc;

/// Numbers of buckets and of bins.
pub const BUCKETS: [u32; 8] = [2, 4, 8, 16, 32, 64, 128, 256];
/// Bits of a digit of a sort.
pub const DIGITS: [u32; 5] = [4, 5, 6, 7, 8];
/// The graph of the paper that can be generated.
pub const RMAT: &str = "rmat:800000,4800000";

/// An experiment that is ready to run.
pub struct Experiment {
    pub name: &'static str,
    /// About how many microseconds a step takes on two cores.
    pub weight: u64,
    pub benchmark: Box<dyn Benchmark>,
}

/// Makes the experiments ready, in the order of the paper.
pub fn experiments(settings: &Settings, batch: &Rc<Batch>) -> Result<Vec<Experiment>> {
    let prepare = Prepare { settings, batch };
    let on_gpu = settings.on_gpu();
    let methods = if on_gpu {
        vec![Method::Auto, Method::Direct, Method::WarpLevel, Method::BlockLevel]
    } else {
        vec![Method::Auto]
    };
    let approach = vec![Way::ReducedBitSort];
    let uniform = prepare.split();
    let by_buckets = BenchSplitArguments {
        method: methods.clone(),
        approach: approach.clone(),
        stages: on_gpu,
        common: prepare.common(vec![PeerKind::Cub]),
        ..prepare.split()
    };
    let scan_split = BenchSplitArguments { buckets: vec![2], approach: vec![Way::IteratedScanSplit], ..uniform };
    let binomial = BenchSplitArguments {
        method: with_block_level(on_gpu),
        approach: approach.clone(),
        dist: vec![Distribution::Binomial],
        common: prepare.common(vec![PeerKind::Cub]),
        ..prepare.split()
    };
    let alpha = BenchSplitArguments { buckets: vec![256], dist: vec![Distribution::AlphaUniform], ..binomial.clone() };
    let identity = BenchSplitArguments {
        method: methods,
        bucket: vec![BucketKind::Identity],
        common: prepare.common(vec![PeerKind::Cub]),
        ..prepare.split()
    };
    Ok(vec![
        prepare.experiment("full sorts (table 3)", 500, sort::prepare(prepare.sort(Vec::new()))?),
        prepare.experiment("scan-based splits (table 3)", 140, split::prepare(scan_split)?),
        prepare.experiment("numbers of buckets (tables 4 and 5, figures 6 and 7)", 200, split::prepare(by_buckets)?),
        prepare.experiment("binomial keys (table 6, figure 8)", 400, split::prepare(binomial)?),
        prepare.experiment("0.25-uniform keys (table 6)", 200, split::prepare(alpha)?),
        prepare.experiment("identity buckets (table 7)", 150, split::prepare(identity)?),
        prepare.experiment(
            "sorts by the width of digits (table 8)",
            500,
            sort::prepare(prepare.sort(DIGITS.to_vec()))?,
        ),
        prepare.paths()?,
        prepare.experiment("histograms (table 11)", 100, histogram::prepare(prepare.histogram())?),
    ])
}

/// The method that the paper takes for other distributions, and ours.
fn with_block_level(on_gpu: bool) -> Vec<Method> {
    if on_gpu { vec![Method::Auto, Method::BlockLevel] } else { vec![Method::Auto] }
}

struct Prepare<'a> {
    settings: &'a Settings,
    batch: &'a Rc<Batch>,
}

impl Prepare<'_> {
    /// Gives an experiment its weight: `millis` are for 2^22 keys.
    fn experiment(&self, name: &'static str, millis: u64, benchmark: Box<dyn Benchmark>) -> Experiment {
        let Settings { n, runs, .. } = *self.settings;
        // Of the time for 9 runs, about a third does not depend on how many there are.
        let weight = 1e3 * millis as f64 * n as f64 / f64::from(1 << 22) * (runs as f64 + 4.0) / 13.0;
        Experiment { name, weight: (weight as u64).max(1), benchmark }
    }

    fn common(&self, peers: Vec<PeerKind>) -> CommonArguments {
        let Settings { device, runs, peers_dir, .. } = self.settings;
        CommonArguments {
            device: Some(device.name().into()),
            peers,
            peers_dir: peers_dir.clone(),
            runs: *runs,
            format: Format::Jsonl,
            output: None,
            batch: Some(Rc::clone(self.batch)),
        }
    }

    /// Splits of keys and of pairs into every number of delta buckets, by no method yet.
    fn split(&self) -> BenchSplitArguments {
        BenchSplitArguments {
            n: vec![self.settings.n],
            buckets: BUCKETS.to_vec(),
            keys: vec![KeyType::U32],
            values: vec![ValueType::None, ValueType::U32],
            method: Vec::new(),
            bucket: vec![BucketKind::Delta],
            dist: vec![Distribution::Uniform],
            approach: Vec::new(),
            stages: false,
            common: self.common(Vec::new()),
        }
    }

    /// Sorts by digits of these widths, or of the best. Only these have peers, which choose their digits.
    fn sort(&self, digit_bits: Vec<u32>) -> BenchSortArguments {
        let mut peers = vec![PeerKind::Cub];
        if cfg!(feature = "cpu-peers") && !self.settings.on_gpu() {
            peers.extend([PeerKind::Rdst, PeerKind::Voracious]);
        }
        BenchSortArguments {
            n: vec![self.settings.n],
            keys: vec![KeyType::U32],
            values: vec![ValueType::None, ValueType::U32],
            common: self.common(if digit_bits.is_empty() { peers } else { Vec::new() }),
            digit_bits,
            dist: vec![Distribution::Uniform],
        }
    }

    fn histogram(&self) -> BenchHistogramArguments {
        BenchHistogramArguments {
            n: vec![self.settings.n],
            bins: BUCKETS.to_vec(),
            keys: vec![SampleType::F32],
            bucket: vec![BinKind::Even, BinKind::Range],
            dist: vec![Distribution::Uniform],
            common: self.common(vec![PeerKind::Cub]),
        }
    }

    fn paths(&self) -> Result<Experiment> {
        let Settings { n, quick, graphs, threads, runs, .. } = self.settings;
        // A quick run has one like it, with about a sixteenth of the vertices and edges for 2^22 keys.
        let vertices = (n / 80).clamp(1000, 50_000);
        let made = if *quick { format!("rmat:{vertices},{}", 6 * vertices) } else { RMAT.into() };
        let raw = BenchSsspArguments {
            graphs: std::iter::once(made).chain(graphs.iter().cloned()).collect(),
            strategies: vec![
                Strategy::NearFar,
                Strategy::Bucketing,
                Strategy::SplitBucketing,
                Strategy::Multisplit,
                Strategy::DeltaStepping,
                Strategy::Dijkstra,
            ],
            sources: if *quick { 3 } else { 5 },
            delta: None,
            seed: 0,
            threads: *threads,
            gapbs: Default::default(),
            common: self.common(Vec::new()),
        };
        let weight = if *quick { 30_000 } else { 600_000 } * (*runs as u64).min(3);
        Ok(Experiment { name: "shortest paths (table 10)", weight, benchmark: sssp::prepare(raw)? })
    }
}
