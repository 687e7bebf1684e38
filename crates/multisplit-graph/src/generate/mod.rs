//! Graphs made up from a seed.
//!
//! Every generator gives the edges of a graph; [`EdgeList::random_weights`](crate::EdgeList::random_weights) gives them
//! weights, and [`Graph::new`](crate::Graph::new) a direction. Results depend on the arguments alone, not on the number
//! of threads.
//!
//! ```
//! use multisplit_graph::{Direction, Graph, generate};
//!
//! let edges = generate::rmat(1 << 10, 1 << 13, [0.5, 0.1, 0.1, 0.3], 7)?; // the paper's shape
//! let graph = Graph::new(&edges.random_weights(0..=1000, 7), Direction::Undirected)?;
//! assert_eq!(graph.vertices(), 1024);
//! # Ok::<(), multisplit_graph::Error>(())
//! ```

mod random;
mod regular;

pub use crate::graph::random::random;
pub use random::{erdos_renyi, rmat};
pub use regular::{clique, grid, path, star};
