//! The operations that are measured, a module for each.

pub mod histogram;
pub mod partition;
pub mod segments;
pub mod sort;
pub mod split;
pub mod sssp;
