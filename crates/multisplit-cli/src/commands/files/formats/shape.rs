//! What is known of a column before its elements are read.

use super::elements::Layout;
use crate::commands::files::key_type::KeyType;
use npyz::DType;

/// What a column has.
#[derive(Clone, Debug, PartialEq)]
pub struct Shape {
    /// The number of its elements.
    pub n: u64,
    pub layout: Layout,
    /// The type of keys. None if their type is of no consequence.
    pub key_type: Option<KeyType>,
    pub dtype: DType,
}
