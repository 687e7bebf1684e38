//! Where keys and values are: on a device or on the host, in one column or several.

pub(crate) mod aliasing;
pub(crate) mod buffer;
pub(crate) mod column;
pub(crate) mod columns;
pub(crate) mod offsets;
pub(crate) mod slice;
pub(crate) mod value;
pub(crate) mod workspace;
