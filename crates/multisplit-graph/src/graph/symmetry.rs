//! Whether every arc has one back, as in the graph of undirected edges.

use super::build;
use super::csr::AnyGraph;
use super::edges::{Direction, EdgeList};
use super::memory;
use crate::error::Result;

impl AnyGraph {
    /// Whether every arc has one back of the same weight, parallel arcs as many as there are. A loop is its own.
    ///
    /// # Errors
    /// [`Error::OutOfMemory`](crate::Error::OutOfMemory).
    pub fn is_symmetric(&self) -> Result<bool> {
        let (offsets, targets) = (self.offsets(), self.targets());
        // Real weights have the order of their bits, as they are not negative.
        let weights: &[u32] = match self {
            Self::U32(graph) => graph.weights(),
            Self::F32(graph) => bytemuck::cast_slice(graph.weights()),
        };
        let arc = |i: usize| (targets[i], weights[i]);
        let is_sorted = |row: &[u32]| (row[0] as usize..row[1] as usize).is_sorted_by_key(arc);
        if offsets.windows(2).all(is_sorted) {
            return of_sorted(offsets, targets, weights);
        }
        let mut ends = memory::with_room(targets.len())?;
        for (v, row) in offsets.windows(2).enumerate() {
            ends.extend(targets[row[0] as usize..row[1] as usize].iter().map(|&to| [v as u32, to]));
        }
        let edges = EdgeList::weighted(self.vertices(), ends, weights.to_vec())?;
        let (offsets, targets, weights) = build::build(&edges, Direction::Directed)?;
        of_sorted(&offsets, &targets, &weights)
    }
}

/// Arcs are taken in the order of their origins. Those back come in the order of their targets then, so that each is
/// the next of its row.
fn of_sorted(offsets: &[u32], targets: &[u32], weights: &[u32]) -> Result<bool> {
    let mut next = memory::with_room(offsets.len())?;
    next.extend_from_slice(offsets);
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
    use crate::graph::Graph;

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
