//! Sorts of rows.

use super::rows::{ColumnBuffers, InOut, MovedRows, Rows};
use super::words::Words;
use anyhow::Result;
use multisplit::{Device, DoubleColumn, Key, Side, Sort};
use std::time::Instant;

/// Sorts rows by their carriers, on a device. There they take the room of two copies, and no other.
pub fn sort_rows(device: &Device, sort: &Sort, rows: Rows, permutation: bool) -> Result<MovedRows> {
    match rows.carriers {
        Words::Narrow(_) => sort_as::<u32>(device, sort, rows, permutation),
        Words::Wide(_) => sort_as::<u64>(device, sort, rows, permutation),
    }
}

fn sort_as<W: Key>(device: &Device, sort: &Sort, rows: Rows, permutation: bool) -> Result<MovedRows> {
    let n = rows.carriers.len();
    let mut keys = InOut::new(device, rows.carriers.cast::<W>())?;
    let columns = rows.columns.into_iter().map(|words| ColumnBuffers::new(device, words));
    let mut columns: Vec<ColumnBuffers> = columns.collect::<multisplit::Result<_>>()?;
    let index = || Ok::<_, multisplit::Error>(InOut { from: device.alloc(n)?, to: device.alloc(n)? });
    let mut index = permutation.then(index).transpose()?;
    let mut workspace = sort.double_workspace::<W>(device, n)?;
    let mut doubles: Vec<DoubleColumn<'_>> = columns.iter_mut().map(ColumnBuffers::double).collect();
    doubles.extend(index.as_mut().map(|index| DoubleColumn::permutation(&mut index.from, &mut index.to)));
    let start = Instant::now();
    let side: Side = sort.enqueue_double(&mut keys.from, &mut keys.to, &mut doubles, &mut workspace)?;
    device.sync()?;
    let time = start.elapsed();
    drop((doubles, workspace));
    let carriers = Words::of_vec(keys.into_vec(side)?);
    let columns = columns.into_iter().map(|column| column.into_words(side));
    let rows = Rows { carriers, columns: columns.collect::<multisplit::Result<_>>()? };
    let permutation = index.map(|index| index.into_vec(side)).transpose()?;
    Ok(MovedRows { rows, permutation, offsets: Vec::new(), time })
}
