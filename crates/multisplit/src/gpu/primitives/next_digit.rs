//! What a split of a sort leaves for the next one: the bucket ids that the keys will have there, a byte for each.
//!
//! Counting bytes, the next prescan reads an eighth of what it would read of 8-byte keys.

use crate::gpu::function::AnyFn;
use crate::gpu::key::AnyKey;
use crate::gpu::tuning::blueprint::Blueprint;
use cubecl::prelude::*;

/// One of each where ids are left, else none.
#[derive(CubeType, CubeLaunch)]
pub(crate) struct NextDigit {
    /// The function of the next split.
    next: Sequence<AnyFn>,
    ids: Sequence<Array<u8>>,
}

#[cube]
impl NextDigit {
    /// Leaves the id of a key that goes to a position.
    pub fn leave(&mut self, key: AnyKey, position: usize, #[comptime] bp: Blueprint) {
        if comptime!(bp.leaves_ids) {
            let id = self.next.index(0usize).bucket(key);
            let ids = self.ids.index_mut(0usize);
            ids[position] = u8::cast_from(id);
        }
    }
}
