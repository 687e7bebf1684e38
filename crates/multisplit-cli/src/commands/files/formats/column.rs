//! A column of a file, whatever the format.

use super::format::Format;
use crate::commands::files::key_type::KeyType;
use crate::commands::files::words::Words;
use anyhow::{Result, bail};
use clap::ValueEnum;
use npyz::DType;
use std::io::{self, Write};

/// A column that was read.
pub struct Column {
    /// Its name, where the file has names.
    pub name: Option<String>,
    pub elements: Elements,
    /// The format of the file.
    pub format: Format,
    /// What else the file has for each element. None if the elements are all.
    pub records: Option<Box<dyn Records>>,
}

/// Elements, and what is known of their type.
pub enum Elements {
    /// Of a type that keys can have. Of strings, the words are hashes.
    Keys(KeyType, Words),
    /// Of another type, which nothing looks at.
    Opaque(DType, Words),
}

/// Rows without a key, which are null in their column.
pub struct Nulls {
    /// The row of each key.
    pub of_keys: Vec<u32>,
    /// The other rows.
    pub rows: Vec<u32>,
    pub place: NullPlace,
}

/// Where rows without a key go.
#[derive(ValueEnum, Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum NullPlace {
    First,
    Last,
    /// Nowhere.
    Drop,
    /// There must be none.
    #[default]
    Error,
}

impl Nulls {
    /// Returns which of `n` rows have no key. None if all have one.
    #[cfg(feature = "arrow")]
    pub fn find(n: usize, is_key: &dyn Fn(usize) -> bool, place: NullPlace) -> Result<Option<Self>> {
        let Ok(n) = u32::try_from(n) else { bail!("there are 2^32 rows or more, which are too many") };
        let (of_keys, rows): (Vec<u32>, Vec<u32>) = (0..n).partition(|&row| is_key(row as usize));
        Ok((!rows.is_empty()).then_some(Self { of_keys, rows, place }))
    }

    /// Returns whether rows without a key are written, for which keys alone have no place.
    pub fn stay(&self) -> bool {
        self.place.stays()
    }

    /// Returns the number of the key of each row.
    #[cfg(feature = "arrow")]
    pub fn key_of_row(&self) -> Vec<Option<usize>> {
        let mut keys = vec![None; self.of_keys.len() + self.rows.len()];
        self.of_keys.iter().enumerate().for_each(|(key, &row)| keys[row as usize] = Some(key));
        keys
    }

    /// Returns the rows of keys, given by their numbers, and those without a key where they belong.
    pub fn all_rows(&self, order: &[u32]) -> Vec<u32> {
        let keys = order.iter().map(|&key| self.of_keys[key as usize]);
        match self.place {
            NullPlace::First => self.rows.iter().copied().chain(keys).collect(),
            NullPlace::Last => keys.chain(self.rows.iter().copied()).collect(),
            NullPlace::Drop | NullPlace::Error => keys.collect(),
        }
    }
}

impl NullPlace {
    /// Returns whether rows without a key are written.
    pub fn stays(self) -> bool {
        matches!(self, Self::First | Self::Last)
    }
}

/// Whole records of a file. They are written in another order in the format that they were read from.
pub trait Records {
    /// Refuses a format that they cannot be written in.
    fn check(&self, format: Format) -> Result<()>;

    /// Returns whether keys alone, in another format, would not do for the records.
    fn must_be_whole(&self, format: Format) -> bool;

    /// Returns which records have no key, if there are some.
    fn nulls(&self) -> Option<&Nulls> {
        None
    }

    /// Writes those of the keys with these numbers.
    fn write(&self, to: &mut dyn Write, format: Format, order: &[u32]) -> io::Result<()>;
}

impl Elements {
    pub fn len(&self) -> usize {
        match self {
            Self::Keys(_, words) | Self::Opaque(_, words) => words.len(),
        }
    }

    /// Returns their type and their bits.
    pub fn into_keys(self) -> Result<(KeyType, Words)> {
        match self {
            Self::Keys(found, words) => Ok((found, words)),
            Self::Opaque(dtype, _) => match KeyType::of(&dtype) {
                Err(error) => Err(error),
                Ok(found) => bail!("{found} keys cannot be used"),
            },
        }
    }

    /// Returns the type of their bytes in NumPy, and their bits.
    pub fn into_values(self) -> Result<(DType, Words)> {
        Ok(match self {
            Self::Keys(found, words) => (found.dtype()?, words),
            Self::Opaque(dtype, words) => (dtype, words),
        })
    }
}
