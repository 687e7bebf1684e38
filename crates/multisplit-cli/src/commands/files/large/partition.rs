//! The split of rows into runs, piece by piece.

use super::runs::Runs;
use super::{Room, StoredRows};
use crate::commands::files::budget::Budget;
use crate::commands::files::rows::By;
use crate::commands::files::split_rows::SplitRows;
use anyhow::Result;
use multisplit::{Device, Method};
use std::time::Duration;

/// How rows are split.
pub struct Partition<'a> {
    pub device: &'a Device,
    pub method: Method,
    pub function: &'a dyn SplitRows,
    pub by: &'a By<'a>,
    pub room: Room<'a>,
}

impl Partition<'_> {
    /// Splits all rows, and returns how long the device took.
    pub fn run(&self, rows: &dyn StoredRows) -> Result<(Runs, Duration)> {
        let (widths, buckets) = (rows.widths(), self.function.count() as usize);
        let mut runs = if are_in_memory(rows, self.room.budget) {
            Runs::in_memory(widths, buckets, rows.len(), rows.len().div_ceil(self.room.piece as u64))?
        } else {
            Runs::in_file(widths, buckets, self.room.folder)?
        };
        let (mut at, mut piece, mut time) = (0, self.room.piece, Duration::ZERO);
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
        }
        Ok((runs, time))
    }
}

/// Returns whether rows that were split are kept in memory. Small elements take less room there than on their way. A
/// piece takes three quarters of the memory.
pub fn are_in_memory(rows: &dyn StoredRows, budget: Budget) -> bool {
    budget.holds(rows.len(), rows.widths().iter().sum::<usize>() as u64, 4)
}

/// Returns whether a device has too little memory for what was asked.
pub fn is_out_of_memory(error: &anyhow::Error) -> bool {
    matches!(error.downcast_ref(), Some(multisplit::Error::OutOfMemory { .. }))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::commands::files::encoding::Encoding;
    use crate::commands::files::rows::{MovedRows, Rows};
    use crate::commands::files::words::Words;
    use multisplit::bucket::Delta;
    use std::cell::RefCell;

    /// The numbers from 0 on.
    struct Numbers(u64);

    impl StoredRows for Numbers {
        fn len(&self) -> u64 {
            self.0
        }

        fn widths(&self) -> Vec<usize> {
            vec![4]
        }

        fn read(&self, at: u64, count: usize) -> Result<Vec<Words>> {
            Ok(vec![Words::numbers(at, count, 4)])
        }
    }

    /// A device that has no room for more than five rows.
    struct Small(Delta<u32>, RefCell<Vec<usize>>);

    impl SplitRows for Small {
        fn count(&self) -> u32 {
            self.0.count()
        }

        fn split_rows(&self, device: &Device, method: Method, rows: Rows, permutation: bool) -> Result<MovedRows> {
            let n = rows.carriers.len();
            self.1.borrow_mut().push(n);
            if n > 5 {
                let (device, reason) = ("small".into(), "it is small".into());
                return Err(multisplit::Error::OutOfMemory { device, bytes: n as u64, reason }.into());
            }
            self.0.split_rows(device, method, rows, permutation)
        }
    }

    #[test]
    fn pieces_that_do_not_fit_the_device_are_halved() {
        let (device, folder) = (Device::cpu(), tempfile::tempdir().unwrap());
        let function = Small(Delta::new(0, 10, 2).unwrap(), RefCell::default());
        let partition = Partition {
            device: &device,
            method: Method::Auto,
            function: &function,
            by: &By::Keys(Encoding::Bits),
            room: Room { budget: Budget::new(None), folder: folder.path(), piece: 17 },
        };
        let (runs, _) = partition.run(&Numbers(20)).unwrap();
        assert_eq!(function.1.take(), [17, 8, 4, 4, 4, 4, 4]);
        assert_eq!(runs.sizes, [10, 10]);
        let Words::Narrow(words) = &runs.buckets(0..2).unwrap()[0] else { panic!() };
        assert_eq!(*words, (0..20).collect::<Vec<u32>>());
    }
}
