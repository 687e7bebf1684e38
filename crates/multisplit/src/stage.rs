//! The steps of a split.

/// The stages of a split on a GPU, in order. For measuring: see
/// [`Multisplit::through`](crate::Multisplit::through).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Stage {
    /// Each chunk of the input counts its keys per bucket.
    Prescan,
    /// The counts become places.
    Scan,
    /// The elements move to their places.
    #[default]
    Postscan,
}
