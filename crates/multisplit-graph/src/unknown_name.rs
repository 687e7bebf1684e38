//! Names of formats and strategies, and the error for one that there is not.

use std::fmt;

/// A name that nothing has: the error of parsing a [`Format`](crate::read::Format) or a [`Strategy`](crate::Strategy).
///
/// ```
/// let error = "far".parse::<multisplit_graph::Strategy>().unwrap_err();
/// assert!(error.to_string().starts_with("there is no strategy 'far': dijkstra, "));
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
