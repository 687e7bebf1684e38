//! From edges to sorted rows, in parallel.
//!
//! Arcs are sorted by origin, target and weight, so that the result depends neither on the order of the edges nor on
//! threads. (Counting the arcs of every vertex and placing each with atomic counters took three times as long for the
//! paper's R-MAT graph on two cores: every arc waits for two memory accesses, one after the other.)
//!
//! The sort is rayon's and not `multisplit::Sort`, which was tried: ends in one `u64` as the key, weights as the value.
//! Graphs of 4 to 9.5 million arcs took 0.98 to 1.09 times as long on two busy cores, which is noise. It takes more
//! code, since parallel arcs have to be sorted by weight afterwards, and this crate would need `multisplit`, and so
//! CubeCL, also without GPUs: 139 crates to build instead of 31.

use super::edges::{Direction, EdgeList};
use super::memory;
use super::weight::Weight;
use crate::error::{Error, Result};
use crate::parallel;
use rayon::prelude::*;

/// Offsets, targets and weights.
pub(crate) type Rows<W> = (Vec<u32>, Vec<u32>, Vec<W>);

/// Takes the place of the reverse arc of a loop, which has none. It is sorted behind all arcs: no vertex has the number
/// 2^32 - 1.
const NO_ARC: (u64, u32) = (u64::MAX, u32::MAX);

pub(crate) fn build<W: Weight>(edges: &EdgeList<W>, direction: Direction) -> Result<Rows<W>> {
    let undirected = direction == Direction::Undirected;
    let edges_back = if undirected { edges.ends() } else { &[] };
    let of_part = |_, ends: &[[u32; 2]]| ends.iter().filter(|[u, v]| u != v).count();
    let count = edges.ends().len() + parallel::parts(edges_back, of_part).iter().sum::<usize>();
    if u32::try_from(count).is_err() {
        return Err(Error::TooManyArcs { arcs: count as u64 });
    }

    let arc = |from: u32, to: u32, weight: W| (u64::from(from) << 32 | u64::from(to), weight.to_ordered());
    let (ends, weights) = (edges.ends(), edges.weights());
    let there = |i: usize| arc(ends[i][0], ends[i][1], weights[i]);
    let back = |i: usize| if ends[i][0] == ends[i][1] { NO_ARC } else { arc(ends[i][1], ends[i][0], weights[i]) };
    let each = |i: usize| if i < ends.len() { there(i) } else { back(i - ends.len()) };
    let mut arcs = memory::fill(ends.len() + edges_back.len(), each)?;
    arcs.par_sort_unstable();
    arcs.truncate(count);

    let offsets = offsets(edges.vertices(), &arcs)?;
    let targets = memory::fill(count, |i| arcs[i].0 as u32)?;
    let weights = memory::fill(count, |i| W::from_ordered(arcs[i].1))?;
    Ok((offsets, targets, weights))
}

/// Where the arcs of each vertex begin, and where those of the last one end.
fn offsets(vertices: u32, arcs: &[(u64, u32)]) -> Result<Vec<u32>> {
    let count = memory::count::<u32>(u64::from(vertices) + 1)?;
    let mut offsets = memory::with_room(count)?;
    for (place, &(ends, _)) in arcs.iter().enumerate() {
        let from = (ends >> 32) as usize;
        if offsets.len() <= from {
            offsets.resize(from + 1, place as u32);
        }
    }
    offsets.resize(count, arcs.len() as u32);
    Ok(offsets)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_are_sorted_and_complete() {
        let n = 700;
        let ends: Vec<[u32; 2]> = (0..40_000).map(|i| [i * 7919 % n, i * i % n]).collect();
        let weights: Vec<u32> = (0..40_000).map(|i| i % 11).collect();
        let edges = EdgeList::weighted(n, ends.clone(), weights.clone()).unwrap();
        for direction in [Direction::Directed, Direction::Undirected] {
            let mut expected = Vec::new();
            for (&[u, v], &w) in ends.iter().zip(&weights) {
                expected.push((u, v, w));
                if direction == Direction::Undirected && u != v {
                    expected.push((v, u, w));
                }
            }
            expected.sort_unstable();
            let (offsets, targets, weights) = build(&edges, direction).unwrap();
            let row = |v: u32| offsets[v as usize] as usize..offsets[v as usize + 1] as usize;
            let arcs = (0..n).flat_map(|v| row(v).map(move |i| (v, i)));
            let arcs: Vec<_> = arcs.map(|(v, i)| (v, targets[i], weights[i])).collect();
            assert_eq!(arcs, expected);
        }
    }

    #[test]
    fn one_long_row() {
        let ends: Vec<[u32; 2]> = (0..50_000).map(|i| [0, 49_999 - i]).collect();
        let edges = EdgeList::new(50_000, ends).unwrap().random_weights(0..=9, 1);
        let (offsets, targets, _) = build(&edges, Direction::Directed).unwrap();
        assert_eq!((offsets[0], offsets[1], offsets[50_000]), (0, 50_000, 50_000));
        assert!(targets.is_sorted());
    }
}
