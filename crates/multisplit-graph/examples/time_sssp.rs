//! Times delta-stepping on the CPU, from several sources and with several widths of buckets.
//!
//! ```text
//! time_sssp GRAPH [--threads N] [--deltas auto,64,...] [--runs N] [--sources N] [--wsg FILE] [--list]
//! ```
//!
//! `GRAPH` is a file, or `rmat:VERTICES,EDGES`. Every result is compared with Dijkstra's algorithm once. For each width
//! the least and the median time of a source are averaged over the sources. `--wsg` writes the graph as the GAP
//! Benchmark Suite reads it, and `--list` prints the sources and nothing else, so that a script can time both.

use multisplit_graph::read::GraphReader;
use multisplit_graph::{AnyGraph, Direction, Graph, Sssp, Strategy, generate};
use std::error::Error;
use std::fs::File;
use std::io::{BufWriter, Write};

type Result<T> = std::result::Result<T, Box<dyn Error + Send + Sync>>;

fn main() -> Result<()> {
    let options = Options::parse()?;
    rayon::ThreadPoolBuilder::new().num_threads(options.threads).build()?.install(|| run(&options))
}

struct Options {
    graph: String,
    threads: usize,
    deltas: Vec<Option<f64>>,
    runs: usize,
    sources: u32,
    wsg: Option<String>,
    list: bool,
}

impl Options {
    fn parse() -> Result<Self> {
        let mut arguments = std::env::args().skip(1);
        let graph = arguments.next().ok_or("which graph?")?;
        let (wsg, list) = (None, false);
        let mut options = Self { graph, threads: 0, deltas: vec![None], runs: 9, sources: 3, wsg, list };
        while let Some(name) = arguments.next() {
            let mut value = || arguments.next().ok_or(format!("{name} needs a value"));
            match name.as_str() {
                "--threads" => options.threads = value()?.parse()?,
                "--runs" => options.runs = value()?.parse()?,
                "--sources" => options.sources = value()?.parse()?,
                "--wsg" => options.wsg = Some(value()?),
                "--list" => options.list = true,
                "--deltas" => {
                    let width = |word: &str| if word == "auto" { Ok(None) } else { word.parse().map(Some) };
                    options.deltas = value()?.split(',').map(width).collect::<std::result::Result<_, _>>()?;
                }
                _ => return Err(format!("{name} is no option").into()),
            }
        }
        Ok(options)
    }
}

fn run(options: &Options) -> Result<()> {
    let graph = load(&options.graph)?;
    if let Some(path) = &options.wsg {
        write_wsg(&graph, path)?;
    }
    let sources = sources(&graph, options.sources)?;
    if options.list {
        println!("{}", sources.iter().map(u32::to_string).collect::<Vec<_>>().join(" "));
        return Ok(());
    }
    println!(
        "{}: {} vertices, {} arcs, {} threads, {} sources, {} runs each",
        options.graph,
        graph.vertices(),
        graph.arcs(),
        rayon::current_num_threads(),
        sources.len(),
        options.runs
    );
    let oracles = sources.iter().map(|&source| Sssp::from(source).strategy(Strategy::Dijkstra).run(&graph));
    let oracles = oracles.collect::<multisplit_graph::Result<Vec<_>>>()?;
    for &delta in &options.deltas {
        let (mut least, mut median, mut rounds, mut relaxed, mut width) = (0.0, 0.0, 0, 0, 0);
        for oracle in &oracles {
            let search = delta.into_iter().fold(Sssp::from(oracle.source), Sssp::delta);
            let mut times = Vec::new();
            for _ in 0..options.runs.max(1) {
                let paths = search.run(&graph)?;
                if times.is_empty() && paths.distances != oracle.distances {
                    return Err(format!("wrong distances from {} with {delta:?}", oracle.source).into());
                }
                times.push(1e3 * paths.time.as_secs_f64());
                (rounds, relaxed) = (rounds + paths.iterations, relaxed + paths.relaxed);
                width = paths.delta.unwrap_or_default();
            }
            times.sort_by(f64::total_cmp);
            least += times[0] / sources.len() as f64;
            median += times[times.len() / 2] / sources.len() as f64;
        }
        let searches = (sources.len() * options.runs.max(1)) as u64;
        println!(
            "{:<5} delta {width:>7}: least {least:>8.3} ms, median {median:>8.3} ms, {:>7} rounds, {:>5.3} of the arcs",
            if delta.is_none() { "auto" } else { "given" },
            rounds / searches,
            relaxed as f64 / searches as f64 / graph.arcs() as f64
        );
    }
    Ok(())
}

/// A graph of integer weights, from a file or generated.
fn load(name: &str) -> Result<Graph<u32>> {
    if let Some(sizes) = name.strip_prefix("rmat:") {
        let (vertices, edges) = sizes.split_once(',').ok_or("rmat:VERTICES,EDGES")?;
        let edges = generate::rmat(vertices.parse()?, edges.parse()?, [0.5, 0.1, 0.1, 0.3], 1)?;
        return Ok(Graph::new(&edges.random_weights(0..=1000, 1), Direction::Undirected)?);
    }
    match GraphReader::new().seed(1).open(name)?.graph {
        AnyGraph::U32(graph) => Ok(graph),
        AnyGraph::F32(_) => Err("the weights are not integers".into()),
    }
}

/// Vertices at equal distances in the order of numbers, among those that the vertex with the most arcs reaches.
fn sources(graph: &Graph<u32>, count: u32) -> Result<Vec<u32>> {
    let hub = (0..graph.vertices()).max_by_key(|&v| graph.degree(v)).ok_or("a graph without vertices")?;
    let known = Sssp::from(hub).run(graph)?;
    let from = |i: u32| (u64::from(graph.vertices()) * u64::from(i) / u64::from(count)) as u32;
    let source = |i: u32| (from(i)..graph.vertices()).find(|&v| known.distance(v).is_some()).unwrap_or(hub);
    Ok((0..count).map(source).collect())
}

/// The graph in the binary format of the GAP Benchmark Suite: whether it is directed, the numbers of arcs and vertices,
/// offsets, then target and weight of each arc. It is said to be undirected, as reverse arcs would follow otherwise.
fn write_wsg(graph: &Graph<u32>, path: &str) -> Result<()> {
    let mut to = BufWriter::new(File::create(path)?);
    to.write_all(&[0])?;
    to.write_all(&(graph.arcs() as u64).to_le_bytes())?;
    to.write_all(&u64::from(graph.vertices()).to_le_bytes())?;
    for &offset in graph.offsets() {
        to.write_all(&u64::from(offset).to_le_bytes())?;
    }
    for (target, weight) in graph.targets().iter().zip(graph.weights()) {
        to.write_all(&target.to_le_bytes())?;
        to.write_all(&weight.to_le_bytes())?;
    }
    Ok(to.flush()?)
}
