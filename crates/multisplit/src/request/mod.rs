//! What operations hand to back ends besides memory: which method, in what shape and up to which stage; segments; and
//! how the other approaches go about it.

pub(crate) mod carry;
pub(crate) mod digits;
pub(crate) mod order;
pub(crate) mod outputs;
pub(crate) mod policy;
pub(crate) mod rounds;
pub(crate) mod segments;
