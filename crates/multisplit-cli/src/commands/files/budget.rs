//! How much memory a command may take for data.

use crate::shared::memory::{available, show_size};
use anyhow::{Result, ensure};

/// The least that `--memory` takes: a few rows of every width.
pub const LEAST: u64 = 4 << 10;

/// Rows that are worked on are there as they came, as they leave, between passes, and as bytes of a file.
const COPIES_OF_PIECE: u64 = 4;

/// A limit to the memory for data.
#[derive(Clone, Copy, Debug)]
pub struct Budget {
    bytes: u64,
    /// Whether it was asked for.
    asked: bool,
}

impl Budget {
    /// Takes what was asked for, or three quarters of what there is.
    pub fn new(asked: Option<u64>) -> Self {
        Self { bytes: asked.unwrap_or_else(|| available() / 4 * 3).max(LEAST), asked: asked.is_some() }
    }

    pub fn bytes(self) -> u64 {
        self.bytes
    }

    /// Returns whether so many rows can be held, so many times, at once.
    pub fn holds(self, rows: u64, row_bytes: u64, copies: u64) -> bool {
        rows.saturating_mul(row_bytes).saturating_mul(copies) <= self.bytes
    }

    /// Returns how many rows a piece has.
    pub fn rows_of_piece(self, row_bytes: u64) -> usize {
        // A call of the library takes fewer than 2^32 keys.
        (self.bytes / (row_bytes.max(1) * COPIES_OF_PIECE)).clamp(1, 1 << 31) as usize
    }

    /// Refuses what has to be held as a whole, and cannot be.
    pub fn check_whole(self, bytes: u64, what: &str) -> Result<()> {
        let why = if self.asked { "--memory says" } else { "is three quarters of what this machine has to give" };
        ensure!(
            bytes <= self.bytes,
            "{what} has to be in memory as a whole, which takes about {}, but {} {why}; give it more with --memory, or \
             save the column as a .npy file or as numbers alone, which are read in pieces",
            show_size(bytes),
            show_size(self.bytes)
        );
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn limits() {
        let budget = Budget::new(Some(1 << 20));
        assert!(budget.holds(1 << 17, 4, 2) && !budget.holds((1 << 17) + 1, 4, 2));
        assert!(!budget.holds(u64::MAX, 8, 3));
        assert_eq!(budget.rows_of_piece(16), 1 << 14);
        assert_eq!(budget.rows_of_piece(u64::from(u32::MAX)), 1);
        assert_eq!(Budget::new(Some(1)).bytes(), LEAST);
        let said = budget.check_whole(3 << 20, "text").unwrap_err().to_string();
        assert!(said.contains("text has to be in memory as a whole, which takes about 3 MiB, but 1 MiB --memory says"));
        assert!(Budget::new(None).bytes() > LEAST);
    }
}
