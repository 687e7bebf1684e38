//! Keys in memory with what travels along, and the files that results are written to.

use super::encoding::Encoding;
use super::formats::{ColumnOut, Format, read_values};
use super::input::{FileKeys, shown};
use super::paths::OutputPaths;
use super::rows::{By, MovedRows, Rows};
use super::words::{Words, WordsRef};
use super::write::OutputFiles;
use crate::shared::{npy, progress};
use anyhow::{Context, Result};
use npyz::DType;
use std::ops::Range;
use std::path::PathBuf;

/// Keys whose words were taken away, and the types of what travels with them.
pub struct Travelling<'a> {
    /// All about the keys but their bits.
    about: FileKeys,
    by: By<'a>,
    values: Vec<DType>,
    /// Whether it is to be known where each row was.
    pub permutation: bool,
}

/// Results in host memory.
pub struct Results {
    about: FileKeys,
    keys: Words,
    encoding: Encoding,
    values: Vec<(DType, Words)>,
    permutation: Option<Vec<u32>>,
}

impl<'a> Travelling<'a> {
    /// Reads the values, and returns the rows to split or to sort.
    pub fn load(paths: &OutputPaths, mut keys: FileKeys, by: By<'a>) -> Result<(Rows, Self)> {
        let n = keys.len();
        paths.check_records(&keys)?;
        let permutation = paths.permutation.is_some() || paths.moves_records(&keys);
        let mut columns = vec![std::mem::replace(&mut keys.bits, Words::none(4))];
        let read = |(path, column): &(PathBuf, Option<String>)| {
            let _stage = progress::transfer(format!("reading {}", shown(path)));
            let values = || read_values(path, column.as_deref(), n)?.elements.into_values();
            values().with_context(|| format!("--values {}", shown(path)))
        };
        let mut values = Vec::new();
        for file in &paths.values {
            let (dtype, words) = read(file)?;
            values.push(dtype);
            columns.push(words);
        }
        Ok((by.rows(columns, 0)?, Self { about: keys, by, values, permutation }))
    }

    /// Takes the rows as they are now.
    pub fn results(self, moved: MovedRows) -> Results {
        let mut columns = self.by.columns(moved.rows);
        let keys = columns.remove(0);
        Results {
            about: self.about,
            keys,
            encoding: self.by.encoding(),
            values: self.values.into_iter().zip(columns).collect(),
            permutation: moved.permutation,
        }
    }
}

impl Results {
    /// Returns the format that the keys were read from.
    pub fn format_of_input(&self) -> Format {
        self.about.format
    }

    /// Writes a range of the results to files.
    pub fn write(&self, range: Range<usize>, paths: &OutputPaths, files: &mut OutputFiles) -> Result<()> {
        let (about, format_of_input) = (&self.about, self.about.format);
        if let Some(path) = &paths.keys {
            let format = paths.format(path, format_of_input)?;
            match (&about.records, &self.permutation) {
                (Some(records), Some(order)) if records.check(format).is_ok() => {
                    files.write(path, &|to| records.write(to, format, &order[range.clone()]))?;
                }
                _ => {
                    let (dtype, words) = (&about.key_type.dtype()?, self.keys.as_ref().slice(range.clone()));
                    let column = ColumnOut { name: about.column_name(), dtype, words, encoding: self.encoding };
                    files.column(path, format, &column)?;
                }
            }
        }
        for ((dtype, words), path) in self.values.iter().zip(&paths.values_outputs) {
            let words = words.as_ref().slice(range.clone());
            let column = ColumnOut { name: "value", dtype, words, encoding: Encoding::Bits };
            files.column(path, paths.format(path, format_of_input)?, &column)?;
        }
        if let (Some(path), Some(permutation)) = (&paths.permutation, &self.permutation) {
            let nulls = about.records.as_ref().and_then(|records| records.nulls());
            let rows = nulls.map(|nulls| nulls.all_rows(&permutation[range.clone()]));
            let words = WordsRef::of(rows.as_deref().unwrap_or(&permutation[range]));
            let dtype = &npy::dtype("<u4")?;
            let column = ColumnOut { name: "permutation", dtype, words, encoding: Encoding::Bits };
            files.column(path, paths.format(path, format_of_input)?, &column)?;
        }
        Ok(())
    }
}
