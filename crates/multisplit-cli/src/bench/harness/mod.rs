//! The parts of a benchmark that do not depend on what is measured.
//!
//! [`operation`] runs an operation through its cases. It takes its [`options`] from the command line, has the
//! operation generate [`keys`] of some [`key_types`] and put them into [`columns`] on the device, time calls
//! ([`measure`], [`latency`]) and [`verify`] results, and runs [`peers`] and a plain copy ([`bandwidth`]) beside it.
//! Each case becomes a [`row`] with its [`provenance`], which the [`session`] writes to [`sinks`], one of which may be
//! a [`table`]. Several benchmarks are one run in a [`batch`].

pub mod bandwidth;
pub mod batch;
pub mod columns;
pub mod key_types;
pub mod keys;
pub mod latency;
pub mod measure;
pub mod operation;
pub mod options;
pub mod peers;
pub mod provenance;
pub mod row;
pub mod session;
pub mod sinks;
pub mod table;
pub mod verify;
