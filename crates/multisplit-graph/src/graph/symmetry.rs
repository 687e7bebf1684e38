//! Whether every arc has one back, as in the graph of undirected edges.

use super::build;
use super::csr::{AnyGraph, Graph};
use super::edges::{Direction, EdgeList};
use super::memory;
use super::weight::Weight;
use crate::error::Result;

impl AnyGraph {
    /// Whether every arc has one back of the same weight, parallel arcs as many as there are. A loop is its own.
    ///
    /// # Errors
    /// [`Error::OutOfMemory`](crate::Error::OutOfMemory).
    pub fn is_symmetric(&self) -> Result<bool> {
        match self {
            Self::U32(graph) => of_any(graph),
            Self::F32(graph) => of_any(graph),
        }
    }
}

fn of_any<W: Weight>(graph: &Graph<W>) -> Result<bool> {
    let (offsets, targets, weights) = (graph.offsets(), graph.targets(), graph.weights());
    let arc = |i: usize| (targets[i], weights[i].to_ordered());
    let is_sorted = |row: &[u32]| (row[0] as usize..row[1] as usize).is_sorted_by_key(arc);
    if offsets.windows(2).all(is_sorted) {
        return of_sorted(offsets, targets, weights);
    }
    let mut ends = memory::with_room(targets.len())?;
    for v in 0..graph.vertices() {
        ends.extend(graph.arcs_of(v).map(|(to, _)| [v, to]));
    }
    let edges = EdgeList::weighted(graph.vertices(), ends, weights.to_vec())?;
    let (offsets, targets, weights) = build::build(&edges, Direction::Directed)?;
    of_sorted(&offsets, &targets, &weights)
}

/// Arcs are taken in the order of their origins. Those back come in the order of their targets then, so that each is
/// the next of its row.
fn of_sorted<W: Weight>(offsets: &[u32], targets: &[u32], weights: &[W]) -> Result<bool> {
    let mut next = memory::fill(offsets.len() - 1, |v| offsets[v])?;
    for (v, row) in offsets.windows(2).enumerate() {
        for arc in row[0] as usize..row[1] as usize {
            let to = targets[arc] as usize;
            let back = next[to] as usize;
            if next[to] == offsets[to + 1] || targets[back] as usize != v || weights[back] != weights[arc] {
                return Ok(false);
            }
            next[to] += 1;
        }
    }
    Ok(true)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::generate;

    #[test]
    fn undirected_graphs_are_symmetric() {
        for edges in [generate::star(50), generate::rmat(60, 900, [0.5, 0.1, 0.1, 0.3], 1), generate::grid(7, 8)] {
            // Few weights, and many parallel arcs and loops.
            let edges = edges.unwrap().random_weights(0..=1, 3);
            let is_symmetric =
                |direction| AnyGraph::U32(Graph::new(&edges, direction).unwrap()).is_symmetric().unwrap();
            assert!(is_symmetric(Direction::Undirected));
            assert!(!is_symmetric(Direction::Directed));
        }
    }

    #[test]
    fn arcs_back_weigh_the_same_and_are_as_many() {
        let of = |offsets: &[u32], targets: &[u32], weights: &[f32]| {
            let graph = Graph::from_csr(offsets.to_vec(), targets.to_vec(), weights.to_vec()).unwrap();
            AnyGraph::F32(graph).is_symmetric().unwrap()
        };
        assert!(of(&[0], &[], &[]) && of(&[0, 0, 0], &[], &[]) && of(&[0, 1], &[0], &[5.0]));
        assert!(of(&[0, 1, 2], &[1, 0], &[1.5, 1.5]));
        assert!(!of(&[0, 1, 2], &[1, 0], &[1.5, 2.5]));
        assert!(!of(&[0, 2, 3], &[1, 1, 0], &[1.0, 1.0, 1.0]));
        // In any order.
        assert!(of(&[0, 3, 5, 6], &[2, 1, 1, 0, 0, 0], &[7.0, 1.0, 2.0, 2.0, 1.0, 7.0]));
        assert!(!of(&[0, 3, 5, 6], &[2, 1, 1, 0, 0, 0], &[7.0, 1.0, 2.0, 2.0, 3.0, 7.0]));
    }
}
