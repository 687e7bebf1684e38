//! Random graphs: Erdős–Rényi and R-MAT.

use crate::error::{Error, Result};
use crate::graph::EdgeList;
use crate::graph::random::{below, stream};
use crate::parallel;
use rand_xoshiro::rand_core::Rng;
use rayon::prelude::*;

/// A graph of `edges` edges whose ends are drawn uniformly, each apart from all others.
///
/// So loops and parallel edges are possible, and rare where the graph is sparse.
///
/// # Errors
/// [`Error::InvalidGenerator`] if there are edges, but no vertices; [`Error::TooManyArcs`].
pub fn erdos_renyi(vertices: u32, edges: u64, seed: u64) -> Result<EdgeList> {
    let edges = checked_edges(vertices, edges)?;
    let draw = |edge: usize| {
        let mut random = stream(seed, edge as u64);
        [(); 2].map(|()| below(random.next_u64(), u64::from(vertices)) as u32)
    };
    EdgeList::new(vertices, parallel::fill(edges as usize, draw))
}

/// Draws of one edge that may fall outside the graph. Far more than it takes: about half of them fall inside at worst,
/// but for probabilities that leave nearly nothing inside.
const DRAWS: usize = 10_000;

/// An R-MAT graph of `edges` edges (Chakrabarti, Zhan, Faloutsos, 2004): degrees follow a power law, as in social
/// networks.
///
/// The adjacency matrix is cut into quarters again and again, and an edge falls into the upper left one with
/// probability a, the upper right b, the lower left c, the lower right d; `[a, b, c, d]` are scaled to add up to 1. The
/// paper's are 0.5, 0.1, 0.1 and 0.3. If the number of vertices is not a power of two, edges that fall outside are
/// drawn again. Loops and parallel edges stay.
///
/// # Errors
/// [`Error::InvalidGenerator`] if probabilities are negative, not numbers, or leave no edge inside; if there are edges,
/// but no vertices. [`Error::TooManyArcs`].
pub fn rmat(vertices: u32, edges: u64, probabilities: [f64; 4], seed: u64) -> Result<EdgeList> {
    let invalid = |reason: &str| Error::InvalidGenerator(format!("{reason}: {probabilities:?}"));
    let sum: f64 = probabilities.iter().sum();
    if !(probabilities.iter().all(|&p| p >= 0.0) && sum > 0.0 && sum.is_finite()) {
        return Err(invalid("probabilities must be finite numbers from 0 on, and not all 0"));
    }
    let edges = checked_edges(vertices, edges)?;
    let shape = Shape::new(vertices, probabilities.map(|p| p / sum));
    let ends: Option<Vec<[u32; 2]>> = (0..edges).into_par_iter().map(|edge| shape.edge(seed, edge)).collect();
    EdgeList::new(vertices, ends.ok_or_else(|| invalid("hardly any edge falls inside the graph"))?)
}

/// The number of edges, if so many vertices can have it.
fn checked_edges(vertices: u32, edges: u64) -> Result<u32> {
    if vertices == 0 && edges > 0 {
        return Err(Error::InvalidGenerator("edges need at least one vertex".into()));
    }
    u32::try_from(edges).map_err(|_| Error::TooManyArcs { arcs: edges })
}

struct Shape {
    vertices: u32,
    levels: u32,
    /// Upper ends of the first three quarters, in 32-bit fractions.
    ends: [u64; 3],
}

impl Shape {
    fn new(vertices: u32, [a, b, c, _]: [f64; 4]) -> Self {
        let fraction = |p: f64| (p * 2f64.powi(32)).round() as u64;
        let levels = u32::BITS - vertices.saturating_sub(1).leading_zeros();
        Self { vertices, levels, ends: [fraction(a), fraction(a + b), fraction(a + b + c)] }
    }

    fn edge(&self, seed: u64, edge: u32) -> Option<[u32; 2]> {
        let mut random = stream(seed, u64::from(edge));
        (0..DRAWS).map(|_| self.draw(&mut random)).find(|&[u, v]| u.max(v) < self.vertices)
    }

    fn draw(&self, random: &mut impl Rng) -> [u32; 2] {
        let (mut u, mut v, mut word) = (0, 0, 0);
        for level in 0..self.levels {
            // One word serves two levels.
            word = if level % 2 == 0 { random.next_u64() } else { word >> 32 };
            let quarter = self.ends.iter().map(|&end| u32::from((word & 0xffff_ffff) >= end)).sum::<u32>();
            (u, v) = (u << 1 | quarter >> 1, v << 1 | quarter & 1);
        }
        [u, v]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn quarters_have_their_shares() {
        let edges = rmat(1 << 12, 100_000, [0.5, 0.1, 0.1, 0.3], 3).unwrap();
        let mut counts = [0u32; 4];
        for &[u, v] in edges.ends() {
            counts[((u >> 11) * 2 + (v >> 11)) as usize] += 1;
        }
        for (count, expected) in counts.into_iter().zip([50_000, 10_000, 10_000, 30_000]) {
            assert!(count.abs_diff(expected) < 700, "{counts:?}");
        }
    }

    #[test]
    fn any_number_of_vertices() {
        for n in [1, 2, 3, 5, 1000, 1025] {
            assert_eq!(rmat(n, 500, [0.5, 0.1, 0.1, 0.3], 1).unwrap().ends().len(), 500);
        }
        assert_eq!(rmat(0, 0, [1.0; 4], 1).unwrap().vertices(), 0);
    }

    #[test]
    fn what_cannot_be_drawn() {
        assert!(matches!(rmat(0, 1, [1.0; 4], 1), Err(Error::InvalidGenerator(_))));
        assert!(matches!(rmat(5, 1, [0.0; 4], 1), Err(Error::InvalidGenerator(_))));
        assert!(matches!(rmat(5, 1, [-1.0, 1.0, 1.0, 1.0], 1), Err(Error::InvalidGenerator(_))));
        assert!(matches!(rmat(5, 1, [f64::NAN, 1.0, 1.0, 1.0], 1), Err(Error::InvalidGenerator(_))));
        // Only the last of eight vertices, but there are five.
        assert!(matches!(rmat(5, 1, [0.0, 0.0, 0.0, 1.0], 1), Err(Error::InvalidGenerator(_))));
        assert!(matches!(rmat(5, 1 << 32, [1.0; 4], 1), Err(Error::TooManyArcs { .. })));
    }
}
