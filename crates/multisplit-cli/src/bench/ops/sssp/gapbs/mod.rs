//! GAPBS as a peer: the delta-stepping of the GAP Benchmark Suite, on the same graph, sources and threads.

mod searches;
pub use searches::Searches;

use crate::bench::harness::key_types::PeerKind;
use crate::bench::harness::options::{Options, distinct};
use crate::bench::harness::peers::build::{Build, find_program};
use crate::bench::harness::row::Row;
use anyhow::{Context, Result, ensure};
use clap::Args;
use multisplit_graph::{Graph, Weight, auto_delta};
use std::ffi::OsString;
use std::path::{Path, PathBuf};

/// Where the sources are.
const HOME: &str = "https://github.com/sbeamer/gapbs";
/// The widths that are tried, in quarters of [`auto_delta`].
const QUARTERS: [f64; 7] = [1.0, 2.0, 4.0, 8.0, 16.0, 32.0, 64.0];

#[derive(Args, Clone, Debug, Default)]
pub struct GapbsArguments {
    /// With --peers gapbs: the folder of GAPBS, a clone of https://github.com/sbeamer/gapbs [default: $GAPBS].
    #[arg(long, value_name = "FOLDER", requires = "peers")]
    pub gapbs: Option<PathBuf>,
    /// With --peers gapbs: the widths of its buckets, separated by commas; each has a row [default: several, and a row
    /// of the fastest].
    #[arg(long, value_name = "WIDTHS", value_delimiter = ',', requires = "peers")]
    #[arg(value_parser = clap::value_parser!(u32).range(1..=i64::from(searches::UNREACHABLE)))]
    pub gapbs_deltas: Vec<u32>,
}

/// GAPBS, compiled.
pub struct Gapbs {
    program: PathBuf,
    /// The widths of its buckets that the user gave.
    deltas: Vec<u32>,
}

impl Gapbs {
    /// Compiles it, unless that was done before.
    pub fn build(raw: &GapbsArguments, options: &Options) -> Result<Self> {
        let folder = raw.gapbs.clone().or_else(|| variable("GAPBS").map(PathBuf::from));
        let folder =
            folder.with_context(|| format!("name its folder, a clone of {HOME}: --gapbs FOLDER, or $GAPBS"))?;
        let sources = sources(&folder)?;
        let compiler = variable("CXX").or_else(|| ["c++", "g++", "clang++"].iter().find_map(|name| in_path(name)));
        let compiler =
            compiler.context("it needs a C++ compiler with OpenMP: no c++, g++ or clang++ in PATH, nor $CXX")?;
        let mut variables = vec![("CXX", compiler), ("GAPBS", std::path::absolute(folder)?.into())];
        variables.extend(variable("CXXFLAGS").map(|flags| ("CXXFLAGS", flags)));
        let kind = PeerKind::Gapbs;
        let own_sources = options.peers_dir.join(kind.to_string());
        let build = Build { kind, sources: own_sources, others: Some(sources), variables, target: "" };
        Ok(Self { program: build.program()?, deltas: distinct(raw.gapbs_deltas.clone()) })
    }

    /// Starts searches on a graph, so many from each source and with each width.
    pub fn start<W: Weight>(&self, graph: &Graph<W>, runs: usize) -> Result<Searches> {
        let deltas = if self.deltas.is_empty() { default_deltas(graph) } else { self.deltas.clone() };
        Searches::start(&self.program, graph, deltas, runs)
    }

    /// Returns the rows to show: of the widths that the user gave, or that of the fastest right one.
    pub fn chosen(&self, rows: Vec<Row>) -> Vec<Row> {
        if !self.deltas.is_empty() {
            return rows;
        }
        let order = |a: &Row, b: &Row| b.verified.cmp(&a.verified).then(a.ms.total_cmp(&b.ms));
        rows.into_iter().min_by(order).into_iter().collect()
    }
}

/// Returns the sources in a folder of GAPBS.
fn sources(folder: &Path) -> Result<PathBuf> {
    ensure!(folder.is_dir(), "there is no folder {}: clone {HOME}, and name it by --gapbs or $GAPBS", folder.display());
    let sources = folder.join("src");
    for file in ["sssp.cc", "benchmark.h", "graph.h"] {
        ensure!(sources.join(file).is_file(), "{} has no src/{file}: it should be a clone of {HOME}", folder.display());
    }
    Ok(sources)
}

/// Returns a variable of the environment that is not empty.
fn variable(name: &str) -> Option<OsString> {
    std::env::var_os(name).filter(|value| !value.is_empty())
}

fn in_path(name: &str) -> Option<OsString> {
    find_program(name, []).map(OsString::from)
}

/// Returns widths around those that suit a graph.
fn default_deltas<W: Weight>(graph: &Graph<W>) -> Vec<u32> {
    let quarter = auto_delta(graph).to_f64() / 4.0;
    let width = |quarters: f64| (quarters * quarter).round().clamp(1.0, f64::from(searches::UNREACHABLE)) as u32;
    distinct(QUARTERS.map(width).to_vec())
}

#[cfg(test)]
mod tests {
    use super::*;
    use multisplit_graph::{Direction, generate};

    #[test]
    fn widths_around_that_of_the_graph() {
        let graph = |heaviest| {
            let edges = generate::grid(30, 30).unwrap().random_weights(heaviest..=heaviest, 1);
            Graph::<u32>::new(&edges, Direction::Undirected).unwrap()
        };
        let auto = auto_delta(&graph(1000));
        let widths = default_deltas(&graph(1000));
        assert!(widths.contains(&auto) && widths[0] < auto && widths[6] > 10 * auto, "{widths:?}");
        assert_eq!(default_deltas(&graph(0))[0], 1);
        assert!(default_deltas(&graph(u32::MAX)).iter().all(|&delta| delta <= searches::UNREACHABLE));
    }

    #[test]
    fn the_fastest_right_width() {
        let row = |delta, ms, verified| Row { delta: Some(delta), ms, verified, ..Row::default() };
        let rows = vec![row(1.0, 3.0, true), row(2.0, 2.0, true), row(3.0, 1.0, false)];
        let gapbs = |deltas: &[u32]| Gapbs { program: PathBuf::new(), deltas: deltas.to_vec() };
        assert_eq!(gapbs(&[]).chosen(rows.clone()), rows[1..2]);
        assert_eq!(gapbs(&[1, 2, 3]).chosen(rows.clone()), rows);
        assert_eq!(gapbs(&[]).chosen(Vec::new()), []);
    }
}
