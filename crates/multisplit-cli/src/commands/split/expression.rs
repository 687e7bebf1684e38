//! Expressions that compute the bucket of each row.

use crate::commands::files::half::widen_half;
use crate::commands::files::input::{FileKeys, KEY, NamedColumn};
use crate::commands::files::key_type::KeyType;
use crate::commands::files::words::WordsRef;
use anyhow::{Result, anyhow};
use multisplit::Error;
use multisplit::expression::{BucketIds, Expression, Values};
use multisplit_graph::parallel;

/// A column as an expression takes it.
enum Column<'a> {
    AsItIs(Values<'a>),
    Bool(Vec<bool>),
    I32(Vec<i32>),
    F32(Vec<f32>),
    F64(Vec<f64>),
}

/// Parses what `--expression` says.
pub fn parse(text: &str) -> Result<Expression> {
    Expression::parse(text).map_err(pointed)
}

/// Returns the bucket of each row, and how many buckets there are. `named` are the columns that the expression names.
pub fn ids(expression: &Expression, keys: &FileKeys, named: &[NamedColumn], buckets: Option<u32>) -> Result<BucketIds> {
    let own = Column::new(keys.key_type, keys.bits.as_ref());
    let others = named.iter().map(|column| {
        let other = column.other.as_ref().map(|(key_type, words)| Column::new(*key_type, words.as_ref()));
        (column.name.as_str(), other)
    });
    let others: Vec<(&str, Option<Column<'_>>)> = others.collect();
    let mut columns = vec![(KEY, own.values())];
    columns.extend(others.iter().map(|(name, other)| (*name, other.as_ref().unwrap_or(&own).values())));
    expression.ids(&columns, buckets).map_err(pointed)
}

/// Says what is wrong, with a line that points at it.
fn pointed(error: Error) -> anyhow::Error {
    let Error::InvalidExpression(error) = error else { return error.into() };
    match error.pointer() {
        Some(pointer) => anyhow!("--expression: {error}\n  {}", pointer.replace('\n', "\n  ")),
        None => anyhow!("--expression: {error}"),
    }
}

impl<'a> Column<'a> {
    /// Takes the bits of a column. Those of less than 4 bytes have zeros above, which negative numbers do not.
    fn new(key_type: KeyType, bits: WordsRef<'a>) -> Self {
        Self::AsItIs(match (key_type, bits) {
            (KeyType::Bool, WordsRef::Narrow(words)) => return Self::Bool(parallel::map(words, |word| word != 0)),
            (KeyType::Signed(8), WordsRef::Narrow(words)) => {
                return Self::I32(parallel::map(words, |word| i32::from(word as i8)));
            }
            (KeyType::Signed(16), WordsRef::Narrow(words)) => {
                return Self::I32(parallel::map(words, |word| i32::from(word as i16)));
            }
            (KeyType::Float(16), WordsRef::Narrow(words)) => {
                return Self::F32(parallel::map(words, |word| f32::from_bits(widen_half(word))));
            }
            (KeyType::Decimal(places), WordsRef::Wide(words)) => {
                let one = 10f64.powi(places.into());
                return Self::F64(parallel::map(words, |word| word as i64 as f64 / one));
            }
            (KeyType::Signed(_), WordsRef::Narrow(_)) => Values::I32(bits.cast()),
            (KeyType::Float(_), WordsRef::Narrow(_)) => Values::F32(bits.cast()),
            (_, WordsRef::Narrow(words)) => Values::U32(words),
            (KeyType::Unsigned(_), WordsRef::Wide(words)) => Values::U64(words),
            (KeyType::Float(_), WordsRef::Wide(_)) => Values::F64(bits.cast()),
            (KeyType::Text, WordsRef::Wide(words)) => Values::Opaque(words),
            (_, WordsRef::Wide(_)) => Values::I64(bits.cast()),
        })
    }

    fn values(&self) -> Values<'_> {
        match self {
            Self::AsItIs(values) => *values,
            Self::Bool(values) => Values::Bool(values),
            Self::I32(values) => Values::I32(values),
            Self::F32(values) => Values::F32(values),
            Self::F64(values) => Values::F64(values),
        }
    }
}
