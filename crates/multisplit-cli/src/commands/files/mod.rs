//! Arrays in files: what `sort`, `split`, `histogram` and `partition` have in common.
//!
//! A command names its [`input`]. The file tells the type of the keys ([`key_type`]), and from there on all code is
//! generic over that type ([`key`], [`key_impls`]). Keys and values are read ([`read`]) and brought to the device
//! ([`device_io`]). Results are written ([`mod@write`], to [`paths`]) and reported ([`summary`]).

pub mod bucket_split;
pub mod device_io;
pub mod input;
pub mod key;
mod key_impls;
pub mod key_type;
pub mod paths;
pub mod read;
pub mod summary;
pub mod write;
