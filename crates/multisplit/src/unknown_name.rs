//! Names of methods and approaches, and the error for one that there is not.

use std::fmt;

/// A name that nothing has: the error of parsing a [`Method`](crate::Method) or a [`Way`](crate::approach::Way).
///
/// ```
/// let error = "warp".parse::<multisplit::Method>().unwrap_err();
/// assert_eq!(error.to_string(), "there is no method 'warp': auto, direct, warp-level, block-level");
/// ```
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("there is no {what} '{name}': {known}")]
pub struct UnknownName {
    what: &'static str,
    name: String,
    known: String,
}

impl UnknownName {
    /// The one of `all` that has a name, or the error that there is none. `what` says what they are.
    pub(crate) fn find<T: fmt::Display>(
        what: &'static str,
        name: &str,
        all: impl IntoIterator<Item = T>,
    ) -> Result<T, Self> {
        let mut known = Vec::new();
        for one in all {
            let its = one.to_string();
            if its == name {
                return Ok(one);
            }
            known.push(its);
        }
        Err(Self { what, name: name.into(), known: known.join(", ") })
    }
}
