//! What a search has found: distances that fit, the tree of predecessors, and a proof of both.

mod overflow;
mod paths;
mod tree;
mod verify;

pub(super) use overflow::check as check_overflow;
pub(super) use paths::Search;
pub use paths::{NO_PREDECESSOR, Paths};
pub(super) use tree::predecessors;
