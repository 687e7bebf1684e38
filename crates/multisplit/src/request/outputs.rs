//! Where the calls on slices put their results.

use crate::bucket::key::Key;
use crate::device::Device;
use crate::error::Result;
use crate::memory::buffer::zeroed;
use crate::memory::columns::{Columns, HostColumn};

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

/// Rows in a new order, as the calls on slices return them.
pub(crate) struct Moved<K, V> {
    pub keys: Vec<K>,
    pub values: V,
    pub permutation: Option<Vec<u32>>,
}

/// Makes the outputs of a call on slices of `n` rows, and has `run` fill them, once.
///
/// Calls for all bucket functions share it: it is compiled once for each type of keys and columns.
pub(crate) fn moved<K: Key, V: Columns>(
    device: &Device,
    n: usize,
    values: V,
    permutation: bool,
    run: &mut dyn FnMut(Outputs<'_, '_, K>) -> Result<()>,
) -> Result<Moved<K, V::Output>> {
    let mut keys = zeroed(device, n)?;
    let mut permutation = permutation.then(|| zeroed(device, n)).transpose()?;
    let values = values.permute(n, permutation.as_deref_mut(), &mut |columns, permutation| {
        run(Outputs { keys: &mut keys, columns, permutation })
    })?;
    Ok(Moved { keys, values, permutation })
}
