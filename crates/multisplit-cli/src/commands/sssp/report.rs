//! The summary of a search.

use super::options::SearchOptions;
use anyhow::Result;
use multisplit_graph::read::Labels;
use multisplit_graph::{Graph, Paths, Weight};
use std::io::Write;

/// Writes what was found, and how long it took.
pub fn summary<W: Weight>(
    out: &mut impl Write,
    options: &SearchOptions,
    graph: &Graph<W>,
    labels: &Labels,
    paths: &Paths<W>,
) -> Result<()> {
    let label = |v: u32| labels.label(v).unwrap_or_default();
    write!(out, "Shortest paths from {} by {}", label(paths.source), paths.strategy)?;
    if let Some(delta) = paths.delta {
        write!(out, ", delta {delta}")?;
    }
    if options.on_gpu() {
        writeln!(out, ", on {}:", options.device.info())?;
    } else {
        writeln!(out, ", {} threads available:", rayon::current_num_threads())?;
    }

    let reached = paths.reached();
    let share = 100.0 * reached as f64 / f64::from(graph.vertices());
    writeln!(out, "  reached      {reached} of {} vertices ({share:.1} %)", graph.vertices())?;
    let known = (0..graph.vertices()).filter_map(|v| Some((v, paths.distance(v)?)));
    if let Some((v, distance)) = known.reduce(|far, one| if one.1 > far.1 { one } else { far }) {
        writeln!(out, "  farthest     {}, at distance {distance}", label(v))?;
    }
    let each = paths.relaxed as f64 / graph.arcs().max(1) as f64;
    writeln!(out, "  iterations   {}", paths.iterations)?;
    writeln!(out, "  relaxed      {} arcs, {each:.2} for each of the graph", paths.relaxed)?;
    let of_runs = if options.runs == 1 && options.on_gpu() {
        ", with the compilation of kernels; more --runs are without".into()
    } else if options.runs > 1 {
        format!(", the median of {} runs", options.runs)
    } else {
        String::new()
    };
    let (ms, mteps) = (1e3 * paths.time.as_secs_f64(), 1e-6 * paths.teps(graph));
    writeln!(out, "  time         {ms:.2} ms{of_runs}: {mteps:.1} million arcs of the graph per second (MTEPS)")?;
    if options.verify {
        writeln!(out, "  verified     no arc is a shorter way, and every distance is that of a path")?;
    }
    Ok(())
}
