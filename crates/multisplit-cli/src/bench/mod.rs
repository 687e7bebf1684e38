//! Benchmarks.
//!
//! [`harness`] is what all of them share: the course of a run, and everything from keys to rows. [`ops`] has a module
//! for each operation. [`report`] makes a document of the rows.

pub mod harness;
pub mod ops;
pub mod report;
