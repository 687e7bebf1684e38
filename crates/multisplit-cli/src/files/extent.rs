//! What keys span.

use super::key::FileKey;
use rayon::prelude::*;

/// The smallest and the largest finite key; 0 and 0 if there are none.
pub fn extent<K: FileKey>(keys: &[K]) -> (K, K) {
    let wider = |(a, b): (K, K), (c, d): (K, K)| (if c < a { c } else { a }, if d > b { d } else { b });
    let finite = keys.par_iter().copied().filter(|key| key.is_finite());
    let zero = bytemuck::Zeroable::zeroed();
    finite.map(|key| (key, key)).reduce_with(wider).unwrap_or((zero, zero))
}
