//! How a split is launched: at once, or stage by stage.

/// How a split is launched.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Course {
    /// At once, where every cube counts all keys.
    Counted,
    /// At once, where cubes publish what they have counted: all are resident.
    Published,
    /// In three stages.
    Stages,
}
