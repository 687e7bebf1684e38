//! Expressions that compute the bucket of each row.

use crate::commands::files::bucket_split::BucketFunction;
use crate::commands::files::half::widen_half;
use crate::commands::files::input::{KEY, NamedColumn};
use crate::commands::files::key_type::KeyType;
use crate::commands::files::keys::Keys;
use crate::commands::files::large::table::{StoredNamed, Table};
use crate::commands::files::open::Opened;
use crate::commands::files::words::WordsRef;
use anyhow::{Result, anyhow};
use multisplit::Error;
use multisplit::expression::{BucketIds, Expression, Values};
use multisplit_graph::parallel;
use std::cell::Cell;

/// A column as an expression takes it.
enum Column<'a> {
    AsItIs(Values<'a>),
    Bool(Vec<bool>),
    I32(Vec<i32>),
    F32(Vec<f32>),
    F64(Vec<f64>),
}

/// Parses what `--expression` says. What is wrong with it in any case is said before a file is read.
pub fn parse(text: &str) -> Result<Expression> {
    let parsed = Expression::parse(text).and_then(|expression| expression.check_numbers().map(|()| expression));
    parsed.map_err(|error| pointed(error, 0))
}

/// Returns what computes the bucket of each row. Of keys in memory it is computed here, with the columns that are named
/// beside them.
pub fn function(expression: &Expression, keys: &Opened, buckets: Option<u32>) -> Result<BucketFunction> {
    match keys {
        Opened::Whole(keys, named) => {
            let found = ids(expression, (keys.key_type, keys.bits.as_ref()), named, buckets, 0)?;
            let all = Cell::new(found.ids);
            // They are asked for once, all of them.
            Ok(BucketFunction::Chosen { ids: Box::new(move |_, _| Ok(all.take())), buckets: found.buckets })
        }
        Opened::Large(table) => {
            let key_type = table.key_type;
            let buckets = buckets.map_or_else(|| count(expression, table), Ok)?;
            let (expression, named) = (expression.clone(), table.named.clone());
            let of_piece = move |keys: WordsRef<'_>, first| {
                let named = read(&named, first, keys.len())?;
                ids(&expression, (key_type, keys), &named, Some(buckets), first).map(|found| found.ids)
            };
            Ok(BucketFunction::Chosen { ids: Box::new(of_piece), buckets })
        }
    }
}

/// Returns how many buckets the keys of a table ask for, which are gone through for that.
fn count(expression: &Expression, table: &Table) -> Result<u32> {
    let (mut buckets, mut first) = (1u32, 0);
    table.each(&mut |keys| {
        let named = read(&table.named, first, keys.len())?;
        buckets = buckets.max(ids(expression, (table.key_type, keys), &named, None, first)?.buckets);
        first += keys.len() as u64;
        Ok(())
    })?;
    Ok(buckets)
}

/// Reads the columns that are named beside the keys, of some rows.
fn read(named: &[StoredNamed], first: u64, rows: usize) -> Result<Vec<NamedColumn>> {
    named.iter().map(|column| column.read(first, rows)).collect()
}

/// Returns the bucket of each of some rows, given as the bits of keys, and how many buckets there are. `named` are
/// other columns that the expression names. `first` is the number of the first row.
fn ids(
    expression: &Expression,
    (key_type, bits): (KeyType, WordsRef<'_>),
    named: &[NamedColumn],
    buckets: Option<u32>,
    first: u64,
) -> Result<BucketIds> {
    let own = Column::new(key_type, bits);
    let others: Vec<(&str, Column<'_>)> =
        named.iter().map(|column| (column.name.as_str(), Column::new(column.key_type, column.bits.as_ref()))).collect();
    let value = |name: &str| others.iter().find(|(other, _)| *other == name).map_or(&own, |(_, other)| other).values();
    // What is named and is no other column is that of the keys.
    let names = expression.columns().iter().map(String::as_str).filter(|&name| name != KEY);
    let columns: Vec<(&str, Values<'_>)> = std::iter::once(KEY).chain(names).map(|name| (name, value(name))).collect();
    expression.ids(&columns, buckets).map_err(|error| pointed(error, first))
}

/// Says what is wrong, with a line that points at it. `first` is the number of the first row.
fn pointed(error: Error, first: u64) -> anyhow::Error {
    let Error::InvalidExpression(error) = error else { return error.into() };
    let error = error.behind(first);
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
