//! How a split runs on a GPU: a policy is chosen from facts about the device (by the selector; for small inputs,
//! segments and software devices in files of their own; room is what a shape takes of the device), a plan fixes the
//! launches, and a blueprint is what the code of a kernel depends on.

pub(crate) mod blueprint;
pub(crate) mod course;
pub(crate) mod plan;
pub(crate) mod room;
pub(crate) mod segment_shapes;
pub(crate) mod selector;
pub(crate) mod small_inputs;
mod software;
