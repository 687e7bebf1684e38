//! What a split may be asked besides its input: which method, in what shape, and up to which stage.

pub(crate) mod method;
pub(crate) mod policy;
