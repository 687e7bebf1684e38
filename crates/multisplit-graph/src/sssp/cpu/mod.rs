//! The strategies that run on the CPU.

mod bellman_ford;
mod bins;
mod delta_stepping;
mod dijkstra;
mod distances;
mod shelf;
mod team;
mod worker;

pub(super) use bellman_ford::search as bellman_ford;
pub(super) use delta_stepping::{search as delta_stepping, wider};
pub(super) use dijkstra::search as dijkstra;
