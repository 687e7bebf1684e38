//! `bench sssp`: shortest paths by every strategy, and by peers.
//!
//! It has a [course] of its own: strategies take turns from each source, and a row is the median over all of them, with
//! its quartiles.

mod course;
mod gapbs;
mod graphs;
mod table;

use crate::bench::harness::key_types::PeerKind;
use crate::bench::harness::operation::Benchmark;
use crate::bench::harness::options::{CommonArguments, Options, distinct};
use crate::bench::harness::session::Session;
use crate::bench::harness::sinks::Sink;
use crate::shared::usage::{as_usage, ensure_usage, usage};
use anyhow::{Context, Result};
use clap::Args;
use course::SsspRun;
use gapbs::{Gapbs, GapbsArguments};
use graphs::GraphSpec;
use multisplit_graph::{AnyGraph, Strategy};
use table::PathTable;

#[derive(Args, Clone, Debug)]
#[command(mut_arg("peers", |peers| peers.default_missing_value("gapbs")))]
pub struct BenchSsspArguments {
    /// Graphs: files, or made up as rmat:VERTICES,EDGES, erdos-renyi:VERTICES,EDGES or grid:WIDTH,HEIGHT.
    #[arg(default_values = ["rmat:800000,4800000", "rmat:2^22,2^26"])]
    pub graphs: Vec<String>,
    /// Strategies, separated by commas. Those of GPUs are left out where there is none.
    #[arg(
        long,
        value_delimiter = ',',
        default_value = "near-far,bucketing,split-bucketing,multisplit,delta-stepping,dijkstra"
    )]
    pub strategies: Vec<Strategy>,
    /// How many vertices to start from, drawn among those that have arcs.
    #[arg(long, default_value_t = 5)]
    pub sources: usize,
    /// The width of the buckets on GPUs [default: what suits the graph].
    #[arg(long)]
    pub delta: Option<f64>,
    /// The seed of everything random.
    #[arg(long, default_value_t = 0)]
    pub seed: u64,
    /// Threads of the CPU, for our strategies and for peers [default: $RAYON_NUM_THREADS, or one for each core].
    #[arg(long)]
    pub threads: Option<usize>,
    #[command(flatten)]
    pub gapbs: GapbsArguments,
    #[command(flatten)]
    pub common: CommonArguments,
}

/// Prepares `multisplit bench sssp`.
pub fn prepare(raw: BenchSsspArguments) -> Result<Box<dyn Benchmark>> {
    Ok(Box::new(SsspCases::new(raw)?))
}

impl Benchmark for SsspCases {
    fn steps(&self) -> u64 {
        self.graphs.len() as u64 * self.steps_of_graph()
    }

    fn run(&self) -> Result<()> {
        let with_peer = self.with_peer();
        let table = |out| -> Box<dyn Sink> { Box::new(PathTable::new(with_peer, out)) };
        let mut session = Session::new(&self.options, self.steps(), &table)?;
        let mut peer = None;
        if with_peer {
            session.progress.set_message("building gapbs");
            match Gapbs::build(&self.gapbs, &self.options) {
                Ok(built) => peer = Some(built),
                Err(error) => session.without(PeerKind::Gapbs, &error),
            }
        }
        let mut run = SsspRun::new(self, session, peer);
        for spec in &self.graphs {
            if run.is_known(spec) {
                continue;
            }
            run.show(format!("making or reading {}", spec.name));
            match spec.graph(self.seed)? {
                AnyGraph::U32(graph) => run.graph(spec, &graph),
                AnyGraph::F32(graph) => run.graph(spec, &graph),
            }
            .with_context(|| spec.name.clone())?;
        }
        run.finish()
    }
}

/// The graphs, strategies and sources to time.
struct SsspCases {
    options: Options,
    graphs: Vec<GraphSpec>,
    strategies: Vec<Strategy>,
    sources: usize,
    delta: Option<f64>,
    seed: u64,
    gapbs: GapbsArguments,
}

impl SsspCases {
    fn with_peer(&self) -> bool {
        self.options.peers.contains(&PeerKind::Gapbs)
    }

    fn steps_of_graph(&self) -> u64 {
        (self.sources * (self.strategies.len() + usize::from(self.with_peer()))) as u64
    }

    fn new(raw: BenchSsspArguments) -> Result<Self> {
        ensure_usage!(raw.sources > 0, "--sources must be at least 1");
        if let Some(peer) = raw.common.peers.iter().find(|&&peer| peer != PeerKind::Gapbs) {
            return Err(usage(format!("--peers {peer}: it has no shortest paths; --peers gapbs has")));
        }
        if let Some(delta) = raw.delta {
            ensure_usage!(delta > 0.0 && delta.is_finite(), "--delta {delta} must be a finite number above 0");
        }
        let graphs = raw.graphs.iter().map(|text| as_usage(GraphSpec::new(text))).collect::<Result<_>>()?;
        let options = Options::new(raw.common)?;
        let there = |strategy: &Strategy| options.on_gpu() || Strategy::ON_CPU.contains(strategy);
        let strategies: Vec<Strategy> = distinct(raw.strategies).into_iter().filter(there).collect();
        ensure_usage!(!strategies.is_empty(), "none of --strategies runs on {}", options.device.name());
        let BenchSsspArguments { sources, delta, seed, gapbs, .. } = raw;
        Ok(Self { options, graphs, strategies, sources, delta, seed, gapbs })
    }
}
