//! Graphs to time, by name.

use crate::shared::arguments::count;
use crate::shared::graph_file;
use crate::shared::graph_file::GraphArguments;
use anyhow::{Context, Result, anyhow, ensure};
use multisplit_graph::{AnyGraph, Direction, Graph, generate};
use std::path::PathBuf;

/// The probabilities of the paper's R-MAT graphs.
const RMAT: [f64; 4] = [0.5, 0.1, 0.1, 0.3];
/// The largest weight in the paper.
const HEAVIEST: u32 = 1000;

/// A graph that can be read or generated.
#[derive(Clone, Debug, PartialEq)]
pub struct GraphSpec {
    /// As typed; for a file, its name alone.
    pub name: String,
    source: GraphSource,
}

#[derive(Clone, Debug, PartialEq)]
enum GraphSource {
    File(PathBuf),
    Rmat(u32, u64),
    ErdosRenyi(u32, u64),
    Grid(u32, u32),
}

impl GraphSpec {
    /// Parses a specification.
    pub fn new(text: &str) -> Result<Self> {
        let made = text
            .split_once(':')
            .and_then(|(kind, sizes)| ["rmat", "erdos-renyi", "grid"].contains(&kind).then_some((kind, sizes)));
        let Some((kind, sizes)) = made else {
            let path = PathBuf::from(text);
            let name = path.file_name().map_or_else(|| text.into(), |name| name.to_string_lossy().into_owned());
            return Ok(Self { name, source: GraphSource::File(path) });
        };
        let sizes: Vec<usize> = sizes
            .split(',')
            .map(|size| count(size).map_err(|reason| anyhow!("{text}: {reason}")))
            .collect::<Result<_>>()?;
        ensure!(sizes.len() == 2, "{text}: {kind} takes two numbers, such as {kind}:1000,2000");
        let first = u32::try_from(sizes[0]).with_context(|| format!("{text}: too many vertices"))?;
        let source = match kind {
            "rmat" => GraphSource::Rmat(first, sizes[1] as u64),
            "erdos-renyi" => GraphSource::ErdosRenyi(first, sizes[1] as u64),
            _ => GraphSource::Grid(first, u32::try_from(sizes[1]).with_context(|| format!("{text}: too many rows"))?),
        };
        Ok(Self { name: text.into(), source })
    }

    /// Reads or generates the graph, undirected. Missing weights are drawn.
    pub fn graph(&self, seed: u64) -> Result<AnyGraph> {
        let edges = match &self.source {
            GraphSource::File(path) => {
                return Ok(graph_file::load(&GraphArguments::of(path, seed))?.graph);
            }
            GraphSource::Rmat(vertices, edges) => generate::rmat(*vertices, *edges, RMAT, seed),
            GraphSource::ErdosRenyi(vertices, edges) => generate::erdos_renyi(*vertices, *edges, seed),
            GraphSource::Grid(width, height) => generate::grid(*width, *height),
        };
        let edges = edges?.random_weights(0..=HEAVIEST, seed);
        Ok(AnyGraph::U32(Graph::new(&edges, Direction::Undirected)?))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn specs() {
        assert_eq!(GraphSpec::new("rmat:2^22,2^26").unwrap().source, GraphSource::Rmat(1 << 22, 1 << 26));
        assert_eq!(GraphSpec::new("grid:30,40").unwrap().source, GraphSource::Grid(30, 40));
        assert_eq!(GraphSpec::new("some/road.gr.xz").unwrap().name, "road.gr.xz");
        for bad in ["rmat:5", "grid:1,2,3", "erdos-renyi:x,5", "rmat:2^40,1"] {
            assert!(GraphSpec::new(bad).is_err(), "{bad}");
        }
    }
}
