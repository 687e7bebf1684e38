//! What tests of several crates share.

mod failing_allocator;

pub use failing_allocator::FailingAllocator;
