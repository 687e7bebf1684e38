//! Several passes over one table: each reads what the one before has written.

use super::table::{GpuColumn, Table};
use super::workspace::Scratch;
use crate::memory::value::Width;
use crate::runtime::Slice;

/// The keys or a column of several passes, which write to the output and to a spare place in turn. The spare place may
/// be the input: it has been read when something is written there.
pub(crate) struct DoubleBuffer {
    /// Of a value; the keys' is known.
    pub width: Width,
    /// Nothing for the permutation, which the first pass makes up.
    pub from: Option<Slice>,
    pub to: Slice,
    pub spare: Slice,
}

impl DoubleBuffer {
    /// What pass `i` of `count` writes to: the last one to the output.
    pub fn target(&self, i: usize, count: usize) -> &Slice {
        if (count - 1 - i).is_multiple_of(2) { &self.to } else { &self.spare }
    }

    /// What pass `i` of `count` reads from.
    pub fn source(&self, i: usize, count: usize) -> Option<&Slice> {
        if i == 0 { self.from.as_ref() } else { Some(self.target(i - 1, count)) }
    }
}

/// The keys and columns of several passes, the permutation last.
pub(crate) struct DoubleTable {
    /// Whether the output is where the input is, so that one pass cannot do it.
    pub in_place: bool,
    pub keys: DoubleBuffer,
    pub columns: Vec<DoubleBuffer>,
}

impl DoubleTable {
    /// A table with the spare places of the scratch memory. If there is only one pass there may be no spare places:
    /// the output stands in for them.
    pub fn new(table: &Table, scratch: &Scratch) -> Self {
        let (mut narrow, mut wide) = scratch.columns();
        let mut spare_of = |width: Width, to: &Slice| {
            let spare = if width == Width::Wide { wide.next() } else { narrow.next() };
            spare.unwrap_or(to).clone()
        };
        let spare = if scratch.keys.is_empty() { &table.keys_out } else { &scratch.keys };
        let keys = DoubleBuffer {
            width: Width::Narrow,
            from: Some(table.keys.clone()),
            to: table.keys_out.clone(),
            spare: spare.clone(),
        };
        let values = table.columns.iter().map(|column| (column.width, Some(&column.from), &column.to));
        let permutation = table.permutation.as_ref().map(|to| (Width::Narrow, None, to));
        let double = |(width, from, to): (Width, Option<&Slice>, &Slice)| {
            let spare = spare_of(width, to);
            DoubleBuffer { width, from: from.cloned(), to: to.clone(), spare }
        };
        Self { in_place: false, keys, columns: values.chain(permutation).map(double).collect() }
    }

    /// The table of pass `i` of `count`.
    pub fn pass(&self, i: usize, count: usize) -> Table {
        let (mut columns, mut permutation) = (Vec::new(), None);
        for column in &self.columns {
            let to = column.target(i, count).clone();
            match column.source(i, count) {
                Some(from) => columns.push(GpuColumn { width: column.width, from: from.clone(), to }),
                None => permutation = Some(to),
            }
        }
        // Keys always have an input.
        let keys = self.keys.source(i, count).unwrap_or(&self.keys.to).clone();
        Table::new(keys, self.keys.target(i, count).clone(), columns, permutation)
    }
}
