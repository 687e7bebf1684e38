//! Values: what travels with a key.

use bytemuck::Pod;

/// A value that travels with its key: any plain type.
///
/// Values of 4 and 8 bytes move with their keys. Others are gathered afterwards, by the permutation. For rows that are
/// not plain, there is [`split_rows`](crate::split_rows).
///
/// ```
/// use multisplit::{Device, bucket::Identity, split_pairs};
/// let rows = [[1u8, 2, 3], [4, 5, 6]];
/// let split = split_pairs(&Device::best(), &[1u32, 0], &rows, &Identity::new(2))?;
/// assert_eq!(split.values, [[4, 5, 6], [1, 2, 3]]);
/// # Ok::<(), multisplit::Error>(())
/// ```
pub trait Value: Pod + Send + Sync {
    /// The value's width, if it moves with its key.
    #[doc(hidden)]
    const WIDTH: Option<Width> = match size_of::<Self>() {
        4 => Some(Width::Narrow),
        8 => Some(Width::Wide),
        _ => None,
    };
}

impl<T: Pod + Send + Sync> Value for T {}

/// The width of values between two buffers. Others are refused when the program is compiled.
pub(crate) const fn width_of_double<V: Value>() -> Width {
    match V::WIDTH {
        Some(width) => width,
        None => {
            panic!("values between two buffers must be of 4 or 8 bytes: ask for the permutation and gather others")
        }
    }
}

/// Width of a value.
#[doc(hidden)]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Width {
    /// 4 bytes.
    Narrow,
    /// 8 bytes.
    Wide,
}
