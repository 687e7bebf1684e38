//! Splits of rows, whatever the bucket function.

use super::rows::{ColumnBuffers, InOut, MovedRows, Rows};
use super::words::Words;
use anyhow::Result;
use multisplit::bucket::Buckets;
use multisplit::{Buffer, Column, Device, Method, Multisplit, Side};
use std::time::Instant;

/// A bucket function that rows can be split by. What is in here is compiled for each.
pub trait SplitRows {
    fn count(&self) -> u32;

    /// Splits rows on a device.
    fn split_rows(&self, device: &Device, method: Method, rows: Rows, permutation: bool) -> Result<MovedRows>;
}

impl<F: Buckets> SplitRows for F {
    fn count(&self) -> u32 {
        self.buckets()
    }

    fn split_rows(&self, device: &Device, method: Method, rows: Rows, permutation: bool) -> Result<MovedRows> {
        let n = rows.carriers.len();
        let mut keys = InOut::new(device, rows.carriers.cast::<F::Key>())?;
        let mut beside = Beside::new(device, rows.columns, permutation.then_some(n))?;
        let split = Multisplit::by(self).method(method);
        let mut offsets = split.offsets(device)?;
        let start = {
            let mut columns = beside.columns();
            let mut workspace = split.workspace(device, n, columns.len())?;
            let start = Instant::now();
            split.enqueue(&keys.from, &mut keys.to, &mut columns, &mut offsets, &mut workspace)?;
            start
        };
        let offsets = offsets.read()?;
        let time = start.elapsed();
        let carriers = Words::of_vec(keys.into_vec(Side::Second)?);
        let (columns, permutation) = beside.into_words()?;
        Ok(MovedRows { rows: Rows { carriers, columns }, permutation, offsets, time })
    }
}

/// What travels with keys, on a device.
struct Beside {
    columns: Vec<ColumnBuffers>,
    permutation: Option<Buffer<u32>>,
}

impl Beside {
    fn new(device: &Device, columns: Vec<Words>, permutation: Option<usize>) -> multisplit::Result<Self> {
        let columns = columns.into_iter().map(|words| ColumnBuffers::new(device, words));
        Ok(Self {
            columns: columns.collect::<multisplit::Result<_>>()?,
            permutation: permutation.map(|n| device.alloc(n)).transpose()?,
        })
    }

    fn columns(&mut self) -> Vec<Column<'_>> {
        let columns = self.columns.iter_mut().map(ColumnBuffers::column);
        columns.chain(self.permutation.as_mut().map(Column::permutation)).collect()
    }

    fn into_words(self) -> multisplit::Result<(Vec<Words>, Option<Vec<u32>>)> {
        let columns = self.columns.into_iter().map(|column| column.into_words(Side::Second));
        let columns = columns.collect::<multisplit::Result<_>>()?;
        Ok((columns, self.permutation.map(Buffer::into_vec).transpose()?))
    }
}
