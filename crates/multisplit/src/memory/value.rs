//! Values: what travels with a key.

use bytemuck::Pod;

/// A value that travels with its key: any plain type of 4 or 8 bytes.
///
/// Larger ones are better left where they are: split an index ([`argsplit`](crate::argsplit)) and gather, or call
/// [`split_rows`](crate::split_rows), which does that.
///
/// ```compile_fail
/// // 12 bytes: the width is checked when the program is compiled.
/// let rows = [[0u32; 3]; 2];
/// let f = multisplit::bucket::Identity::new(2);
/// multisplit::split_pairs(&multisplit::Device::cpu(), &[1u32, 0], &rows[..], &f).unwrap();
/// ```
pub trait Value: Pod + Send + Sync {
    /// The value's width.
    #[doc(hidden)]
    const WIDTH: Width = match size_of::<Self>() {
        4 => Width::Narrow,
        8 => Width::Wide,
        _ => panic!("values must be of 4 or 8 bytes; split an index and gather larger ones (`split_rows`)"),
    };
}

impl<T: Pod + Send + Sync> Value for T {}

/// Width of a value.
#[doc(hidden)]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Width {
    /// 4 bytes.
    Narrow,
    /// 8 bytes.
    Wide,
}
