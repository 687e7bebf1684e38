//! How a split runs on a GPU: the selector chooses a policy from facts about the device
//! (room is what a shape takes of it), a plan fixes the launches, and
//! a blueprint is what the code of a kernel depends on.

pub(crate) mod blueprint;
pub(crate) mod course;
pub(crate) mod plan;
pub(crate) mod room;
pub(crate) mod selector;
