//! Graphs, and what they are made of: edges, weights, and memory for both.

mod build;
mod csr;
mod edges;
pub(crate) mod memory;
pub(crate) mod random;
pub(crate) mod sweep;
mod weight;

pub use csr::{AnyGraph, Graph};
pub(crate) use edges::first;
pub use edges::{Direction, EdgeList};
pub use weight::Weight;
