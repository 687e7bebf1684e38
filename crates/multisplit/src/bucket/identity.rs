//! The key is its bucket.

use super::prelude::*;
use crate::cpu::Loops;
use std::marker::PhantomData;

/// Bucket of `key` = `key`, for keys that already are bucket ids: expert numbers, digits.
///
/// ```
/// use multisplit::{Device, bucket::Identity, split};
/// let result = split(&Device::cpu(), &[2u32, 0, 2, 1], &Identity::new(3))?;
/// assert_eq!(result.keys, [0, 1, 2, 2]);
/// # Ok::<(), multisplit::Error>(())
/// ```
#[derive(CubeType, CubeLaunch, Clone, Copy, Debug, PartialEq, Eq)]
pub struct Identity<K: IntKey> {
    m: u32,
    #[cube(comptime)]
    key: PhantomData<K>,
}

impl<K: IntKey> Identity<K> {
    /// Keys `0..m`.
    pub fn new(m: u32) -> Self {
        Self { m, key: PhantomData }
    }
}

#[cube]
impl<K: IntKey> BucketFn for Identity<K> {
    type Key = K;
    fn bucket(&self, key: K) -> u32 {
        K::index(key)
    }
}

impl<K: IntKey> Buckets for Identity<K> {
    fn buckets(&self) -> u32 {
        self.m
    }

    fn loops(&self) -> Loops<'_> {
        K::identity_loops(self)
    }

    kernel_fields!(m, comptime key);
}
