//! Graphs, and what they are made of: edges, weights, and memory for both.

mod build;
mod connected;
mod csr;
mod edges;
pub(crate) mod memory;
pub(crate) mod random;
pub(crate) mod sweep;
mod symmetry;
mod weight;

pub use connected::Components;
pub use csr::{AnyGraph, Graph};
pub use edges::{Direction, EdgeList};
pub(crate) use edges::{draw, first};
pub use weight::Weight;
