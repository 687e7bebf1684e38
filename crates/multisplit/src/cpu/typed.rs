//! Keys and values of any plain type, as the bytes that this back end moves.

use super::Column;
use crate::memory::value::Width;
use bytemuck::{Pod, cast_slice, cast_slice_mut};

impl<'a> Column<'a> {
    /// The keys' own column.
    pub(crate) fn of_keys<K: Pod>(from: &'a [K], to: &'a mut [K]) -> Self {
        match size_of::<K>() {
            1 => Self::W1 { from: cast_slice(from), to: cast_slice_mut(to) },
            2 => Self::W2 { from: cast_slice(from), to: cast_slice_mut(to) },
            4 => Self::W4 { from: cast_slice(from), to: cast_slice_mut(to) },
            _ => Self::W8 { from: cast_slice(from), to: cast_slice_mut(to) },
        }
    }

    /// A value column, given as bytes.
    pub(crate) fn of_values(width: Width, from: &'a [u8], to: &'a mut [u8]) -> Self {
        match width {
            Width::Narrow => Self::W4 { from: cast_slice(from), to: cast_slice_mut(to) },
            Width::Wide => Self::W8 { from: cast_slice(from), to: cast_slice_mut(to) },
        }
    }

    /// The rows' own numbers.
    pub(crate) fn of_index(to: &'a mut [u32]) -> Self {
        Self::Index { first: 0, to: cast_slice_mut(to) }
    }
}
