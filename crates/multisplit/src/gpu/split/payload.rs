//! What moves.

use crate::bucket::key::Key;
use crate::gpu::function::Function;
use cubecl::prelude::Runtime;

/// Value columns that one postscan carries; more take another pass.
pub(crate) const COLUMNS_PER_PASS: u32 = 4;

/// Bytes of a key, and the value columns that go with it in one pass.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub(crate) struct Payload {
    pub key_bytes: u32,
    pub narrow: u32,
    pub wide: u32,
    pub permutation: bool,
    /// Whether bucket ids are left for the next split.
    pub leaves_ids: bool,
    /// Bucket ids in a word, if the prescan stores them; else 0.
    pub ids_per_word: u32,
    /// Whether bucket ids need no look at whether they are valid.
    pub in_range: bool,
}

/// Bytes that the prescan loads at once.
pub(crate) const LOAD: u32 = 16;

impl Payload {
    /// Keys of a function and these columns. The ids of a costly function are stored where they are smaller than keys.
    pub fn new<R: Runtime, K: Key>(f: &dyn Function<R, K>, narrow: u32, wide: u32, permutation: bool) -> Self {
        let key_bytes = size_of::<K>() as u32;
        let ids_per_word = if f.is_costly() && key_bytes >= 4 { LOAD / key_bytes } else { 0 };
        Self { key_bytes, narrow, wide, permutation, leaves_ids: false, ids_per_word, in_range: f.is_in_range() }
    }

    /// The same keys with all that may go with them in one pass, beginning with nothing.
    pub fn with_any_columns(self) -> impl Iterator<Item = Self> {
        let counts = (0..=COLUMNS_PER_PASS).flat_map(|wide| (0..=COLUMNS_PER_PASS - wide).map(move |n| (n, wide)));
        let columns = counts.flat_map(|(narrow, wide)| [false, true].map(|permutation| (narrow, wide, permutation)));
        columns.map(move |(narrow, wide, permutation)| Self { narrow, wide, permutation, ..self })
    }

    /// Shared memory per element of a tile, besides the key.
    pub fn column_bytes(&self) -> u32 {
        4 * (self.narrow + u32::from(self.permutation)) + 8 * self.wide
    }

    /// All bytes of an element.
    pub fn bytes(&self) -> u32 {
        self.key_bytes + self.column_bytes()
    }

    pub fn keys_only(&self) -> bool {
        self.narrow == 0 && self.wide == 0 && !self.permutation
    }
}
