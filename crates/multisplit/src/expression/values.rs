//! Columns, and the types that are computed with.

use half::{bf16, f16};
use std::fmt;

/// The values of a column.
#[derive(Clone, Copy, Debug)]
#[non_exhaustive]
pub enum Values<'a> {
    /// Conditions.
    Bool(&'a [bool]),
    /// Taken as `u32`.
    U8(&'a [u8]),
    /// Taken as `u32`.
    U16(&'a [u16]),
    /// Whole numbers.
    U32(&'a [u32]),
    /// Whole numbers.
    U64(&'a [u64]),
    /// Taken as `i32`.
    I8(&'a [i8]),
    /// Taken as `i32`.
    I16(&'a [i16]),
    /// Whole numbers.
    I32(&'a [i32]),
    /// Whole numbers.
    I64(&'a [i64]),
    /// Taken as `f32`.
    F16(&'a [f16]),
    /// Taken as `f32`.
    Bf16(&'a [bf16]),
    /// Floats.
    F32(&'a [f32]),
    /// Floats.
    F64(&'a [f64]),
    /// Strings or the like, of which there is a word each, equal for equal ones: they can only be hashed.
    Opaque(&'a [u64]),
}

/// The types that are computed with.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) enum Type {
    Bool,
    U32,
    I32,
    U64,
    I64,
    F32,
    F64,
    Opaque,
}

impl Values<'_> {
    /// Returns the number of rows.
    pub(super) fn len(&self) -> usize {
        match self {
            Self::Bool(values) => values.len(),
            Self::U8(values) => values.len(),
            Self::U16(values) => values.len(),
            Self::U32(values) => values.len(),
            Self::U64(values) => values.len(),
            Self::I8(values) => values.len(),
            Self::I16(values) => values.len(),
            Self::I32(values) => values.len(),
            Self::I64(values) => values.len(),
            Self::F16(values) => values.len(),
            Self::Bf16(values) => values.len(),
            Self::F32(values) => values.len(),
            Self::F64(values) => values.len(),
            Self::Opaque(values) => values.len(),
        }
    }

    /// Returns the type that the column is taken as.
    pub(super) fn type_of(&self) -> Type {
        match self {
            Self::Bool(_) => Type::Bool,
            Self::U8(_) | Self::U16(_) | Self::U32(_) => Type::U32,
            Self::I8(_) | Self::I16(_) | Self::I32(_) => Type::I32,
            Self::U64(_) => Type::U64,
            Self::I64(_) => Type::I64,
            Self::F16(_) | Self::Bf16(_) | Self::F32(_) => Type::F32,
            Self::F64(_) => Type::F64,
            Self::Opaque(_) => Type::Opaque,
        }
    }

    /// Formats the value of a row. None of what has no value to show.
    pub(super) fn show(&self, row: usize) -> Option<String> {
        Some(match self {
            Self::Bool(values) => values[row].to_string(),
            Self::U8(values) => values[row].to_string(),
            Self::U16(values) => values[row].to_string(),
            Self::U32(values) => values[row].to_string(),
            Self::U64(values) => values[row].to_string(),
            Self::I8(values) => values[row].to_string(),
            Self::I16(values) => values[row].to_string(),
            Self::I32(values) => values[row].to_string(),
            Self::I64(values) => values[row].to_string(),
            Self::F16(values) => values[row].to_string(),
            Self::Bf16(values) => values[row].to_string(),
            Self::F32(values) => values[row].to_string(),
            Self::F64(values) => values[row].to_string(),
            Self::Opaque(_) => return None,
        })
    }
}

impl Type {
    pub fn is_real(self) -> bool {
        matches!(self, Self::F32 | Self::F64)
    }

    pub fn is_wide(self) -> bool {
        matches!(self, Self::U64 | Self::I64 | Self::F64 | Self::Opaque)
    }

    /// Returns the least and the greatest number of a type of whole numbers.
    pub fn range(self) -> (i128, i128) {
        match self {
            Self::U32 => (0, u32::MAX.into()),
            Self::I32 => (i32::MIN.into(), i32::MAX.into()),
            Self::U64 => (0, u64::MAX.into()),
            Self::I64 => (i64::MIN.into(), i64::MAX.into()),
            _ => (0, 1),
        }
    }

    pub fn has(self, number: i128) -> bool {
        let (least, greatest) = self.range();
        (least..=greatest).contains(&number)
    }

    /// Returns the type that has the numbers of both.
    pub fn common(self, other: Self) -> Option<Self> {
        Some(match (self, other) {
            (a, b) if a == b => a,
            (a, b) if a.is_real() || b.is_real() => Self::F64,
            (Self::U64, Self::U32) | (Self::U32, Self::U64) => Self::U64,
            (Self::U64, _) | (_, Self::U64) => return None,
            _ => Self::I64,
        })
    }

    /// Formats a value, given as bits.
    pub fn show(self, bits: u64) -> String {
        match self {
            Self::Bool => (bits as u32 != 0).to_string(),
            Self::U32 => (bits as u32).to_string(),
            Self::I32 => (bits as u32 as i32).to_string(),
            Self::U64 | Self::Opaque => bits.to_string(),
            Self::I64 => (bits as i64).to_string(),
            Self::F32 => f32::from_bits(bits as u32).to_string(),
            Self::F64 => f64::from_bits(bits).to_string(),
        }
    }
}

impl fmt::Display for Type {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Bool => "a condition",
            Self::U32 => "u32",
            Self::I32 => "i32",
            Self::U64 => "u64",
            Self::I64 => "i64",
            Self::F32 => "f32",
            Self::F64 => "f64",
            Self::Opaque => "a string",
        })
    }
}
