//! Rows without a key, of which the others are read in pieces.

use crate::commands::files::formats::NullPlace;
use crate::commands::files::formats::stored::StoredColumn;
use crate::commands::files::words::Words;
use anyhow::Result;

/// Such rows, and where the others are between them.
pub struct StoredNulls {
    pub place: NullPlace,
    /// The number of the row of each key.
    pub of_keys: StoredColumn,
    /// Those of the other rows.
    pub rows: StoredColumn,
    /// How many bytes each of the others takes.
    pub sizes: StoredColumn,
}

impl StoredNulls {
    /// Returns how many rows have no key.
    pub fn len(&self) -> u64 {
        self.rows.shape.n
    }

    /// Calls `visit` with the sizes and the numbers of the rows without a key, so many at a time.
    pub fn each(&self, piece: usize, visit: &mut dyn FnMut(Words, Words) -> Result<()>) -> Result<()> {
        let mut at = 0;
        while at < self.len() {
            let count = (self.len() - at).min(piece as u64) as usize;
            visit(self.sizes.read(at, count)?, self.rows.read(at, count)?)?;
            at += count as u64;
        }
        Ok(())
    }
}
