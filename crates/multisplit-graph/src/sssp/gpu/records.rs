//! The arcs of vertices that have few, four to a record, so that they are read without the offsets of the vertex.

use super::state::control::NONE;
use crate::graph::{Graph, Weight};

/// Arcs of a record. Where a vertex has fewer, the others go to [`NONE`].
pub(crate) const ARCS: u32 = 4;

/// Where a vertex has more, the last one of its record goes to this and the number of the others, which are together
/// behind all records: its weight is where. No vertex is as great.
pub(crate) const MORE: u32 = 1 << 31;

/// The records of a graph's vertices, and the arcs that do not fit: targets and weights, side by side. Nothing if there
/// are too many for their numbers.
pub(super) fn records<W: Weight>(graph: &Graph<W>) -> Option<Vec<[u32; 2]>> {
    let size = ARCS as usize;
    let n = graph.vertices() as usize;
    if size * n + graph.arcs() >= MORE as usize {
        return None;
    }
    let mut records = vec![[NONE, 0]; size * n];
    for v in 0..n {
        let [begin, end] = [v, v + 1].map(|v| graph.offsets()[v] as usize);
        let arc = |i: usize| [graph.targets()[i], graph.weights()[i].to_ordered()];
        let fit = if end - begin > size { size - 1 } else { end - begin };
        for i in 0..fit {
            records[size * v + i] = arc(begin + i);
        }
        if end - begin > size {
            records[size * v + fit] = [MORE + (end - begin - fit) as u32, records.len() as u32];
            records.extend((begin + fit..end).map(arc));
        }
    }
    Some(records)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::graph::{Direction, EdgeList};

    #[test]
    fn few_and_many_arcs() {
        let arcs = (1..=5).map(|v| [0, v]).chain([[1, 0]]).collect();
        let edges = EdgeList::weighted(6, arcs, vec![10u32, 20, 30, 40, 50, 60]).unwrap();
        let records = records(&Graph::new(&edges, Direction::Directed).unwrap()).unwrap();
        assert_eq!(records[..4], [[1, 10], [2, 20], [3, 30], [MORE + 2, 24]]);
        assert_eq!(records[4..8], [[0, 60], [NONE, 0], [NONE, 0], [NONE, 0]]);
        assert_eq!(records[24..], [[4, 40], [5, 50]]);
    }
}
