//! The types that keys in files can have.

use crate::shared::arguments::display_as_typed;
use crate::shared::npy;
use anyhow::{Context, Result, bail};
use clap::ValueEnum;
use npyz::{DType, Endianness, TypeChar};

#[derive(ValueEnum, Clone, Copy, Debug, PartialEq, Eq)]
pub enum FileKeyType {
    U8,
    U16,
    U32,
    U64,
    I32,
    I64,
    F32,
    F64,
}

impl FileKeyType {
    /// Returns its name in NumPy, where the number counts bytes.
    fn numpy_name(self) -> &'static str {
        match self {
            Self::U8 => "|u1",
            Self::U16 => "<u2",
            Self::U32 => "<u4",
            Self::U64 => "<u8",
            Self::I32 => "<i4",
            Self::I64 => "<i8",
            Self::F32 => "<f4",
            Self::F64 => "<f8",
        }
    }

    /// Returns its type in NumPy.
    pub fn dtype(self) -> Result<DType> {
        npy::dtype(self.numpy_name())
    }

    /// Returns the type of the keys in a NumPy file.
    pub fn of(dtype: &DType) -> Result<Self> {
        let DType::Plain(plain) = dtype else { bail!("the keys have fields; save the one to go by, array['name']") };
        let found = match (plain.type_char(), plain.size_field()) {
            (TypeChar::Uint, 1) => Self::U8,
            (TypeChar::Uint, 2) => Self::U16,
            (TypeChar::Uint, 4) => Self::U32,
            (TypeChar::Uint, 8) => Self::U64,
            (TypeChar::Int, 4) => Self::I32,
            (TypeChar::Int, 8) => Self::I64,
            (TypeChar::Float, 4) => Self::F32,
            (TypeChar::Float, 8) => Self::F64,
            _ => {
                let names: Vec<&str> = Self::value_variants().iter().map(|each| &each.numpy_name()[1..]).collect();
                bail!(
                    "keys of NumPy's type {plain} cannot be used; save them with array.astype as one of {}",
                    names.join(", ")
                );
            }
        };
        if plain.endianness() == Endianness::Big && plain.size_field() > 1 {
            let little = found.numpy_name();
            bail!("the keys are big-endian ({plain}); save them as array.astype('{little}')");
        }
        Ok(found)
    }

    /// Decides the type of the keys in a file: as the file says, or as `--type` says.
    pub fn settle(asked: Option<Self>, dtype: Option<&DType>) -> Result<Self> {
        match (asked, dtype.map(Self::of).transpose()?) {
            (Some(asked), Some(found)) if asked != found => bail!("--type is {asked}, but the file has {found} keys"),
            (_, Some(found)) => Ok(found),
            (asked, None) => asked.context(
                "the name does not end in .npy, so the file is taken for numbers alone; tell of which --type, such as \
                 u32",
            ),
        }
    }
}

display_as_typed!(FileKeyType);
