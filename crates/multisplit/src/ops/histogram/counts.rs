//! What a histogram counts, and what with.

use bytemuck::Pod;

/// How many keys fell into each bin, and how many into none.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Counts {
    /// Keys in each bin.
    pub bins: Vec<u64>,
    /// Keys in no bin. With the bins they add up to all keys.
    pub outside: u64,
}

impl Counts {
    /// From the counts of the bins, followed by that of the keys outside.
    pub(crate) fn new(mut all: Vec<u64>) -> Self {
        let outside = all.pop().unwrap_or(0);
        Self { bins: all, outside }
    }

    /// All keys, outside or not.
    pub fn total(&self) -> u64 {
        self.bins.iter().sum::<u64>() + self.outside
    }
}

/// A type that device buffers of counts can have: `u64`, or `u32` for fewer than 2^32 keys.
///
/// The trait is sealed: kernels know these two.
pub trait Count: Pod + Send + Sync + sealed::Sealed {
    /// The most keys it can count.
    const LIMIT: u64;
    /// The count as this type. It fits, or the keys were refused.
    #[doc(hidden)]
    fn narrow(count: u64) -> Self;
}

impl Count for u32 {
    const LIMIT: u64 = u32::MAX as u64;
    fn narrow(count: u64) -> Self {
        count as u32
    }
}

impl Count for u64 {
    const LIMIT: u64 = u64::MAX;
    fn narrow(count: u64) -> Self {
        count
    }
}

mod sealed {
    pub trait Sealed {}
    impl Sealed for u32 {}
    impl Sealed for u64 {}
}
