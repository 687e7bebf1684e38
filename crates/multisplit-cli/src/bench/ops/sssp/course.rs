//! The course of the benchmark on one graph: what is timed, how often, and what it is compared with.

use super::SsspCases;
use super::gapbs::{Gapbs, Searches};
use super::graphs::GraphSpec;
use crate::bench::harness::key_types::PeerKind;
use crate::bench::harness::provenance::Provenance;
use crate::bench::harness::row::{Row, round};
use crate::bench::harness::session::Session;
use crate::shared::placed_graph::PlacedGraph;
use crate::shared::random::{between, random};
use crate::shared::timing::Quartiles;
use anyhow::{Error, Result, ensure};
use multisplit::Device;
use multisplit_graph::{Graph, Sssp, Strategy, Weight};

/// How often the CPU searches from each source, by strategies that are not sequential and by peers.
const CPU_RUNS: usize = 3;

/// A run under way.
pub struct SsspRun<'a> {
    bench: &'a SsspCases,
    session: Session<'a>,
    /// The provenance of rows of the CPU.
    cpu: Provenance,
    peer: Option<Gapbs>,
}

/// The times of a strategy in seconds, and whether all of its paths are right.
struct TimedStrategy {
    strategy: Strategy,
    on_gpu: bool,
    delta: Option<f64>,
    seconds: Vec<f64>,
    right: bool,
}

impl TimedStrategy {
    /// Whether it runs on all threads of the CPU.
    fn is_parallel_on_cpu(&self) -> bool {
        !self.on_gpu && self.strategy != Strategy::Dijkstra
    }

    /// How often it is timed from each source: what is slow, less often.
    fn runs(&self, most: usize) -> usize {
        match (self.on_gpu, self.strategy) {
            (true, _) => most,
            (false, Strategy::Dijkstra) => 1,
            (false, _) => most.min(CPU_RUNS),
        }
    }
}

impl<'a> SsspRun<'a> {
    pub fn new(bench: &'a SsspCases, session: Session<'a>, peer: Option<Gapbs>) -> Self {
        Self { bench, session, cpu: bench.options.provenance(&Device::cpu()), peer }
    }

    /// Returns whether an earlier part of the run searched this graph by every strategy. Its steps are done then.
    pub fn is_known(&self, spec: &GraphSpec) -> bool {
        let Some(batch) = &self.bench.options.batch else { return false };
        let rows = batch.rows();
        let is_known = |strategy: &Strategy| {
            let is_it = |row: &Row| {
                (row.graph.as_ref(), row.method.as_deref()) == (Some(&spec.name), Some(&*strategy.to_string()))
            };
            rows.iter().any(is_it)
        };
        let all = self.bench.strategies.iter().all(is_known);
        if all {
            self.session.skip(self.bench.steps_of_graph());
        }
        all
    }

    /// Shows what is being done.
    pub fn show(&self, message: String) {
        self.session.progress.set_message(message);
    }

    pub fn finish(self) -> Result<()> {
        self.session.finish()
    }

    /// Times all strategies and the peer on a graph, and writes their rows.
    pub fn graph<W: Weight>(&mut self, spec: &GraphSpec, graph: &Graph<W>) -> Result<()> {
        let bench = self.bench;
        let options = &bench.options;
        let (on_host, placed) = (PlacedGraph::on_host(graph), PlacedGraph::new(&options.device, graph)?);
        let mut all: Vec<TimedStrategy> = Vec::new();
        for &strategy in &bench.strategies {
            let on_gpu = options.on_gpu() && Strategy::ON_GPU.contains(&strategy);
            all.push(TimedStrategy { strategy, on_gpu, delta: None, seconds: Vec::new(), right: true });
        }
        let (mut peer, mut proven) = (self.start_peer(spec, graph), true);
        let oracle =
            if bench.strategies.contains(&Strategy::Dijkstra) { Strategy::Dijkstra } else { Strategy::DeltaStepping };
        for (i, source) in sources(graph, bench.sources, bench.seed)?.into_iter().enumerate() {
            // The paths that all are compared with are proven by rules that do not depend on strategies.
            let expected = Sssp::from(source).strategy(oracle).predecessors().run(graph)?;
            let proof = expected.verify(graph);
            if let Err(error) = &proof {
                self.session.complain(&format!("WRONG: {oracle} on {} from {source}: {error}", spec.name));
            }
            for timed in &mut all {
                self.show(format!("{}, {}", spec.name, timed.strategy));
                let mut search = Sssp::from(source).strategy(timed.strategy);
                if let Some(delta) = bench.delta.filter(|_| timed.on_gpu) {
                    search = search.delta(delta);
                }
                let run = || if timed.on_gpu { &placed } else { &on_host }.run(&search);
                if i == 0 || timed.is_parallel_on_cpu() {
                    // Compiles kernels; warms up clocks, memory and caches, which on the CPU another strategy has used.
                    run()?;
                }
                for _ in 0..timed.runs(options.runs) {
                    let paths = run()?;
                    timed.seconds.push(paths.time.as_secs_f64());
                    timed.right &= proof.is_ok() && paths.distances == expected.distances;
                    timed.delta = paths.delta.map(|delta| round(delta.to_f64()));
                }
                self.session.advance(1);
            }
            proven &= proof.is_ok();
            if let Some(mut searches) = peer.take() {
                self.show(format!("{}, {}", spec.name, PeerKind::Gapbs));
                match searches.search(&expected) {
                    Ok(()) => peer = Some(searches),
                    Err(error) => self.without_peer(spec, error),
                }
                self.session.advance(1);
            }
        }
        if let Some(searches) = peer {
            self.finish_peer(spec, searches, proven)?;
        }
        for timed in all {
            let TimedStrategy { strategy, on_gpu, delta, seconds, right } = timed;
            let provenance = if on_gpu { &self.session.provenance } else { &self.cpu };
            let row = Row {
                method: Some(strategy.to_string()),
                graph: Some(spec.name.clone()),
                delta,
                n: graph.arcs() as u64,
                key: Some(W::NAME.into()),
                verified: right,
                ..provenance.row("sssp", "multisplit")
            };
            self.session.emit(row.timed(Quartiles::of(seconds)))?;
        }
        Ok(())
    }

    /// Gives the graph to the peer, if there is one that takes it.
    fn start_peer<W: Weight>(&mut self, spec: &GraphSpec, graph: &Graph<W>) -> Option<Searches> {
        let started = self.peer.as_ref()?.start(graph, self.bench.options.runs.min(CPU_RUNS));
        started.map_err(|error| self.without_peer(spec, error)).ok()
    }

    /// Writes the rows of the peer.
    fn finish_peer(&mut self, spec: &GraphSpec, searches: Searches, proven: bool) -> Result<()> {
        let rows = match searches.finish() {
            Ok(rows) => rows,
            Err(error) => {
                self.without_peer(spec, error);
                return Ok(());
            }
        };
        let times = rows.iter().map(|row| format!("{}: {:.3}", row.delta.unwrap_or_default(), row.ms));
        let times: Vec<String> = times.collect();
        self.session.say(&format!("gapbs on {}, ms by delta: {}", spec.name, times.join(", ")));
        let rows = self.peer.as_ref().map_or_else(Vec::new, |peer| peer.chosen(rows));
        for row in rows {
            let row = Row { graph: Some(spec.name.clone()), verified: row.verified && proven, ..row };
            self.session.emit(self.cpu.sign(row))?;
        }
        Ok(())
    }

    fn without_peer(&mut self, spec: &GraphSpec, reason: Error) {
        self.session.without(PeerKind::Gapbs, &reason.context(format!("on {}", spec.name)));
    }
}

/// Draws vertices to start from, among those that have arcs.
fn sources<W: Weight>(graph: &Graph<W>, count: usize, seed: u64) -> Result<Vec<u32>> {
    ensure!(graph.arcs() > 0, "the graph has no arcs");
    let n = u64::from(graph.vertices());
    let draws = (0..).map(|i| between(0, n.into(), random(seed, i)) as u32);
    Ok(draws.filter(|&v| graph.degree(v) > 0).take(count).collect())
}
