//! From edges to sorted rows, in parallel.
//!
//! Count the arcs of every vertex, add up, put every arc into its vertex's row, sort the rows. Threads put arcs into a row in
//! whatever order they come; sorting makes the result independent of that, and of the order of the edges.

use crate::edges::{Direction, EdgeList};
use crate::error::{Error, Result};
use crate::weight::Weight;
use rayon::prelude::*;
use std::sync::atomic::{AtomicU32, AtomicU64, Ordering::Relaxed};

/// Rows are sorted by one thread from this many arcs down.
const SMALL: usize = 1 << 14;

/// Offsets, targets and weights.
pub(crate) type Rows<W> = (Vec<u32>, Vec<u32>, Vec<W>);

pub(crate) fn build<W: Weight>(edges: &EdgeList<W>, direction: Direction) -> Result<Rows<W>> {
    let undirected = direction == Direction::Undirected;
    let back = |ends: &[[u32; 2]]| ends.par_iter().filter(|[u, v]| u != v).count();
    let arcs = edges.ends().len() + if undirected { back(edges.ends()) } else { 0 };
    if u32::try_from(arcs).is_err() {
        return Err(Error::TooManyArcs { arcs: arcs as u64 });
    }

    let counts = atomics(edges.vertices() as usize);
    edges.ends().par_iter().for_each(|&[u, v]| {
        counts[u as usize].fetch_add(1, Relaxed);
        if undirected && u != v {
            counts[v as usize].fetch_add(1, Relaxed);
        }
    });

    let (offsets, next) = add_up(counts);
    let slots: Vec<AtomicU64> = (0..arcs).into_par_iter().map(|_| AtomicU64::new(0)).collect();
    let put = |from: u32, to: u32, weight: W| {
        let slot = next[from as usize].fetch_add(1, Relaxed);
        slots[slot as usize].store(u64::from(to) << 32 | u64::from(weight.to_ordered()), Relaxed);
    };
    edges.ends().par_iter().zip(edges.weights()).for_each(|(&[u, v], &weight)| {
        put(u, v, weight);
        if undirected && u != v {
            put(v, u, weight);
        }
    });

    let mut rows: Vec<u64> = slots.into_par_iter().map(AtomicU64::into_inner).collect();
    sort_rows(&mut rows, &offsets);
    let targets = rows.par_iter().map(|&arc| (arc >> 32) as u32).collect();
    let weights = rows.par_iter().map(|&arc| W::from_ordered(arc as u32)).collect();
    Ok((offsets, targets, weights))
}

fn atomics(n: usize) -> Vec<AtomicU32> {
    (0..n).into_par_iter().map(|_| AtomicU32::new(0)).collect()
}

/// Where rows begin, and the same again to count on from.
fn add_up(counts: Vec<AtomicU32>) -> (Vec<u32>, Vec<AtomicU32>) {
    let mut offsets = Vec::with_capacity(counts.len() + 1);
    let mut sum = 0;
    offsets.push(0);
    for count in &counts {
        sum += count.swap(sum, Relaxed);
        offsets.push(sum);
    }
    (offsets, counts)
}

/// Sorts the row of every vertex. `rows` begins where `offsets` does.
fn sort_rows(rows: &mut [u64], offsets: &[u32]) {
    if offsets.len() > 2 && rows.len() > SMALL {
        let middle = offsets.len() / 2;
        let (left, right) = rows.split_at_mut((offsets[middle] - offsets[0]) as usize);
        rayon::join(|| sort_rows(left, &offsets[..=middle]), || sort_rows(right, &offsets[middle..]));
    } else if rows.len() > SMALL {
        rows.par_sort_unstable();
    } else {
        for row in offsets.windows(2) {
            rows[(row[0] - offsets[0]) as usize..(row[1] - offsets[0]) as usize].sort_unstable();
        }
    }
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
