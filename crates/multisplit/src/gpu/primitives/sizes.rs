//! The run-time numbers of a split.

use cubecl::prelude::*;

/// Sizes that every kernel of a split is given.
#[derive(CubeType, CubeLaunch)]
pub(crate) struct Sizes {
    /// Keys.
    pub n: u32,
    /// Buckets.
    pub m: u32,
    /// Chunks that hold keys.
    pub chunks: u32,
    /// Entries in a row of H, of which the first are the chunks'.
    pub columns: u32,
    /// Keys per chunk; the last may hold fewer.
    pub chunk_size: u32,
    /// The most tiles that a cube takes.
    pub scheduler: u32,
    /// How many launches have drawn numbers before this one.
    pub launch: u32,
}

/// A part of the input.
#[derive(CubeType, Clone, Copy)]
pub(crate) struct Part {
    pub start: u32,
    pub len: u32,
}

#[cube]
impl Sizes {
    /// A chunk of the input; empty for planes that got none. The product cannot overflow for chunks that hold keys.
    pub fn chunk(&self, index: u32) -> Part {
        let start = select(index < self.chunks, index * self.chunk_size, self.n);
        Part { start, len: self.chunk_size.min(self.n - start) }
    }

    /// A tile of the input, where chunks are tiles and there are several. All are full: the last one ends with the
    /// input, so that it may begin in the one before.
    pub fn tile(&self, index: u32) -> Part {
        Part { start: self.first_of(index).min(self.n - self.chunk_size), len: self.chunk_size }
    }

    /// Keys of a tile that are in the chunk before.
    pub fn overlap(&self, index: u32) -> u32 {
        self.first_of(index) - self.tile(index).start
    }

    /// Where a chunk begins; the last one for those that do not exist.
    fn first_of(&self, index: u32) -> u32 {
        index.min(self.chunks - 1) * self.chunk_size
    }

    /// Where, after the totals, the numbers of tiles are drawn from. Launches alternate between two such places.
    pub fn numbers(&self) -> u32 {
        self.m + 1 + self.launch % 2
    }

    /// Where the next launch draws.
    pub fn other_numbers(&self) -> u32 {
        self.m + 2 - self.launch % 2
    }
}
