//! Weights as a file brings them: none, integers, or real numbers.

use super::fields::Number;
use crate::error::Result;
use crate::memory::{push, with_room};

/// A weight for every edge.
pub(super) enum Column {
    /// The file has none.
    None,
    /// All were integers so far.
    U32(Vec<u32>),
    /// Some were not.
    F32(Vec<f32>),
}

impl Column {
    pub(super) fn push(&mut self, weight: Number) -> Result<()> {
        match (&mut *self, weight) {
            (Self::None, _) => Ok(()),
            (Self::U32(weights), Number::Integer(weight)) => push(weights, weight),
            (Self::F32(weights), Number::Integer(weight)) => push(weights, weight as f32),
            (Self::F32(weights), Number::Real(weight)) => push(weights, weight),
            (Self::U32(weights), Number::Real(weight)) => {
                // The first that is no integer: those before it are rounded like all that follow.
                let mut reals = with_room(weights.len() + 1)?;
                reals.extend(weights.iter().map(|&weight| weight as f32).chain([weight]));
                *self = Self::F32(reals);
                Ok(())
            }
        }
    }
}
