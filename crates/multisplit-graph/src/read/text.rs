//! What a text file says: the edges, and their weights, which may be none, integers, or real numbers.

use super::choice::{DirectionSource, Weights};
use super::fields::Number;
use super::labels::Labels;
use crate::error::{Error, Result};
use crate::graph::memory::{push, repeated, with_room};
use crate::graph::{AnyGraph, Direction, EdgeList, Graph};

/// The weights that edges without any get, from and to: those of the paper.
pub const RANDOM_WEIGHTS: std::ops::RangeInclusive<u32> = 0..=1000;

/// What a text file says.
pub(super) struct Text {
    pub(super) vertices: u32,
    pub(super) ends: Vec<[u32; 2]>,
    pub(super) weights: Column,
    pub(super) direction: Direction,
    /// What says that: the header or the format.
    pub(super) direction_source: DirectionSource,
    pub(super) labels: Labels,
}

impl Text {
    /// Makes the graph, and tells where its weights are from: by default from the file, or drawn where it has none.
    pub(super) fn into_graph(
        self,
        direction: Direction,
        weights: Option<Weights>,
        seed: u64,
    ) -> Result<(AnyGraph, Labels, Weights)> {
        let Self { vertices, ends, weights: column, labels, .. } = self;
        let source = match (weights, &column) {
            (Some(Weights::File), Column::None) => return Err(Error::NoWeights),
            (Some(source), _) => source,
            (None, Column::None) => Weights::Random,
            (None, _) => Weights::File,
        };
        let graph = match (source, column) {
            (Weights::Unit, _) => {
                let ones = repeated(1, ends.len())?;
                AnyGraph::U32(Graph::new(&EdgeList::weighted(vertices, ends, ones)?, direction)?)
            }
            (Weights::File, Column::U32(weights)) => {
                AnyGraph::U32(Graph::new(&EdgeList::weighted(vertices, ends, weights)?, direction)?)
            }
            (Weights::File, Column::F32(weights)) => {
                AnyGraph::F32(Graph::new(&EdgeList::weighted(vertices, ends, weights)?, direction)?)
            }
            (Weights::Random, _) | (Weights::File, Column::None) => {
                let edges = EdgeList::new(vertices, ends)?.try_random_weights(RANDOM_WEIGHTS, seed)?;
                AnyGraph::U32(Graph::new(&edges, direction)?)
            }
        };
        Ok((graph, labels, source))
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
