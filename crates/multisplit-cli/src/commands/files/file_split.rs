//! A split of the keys of a file: what is wanted, and what is found.

use super::input::Input;
use super::paths::OutputPaths;
use multisplit::Method;
use std::time::Duration;

/// Where the buckets are.
pub struct FileBuckets {
    /// One more than there are buckets.
    pub offsets: Vec<u64>,
    pub time: Duration,
}

/// A split of the keys of a file, and of the values that travel with them.
pub struct FileSplit<'a> {
    pub input: &'a Input,
    pub paths: &'a OutputPaths,
    pub method: Method,
    /// Whether only the first bucket is written.
    pub select: bool,
    /// What messages name if the function cannot be made.
    pub named: &'a str,
}

impl FileSplit<'_> {
    /// Returns how many keys are written.
    pub fn kept(&self, offsets: &[u64]) -> u64 {
        let n = offsets.last().copied().unwrap_or(0);
        if self.select { offsets.get(1).copied().unwrap_or(n) } else { n }
    }
}
