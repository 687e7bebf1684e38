//! The keys of text and tables, in temporary files, with what is known of their rows.

use super::formats::column_file::ColumnFile;
use super::formats::stored::StoredColumn;
use super::formats::{Format, NullPlace};
use super::key_type::KeyType;
use super::large::nulls::StoredNulls;
use super::paths::OutputPaths;
use super::words::{Words, WordsRef};
use anyhow::Result;

/// Keys, and how many bytes the rows take that they are in.
pub struct KeyFiles {
    keys: ColumnFile,
    sizes: ColumnFile,
    nulls: Option<NullFiles>,
}

/// Where keys are if some rows have none, and what is known of those rows.
struct NullFiles {
    place: NullPlace,
    of_keys: ColumnFile,
    rows: ColumnFile,
    sizes: ColumnFile,
}

/// Columns that are complete.
pub struct KeyColumns {
    pub keys: StoredColumn,
    pub sizes: StoredColumn,
    /// None if every row has a key.
    pub nulls: Option<StoredNulls>,
}

/// Bytes of the number of a row, and of the size of one.
const NUMBER: usize = 8;
const SIZE: usize = 4;

impl KeyFiles {
    /// Begins with no keys. Rows without one are only looked for if they have a place.
    pub fn new(paths: &OutputPaths, key_type: KeyType, place: NullPlace) -> Result<Self> {
        let folder = paths.folder_for_temporary_files();
        let column = |width: usize| ColumnFile::new(&folder, width);
        let nulls = || -> Result<NullFiles> {
            Ok(NullFiles { place, of_keys: column(NUMBER)?, rows: column(NUMBER)?, sizes: column(SIZE)? })
        };
        let nulls = (place != NullPlace::Error).then(nulls).transpose()?;
        Ok(Self { keys: column(key_type.width())?, sizes: column(SIZE)?, nulls })
    }

    /// Begins anew, with keys of another type.
    pub fn clear(&mut self, key_type: KeyType) -> Result<()> {
        self.keys.clear(key_type.width())?;
        self.sizes.clear(SIZE)?;
        if let Some(nulls) = &mut self.nulls {
            nulls.of_keys.clear(NUMBER)?;
            nulls.rows.clear(NUMBER)?;
            nulls.sizes.clear(SIZE)?;
        }
        Ok(())
    }

    /// Appends the keys of some rows, of which all have a size, and some no key. So many rows come before.
    pub fn push(&mut self, keys: &Words, sizes: &[u32], keyless: &[u32], before: u64) -> Result<()> {
        self.keys.push(keys.as_ref())?;
        let Some(nulls) = &mut self.nulls else { return self.sizes.push(WordsRef::of(sizes)) };
        let mut of_nulls = keyless.iter().peekable();
        let is_null = |row: &usize| of_nulls.next_if(|&&null| null as usize == *row).is_some();
        let (without, with): (Vec<usize>, Vec<usize>) = (0..sizes.len()).partition(is_null);
        let numbers = |rows: &[usize]| rows.iter().map(|&row| before + row as u64).collect::<Vec<u64>>();
        let sizes = |rows: &[usize]| rows.iter().map(|&row| sizes[row]).collect::<Vec<u32>>();
        nulls.of_keys.push(WordsRef::Wide(&numbers(&with)))?;
        nulls.rows.push(WordsRef::Wide(&numbers(&without)))?;
        nulls.sizes.push(WordsRef::Narrow(&sizes(&without)))?;
        self.sizes.push(WordsRef::Narrow(&sizes(&with)))
    }

    pub fn finish(self, key_type: KeyType, name: Option<String>, format: Format) -> Result<KeyColumns> {
        let column = |file: ColumnFile| file.finish(None, None, format);
        let keys = self.keys.finish(Some(key_type), name, format)?;
        let nulls = match self.nulls {
            Some(NullFiles { place, of_keys, rows, sizes }) => {
                let (of_keys, rows, sizes) = (column(of_keys)?, column(rows)?, column(sizes)?);
                Some(StoredNulls { place, of_keys, rows, sizes }).filter(|nulls| nulls.len() > 0)
            }
            None => None,
        };
        Ok(KeyColumns { keys, sizes: column(self.sizes)?, nulls })
    }
}
