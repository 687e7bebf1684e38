//! A sort of rows that are read in pieces.

use super::partition::{Partition, is_out_of_memory};
use super::runs::Runs;
use super::splitters::{BLOCK, blocks, ranges, splitters};
use super::{Room, StoredRows, in_pieces};
use crate::commands::files::encoding::Encoding;
use crate::commands::files::order::Order;
use crate::commands::files::rows::By;
use crate::commands::files::sort_rows::sort_rows;
use crate::commands::files::split_rows::SplitRows;
use crate::commands::files::words::{Words, WordsRef};
use anyhow::Result;
use multisplit::bucket::Splitters;
use multisplit::{Device, Method, Sort};
use multisplit_graph::parallel;
use std::ops::Range;
use std::time::Duration;

/// A sort by some bits of the words of keys.
pub struct ExternalSort<'a> {
    device: &'a Device,
    room: Room<'a>,
    /// The order of the keys' bits.
    order: Order,
    bits: Range<u32>,
    /// The sort of what fits. It may descend.
    sort: Sort,
    descending: bool,
}

/// What takes sorted rows, part by part. The first column has the bits of the keys.
type Visit<'a> = &'a mut dyn FnMut(Vec<Words>) -> Result<()>;

impl<'a> ExternalSort<'a> {
    /// An ascending sort.
    pub fn new(device: &'a Device, room: Room<'a>, order: Order, bits: Range<u32>) -> Self {
        Self { device, room, order, sort: Sort::new().bits(bits.clone()), bits, descending: false }
    }

    /// Uses another sort for what fits, of the same bits.
    pub fn by(self, sort: Sort, descending: bool) -> Self {
        Self { sort, descending, ..self }
    }

    /// Sorts all rows, and returns how long the device took.
    pub fn run(&self, rows: &dyn StoredRows, visit: Visit<'_>) -> Result<Duration> {
        let piece = self.room.budget.rows_of_piece(super::row_bytes(&rows.widths())).min(self.room.piece);
        self.sort(rows, (0, self.mask()), piece, visit)
    }

    /// Returns the greatest word.
    fn mask(&self) -> u64 {
        match self.bits.end - self.bits.start {
            0 => 0,
            bits => u64::MAX >> (64 - bits),
        }
    }

    /// Sorts rows of which all words are in a range.
    fn sort(&self, rows: &dyn StoredRows, range: (u64, u64), mut piece: usize, visit: Visit<'_>) -> Result<Duration> {
        // Equal keys keep their order.
        if range.0 == range.1 {
            return in_pieces(rows, piece, visit).map(|()| Duration::ZERO);
        }
        if rows.len() <= piece as u64 {
            match self.sort_piece(rows.read(0, rows.len() as usize)?) {
                Ok((columns, time)) => return visit(columns).map(|()| time),
                // The device may have less memory than the host.
                Err(error) if is_out_of_memory(&error) && rows.len() > 1 => piece = rows.len() as usize / 2,
                Err(error) => return Err(error),
            }
        }
        let found = splitters(&self.sample(rows, piece)?, rows.len(), piece, range);
        let (runs, mut time) = self.partition(rows, &found, piece)?;
        let ranges = ranges(&found, range);
        for i in 0..ranges.len() {
            let b = if self.descending { ranges.len() - 1 - i } else { i };
            if runs.sizes[b] > 0 {
                time += self.sort(&runs.bucket(b)?, ranges[b], piece, visit)?;
            }
        }
        Ok(time)
    }

    /// Sorts rows in memory.
    fn sort_piece(&self, columns: Vec<Words>) -> Result<(Vec<Words>, Duration)> {
        let by = By::Keys(Encoding::Ordered(self.order));
        let moved = sort_rows(self.device, &self.sort, by.rows(columns, 0)?, false)?;
        let mut columns = by.columns(moved.rows);
        by.encoding().undo(&mut columns[0]);
        Ok((columns, moved.time))
    }

    /// Returns the words of some keys, in ascending order.
    fn sample(&self, rows: &dyn StoredRows, piece: usize) -> Result<Vec<u64>> {
        let mut sample = Vec::new();
        for at in blocks(rows.len(), piece) {
            let count = (rows.len() - at).min(BLOCK as u64) as usize;
            let keys = &rows.read(at, count)?[0];
            sample.extend((0..keys.len()).map(|i| self.word(keys.as_ref().get(i))));
        }
        sample.sort_unstable();
        Ok(sample)
    }

    /// Returns what a key is sorted by.
    fn word(&self, bits: u64) -> u64 {
        self.order.word(bits).checked_shr(self.bits.start).unwrap_or(0) & self.mask()
    }

    fn partition(&self, rows: &dyn StoredRows, splitters: &[u64], piece: usize) -> Result<(Runs, Duration)> {
        let narrow = rows.widths()[0] <= 4;
        let function: Box<dyn SplitRows> = if narrow {
            Box::new(Splitters::new(&splitters.iter().map(|&word| word as u32).collect::<Vec<_>>())?)
        } else {
            Box::new(Splitters::new(splitters)?)
        };
        let whole = self.bits.start == 0 && self.mask() == self.order.largest();
        let by = if whole {
            By::Keys(Encoding::Ordered(self.order))
        } else {
            By::Others(Box::new(|keys: WordsRef<'_>, _| {
                Ok(match keys {
                    WordsRef::Narrow(keys) => Words::Narrow(parallel::map(keys, |bits| self.word(bits.into()) as u32)),
                    WordsRef::Wide(keys) => Words::Wide(parallel::map(keys, |bits| self.word(bits))),
                })
            }))
        };
        let partition = Partition {
            device: self.device,
            method: Method::Auto,
            function: &*function,
            by: &by,
            room: Room { piece, ..self.room },
        };
        partition.run(rows)
    }
}
