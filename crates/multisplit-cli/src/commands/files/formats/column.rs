//! A column of a file, whatever the format.

use super::format::Format;
use crate::commands::files::key_type::KeyType;
use crate::commands::files::words::Words;
use anyhow::{Result, bail};
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

/// Whole records of a file. They are written in another order in the format that they were read from.
pub trait Records {
    /// Refuses a format that they cannot be written in.
    fn check(&self, format: Format) -> Result<()>;

    /// Writes those with these numbers.
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
