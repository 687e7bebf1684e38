//! `bench sssp`: shortest paths by every strategy.
//!
//! It has a course of its own: strategies take turns from each source, and a row is the median over all of them, with
//! its quartiles.

mod graphs;
mod table;

use crate::bench::harness::options::{CommonArguments, Options, distinct};
use crate::bench::harness::provenance::Provenance;
use crate::bench::harness::row::Row;
use crate::bench::harness::session::Session;
use crate::shared::placed_graph::PlacedGraph;
use crate::shared::random::{between, random};
use crate::shared::timing::Quartiles;
use anyhow::{Context, Result, ensure};
use clap::Args;
use graphs::GraphSpec;
use multisplit::Device;
use multisplit_graph::{AnyGraph, Graph, Sssp, Strategy, Weight};
use table::PathTable;

/// How often the CPU searches from each source, by strategies that are not sequential.
const CPU_RUNS: usize = 3;

#[derive(Args, Clone, Debug)]
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
    #[command(flatten)]
    pub common: CommonArguments,
}

/// Runs `multisplit bench sssp`.
pub fn run(raw: BenchSsspArguments) -> Result<()> {
    let bench = &SsspCases::new(raw)?;
    let steps = bench.graphs.len() * bench.sources * bench.strategies.len();
    let session = Session::new(&bench.options, steps as u64, &|out| Box::new(PathTable::new(out)))?;
    let mut run = SsspRun { bench, session, cpu: Provenance::new(&Device::cpu()) };
    for spec in &bench.graphs {
        run.session.progress.set_message(format!("making or reading {}", spec.name));
        match spec.graph(bench.seed)? {
            AnyGraph::U32(graph) => run.graph(spec, &graph),
            AnyGraph::F32(graph) => run.graph(spec, &graph),
        }
        .with_context(|| spec.name.clone())?;
    }
    run.session.finish()
}

/// The graphs, strategies and sources to time.
struct SsspCases {
    options: Options,
    graphs: Vec<GraphSpec>,
    strategies: Vec<Strategy>,
    sources: usize,
    delta: Option<f64>,
    seed: u64,
}

impl SsspCases {
    fn new(raw: BenchSsspArguments) -> Result<Self> {
        ensure!(raw.sources > 0, "--sources must be at least 1");
        ensure!(raw.common.peers.is_empty(), "--peers: there are none for shortest paths");
        if let Some(delta) = raw.delta {
            ensure!(delta > 0.0 && delta.is_finite(), "--delta {delta} must be a finite number above 0");
        }
        let graphs = raw.graphs.iter().map(|text| GraphSpec::new(text)).collect::<Result<_>>()?;
        let options = Options::new(raw.common)?;
        let there = |strategy: &Strategy| options.on_gpu() || Strategy::ON_CPU.contains(strategy);
        let strategies: Vec<Strategy> = distinct(raw.strategies).into_iter().filter(there).collect();
        ensure!(!strategies.is_empty(), "none of --strategies runs on {}", options.device.name());
        Ok(Self { options, graphs, strategies, sources: raw.sources, delta: raw.delta, seed: raw.seed })
    }
}

/// A run under way.
struct SsspRun<'a> {
    bench: &'a SsspCases,
    session: Session<'a>,
    /// The provenance of rows of the CPU.
    cpu: Provenance,
}

/// The times of a strategy in seconds, and whether all of its paths are right.
struct TimedStrategy {
    strategy: Strategy,
    on_gpu: bool,
    seconds: Vec<f64>,
    right: bool,
}

impl SsspRun<'_> {
    fn graph<W: Weight>(&mut self, spec: &GraphSpec, graph: &Graph<W>) -> Result<()> {
        let bench = self.bench;
        let options = &bench.options;
        let (on_host, placed) = (PlacedGraph::on_host(graph), PlacedGraph::new(&options.device, graph)?);
        let mut all: Vec<TimedStrategy> = Vec::new();
        for &strategy in &bench.strategies {
            let on_gpu = options.on_gpu() && Strategy::ON_GPU.contains(&strategy);
            all.push(TimedStrategy { strategy, on_gpu, seconds: Vec::new(), right: true });
        }
        let oracle =
            if bench.strategies.contains(&Strategy::Dijkstra) { Strategy::Dijkstra } else { Strategy::DeltaStepping };
        for (i, source) in sources(graph, bench.sources, bench.seed)?.into_iter().enumerate() {
            // The paths that all are compared with are proven by rules that do not depend on strategies.
            let expected = Sssp::from(source).strategy(oracle).predecessors().run(graph)?;
            let proof = expected.verify(graph);
            if let Err(error) = &proof {
                self.session.say(&format!("WRONG: {oracle} on {} from {source}: {error}", spec.name));
            }
            for timed in &mut all {
                self.session.progress.set_message(format!("{}, {}", spec.name, timed.strategy));
                let mut search = Sssp::from(source).strategy(timed.strategy);
                if let Some(delta) = bench.delta.filter(|_| timed.on_gpu) {
                    search = search.delta(delta);
                }
                let run = || if timed.on_gpu { &placed } else { &on_host }.run(&search);
                if i == 0 {
                    // Compiles kernels; warms up caches, clocks and memory.
                    run()?;
                }
                let sequential = timed.strategy == Strategy::Dijkstra;
                let most = if timed.on_gpu {
                    usize::MAX
                } else if sequential {
                    1
                } else {
                    CPU_RUNS
                };
                for _ in 0..options.runs.min(most) {
                    let paths = run()?;
                    timed.seconds.push(paths.time.as_secs_f64());
                    timed.right &= proof.is_ok() && paths.distances == expected.distances;
                }
                self.session.progress.inc(1);
            }
        }
        for timed in all {
            let TimedStrategy { strategy, on_gpu, seconds, right } = timed;
            let provenance = if on_gpu { &self.session.provenance } else { &self.cpu };
            let row = Row {
                method: Some(strategy.to_string()),
                graph: Some(spec.name.clone()),
                n: graph.arcs() as u64,
                key: Some(W::NAME.into()),
                verified: right,
                ..provenance.row("sssp", "multisplit")
            };
            self.session.emit(row.timed(Quartiles::of(seconds)))?;
        }
        Ok(())
    }
}

/// Draws vertices to start from, among those that have arcs.
fn sources<W: Weight>(graph: &Graph<W>, count: usize, seed: u64) -> Result<Vec<u32>> {
    ensure!(graph.arcs() > 0, "the graph has no arcs");
    let n = u64::from(graph.vertices());
    let draws = (0..).map(|i| between(0, n.into(), random(seed, i)) as u32);
    Ok(draws.filter(|&v| graph.degree(v) > 0).take(count).collect())
}
