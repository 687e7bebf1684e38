//! Weights as a file brings them: none, integers, or real numbers.

use super::fields::Number;

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
    pub(super) fn push(&mut self, weight: Number) {
        match (&mut *self, weight) {
            (Self::None, _) => {}
            (Self::U32(weights), Number::Integer(weight)) => weights.push(weight),
            (Self::F32(weights), Number::Integer(weight)) => weights.push(weight as f32),
            (Self::F32(weights), Number::Real(weight)) => weights.push(weight),
            (Self::U32(weights), Number::Real(weight)) => {
                // The first that is no integer: those before it are rounded like all that follow.
                *self = Self::F32(weights.iter().map(|&weight| weight as f32).chain([weight]).collect());
            }
        }
    }
}
