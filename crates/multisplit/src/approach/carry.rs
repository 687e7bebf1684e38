//! What a reduced-bit sort carries beside a label.

use crate::column::{Column, ColumnKind};
use crate::value::Width;

/// How keys and columns come along.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Carry {
    /// The key alone, as the value that the sort moves.
    Key(Width),
    /// A key and a value of 4 bytes each, packed into 8.
    Packed,
    /// The index; keys and columns are gathered afterwards.
    Index,
}

impl Carry {
    /// What keys of `key` bytes with these columns take.
    pub fn of(key: usize, columns: &[Column<'_>], by_index: bool) -> Self {
        match (width_of(key), columns) {
            (Some(width), []) if !by_index => Self::Key(width),
            (Some(Width::Narrow), [Column(ColumnKind::Values { width: Width::Narrow, .. })]) if !by_index => {
                Self::Packed
            }
            _ => Self::Index,
        }
    }
}

/// Which of the widths of values keys have, if any.
pub(super) fn width_of(key: usize) -> Option<Width> {
    match key {
        4 => Some(Width::Narrow),
        8 => Some(Width::Wide),
        _ => None,
    }
}
