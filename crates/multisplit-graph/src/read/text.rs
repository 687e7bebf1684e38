//! What a text file says: the edges, and their weights, which may be none, integers, or real numbers.

use super::fields::Number;
use super::labels::Labels;
use crate::error::Result;
use crate::graph::memory::{push, with_room};
use crate::graph::{AnyGraph, Direction, EdgeList, Graph};

/// The weights that edges without any get, from and to: those of the paper.
pub const RANDOM_WEIGHTS: std::ops::RangeInclusive<u32> = 0..=1000;

/// What a text file says.
pub(super) struct Text {
    pub(super) vertices: u32,
    pub(super) ends: Vec<[u32; 2]>,
    pub(super) weights: Column,
    pub(super) direction: Direction,
    pub(super) labels: Labels,
}

impl Text {
    pub(super) fn into_graph(self, direction: Option<Direction>, seed: u64) -> Result<(AnyGraph, Labels)> {
        let Self { vertices, ends, weights, .. } = self;
        let direction = direction.unwrap_or(self.direction);
        let graph = match weights {
            Column::None => {
                let edges = EdgeList::new(vertices, ends)?.try_random_weights(RANDOM_WEIGHTS, seed)?;
                AnyGraph::U32(Graph::new(&edges, direction)?)
            }
            Column::U32(weights) => {
                AnyGraph::U32(Graph::new(&EdgeList::weighted(vertices, ends, weights)?, direction)?)
            }
            Column::F32(weights) => {
                AnyGraph::F32(Graph::new(&EdgeList::weighted(vertices, ends, weights)?, direction)?)
            }
        };
        Ok((graph, self.labels))
    }
}

/// A weight for every edge.
pub(super) enum Column {
    /// The file has none.
    None,
    /// All were integers so far.
    U32(Vec<u32>),
    /// Some were not.
    F32(Vec<f32>),
}

impl Column {
    pub(super) fn push(&mut self, weight: Number) -> Result<()> {
        match (&mut *self, weight) {
            (Self::None, _) => Ok(()),
            (Self::U32(weights), Number::Integer(weight)) => push(weights, weight),
            (Self::F32(weights), Number::Integer(weight)) => push(weights, weight as f32),
            (Self::F32(weights), Number::Real(weight)) => push(weights, weight),
            (Self::U32(weights), Number::Real(weight)) => {
                // The first that is no integer: those before it are rounded like all that follow.
                let mut reals = with_room(weights.len() + 1)?;
                reals.extend(weights.iter().map(|&weight| weight as f32).chain([weight]));
                *self = Self::F32(reals);
                Ok(())
            }
        }
    }
}
