//! Mistakes in a command line that its parser does not see.

use std::fmt;

/// Such a mistake, and what to do about it. The program ends with exit code 2, as for those that the parser sees.
#[derive(Debug)]
pub struct UsageError(String);

/// Returns the error that says `message`.
pub fn usage(message: impl Into<String>) -> anyhow::Error {
    anyhow::Error::new(UsageError(message.into()))
}

/// Refuses a command line for which a condition does not hold, with a message as of `format!`.
macro_rules! ensure_usage {
    ($condition:expr, $($message:tt)+) => {
        let holds: bool = $condition;
        if !holds {
            return Err($crate::shared::usage::usage(format!($($message)+)));
        }
    };
}
pub(crate) use ensure_usage;

/// Takes any error for such a mistake.
pub fn as_usage<T>(result: anyhow::Result<T>) -> anyhow::Result<T> {
    result.map_err(|error| usage(format!("{error:#}")))
}

impl fmt::Display for UsageError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl std::error::Error for UsageError {}
