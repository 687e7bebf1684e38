//! Cache lines: what memory is read and written in.

/// Bytes of a cache line.
pub(crate) const LINE: usize = 64;

/// A cache line, as a type.
#[derive(Clone, Copy)]
#[repr(C, align(64))]
pub(crate) struct Line(pub [u8; LINE]);
