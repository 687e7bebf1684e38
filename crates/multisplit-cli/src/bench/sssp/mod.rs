//! `bench sssp`: graphs, strategies, sources.

mod plan;
mod spec;
mod table;

pub use plan::Plan;
pub use table::PathTable;

use super::output::Shown;
use super::provenance::Provenance;
use super::row::Row;
use super::session::Session;
use crate::shared::timing::median;
use anyhow::{Context, Result, ensure};
use multisplit::Device;
use multisplit_graph::{AnyGraph, DeviceGraph, Graph, Sssp, Strategy, Weight};
use spec::Spec;

/// How often the CPU searches from each source, by strategies that are not sequential.
const CPU_RUNS: usize = 3;

pub fn run(plan: &Plan) -> Result<()> {
    let steps = plan.graphs.len() * plan.sources * plan.strategies.len();
    let session = Session::new(&plan.setting, steps as u64, Shown::Paths)?;
    let mut run = Run { plan, session, cpu: Provenance::new(&Device::cpu()) };
    for spec in &plan.graphs {
        run.session.progress.set_message(format!("making or reading {}", spec.name));
        match spec.graph(plan.seed)? {
            AnyGraph::U32(graph) => run.graph(spec, &graph),
            AnyGraph::F32(graph) => run.graph(spec, &graph),
        }
        .with_context(|| spec.name.clone())?;
    }
    run.session.finish()
}

/// A run under way.
struct Run<'a> {
    plan: &'a Plan,
    session: Session<'a>,
    /// Of rows that are the CPU's.
    cpu: Provenance,
}

/// What a strategy took, in seconds, and whether all that it found was right.
struct Timed {
    strategy: Strategy,
    on_gpu: bool,
    seconds: Vec<f64>,
    right: bool,
}

impl Run<'_> {
    fn graph<W: Weight>(&mut self, spec: &Spec, graph: &Graph<W>) -> Result<()> {
        let plan = self.plan;
        let setting = &plan.setting;
        let on_gpu = setting.on_gpu().then(|| DeviceGraph::new(&setting.device, graph)).transpose()?;
        let mut all: Vec<Timed> = Vec::new();
        for &strategy in &plan.strategies {
            let on_gpu = on_gpu.is_some() && Strategy::ON_GPU.contains(&strategy);
            all.push(Timed { strategy, on_gpu, seconds: Vec::new(), right: true });
        }
        let oracle =
            if plan.strategies.contains(&Strategy::Dijkstra) { Strategy::Dijkstra } else { Strategy::DeltaStepping };
        for (i, source) in sources(graph, plan.sources, plan.seed)?.into_iter().enumerate() {
            // What all are compared with is proven by rules that know nothing of strategies.
            let expected = Sssp::from(source).strategy(oracle).predecessors().run(graph)?;
            let proof = expected.verify(graph);
            if let Err(error) = &proof {
                self.session.say(&format!("WRONG: {oracle} on {} from {source}: {error}", spec.name));
            }
            for timed in &mut all {
                self.session.progress.set_message(format!("{}, {}", spec.name, timed.strategy));
                let mut search = Sssp::from(source).strategy(timed.strategy);
                if let Some(delta) = plan.delta.filter(|_| timed.on_gpu) {
                    search = search.delta(delta);
                }
                let gpu = on_gpu.as_ref().filter(|_| timed.on_gpu);
                let run = || gpu.map_or_else(|| search.run(graph), |on_gpu| search.run_on(on_gpu));
                if i == 0 {
                    // Kernels are compiled; caches, clocks and memory wake up.
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
                for _ in 0..setting.runs.min(most) {
                    let paths = run()?;
                    timed.seconds.push(paths.time.as_secs_f64());
                    timed.right &= proof.is_ok() && paths.distances == expected.distances;
                }
                self.session.progress.inc(1);
            }
        }
        for timed in all {
            let Timed { strategy, on_gpu, seconds, right } = timed;
            let provenance = if on_gpu { &self.session.provenance } else { &self.cpu };
            let row = Row {
                method: Some(strategy.to_string()),
                graph: Some(spec.name.clone()),
                n: graph.arcs() as u64,
                key: Some(W::NAME.into()),
                verified: right,
                ..provenance.row("sssp", "multisplit")
            };
            self.session.emit(row.timed(median(seconds)))?;
        }
        Ok(())
    }
}

/// Vertices to start from: drawn among those that have arcs.
fn sources<W: Weight>(graph: &Graph<W>, count: usize, seed: u64) -> Result<Vec<u32>> {
    ensure!(graph.arcs() > 0, "the graph has no arcs");
    let n = u64::from(graph.vertices());
    let mut state = seed;
    let mut draw = || {
        // SplitMix64.
        state = state.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = state;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        ((u128::from(z ^ (z >> 31)) * u128::from(n)) >> 64) as u32
    };
    let mut found = Vec::new();
    while found.len() < count {
        let v = draw();
        if graph.degree(v) > 0 {
            found.push(v);
        }
    }
    Ok(found)
}
