//! What a search has found, whatever the type of its weights: all that follows is compiled once.

use multisplit_graph::{Paths, Weight};
use std::time::Duration;

/// Shortest paths from a source.
pub struct Found {
    pub source: u32,
    /// The bits of distances, which have their order.
    pub distances: Vec<u32>,
    /// Whether they are those of real numbers.
    pub is_real: bool,
    pub predecessors: Option<Vec<u32>>,
    /// The vertices on the way to each target, if there is one.
    pub ways: Vec<Option<Vec<u32>>>,
    pub delta: Option<String>,
    pub iterations: u64,
    pub relaxed: u64,
    pub time: Duration,
}

impl Found {
    pub fn new<W: Weight>(paths: Paths<W>, targets: &[u32]) -> Self {
        Self {
            source: paths.source,
            ways: targets.iter().map(|&target| paths.to(target)).collect(),
            distances: bytemuck::cast_vec(paths.distances),
            is_real: W::NAME == f32::NAME,
            predecessors: paths.predecessors,
            delta: paths.delta.map(|delta| delta.to_string()),
            iterations: paths.iterations,
            relaxed: paths.relaxed,
            time: paths.time,
        }
    }

    /// Returns whether bits are those of a distance, not of a vertex that no path leads to.
    pub fn is_known(&self, bits: u32) -> bool {
        bits < if self.is_real { f32::UNREACHABLE.to_bits() } else { u32::UNREACHABLE }
    }

    /// Returns how many vertices can be reached, the source included.
    pub fn reached(&self) -> usize {
        self.distances.iter().filter(|&&bits| self.is_known(bits)).count()
    }

    /// Returns the vertex that is farthest away, the first of several.
    pub fn farthest(&self) -> u32 {
        let mut farthest = self.source;
        for (v, &bits) in self.distances.iter().enumerate() {
            let most = self.distances[farthest as usize];
            if self.is_known(bits) && (bits > most || bits == most && (v as u32) < farthest) {
                farthest = v as u32;
            }
        }
        farthest
    }

    /// Returns a distance as it is written.
    pub fn shown(&self, bits: u32) -> String {
        match (self.is_known(bits), self.is_real) {
            (false, _) => "inf".into(),
            (true, true) => f32::from_bits(bits).to_string(),
            (true, false) => bits.to_string(),
        }
    }
}
