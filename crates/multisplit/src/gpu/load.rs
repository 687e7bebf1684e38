//! What moves.

/// Bytes of a key, and the value columns that go with it in one pass.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub(crate) struct Load {
    pub key_bytes: u32,
    pub narrow: u32,
    pub wide: u32,
    pub permutation: bool,
}

impl Load {
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
