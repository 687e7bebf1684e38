//! Data that does not fit the memory limit.
//!
//! Rows of a [`table`] are read piece by piece. Each piece is split on the device and appended, as a run, to a temporary
//! file ([`partition`], [`runs`]); a bucket is what the runs have of it, one run after the other, so that the split is
//! stable. Then buckets are read back in their order and written. A [`sort`](mod@sort) splits by keys of a sample
//! ([`splitters`]), so that a bucket fits, and sorts each; a bucket that does not fit is split again. Everything is read
//! and written in order, whatever the number of buckets is, and any output can be a pipe.
//!
//! Rows have elements of fixed sizes. Of text and tables those are the keys, which are kept in a temporary file; the
//! records go where their keys are by then ([`gather`]).

pub mod gather;
pub mod nulls;
pub mod outputs;
pub mod partition;
pub mod record_files;
pub mod runs;
pub mod sort;
pub mod split;
pub mod splitters;
mod spool;
pub mod table;

use super::budget::Budget;
use super::words::Words;
use anyhow::Result;
use std::path::Path;

/// Rows that are read in pieces. The first column has the bits of the keys.
pub trait StoredRows {
    fn len(&self) -> u64;

    /// Returns how many bytes an element has, of each column.
    fn widths(&self) -> Vec<usize>;

    /// Reads some rows.
    fn read(&self, at: u64, count: usize) -> Result<Vec<Words>>;
}

/// What work on rows in pieces may take.
#[derive(Clone, Copy)]
pub struct Room<'a> {
    pub budget: Budget,
    /// The folder for temporary files.
    pub folder: &'a Path,
    /// How many rows are worked on at a time.
    pub piece: usize,
}

/// Returns how many bytes a row has in memory.
pub fn row_bytes(widths: &[usize]) -> u64 {
    widths.iter().map(|&width| Words::carried(width)).sum()
}

/// Calls `visit` with all rows of some stored ones, in pieces of so many.
pub fn in_pieces(rows: &dyn StoredRows, piece: usize, visit: &mut dyn FnMut(Vec<Words>) -> Result<()>) -> Result<()> {
    let mut at = 0;
    while at < rows.len() {
        let count = (rows.len() - at).min(piece as u64) as usize;
        visit(rows.read(at, count)?)?;
        at += count as u64;
    }
    Ok(())
}
