//! The types that keys in files can have.

use super::encoding::Encoding;
use super::order::{Order, OrderKind};
use crate::shared::npy;
use crate::shared::usage::ensure_usage;
use anyhow::{Context, Result, bail, ensure};
use npyz::{DType, TimeUnits, TypeChar};
use std::fmt;
use std::ops::Range;

/// The type of keys.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum KeyType {
    /// Whole numbers of so many bits, from 0.
    Unsigned(u32),
    /// Whole numbers of so many bits.
    Signed(u32),
    /// Floats of so many bits.
    Float(u32),
    Bool,
    /// Moments, counted from the beginning of 1970 in these units.
    Datetime(TimeUnits),
    Timedelta(TimeUnits),
    /// Decimals of 64 bits, counted in units of the last of so many decimal places.
    Decimal(i8),
    /// Strings, of which there is a hash of 64 bits.
    Text,
}

/// The type that keys are carried as to where their value counts. Each takes kernels of its own, so there are few.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CarrierType {
    U32,
    U64,
    F32,
    F64,
}

/// Does something with the type that keys are carried as: the one match over it.
macro_rules! with_carrier {
    ($carrier:expr, $C:ident => $do:expr) => {
        match $carrier {
            $crate::commands::files::key_type::CarrierType::U32 => {
                type $C = u32;
                $do
            }
            $crate::commands::files::key_type::CarrierType::U64 => {
                type $C = u64;
                $do
            }
            $crate::commands::files::key_type::CarrierType::F32 => {
                type $C = f32;
                $do
            }
            $crate::commands::files::key_type::CarrierType::F64 => {
                type $C = f64;
                $do
            }
        }
    };
}
pub(crate) use with_carrier;

const BY_NAME: [(&str, KeyType); 15] = [
    ("u8", KeyType::Unsigned(8)),
    ("u16", KeyType::Unsigned(16)),
    ("u32", KeyType::Unsigned(32)),
    ("u64", KeyType::Unsigned(64)),
    ("i8", KeyType::Signed(8)),
    ("i16", KeyType::Signed(16)),
    ("i32", KeyType::Signed(32)),
    ("i64", KeyType::Signed(64)),
    ("f16", KeyType::Float(16)),
    ("f32", KeyType::Float(32)),
    ("f64", KeyType::Float(64)),
    ("bool", KeyType::Bool),
    ("datetime", KeyType::Datetime(TimeUnits::Microsecond)),
    ("string", KeyType::Text),
    ("decimal2", KeyType::Decimal(2)),
];

/// The most decimal places that `--type` takes: all numbers with as many digits have 64 bits.
const MOST_PLACES: i8 = 18;

impl KeyType {
    /// Returns the names that `--type` takes.
    pub fn names() -> impl Iterator<Item = &'static str> {
        BY_NAME.iter().map(|(name, _)| *name)
    }

    /// Returns a type by its name.
    pub fn named(name: &str) -> Option<Self> {
        let decimal = || {
            let places: i8 = name.strip_prefix("decimal")?.parse().ok()?;
            (1..=MOST_PLACES).contains(&places).then_some(Self::Decimal(places))
        };
        BY_NAME.iter().find(|(each, _)| *each == name).map(|&(_, found)| found).or_else(decimal)
    }

    /// Returns how many bits a key has.
    pub fn bits(self) -> u32 {
        match self {
            Self::Unsigned(bits) | Self::Signed(bits) | Self::Float(bits) => bits,
            Self::Bool => 8,
            Self::Datetime(_) | Self::Timedelta(_) | Self::Decimal(_) | Self::Text => 64,
        }
    }

    /// Returns how many bytes a key has.
    pub fn width(self) -> usize {
        self.bits() as usize / 8
    }

    /// Returns the type in NumPy of the elements that files have.
    pub fn dtype(self) -> Result<DType> {
        let bytes = self.width();
        npy::dtype(&match self {
            Self::Unsigned(8) => "|u1".into(),
            Self::Signed(8) => "|i1".into(),
            Self::Unsigned(_) => format!("<u{bytes}"),
            Self::Signed(_) => format!("<i{bytes}"),
            Self::Float(_) => format!("<f{bytes}"),
            Self::Bool => "|b1".into(),
            Self::Datetime(units) => format!("<M8[{units}]"),
            Self::Timedelta(units) => format!("<m8[{units}]"),
            Self::Decimal(_) => bail!("decimals can be written in the format that they were read from, and no other"),
            Self::Text => bail!("strings can be written in the format that they were read from, and no other"),
        })
    }

    /// Returns the type of the keys in a NumPy file.
    pub fn of(dtype: &DType) -> Result<Self> {
        let DType::Plain(plain) = dtype else { bail!("the keys have fields; save the one to go by, array['name']") };
        let bits = plain.size_field().saturating_mul(8) as u32;
        Ok(match (plain.type_char(), plain.size_field(), plain.time_units()) {
            (TypeChar::Uint, 1 | 2 | 4 | 8, _) => Self::Unsigned(bits),
            (TypeChar::Int, 1 | 2 | 4 | 8, _) => Self::Signed(bits),
            (TypeChar::Float, 2 | 4 | 8, _) => Self::Float(bits),
            (TypeChar::Bool, 1, _) => Self::Bool,
            (TypeChar::DateTime, 8, Some(units)) => Self::Datetime(units),
            (TypeChar::TimeDelta, 8, Some(units)) => Self::Timedelta(units),
            (TypeChar::UnicodeStr | TypeChar::ByteStr, _, _) => Self::Text,
            _ => bail!(
                "keys of NumPy's type {plain} cannot be used; save them with array.astype as one of u1, u2, u4, u8, \
                 i1, i2, i4, i8, f2, f4, f8, bool, datetime64, timedelta64"
            ),
        })
    }

    /// Decides the type of the keys in a file: as the file says, or as `--type` says.
    pub fn settle(asked: Option<Self>, found: Option<Self>) -> Result<Self> {
        match (asked, found) {
            // Of moments the unit is the file's.
            (Some(Self::Datetime(_)), Some(found @ Self::Datetime(_))) => Ok(found),
            (Some(asked), Some(found)) if asked != found => bail!("--type is {asked}, but the file has {found} keys"),
            (_, Some(found)) => Ok(found),
            (asked, None) => asked.context("the type of the keys is not known; name it with --type"),
        }
    }

    /// Returns the order of the keys' bits.
    pub fn order(self) -> Order {
        let kind = match self {
            Self::Unsigned(_) | Self::Bool | Self::Text => OrderKind::Unsigned,
            Self::Signed(_) | Self::Datetime(_) | Self::Timedelta(_) | Self::Decimal(_) => OrderKind::Signed,
            Self::Float(_) => OrderKind::Float,
        };
        Order::new(kind, self.bits())
    }

    /// Returns the encoding of keys as they are carried where their value counts.
    pub fn value_encoding(self) -> Encoding {
        match self {
            Self::Float(16) => Encoding::WideHalf,
            Self::Float(_) => Encoding::Bits,
            _ => self.ordered(),
        }
    }

    /// Returns the encoding of keys as they are carried where only their order counts.
    pub fn ordered(self) -> Encoding {
        Encoding::Ordered(self.order())
    }

    pub fn carrier(self) -> CarrierType {
        match self {
            Self::Float(16 | 32) => CarrierType::F32,
            Self::Float(_) => CarrierType::F64,
            _ if self.bits() <= 32 => CarrierType::U32,
            _ => CarrierType::U64,
        }
    }

    pub fn is_float(self) -> bool {
        matches!(self, Self::Float(_))
    }

    /// Returns whether they are moments or spans of time, of which NaT is the lowest.
    pub fn is_time(self) -> bool {
        matches!(self, Self::Datetime(_) | Self::Timedelta(_))
    }

    /// Returns the least and the greatest word, in the keys' order, of what is finite.
    pub fn finite(self) -> (u64, u64) {
        let order = self.order();
        match self.infinity() {
            Some((below, above)) => (order.word(below) + 1, order.word(above) - 1),
            None => (u64::from(self.is_time()), order.largest()),
        }
    }

    /// Returns the least and the greatest word, in the keys' order, of all but NaN and NaT.
    pub fn numbers(self) -> (u64, u64) {
        let order = self.order();
        self.infinity().map_or(self.finite(), |(below, above)| (order.word(below), order.word(above)))
    }

    /// Returns the bits of −∞ and ∞, which floats have.
    pub fn infinity(self) -> Option<(u64, u64)> {
        let positive = match self {
            Self::Float(16) => 0x7c00,
            Self::Float(32) => f32::INFINITY.to_bits().into(),
            Self::Float(_) => f64::INFINITY.to_bits(),
            _ => return None,
        };
        Some((positive | 1 << (self.bits() - 1), positive))
    }

    /// Refuses bits that keys of this type do not have. Their carriers may have more.
    pub fn check_bits(self, bits: &Range<u32>) -> Result<()> {
        let width = self.bits();
        ensure_usage!(bits.start <= bits.end, "--bits {bits:?} end before they begin");
        ensure!(bits.end <= width, "--bits {bits:?} do not lie within the {width} bits of {self} keys");
        Ok(())
    }

    /// Refuses strings where their order would count.
    pub fn expect_order(self) -> Result<()> {
        ensure!(self != Self::Text, "strings have no order here; split them with --by hash");
        Ok(())
    }
}

impl fmt::Display for KeyType {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Unsigned(bits) => write!(f, "u{bits}"),
            Self::Signed(bits) => write!(f, "i{bits}"),
            Self::Float(bits) => write!(f, "f{bits}"),
            Self::Bool => f.write_str("bool"),
            Self::Datetime(units) => write!(f, "datetime64[{units}]"),
            Self::Timedelta(units) => write!(f, "timedelta64[{units}]"),
            Self::Decimal(places) => write!(f, "decimal{places}"),
            Self::Text => f.write_str("string"),
        }
    }
}
