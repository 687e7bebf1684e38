//! Keys scattered evenly, whatever their distribution.

use super::in_range;
use super::prelude::*;
use crate::cpu::Loops;
use std::marker::PhantomData;

/// Bucket of `key` = `floor(m * hash(key) / 2^32)`: for shuffles, joins and load balancing.
///
/// Equal bits hash alike, so −0.0 and +0.0 may part. The hash is the same on every device and in every version of this
/// crate with the same major number.
#[derive(CubeType, CubeLaunch, Clone, Copy, Debug, PartialEq, Eq)]
pub struct Hash<K: Key> {
    m: u32,
    seed: u32,
    #[cube(comptime)]
    key: PhantomData<K>,
}

impl<K: Key> Hash<K> {
    /// `m` buckets; another `seed` is another, independent function.
    pub fn new(m: u32, seed: u32) -> Self {
        Self { m, seed, key: PhantomData }
    }
}

#[cube]
impl<K: Key> BucketFn for Hash<K> {
    type Key = K;
    fn bucket(&self, key: K) -> u32 {
        mul_hi(K::Bits::hash(K::ordered(key), self.seed), self.m)
    }
}

impl<K: Key> Buckets for Hash<K> {
    fn buckets(&self) -> u32 {
        self.m
    }

    fn loops(&self) -> Loops<'_> {
        K::hash_loops(self)
    }

    in_range!(cheap);
    kernel_fields!(m, seed, comptime key);
}
