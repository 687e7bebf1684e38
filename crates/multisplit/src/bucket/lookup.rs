//! A table says which bucket.

use super::prelude::*;
use crate::cpu::Loops;
use crate::error::Result;
use std::marker::PhantomData;
use std::sync::Arc;

/// Bucket of `key` = `table[key]`: any function over a small domain. A key beyond the table has no bucket and is
/// reported as out of range.
///
/// ```
/// use multisplit::{Device, bucket::Lookup, split};
/// let vowel_first = Lookup::<u8>::new(2, (0..=255u8).map(|c| !b"aeiou".contains(&c) as u32).collect::<Vec<_>>())?;
/// assert_eq!(split(&Device::cpu(), b"multisplit", &vowel_first)?.keys, b"uiimltsplt");
/// # Ok::<(), multisplit::Error>(())
/// ```
#[derive(CubeType, CubeLaunch, Clone, Debug)]
pub struct Lookup<K: IntKey> {
    m: u32,
    table: Table<u32>,
    #[cube(comptime)]
    key: PhantomData<K>,
}

impl<K: IntKey> Lookup<K> {
    /// `m` buckets; `table[key]` is the bucket of `key`.
    ///
    /// # Errors
    /// [`Error::InvalidBuckets`](crate::Error::InvalidBuckets) if the table is empty.
    pub fn new(m: u32, table: impl Into<Arc<[u32]>>) -> Result<Self> {
        Ok(Self { m, table: Table::new(table)?, key: PhantomData })
    }
}

#[cube]
impl<K: IntKey> BucketFn for Lookup<K> {
    type Key = K;
    fn bucket(&self, key: K) -> u32 {
        let index = K::index(key);
        let mut bucket = self.table.get(index);
        if index >= self.table.len() {
            bucket = 0xffff_ffffu32;
        }
        bucket
    }
}

impl<K: IntKey> Buckets for Lookup<K> {
    fn buckets(&self) -> u32 {
        self.m
    }

    fn loops(&self) -> Loops<'_> {
        K::lookup_loops(self)
    }

    kernel_fields!(m, table, comptime key);
}
