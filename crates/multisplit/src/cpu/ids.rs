//! Bucket ids of a block of keys, as bytes, and what can be seen from them at a glance.

use super::ahead;

/// A vector of bytes, on any machine so far.
const GROUP: usize = 64;

/// Keys whose ids are computed together.
const FILL: usize = 128;

/// Fills `ids` with the buckets of `keys`, those out of range replaced by the last bucket, and
/// returns the largest answer of `bucket`, which is cheaper than counting those out of range.
///
/// The ids of a few keys at a time go to an array that nobody else can know of, and are copied from
/// there. Most closures capture by reference, and the compiler would have to assume that writing an
/// id changes what they captured: it would not vectorize, and a
/// split of 8-byte keys into 2 buckets took twice as long.
#[inline(always)]
pub(super) fn fill<K: Copy>(ids: &mut [u8], keys: &[K], m: usize, bucket: &impl Fn(K) -> u32) -> u32 {
    let last = m as u32 - 1;
    let mut largest = 0;
    let (id_groups, last_ids) = ids.as_chunks_mut::<FILL>();
    let (key_groups, last_keys) = keys.as_chunks::<FILL>();
    for (ids, keys) in id_groups.iter_mut().zip(key_groups) {
        ahead::fetch(keys, ahead::DISTANCE);
        let mut group = [0; FILL];
        for (id, &key) in group.iter_mut().zip(keys) {
            let b = bucket(key);
            largest = largest.max(b);
            *id = b.min(last) as u8;
        }
        *ids = group;
    }
    for (id, &key) in last_ids.iter_mut().zip(last_keys) {
        let b = bucket(key);
        largest = largest.max(b);
        *id = b.min(last) as u8;
    }
    largest
}

/// Whether neighbours mostly agree: fewer than one change of bucket in 16 rows.
///
/// Both passes are slowest when one bucket gets many rows in a row, because each row must wait for
/// the counter that the row before it wrote. Sorted and constant input is like that throughout,
/// and can be handled a run at a time instead.
#[inline(always)]
pub(super) fn in_runs(ids: &[u8]) -> bool {
    let later = ids.get(1..).unwrap_or(&[]);
    let mut changes = 0;
    // Short pieces, so that the sums fit in bytes and vectors hold as many as possible; whole
    // vectors, because single ids at the end would take as long as all the others.
    for (a, b) in ids.as_chunks::<GROUP>().0.iter().zip(later.as_chunks::<GROUP>().0) {
        let changed: u8 = a.iter().zip(b).map(|(a, b)| u8::from(a != b)).sum();
        changes += usize::from(changed);
    }
    changes * 16 < ids.len()
}

/// Length of the run of equal ids at the start; 0 only without ids.
#[inline(always)]
pub(super) fn run(ids: &[u8]) -> usize {
    let Some(&first) = ids.first() else { return 0 };
    let mut length = 0;
    for group in ids.as_chunks::<GROUP>().0 {
        if group.iter().fold(0, |mixed, &id| mixed | (id ^ first)) != 0 {
            break;
        }
        length += group.len();
    }
    length + ids[length..].iter().take_while(|&&id| id == first).count()
}
