//! The split of rows into runs, piece by piece.

use super::StoredRows;
use super::runs::Runs;
use crate::commands::files::budget::Budget;
use crate::commands::files::rows::By;
use crate::commands::files::split_rows::SplitRows;
use anyhow::Result;
use multisplit::{Device, Method};
use std::path::Path;
use std::time::Duration;

/// How rows are split.
pub struct Partition<'a> {
    pub device: &'a Device,
    pub method: Method,
    pub function: &'a dyn SplitRows,
    pub by: &'a By<'a>,
    pub budget: Budget,
    pub folder: &'a Path,
    /// How many rows are split at a time.
    pub piece: usize,
}

impl Partition<'_> {
    /// Splits all rows, and returns how long the device took. `done` is called with the number of rows that were split.
    pub fn run(&self, rows: &dyn StoredRows, done: &dyn Fn(u64)) -> Result<(Runs, Duration)> {
        let widths = rows.widths();
        // Small elements take less room there than on their way. A piece takes three quarters of the memory.
        let in_memory = self.budget.holds(rows.len(), widths.iter().sum::<usize>() as u64, 4);
        let buckets = self.function.count() as usize;
        let mut runs = if in_memory {
            Runs::in_memory(widths, buckets, rows.len(), rows.len().div_ceil(self.piece as u64))?
        } else {
            Runs::in_file(widths, buckets, self.folder)?
        };
        let (mut at, mut piece, mut time) = (0, self.piece, Duration::ZERO);
        while at < rows.len() {
            let count = (rows.len() - at).min(piece as u64) as usize;
            let columns = rows.read(at, count)?;
            match self.function.split_rows(self.device, self.method, self.by.rows(columns, at)?, false) {
                Ok(moved) => {
                    runs.push(&self.by.columns(moved.rows), self.by.encoding(), &moved.offsets)?;
                    time += moved.time;
                }
                // The device may have less memory than the host.
                Err(error) if is_out_of_memory(&error) && count > 1 => {
                    piece = count / 2;
                    continue;
                }
                Err(error) => return Err(error),
            }
            at += count as u64;
            done(at);
        }
        Ok((runs, time))
    }
}

/// Returns whether a device has too little memory for what was asked.
pub fn is_out_of_memory(error: &anyhow::Error) -> bool {
    matches!(error.downcast_ref(), Some(multisplit::Error::OutOfMemory { .. }))
}
