//! Groups of whole blocks.

use crate::memory::offsets::NO_GROUP;
use rayon::prelude::*;

/// Elements per thread and step, at least.
const FEW: usize = 1 << 12;

/// Rounds the start of each bucket up to a multiple of `block`. There is a start for each offset, room for all blocks,
/// and a place in `index` for each of their elements; those of no
/// element are `padding`.
pub(crate) fn pad_groups(
    offsets: &[usize],
    permutation: &[u32],
    block: usize,
    padding: u32,
    starts: &mut [u32],
    group_of_block: &mut [u32],
    index: &mut [u32],
) {
    let mut end = 0;
    let mut blocks = &mut *group_of_block;
    for (group, (bucket, start)) in offsets.windows(2).zip(&mut *starts).enumerate() {
        *start = end as u32;
        let len = (bucket[1] - bucket[0]).div_ceil(block);
        let (its, rest) = blocks.split_at_mut(len);
        its.fill(group as u32);
        blocks = rest;
        end += len * block;
    }
    blocks.fill(NO_GROUP);
    if let Some(last) = starts.last_mut() {
        *last = end as u32;
    }
    let each = index.par_chunks_mut(block).with_min_len(FEW.div_ceil(block)).zip(&*group_of_block).enumerate();
    each.for_each(|(i, (elements, &group))| {
        let bucket = offsets.get(group as usize..).unwrap_or_default();
        let &[first, end, ..] = bucket else { return elements.fill(padding) };
        let first = first + i * block - starts[group as usize] as usize;
        let len = block.min(end.saturating_sub(first));
        elements[..len].copy_from_slice(&permutation[first..first + len]);
        elements[len..].fill(padding);
    });
}
