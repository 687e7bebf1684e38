//! What tests of several crates share.

mod data;
mod failing_allocator;
mod gpu;
mod random;

pub use data::{distributions, floats, ids, uniform};
pub use failing_allocator::FailingAllocator;
pub use gpu::{gpu, no_gpu};
pub use random::Random;
