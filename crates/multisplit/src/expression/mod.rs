//! Expressions that name the bucket, given as text: `key % 7`, `popcount(key >> 4)`, `x < 10 ? 0 : 1`.
//!
//! For programs whose users say at run time how to split. An expression is computed on the host, on all threads, for
//! every row of some columns, and gives ids to split by. A bucket function in Rust ([`bucket`](crate::bucket)) is
//! compiled into the split itself and is faster.
//!
//! ```
//! use multisplit::expression::{Expression, Values};
//! use multisplit::{Device, bucket::Delta, split_pairs};
//!
//! let expression = Expression::parse("age < 18 ? 0 : 1 + hash(city) % 3")?;
//! let (ages, cities) = ([31u8, 7, 45], [12u32, 12, 99]);
//! let found = expression.ids(&[("age", Values::U8(&ages)), ("city", Values::U32(&cities))], None)?;
//! let by_id = Delta::new(0, 1, found.buckets)?;
//! let rows = [0u32, 1, 2];
//! assert_eq!(split_pairs(&Device::cpu(), &found.ids, &rows, &by_id)?.values[0], 1);
//! # Ok::<(), multisplit::Error>(())
//! ```
//!
//! # What can be written
//!
//! Names of columns, in back quotes or brackets if they are no words (`[unit price]`); numbers (`1_000`, `0xff`,
//! `0b101`, `2.5e-3`), `true` and `false`. Operators bind as in Rust, from the tightest:
//!
//! | | |
//! |---|---|
//! | `-x` `!x` `~x` | negation, of numbers, of conditions, of bits |
//! | `*` `/` `%` | |
//! | `+` `-` | |
//! | `<<` `>>` | bits that are shifted out are lost |
//! | `&`, then `^`, then <code>\|</code> | of bits, or of conditions |
//! | `<` `<=` `>` `>=` `==` `!=` | |
//! | `&&`, then <code>\|\|</code> | of conditions |
//! | `c ? a : b` | `a` where the condition holds, else `b` |
//!
//! | functions | |
//! |---|---|
//! | `min(a, b, …)` `max(a, b, …)` `clamp(x, low, high)` `abs(x)` | |
//! | `popcount(x)` `clz(x)` `ctz(x)` `bit(x, i)` | ones, zeros before and behind them, one bit |
//! | `hash(x)` `hash(x, seed)` | 32 well-mixed bits: those of [`Hash`](struct@crate::bucket::Hash) |
//! | `floor` `ceil` `round` `trunc` `sqrt` `log2` `is_nan` | of floats; halves are rounded away from 0 |
//! | `quot(a, b)` `rem(a, b)` | division that rounds towards 0, as Rust's `/` and `%` do |
//! | `u32(x)` `i32(x)` `u64(x)` `i64(x)` `f32(x)` `f64(x)` | conversions |
//!
//! # Types
//!
//! Columns of 8 and 16 bits are taken as `u32`, `i32` or `f32`. Arithmetic is that of the operands' type, and wraps.
//! `u32` with `i32` is `i64`; whole numbers with floats are `f64`; `u64` with a signed type is an error, as neither has
//! the numbers of both. A number in the text takes the type of the other operand if that has it, else the next wider
//! one; numbers among themselves are computed exactly, and alone are `u32`, or `i32` if negative. A condition counts
//! as 0 or 1 in arithmetic.
//!
//! **`/` and `%` of whole numbers are those of Euclid**: `a % b` is never negative, and `a / b` rounds down for
//! positive `b`, so that buckets are as wide below 0 as above. Division by 0 is an error that names the row. A branch
//! that is not taken makes no errors: `x == 0 ? 0 : 100 / x`.
//!
//! Conversions between whole numbers keep the low bits; from floats they cut off the fraction, and what does not fit is
//! an error.

mod check;
mod closest;
mod error;
mod evaluate;
mod fault;
mod function;
mod kernels;
mod key;
mod literal;
mod numbers;
mod parser;
mod plan;
mod token;
mod tree;
mod values;

#[cfg(test)]
mod tests;

pub use error::ExpressionError;
pub use key::KeyExpression;
pub use values::Values;

use crate::error::{Error, Result};
use crate::request::policy::MAX_BUCKETS;
use std::fmt;
use std::str::FromStr;
use tree::Tree;

/// An expression that names the bucket of a row. See the [module](self) for what it can say.
#[derive(Clone, Debug, PartialEq)]
pub struct Expression {
    tree: Tree,
}

/// The bucket of each row.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BucketIds {
    /// A number below `buckets` for each row.
    pub ids: Vec<u32>,
    /// The number of buckets: as given, or one more than the largest id.
    pub buckets: u32,
}

impl Expression {
    /// Parses an expression. Names of columns are not looked up yet.
    ///
    /// # Errors
    /// [`Error::InvalidExpression`], which points at the mistake.
    pub fn parse(text: &str) -> Result<Self> {
        parser::parse(text).map(|tree| Self { tree }).map_err(Error::InvalidExpression)
    }

    /// Refuses what is wrong with the numbers of the text whatever the columns are, such as a division by 0. Without
    /// this, [`ids`](Self::ids) says so, and only of rows that come to it.
    ///
    /// # Errors
    /// [`Error::InvalidExpression`], which points at the mistake.
    pub fn check_numbers(&self) -> Result<()> {
        numbers::check(&self.tree).map_err(Error::InvalidExpression)
    }

    /// Returns the names of the columns, each once, in the order in which they appear.
    pub fn columns(&self) -> &[String] {
        &self.tree.columns
    }

    /// Computes the bucket of each row. `columns` are all that there are, of equal length, with their names.
    ///
    /// Without `buckets` there are as many as the largest id asks for. An id that is negative, not whole, or not below
    /// `buckets` is an error that names the first such row, and so is a row for which there is no result.
    ///
    /// # Errors
    /// [`Error::InvalidExpression`] for these, for names of columns that there are not, and for types that do not go
    /// together.
    pub fn ids(&self, columns: &[(&str, Values<'_>)], buckets: Option<u32>) -> Result<BucketIds> {
        self.compute(columns, buckets).map_err(Error::InvalidExpression)
    }

    fn compute(&self, columns: &[(&str, Values<'_>)], buckets: Option<u32>) -> Result<BucketIds, ExpressionError> {
        let columns = self.find(columns)?;
        let plan = check::check(&self.tree, &columns)?;
        let limit = buckets.unwrap_or(MAX_BUCKETS);
        let rows = columns.first().map_or(0, |column| column.len());
        let (ids, largest) = evaluate::ids(&plan, &columns, rows, limit)
            .map_err(|failure| failure.explain(&self.tree, &plan, &columns, buckets))?;
        Ok(BucketIds { ids, buckets: buckets.unwrap_or(largest + 1) })
    }

    /// Returns the columns that are named, in their order, then the others.
    fn find<'a>(&self, columns: &[(&str, Values<'a>)]) -> Result<Vec<Values<'a>>, ExpressionError> {
        let names = || columns.iter().map(|(name, _)| *name);
        let mut found = Vec::new();
        for (i, name) in self.tree.columns.iter().enumerate() {
            match columns.iter().find(|(each, _)| each == name) {
                Some((_, column)) => found.push(*column),
                None => {
                    let message = format!("there is no column '{name}'{}", closest::hint(name, names()));
                    return Err(self.tree.error_at_column(i, message));
                }
            }
        }
        // An expression without names still has a value for each row.
        found.extend(columns.iter().map(|(_, column)| *column));
        let rows = found.first().map_or(0, |column| column.len());
        if let Some((name, column)) = columns.iter().find(|(_, column)| column.len() != rows) {
            let message = format!("column '{name}' has {} rows, but others have {rows}", column.len());
            return Err(ExpressionError::new(message));
        }
        Ok(found)
    }
}

impl FromStr for Expression {
    type Err = Error;

    fn from_str(text: &str) -> Result<Self> {
        Self::parse(text)
    }
}

impl fmt::Display for Expression {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.tree.text)
    }
}
