//! The operations: one folder each.
//!
//! An operation checks what it is given, makes a plain request of it, and hands that to the back end of the device.
//! Each has a builder, calls on slices (`slices`), calls between device buffers (`enqueue`), and short forms
//! (`functions`).

pub mod approach;
pub(crate) mod gather;
pub(crate) mod groups;
pub(crate) mod histogram;
pub(crate) mod invert;
pub(crate) mod segments;
pub(crate) mod select;
pub(crate) mod sort;
pub(crate) mod split;
pub(crate) mod workspace;
