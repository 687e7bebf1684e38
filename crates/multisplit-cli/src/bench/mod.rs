//! Benchmarks.
//!
//! [`harness`] is what all of them share: the course of a run, and everything from keys to rows. [`ops`] has a module
//! for each operation.

pub mod harness;
pub mod ops;
