//! What a split of a sort leaves for the next one: the bucket ids that the keys will have there, a byte for each.
//!
//! Counting bytes, the next prescan reads an eighth of what it would read of 8-byte keys.

use crate::bucket::{BucketFn, BucketFnExpand};
use crate::gpu::tuning::blueprint::Blueprint;
use cubecl::prelude::*;

/// One of each where ids are left, else none.
#[derive(CubeType, CubeLaunch)]
pub(crate) struct NextDigit<F: BucketFn> {
    /// The function of the next split.
    next: Sequence<F>,
    ids: Sequence<Array<u8>>,
}

#[cube]
impl<F: BucketFn> NextDigit<F> {
    /// Leaves the id of a key that goes to a position.
    pub fn leave(&mut self, key: F::Key, position: usize, #[comptime] bp: Blueprint) {
        if comptime!(bp.leaves_ids) {
            let id = self.next.index(0usize).bucket(key);
            let ids = self.ids.index_mut(0usize);
            ids[position] = u8::cast_from(id);
        }
    }
}
