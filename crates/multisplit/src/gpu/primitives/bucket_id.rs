//! Bucket ids in a kernel, brought into range.

use crate::gpu::function::AnyFn;
use crate::gpu::key::AnyKey;
use crate::gpu::tuning::blueprint::Blueprint;
use cubecl::prelude::*;

/// The bucket of a key, brought into range. Ids beyond the last bucket are counted by the prescan.
#[cube]
pub(crate) fn bucket_of(f: &AnyFn, key: AnyKey, m: u32, #[comptime] bp: Blueprint) -> u32 {
    let id = f.bucket(key);
    if comptime!(bp.in_range) { id } else { id.min(m - 1) }
}

/// A bucket id, or `last` if it is beyond.
#[cube]
pub(crate) fn up_to(id: u32, last: u32, #[comptime] bp: Blueprint) -> u32 {
    if comptime!(bp.in_range) { id } else { id.min(last) }
}
