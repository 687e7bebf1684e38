//! What keys span.

use super::key::FileKey;
use crate::parallel;

/// The smallest and the largest finite key; 0 and 0 if there are none.
pub fn extent<K: FileKey>(keys: &[K]) -> (K, K) {
    let wider = |(a, b): (K, K), (c, d): (K, K)| (if c < a { c } else { a }, if d > b { d } else { b });
    let of_part = |_, part: &[K]| {
        let finite = part.iter().copied().filter(|key| key.is_finite());
        finite.map(|key| (key, key)).reduce(wider)
    };
    let zero = bytemuck::Zeroable::zeroed();
    parallel::parts(keys, of_part).into_iter().flatten().reduce(wider).unwrap_or((zero, zero))
}
