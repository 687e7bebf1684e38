//! Inputs are read into memory, or left in their files to be read in pieces.

use super::formats::shape::Shape;
use super::formats::source::{Source, is_standard};
use super::formats::stored::{self, StoredColumn};
use super::formats::{self, Format, Wanted};
use super::input::{FileKeys, Input, KeysInShort, NamedColumn, shown};
use super::key_type::KeyType;
use super::keys::Keys;
use super::large::nulls::StoredNulls;
use super::large::partition::is_out_of_memory;
use super::large::table::{SizedRecords, StoredNamed, Table};
use super::order::Order;
use super::paths::OutputPaths;
use super::words::{Words, WordsRef};
use crate::shared::progress;
use anyhow::{Context, Result, ensure};
use multisplit::{Device, DeviceKind};
use std::path::Path;
use std::sync::Arc;

/// An input: in memory, or in a file that is read in pieces.
pub enum Opened {
    /// With the columns that were asked for by their names.
    Whole(FileKeys, Vec<NamedColumn>),
    Large(Box<Table>),
}

/// Whether an input has numbers, and how many.
enum Numbers {
    Large(Opened),
    /// They fit.
    Small,
    /// It is text or a table, or has strings, or more of it is wanted.
    None,
}

/// What a command needs memory for.
#[derive(Clone, Copy)]
pub struct Needs {
    /// How many copies of the rows it has at a time.
    pub copies: u64,
    /// Whether rows get a number.
    pub numbered: bool,
}

/// What a file has beside the keys.
#[derive(Default)]
pub(super) struct Beside {
    /// Whole rows, if those are written.
    pub records: Option<SizedRecords>,
    pub nulls: Option<StoredNulls>,
    pub named: Vec<StoredNamed>,
}

/// Keys from which on those of 1 or 2 bytes are read in pieces, since each takes 4 bytes on its way. Of fewer it does
/// not matter.
const MANY_SMALL: u64 = 1 << 20;

impl Input {
    /// Reads the keys, or leaves them in their file, with the values, if they take too much memory.
    pub fn open(&self, paths: &OutputPaths, needs: Needs) -> Result<Opened> {
        let _stage = progress::transfer(format!("reading {}", self.name()));
        let open = || {
            let source = self.source()?;
            match self.open_numbers(&source, paths, needs)? {
                Numbers::Large(opened) => return Ok(opened),
                Numbers::Small => {}
                Numbers::None => {
                    if let Err(error) = self.check_whole(&source, self.size_of_rows(&source, paths)?) {
                        return self.open_records(source, paths, needs)?.ok_or(error);
                    }
                }
            }
            self.read(source).map(|(keys, named)| Opened::Whole(keys, named))
        };
        open().with_context(|| self.name())
    }

    /// Reads the keys, or leaves them in their file, for a command that only looks at them: text, too.
    pub fn open_keys(&self) -> Result<Box<dyn Keys>> {
        let _stage = progress::transfer(format!("reading {}", self.name()));
        let open = || -> Result<Box<dyn Keys>> {
            let (source, needs) = (self.source()?, Needs { copies: 1, numbered: false });
            match self.open_numbers(&source, &OutputPaths::default(), needs)? {
                Numbers::Large(opened) => return Ok(Box::new(opened)),
                Numbers::Small => {}
                Numbers::None => {
                    if let Err(error) = self.check_whole(&source, source.size()?) {
                        if formats::is_text(&source)? {
                            let text = self.open_text(&source.in_file()?, &self.wanted(), &mut |_, _, _| Ok(()))?;
                            return Ok(Box::new(text.ok_or(error)?));
                        }
                        let opened = self.open_records(source, &OutputPaths::default(), needs)?;
                        return Ok(Box::new(opened.ok_or(error)?));
                    }
                }
            }
            Ok(Box::new(self.read(source)?.0))
        };
        open().with_context(|| self.name())
    }

    fn source(&self) -> Result<Source> {
        // A pipe is kept where it fits several times.
        Source::open(&self.path)?.settled(self.budget.bytes() / 4)
    }

    /// Refuses what is read as a whole, and does not fit. Other than text, it takes so many bytes.
    fn check_whole(&self, source: &Source, bytes: Option<u64>) -> Result<()> {
        let what: String = match formats::format_of(source)? {
            _ if !self.others().is_empty() => "a file of which --expression names several columns".into(),
            Format::Table(table) => table.to_string(),
            Format::Text(_) => "a file of text".into(),
            _ => "a file of strings".into(),
        };
        let bytes = if formats::is_text(source)? { source.text_in_memory()? } else { bytes };
        bytes.map_or(Ok(()), |bytes| self.budget.check_whole(bytes, &what))
    }

    /// Leaves numbers in their file if they take too much memory, and nothing else of it is wanted.
    fn open_numbers(&self, source: &Source, paths: &OutputPaths, needs: Needs) -> Result<Numbers> {
        if !self.others().is_empty() {
            return Ok(Numbers::None);
        }
        let Some(shape) = stored::shape(source, &self.wanted())? else { return Ok(Numbers::None) };
        let in_parts = paths.are_in_parts(formats::format_of(source)?);
        if self.fits(&shape, paths, needs, in_parts) {
            return Ok(Numbers::Small);
        }
        match stored::open(source, &self.wanted())? {
            Some(keys) => self.table(keys, Beside::default(), paths, needs).map(Numbers::Large),
            None => Ok(Numbers::None),
        }
    }

    /// Returns whether the rows can be held as often as needed. Small keys better are not, if all goes in pieces.
    fn fits(&self, shape: &Shape, paths: &OutputPaths, needs: Needs, mut in_pieces: bool) -> bool {
        let mut row = Words::carried(shape.layout.width) + if needs.numbered { 4 } else { 0 };
        for (path, column) in &paths.values {
            // What is wrong with values is said when they are read.
            let source = source_of_file(path).ok().flatten();
            let wanted = wanted_of_values(column.as_deref(), shape.n);
            let found = source.and_then(|source| stored::shape(&source, &wanted).ok().flatten());
            in_pieces &= found.is_some();
            row += found.map_or(8, |shape| Words::carried(shape.layout.width));
        }
        let small = shape.layout.width < 4 && shape.n >= MANY_SMALL && in_pieces;
        !small && u32::try_from(shape.n).is_ok() && self.budget.holds(shape.n, row, needs.copies)
    }

    /// Leaves keys where they are, and values too.
    pub(super) fn table(
        &self,
        keys: StoredColumn,
        beside: Beside,
        paths: &OutputPaths,
        needs: Needs,
    ) -> Result<Opened> {
        let found = keys.shape.key_type;
        let key_type = KeyType::settle(self.key_type, found)?;
        let (n, mut values) = (keys.shape.n, Vec::new());
        for (path, column) in &paths.values {
            let name = format!("--values {}", shown(path));
            let open = || {
                let source = Source::open(path)?.settled(self.budget.bytes() / 4)?;
                let column = stored::open(&source, &wanted_of_values(column.as_deref(), n))?;
                let column = column.context(
                    "values of so many keys are read in pieces, which text and pipes cannot be; save them as a .npy \
                     file, or give more --memory",
                )?;
                let found = column.shape.n;
                ensure!(found == n, "there are {found} values, but {n} keys; there must be as many");
                Ok(column)
            };
            values.push((open().with_context(|| name.clone())?, name));
        }
        let (folder, name) = (paths.folder_for_temporary_files(), self.name());
        let Beside { records, nulls, named } = beside;
        let (numbered, budget, named) = (needs.numbered || records.is_some(), self.budget, Arc::new(named));
        let table = Table { key_type, keys, values, numbered, records, nulls, named, budget, folder, name };
        Ok(Opened::Large(Box::new(table)))
    }

    /// Opens the same file again, to be read in pieces, if `error` says that the device has too little memory for it as
    /// a whole. Otherwise returns the error.
    pub fn reopened(&self, error: anyhow::Error, paths: &OutputPaths, needs: Needs) -> Result<Opened> {
        let fits_nowhere = self.device.info().kind == DeviceKind::Cpu || !self.others().is_empty();
        if fits_nowhere || !is_out_of_memory(&error) {
            return Err(error);
        }
        let again = || -> Result<Option<Opened>> {
            let Some(source) = source_of_file(&self.path)? else { return Ok(None) };
            match stored::open(&source, &self.wanted())? {
                Some(keys) => self.table(keys, Beside::default(), paths, needs).map(Some),
                None => self.open_records(source, paths, needs),
            }
        };
        match again() {
            Ok(Some(opened)) => Ok(opened),
            _ => Err(error),
        }
    }
}

/// Opens what can be opened again. A pipe would have less then.
fn source_of_file(path: &Path) -> Result<Option<Source>> {
    let is_file = !is_standard(path) && path.metadata()?.is_file();
    is_file.then(|| Source::open(path)).transpose()
}

fn wanted_of_values(column: Option<&str>, keys: u64) -> Wanted<'_> {
    Wanted { column, values_of: Some(keys as usize), beside: true, ..Wanted::default() }
}

impl Opened {
    fn keys(&self) -> &dyn Keys {
        match self {
            Self::Whole(keys, _) => keys,
            Self::Large(table) => &**table,
        }
    }
}

impl Keys for Opened {
    fn about(&self) -> KeysInShort {
        self.keys().about()
    }

    fn format(&self) -> Format {
        self.keys().format()
    }

    fn each(&self, visit: &mut dyn FnMut(WordsRef<'_>) -> Result<()>) -> Result<()> {
        self.keys().each(visit)
    }

    fn words_at(&self, device: &Device, order: Order, ranks: &[u64]) -> Result<Vec<u64>> {
        self.keys().words_at(device, order, ranks)
    }
}
