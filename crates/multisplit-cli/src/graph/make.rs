//! Graphs made up.

use super::args::{GenerateArguments, Kind};
use anyhow::{Context, Result, ensure};
use multisplit_graph::{AnyGraph, Direction, EdgeList, Graph, generate};

pub fn graph(raw: &GenerateArguments) -> Result<AnyGraph> {
    let (least, most) = (raw.min_weight, raw.max_weight);
    ensure!(least <= most, "--min-weight {least} is more than --max-weight {most}");
    let direction = if raw.directed { Direction::Directed } else { Direction::Undirected };
    let edges = edges(&raw.kind, raw.seed)?.random_weights(least..=most, raw.seed);
    Ok(AnyGraph::U32(Graph::new(&edges, direction)?))
}

fn edges(kind: &Kind, seed: u64) -> Result<EdgeList> {
    let edges = match *kind {
        Kind::Rmat { vertices, edges, ref shape } => {
            let shape = shape.as_slice().try_into().ok().context("--shape takes four probabilities")?;
            generate::rmat(small(vertices)?, edges as u64, shape, seed)
        }
        Kind::ErdosRenyi { vertices, edges } => generate::erdos_renyi(small(vertices)?, edges as u64, seed),
        Kind::Grid { width, height } => generate::grid(small(width)?, small(height)?),
        Kind::Star { vertices } => generate::star(small(vertices)?),
        Kind::Path { vertices } => generate::path(small(vertices)?),
        Kind::Clique { vertices } => generate::clique(small(vertices)?),
    };
    Ok(edges?)
}

fn small(vertices: usize) -> Result<u32> {
    u32::try_from(vertices).ok().with_context(|| format!("{vertices} is too many: a graph has up to 2^32 - 1 vertices"))
}
