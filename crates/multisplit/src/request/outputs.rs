//! Where the calls on slices put their results.

use crate::bucket::key::Key;
use crate::memory::columns::HostColumn;

/// Where a split on slices puts its results.
pub(crate) struct Outputs<'a, 'c, K> {
    pub keys: &'a mut [K],
    pub columns: &'a mut [HostColumn<'c>],
    pub permutation: Option<&'a mut [u32]>,
}

impl<'a, 'c, K: Key> Outputs<'a, 'c, K> {
    /// The same as kernels see it.
    #[cfg(feature = "gpu")]
    pub fn unsigned(self) -> Outputs<'a, 'c, K::Unsigned> {
        let Self { keys, columns, permutation } = self;
        Outputs { keys: bytemuck::cast_slice_mut(keys), columns, permutation }
    }
}
