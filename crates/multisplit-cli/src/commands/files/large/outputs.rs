//! Outputs that are written part by part.

use super::table::Table;
use crate::commands::files::encoding::Encoding;
use crate::commands::files::formats::{self, Format, check_parts};
use crate::commands::files::paths::OutputPaths;
use crate::commands::files::words::{Words, WordsRef};
use crate::commands::files::write::{OpenFile, OutputFiles};
use crate::shared::npy;
use anyhow::Result;
use npyz::DType;
use std::ops::Range;
use std::path::Path;

/// A file for each column that is written.
pub struct Outputs(Vec<Option<Output>>);

struct Output {
    file: OpenFile,
    format: Format,
    dtype: DType,
}

/// Refuses formats that are not written part by part, and elements that a format does not have.
pub fn check(paths: &OutputPaths, table: &Table) -> Result<()> {
    if paths.folder.is_some() {
        let format = paths.asked.unwrap_or(table.keys.format);
        if !table.writes_records(format)? {
            check_parts(format)?;
        }
    }
    for Column { dtype, path, .. } in columns(paths, table)?.into_iter().flatten() {
        let format = paths.format(path, table.keys.format)?;
        check_parts(format)?;
        let nothing = WordsRef::Narrow(&[]);
        formats::part(&mut std::io::sink(), format, &dtype, nothing, Encoding::Bits)?;
    }
    Ok(())
}

/// A column of a table, and where it goes.
struct Column<'a> {
    name: &'a str,
    dtype: DType,
    path: &'a Path,
}

/// Returns the columns of a table. None for those that are not written, such as that of keys which whole records have.
fn columns<'a>(paths: &'a OutputPaths, table: &'a Table) -> Result<Vec<Option<Column<'a>>>> {
    let mut columns = Vec::new();
    columns.push(match paths.keys.as_deref() {
        Some(path) if !table.writes_records(paths.format(path, table.keys.format)?)? => {
            Some(Column { name: table.column_name(), dtype: table.key_type.dtype()?, path })
        }
        _ => None,
    });
    for (i, (values, _)) in table.values.iter().enumerate() {
        let path = paths.values_outputs.get(i).map(|path| path.as_path());
        columns.push(path.map(|path| Column { name: "value", dtype: values.shape.dtype.clone(), path }));
    }
    columns.extend(table.records.is_some().then_some(None));
    if table.numbered {
        let dtype = npy::dtype(if table.number_width() == 4 { "<u4" } else { "<u8" })?;
        columns.push(paths.permutation.as_deref().map(|path| Column { name: "permutation", dtype, path }));
    }
    Ok(columns)
}

impl Outputs {
    /// Begins to write `n` rows.
    pub fn begin(paths: &OutputPaths, table: &Table, n: u64, files: &OutputFiles) -> Result<Self> {
        let begin = |column: Option<Column<'_>>| -> Result<Option<Output>> {
            let Some(Column { name, dtype, path }) = column else { return Ok(None) };
            let format = paths.format(path, table.keys.format)?;
            let mut file = files.open(path)?;
            file.fill(&mut |to| Ok(formats::begin(to, format, name, &dtype, n)?))?;
            Ok(Some(Output { file, format, dtype }))
        };
        columns(paths, table)?.into_iter().map(begin).collect::<Result<_>>().map(Self)
    }

    /// Writes some rows of columns, of which the first has the bits of keys.
    pub fn write(&mut self, columns: &[Words], rows: Range<usize>) -> Result<()> {
        for (output, words) in self.0.iter_mut().zip(columns) {
            let Some(Output { file, format, dtype }) = output else { continue };
            let words = words.as_ref().slice(rows.clone());
            file.fill(&mut |to| Ok(formats::part(to, *format, dtype, words, Encoding::Bits)?))?;
        }
        Ok(())
    }

    /// Leaves the files to be moved to their places with the others.
    pub fn finish(self, files: &mut OutputFiles) -> Result<()> {
        self.0.into_iter().flatten().try_for_each(|output| files.close(output.file))
    }
}
