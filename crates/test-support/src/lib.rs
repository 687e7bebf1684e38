//! What tests of several crates share.

mod data;
mod failing_allocator;
mod random;

pub use data::{distributions, floats, ids, uniform};
pub use failing_allocator::FailingAllocator;
pub use random::Random;
