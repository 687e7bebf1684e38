//! What a reduced-bit sort carries beside a bucket id.

use crate::memory::value::Width;

/// How keys and columns come along.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Carry {
    /// The key alone, as the value that the sort moves.
    Key(Width),
    /// A key and a value of 4 bytes each, packed into 8.
    Packed,
    /// The index; keys and columns are gathered afterwards.
    Index,
}

impl Carry {
    /// What keys of `key` bytes take, with so many columns of 4 bytes, the permutation not among them, and of 8.
    pub fn of(key: usize, (narrow, wide): (usize, usize), permutation: bool, by_index: bool) -> Self {
        match (width_of(key), narrow, wide) {
            _ if by_index || permutation => Self::Index,
            (Some(width), 0, 0) => Self::Key(width),
            (Some(Width::Narrow), 1, 0) => Self::Packed,
            _ => Self::Index,
        }
    }

    /// All that keys of `key` bytes may take, with up to so many columns of 4 bytes, the permutation among them, and
    /// of 8.
    pub fn all(key: usize, (narrow, wide): (usize, usize), by_index: bool) -> impl Iterator<Item = Self> {
        let alone = Self::of(key, (0, 0), false, by_index);
        let packed = (narrow > 0).then(|| Self::of(key, (1, 0), false, by_index));
        let index = (narrow + wide > 0).then_some(Self::Index);
        [Some(alone), packed, index].into_iter().flatten()
    }
}

/// Which of the widths of values keys have, if any.
fn width_of(key: usize) -> Option<Width> {
    match key {
        4 => Some(Width::Narrow),
        8 => Some(Width::Wide),
        _ => None,
    }
}
