//! The keys and the values of files, read in pieces.

use super::nulls::StoredNulls;
use super::sort::ExternalSort;
use super::{Room, StoredRows, in_pieces, row_bytes};
use crate::commands::files::budget::Budget;
use crate::commands::files::formats::stored::StoredColumn;
use crate::commands::files::formats::stored_records::StoredRecords;
use crate::commands::files::formats::{Format, NullPlace};
use crate::commands::files::input::{KeysInShort, NamedColumn};
use crate::commands::files::key_type::KeyType;
use crate::commands::files::keys::Keys;
use crate::commands::files::order::Order;
use crate::commands::files::words::{Words, WordsRef};
use crate::shared::progress;
use anyhow::{Context, Result};
use multisplit::Device;
use std::path::PathBuf;
use std::sync::Arc;

/// Records that stay in their file, and how many bytes each takes.
pub type SizedRecords = (Box<dyn StoredRecords>, StoredColumn);

/// A column that was asked for by its name, and stays in a file.
pub struct StoredNamed {
    name: String,
    column: StoredColumn,
}

impl StoredNamed {
    pub fn new(name: &str, column: StoredColumn) -> Self {
        Self { name: name.into(), column }
    }

    /// Reads its elements of some rows.
    pub fn read(&self, first: u64, rows: usize) -> Result<NamedColumn> {
        let key_type = self.column.shape.key_type.with_context(|| format!("column '{}' has no type", self.name))?;
        Ok(NamedColumn { name: self.name.clone(), key_type, bits: self.column.read(first, rows)? })
    }
}

/// Keys and values that stay in their files.
pub struct Table {
    pub key_type: KeyType,
    pub keys: StoredColumn,
    /// Columns, and what messages call them.
    pub values: Vec<(StoredColumn, String)>,
    /// Whether rows have their number as their last column.
    pub numbered: bool,
    /// The records that keys are in, if those are written. Then rows have their size as a column, too, and their
    /// number.
    pub records: Option<SizedRecords>,
    /// Rows without a key, unless those are refused.
    pub nulls: Option<StoredNulls>,
    /// Columns that an expression names, which do not travel.
    pub named: Arc<Vec<StoredNamed>>,
    pub budget: Budget,
    /// The folder for temporary files.
    pub folder: PathBuf,
    /// What messages call the keys.
    pub name: String,
}

impl Table {
    /// Calls `visit` with columns of the rows without a key, if those are written at a place. Columns that are not
    /// written of such rows have nothing.
    pub fn each_null(&self, place: NullPlace, visit: &mut dyn FnMut(&[Words]) -> Result<()>) -> Result<()> {
        let Some(nulls) = self.nulls.as_ref().filter(|nulls| nulls.place == place && place.stays()) else {
            return Ok(());
        };
        nulls.each(self.piece(), &mut |sizes, numbers| {
            // There are no values.
            let mut columns = vec![Words::none(4)];
            columns.extend(self.records.is_some().then_some(sizes));
            columns.push(numbers.in_width(self.number_width()));
            visit(&columns)
        })
    }

    /// Returns how many rows are written: those with a key, and those without one if they have a place.
    pub fn written(&self) -> u64 {
        self.len() + self.nulls.as_ref().filter(|nulls| nulls.place.stays()).map_or(0, StoredNulls::len)
    }

    /// Returns how many bytes the number of a row has.
    pub fn number_width(&self) -> usize {
        let rows = self.len() + self.nulls.as_ref().map_or(0, StoredNulls::len);
        if u32::try_from(rows).is_ok() { 4 } else { 8 }
    }

    /// Returns whether whole records are written in a format.
    pub fn writes_records(&self, format: Format) -> Result<bool> {
        self.records.as_ref().map_or(Ok(false), |(records, _)| records.check(format))
    }

    /// Returns how files call the column of the keys.
    pub fn column_name(&self) -> &str {
        self.keys.name.as_deref().unwrap_or("key")
    }

    /// Returns what work on the rows may take.
    pub fn room(&self) -> Room<'_> {
        Room { budget: self.budget, folder: &self.folder, piece: self.piece() }
    }

    /// Returns how many rows are worked on at a time.
    pub fn piece(&self) -> usize {
        let piece = self.budget.rows_of_piece(row_bytes(&self.widths()) + 8 * self.named.len() as u64);
        // Keys that take more room in memory than in their file take it for a few at a time.
        let few = if self.keys.shape.layout.width < 4 { (self.len() / 32).max(1 << 16) } else { u64::MAX };
        piece.min(usize::try_from(few).unwrap_or(usize::MAX))
    }

    /// Returns how many bytes of files it has.
    pub fn bytes(&self) -> u64 {
        self.columns().map(StoredColumn::bytes).sum()
    }

    /// Returns the columns that are read from files.
    fn columns(&self) -> impl Iterator<Item = &StoredColumn> {
        let values = self.values.iter().map(|(column, _)| column);
        std::iter::once(&self.keys).chain(values).chain(self.records.iter().map(|(_, sizes)| sizes))
    }

    /// Refuses files that changed while they were read.
    pub fn check_unchanged(&self) -> Result<()> {
        self.keys.check_length().with_context(|| self.name.clone())?;
        self.values.iter().try_for_each(|(column, name)| column.check_length().with_context(|| name.clone()))
    }
}

impl StoredRows for Table {
    fn len(&self) -> u64 {
        self.keys.shape.n
    }

    fn widths(&self) -> Vec<usize> {
        let widths = self.columns().map(|column| column.shape.layout.width);
        widths.chain(self.numbered.then(|| self.number_width())).collect()
    }

    fn read(&self, at: u64, count: usize) -> Result<Vec<Words>> {
        let mut columns = vec![self.keys.read(at, count).with_context(|| self.name.clone())?];
        for (column, name) in &self.values {
            columns.push(column.read(at, count).with_context(|| name.clone())?);
        }
        if let Some((_, sizes)) = &self.records {
            columns.push(sizes.read(at, count)?);
        }
        if self.numbered {
            columns.push(match &self.nulls {
                Some(nulls) => nulls.of_keys.read(at, count)?.in_width(self.number_width()),
                None => Words::numbers(at, count, self.number_width()),
            });
        }
        Ok(columns)
    }
}

/// The keys of a table alone.
struct KeysOf<'a>(&'a Table);

impl StoredRows for KeysOf<'_> {
    fn len(&self) -> u64 {
        self.0.len()
    }

    fn widths(&self) -> Vec<usize> {
        vec![self.0.keys.shape.layout.width]
    }

    fn read(&self, at: u64, count: usize) -> Result<Vec<Words>> {
        Ok(vec![self.0.keys.read(at, count).with_context(|| self.0.name.clone())?])
    }
}

impl Keys for Table {
    fn about(&self) -> KeysInShort {
        let (key_type, name) = (self.key_type, self.keys.name.clone());
        let nulls = self.nulls.as_ref().map(|nulls| (nulls.len(), nulls.place)).filter(|&(rows, _)| rows > 0);
        KeysInShort { key_type, n: self.len() as usize, name, nulls }
    }

    fn format(&self) -> Format {
        self.keys.format
    }

    fn each(&self, visit: &mut dyn FnMut(WordsRef<'_>) -> Result<()>) -> Result<()> {
        let _stage = progress::transfer(format!("reading {}", self.name));
        progress::expect(self.keys.bytes());
        in_pieces(&KeysOf(self), self.piece(), &mut |columns| visit(columns[0].as_ref()))?;
        self.keys.check_length().with_context(|| self.name.clone())
    }

    fn words_at(&self, device: &Device, order: Order, ranks: &[u64]) -> Result<Vec<u64>> {
        let (mut found, mut next, mut before) = (Vec::with_capacity(ranks.len()), 0, 0u64);
        let bits = 0..self.key_type.bits();
        let sort = ExternalSort::new(device, self.room(), order, bits);
        progress::expect(self.keys.bytes());
        sort.run(&KeysOf(self), &mut |columns| {
            let words = columns[0].as_ref();
            let end = before + words.len() as u64;
            while let Some(&rank) = ranks.get(next).filter(|&&rank| rank < end) {
                found.push(order.word(words.get((rank - before) as usize)));
                next += 1;
            }
            before = end;
            Ok(())
        })?;
        Ok(found)
    }
}
