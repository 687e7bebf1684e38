//! Scan: exclusive prefix sums over (bucket, chunk), bucket-major.

use crate::cpu::scratch::Chunk;

/// Turns the chunks' counts into the ranges of their parts of the buckets, and writes the bucket
/// boundaries to `offsets`.
///
/// Whatever the counts are, each range begins where the one before it ends: the ranges are
/// disjoint, and end at the sum of all counts. All unsafe writes of the postscan rest on this.
pub(super) fn scan(chunks: &mut [Chunk], m: usize, offsets: &mut [usize]) {
    let mut sum = 0;
    let mut offsets = offsets.iter_mut();
    let mut boundary = |sum| {
        if let Some(offset) = offsets.next() {
            *offset = sum;
        }
    };
    for b in 0..m {
        boundary(sum);
        for chunk in &mut *chunks {
            chunk.begin[b] = sum;
            sum += chunk.end[b];
            chunk.end[b] = sum;
        }
    }
    boundary(sum);
}
