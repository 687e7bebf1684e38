//! The CPU back end: a stable split of a table's rows ([`mod@split`]) into at most 256 buckets; more take several
//! ([`many`]).
//!
//! A histogram is the prescan alone ([`mod@histogram`]). A sort is a split and what comes after ([`sort`]). Segments
//! are many splits ([`segments`]).

mod function;
mod groups;
mod histogram;
mod invert;
mod many;
mod plan;
pub(crate) mod primitives;
pub(crate) mod reduced_bit;
mod scan_split;
mod scatter;
mod scratch;
mod segments;
pub(crate) mod sort;
mod split;
mod table;
mod typed;

pub use function::Loops;
#[cfg(test)]
use function::each;
pub(crate) use function::{Keys, ManyKeys, fill_ids};
pub(crate) use groups::pad_groups;
pub(crate) use histogram::histogram;
pub(crate) use invert::invert;
pub(crate) use many::{offsets_of, split_any};
pub(crate) use scan_split::{SidedColumn, scan_split};
pub(crate) use scratch::Scratch;
pub(crate) use segments::split_segments;
pub(crate) use table::Column;

#[cfg(test)]
mod tests;
