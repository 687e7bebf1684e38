//! Segmented splits: many independent parts of one input, each split by itself, in one call.

mod enqueue;
mod slices;

pub use slices::{SplitSegments, split_segments};
