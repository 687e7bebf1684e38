//! `multisplit graph info`: what a graph is like.

use super::degrees::{Degrees, Spread};
use crate::shared::facts::{Facts, JsonArgument};
use crate::shared::graph_file::{self, GraphArguments};
use crate::shared::progress;
use anyhow::Result;
use clap::Args;
use multisplit_graph::read::Loaded;
use multisplit_graph::{AnyGraph, Graph, Weight};
use std::io::{self, Write};

#[derive(Args, Clone, Debug)]
pub struct InfoArguments {
    #[command(flatten)]
    pub input: GraphArguments,
    /// Count what can be reached from this vertex, as the file calls it [default: the first].
    #[arg(short, long, value_name = "VERTEX")]
    pub source: Option<u64>,
    #[command(flatten)]
    pub json: JsonArgument,
}

/// Runs `multisplit graph info`.
pub fn run(raw: &InfoArguments) -> Result<()> {
    let loaded = graph_file::load(&raw.input)?;
    let source = raw.source.map(|label| graph_file::vertex(&loaded, "--source", label)).transpose()?;
    let stage = progress::stage("looking at the graph");
    if raw.json.json {
        let facts = facts(graph_file::facts(Facts::of("graph info"), &raw.input, &loaded), &loaded, source)?;
        drop(stage);
        return Ok(facts.write(&mut io::stdout())?);
    }
    let mut text = Vec::new();
    writeln!(text, "{}", graph_file::describe(&raw.input, &loaded))?;
    describe(&mut text, &loaded, source)?;
    drop(stage);
    Ok(io::stdout().write_all(&text)?)
}

/// Adds what a graph is like.
fn facts(facts: Facts, loaded: &Loaded, source: Option<u32>) -> Result<Facts> {
    let (graph, n) = (&loaded.graph, loaded.graph.vertices());
    let facts = facts.with("symmetric", graph.is_symmetric()?);
    if n == 0 {
        return Ok(facts);
    }
    let label = |v: u32| loaded.labels.label(v).unwrap_or_default();
    let (degrees, components) = (Degrees::of(graph), graph.components()?);
    let spread = |numbers: &[u32]| {
        let spread = Spread::of(numbers);
        Facts::none()
            .with("least", spread.as_ref().map(|spread| spread.least))
            .with("median", spread.as_ref().map(|spread| spread.median))
            .with("most", spread.as_ref().map(|spread| spread.most))
            .with("mean", graph.arcs() as f64 / f64::from(n))
    };
    let largest = components.largest().unwrap_or_default();
    let from = source.unwrap_or(0);
    Ok(facts
        .with("first_vertex", label(0))
        .with("last_vertex", label(n - 1))
        .with("loops", degrees.loops)
        .with("parallel_arcs", degrees.parallel)
        .with_facts("degrees_out", &spread(&degrees.out))
        .with_facts("degrees_in", &spread(&degrees.into))
        .with("isolated", degrees.isolated())
        .with("mean_weight", mean_weight(graph))
        .with("components", components.count())
        .with("largest_component", components.size_of(largest))
        .with("in_largest_component", label(largest))
        .with("source", label(from))
        .with("reachable", graph.reachable(from)?))
}

/// Returns the mean of the weights, if there are some.
fn mean_weight(graph: &AnyGraph) -> Option<f64> {
    let mean = match graph {
        AnyGraph::U32(graph) => graph.mean_weight(),
        AnyGraph::F32(graph) => graph.mean_weight(),
    };
    (graph.arcs() > 0).then_some(mean)
}

fn describe(out: &mut impl Write, loaded: &Loaded, source: Option<u32>) -> Result<()> {
    let (graph, n) = (&loaded.graph, loaded.graph.vertices());
    let label = |v: u32| loaded.labels.label(v).unwrap_or_default();
    let mut line = |name: &str, text: String| writeln!(out, "  {name:<12} {text}");
    let is_symmetric = graph.is_symmetric()?;
    line("symmetric", if is_symmetric { "yes: every arc has one back of the same weight" } else { "no" }.into())?;
    if n == 0 {
        return Ok(line("vertices", "0".into())?);
    }
    line("vertices", format!("{n}, called {} to {}{}", label(0), label(n - 1), gaps(loaded)))?;
    let degrees = Degrees::of(graph);
    line("arcs", format!("{}; loops: {}, parallel to another: {}", graph.arcs(), degrees.loops, degrees.parallel))?;
    let mean = graph.arcs() as f64 / f64::from(n);
    let spread = |numbers: &[u32]| {
        let Spread { least, median, most } = Spread::of(numbers).unwrap_or(Spread { least: 0, median: 0.0, most: 0 });
        format!("{least} to {most}, median {median}, mean {mean:.2}")
    };
    if is_symmetric {
        line("degrees", spread(&degrees.out))?;
    } else {
        line("degrees out", spread(&degrees.out))?;
        line("degrees in", spread(&degrees.into))?;
    }
    line("isolated", format!("{} of the vertices have no arcs", degrees.isolated()))?;
    line("weights", weights(graph))?;
    let components = graph.components()?;
    let largest = components.largest().unwrap_or_default();
    let (size, with) = (components.size_of(largest), label(largest));
    let share = 100.0 * f64::from(size) / f64::from(n);
    line(
        "components",
        format!(
            "{}, arcs taken both ways; the largest has {size} vertices ({share:.1} %), {with} among them",
            components.count()
        ),
    )?;
    let from = source.unwrap_or(0);
    let reachable = graph.reachable(from)?;
    let share = 100.0 * reachable as f64 / f64::from(n);
    line("reachable", format!("{reachable} of {n} vertices from {} ({share:.1} %)", label(from)))?;
    Ok(())
}

/// Says that names of vertices have gaps.
fn gaps(loaded: &Loaded) -> &'static str {
    let last = loaded.graph.vertices() - 1;
    let [from, to] = [0, last].map(|v| loaded.labels.label(v).unwrap_or_default());
    if to - from == u64::from(last) { "" } else { ", with gaps" }
}

fn weights(graph: &AnyGraph) -> String {
    fn of<W: Weight>(graph: &Graph<W>) -> String {
        let least = graph.weights().iter().copied().reduce(|least, one| if one < least { one } else { least });
        match least {
            Some(least) => {
                let mean = graph.mean_weight();
                let mean = if mean >= 0.01 { format!("{mean:.2}") } else { format!("{mean:.2e}") };
                format!("{}, from {least} to {}, mean {mean}", W::NAME, graph.max_weight())
            }
            None => format!("{}, none", W::NAME),
        }
    }
    match graph {
        AnyGraph::U32(graph) => of(graph),
        AnyGraph::F32(graph) => of(graph),
    }
}
