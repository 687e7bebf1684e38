//! Graphs, and the shortest paths in them.
//!
//! Graphs come from files ([`read`]), from generators ([`generate`]) or from lists of edges ([`EdgeList`]), and are
//! kept in compressed sparse rows ([`Graph`]); they are written as text by [`mod@write`]. [`Sssp`] finds the shortest
//! paths from one vertex to all others, by any [`Strategy`].
//!
//! ```
//! use multisplit_graph::{Direction, Graph, Sssp, Strategy, generate};
//!
//! // A grid of 100 by 100 crossings, whose streets have random lengths.
//! let streets = generate::grid(100, 100)?.random_weights(1..=1000, 42);
//! let graph = Graph::new(&streets, Direction::Undirected)?;
//!
//! let paths = Sssp::from(0).predecessors().run(&graph)?; // delta-stepping, on all cores
//! println!("the far corner is {} away", paths.distances[9999]);
//!
//! let oracle = Sssp::from(0).strategy(Strategy::Dijkstra).run(&graph)?;
//! assert_eq!(paths.distances, oracle.distances);
//! paths.verify(&graph)?;
//! # Ok::<(), multisplit_graph::Error>(())
//! ```
//!
//! With the features `cuda` and `wgpu`, graphs are searched on GPUs too: a `DeviceGraph` is copied there once, and
//! `Sssp::run_on` finds paths in it from any vertex.
//!
//! Weights are `u32` or `f32` ([`Weight`] says how `f32` distances are rounded); they must not be negative. Every
//! failure is an [`Error`].

mod error;
mod format;
pub mod generate;
mod graph;
#[doc(hidden)]
pub mod parallel;
pub mod read;
mod sssp;
mod strategy;
mod unknown_name;
pub mod write;

pub use error::{Error, Result};
pub use graph::{AnyGraph, Components, Direction, EdgeList, Graph, Weight};
#[cfg(feature = "gpu")]
pub use sssp::DeviceGraph;
pub use sssp::{NO_PREDECESSOR, Paths, Sssp, auto_delta};
pub use strategy::Strategy;
pub use unknown_name::UnknownName;
