//! Arrays in files: what `sort`, `split`, `histogram` and `partition` have in common.
//!
//! A command names its [`input`], and [`formats`] reads a column of it: the bits of its elements ([`words`]) and
//! their [`key_type`], which says how they become words in their order ([`order`]), numbers and text ([`number`]). From
//! there on code knows neither formats nor types of files; only the library is called with a type, the [`carrier`].
//! Keys and values are brought to the device as [`rows`]. [`results`] are written ([`mod@write`], to [`paths`]) and
//! reported ([`summary`]). What does not fit the memory that there is ([`budget`]) goes in pieces ([`large`]).

pub mod bucket_split;
mod budget;
pub mod carrier;
pub mod dates;
mod decimals;
pub mod encoding;
pub mod file_split;
pub mod folder;
pub mod formats;
pub mod half;
pub mod input;
mod key_files;
pub mod key_type;
pub mod keys;
pub mod large;
pub mod number;
pub mod open;
mod open_records;
pub mod order;
pub mod paths;
pub mod results;
pub mod room;
pub mod rows;
pub mod sort_rows;
mod split_rows;
pub mod summary;
mod text_hash;
pub mod thresholds;
pub mod words;
pub mod write;
