//! Bucket functions as the back end calls them: for many keys at a time, through a pointer.
//!
//! These loops are all that is compiled once for each function and type of keys: in this crate for most of its own, so
//! that they are fast in whatever way the user's crate is compiled, and there for others. All else is compiled once. A
//! call takes as long as one or two keys.

use super::primitives::prefetch;
use super::primitives::simd::{Level, SimdLoop};
use crate::bucket::Buckets;
use bytemuck::{Pod, cast_slice};
use rayon::prelude::*;
use std::marker::PhantomData;
use std::ops::Range;

/// Keys whose ids are computed together.
const FILL: usize = 128;

/// The same where ids are words.
const GROUP: usize = 256;

/// Keys whose ids a thread computes at a time.
const PART: usize = 1 << 12;

/// Keys of some type.
#[derive(Clone, Copy)]
pub(crate) struct Keys<'a> {
    bytes: &'a [u8],
    /// Bytes of a key.
    width: usize,
}

impl<'a> Keys<'a> {
    pub fn of<K: Pod>(keys: &'a [K]) -> Self {
        Self { bytes: cast_slice(keys), width: size_of::<K>() }
    }

    /// Keys of the same type in other memory.
    pub fn like(self, bytes: &'a [u8]) -> Self {
        Self { bytes, ..self }
    }

    pub fn len(self) -> usize {
        self.bytes.len() / self.width
    }

    pub fn range(self, rows: Range<usize>) -> Self {
        self.like(&self.bytes[rows.start * self.width..rows.end * self.width])
    }

    /// So many at a time; the last may be fewer.
    pub fn chunks(self, len: usize) -> impl Iterator<Item = Self> {
        self.bytes.chunks(len.saturating_mul(self.width)).map(move |bytes| self.like(bytes))
    }
}

/// A bucket function.
///
/// # Safety
///
/// [`Function::bytes`] writes an id for every key, and none above `last`: memory is written by them.
pub(crate) unsafe trait Function: Sync {
    /// Whether ids may be computed once more instead of being stored: a key has the same one whenever it is asked for,
    /// which takes about as long as storing it. Only functions of this crate say so. If it were not true, rows would be
    /// lost, but nothing written out of bounds.
    fn is_repeatable(&self) -> bool {
        false
    }

    /// Fills `ids` with the buckets of these keys, one piece after the other, those above `last` replaced by it.
    /// Returns the largest answer, which is cheaper than counting those out of range.
    fn bytes(&self, level: Level, pieces: &[Keys<'_>], last: u8, ids: &mut [u8]) -> u32;

    /// Shows `sink` the buckets of these keys, in order and at most [`GROUP`] at a time, those above `last` replaced
    /// by it.
    fn words(&self, level: Level, keys: Keys<'_>, last: u32, sink: &mut dyn FnMut(&[u32]));
}

impl dyn Function + '_ {
    /// How many keys have no bucket below `m`.
    pub(super) fn out_of_range(&self, level: Level, keys: Keys<'_>, m: u32) -> u64 {
        let mut count = 0;
        self.words(level, keys, m, &mut |ids| count += ids.iter().filter(|&&id| id == m).count() as u64);
        count
    }
}

/// Functions of one key.
struct Each<K, B> {
    bucket: B,
    repeatable: bool,
    keys: PhantomData<fn(K)>,
}

/// Makes it of a function of one key.
pub(crate) fn each<K: Pod>(bucket: impl Fn(K) -> u32 + Sync) -> impl Function {
    Each { bucket, repeatable: false, keys: PhantomData }
}

/// Makes it of a function of this crate, which always answers the same.
pub(super) fn each_repeatable<K: Pod>(bucket: impl Fn(K) -> u32 + Sync) -> impl Function {
    Each { bucket, repeatable: true, keys: PhantomData }
}

// SAFETY: as those of each key.
unsafe impl<F: Buckets> Function for F {
    fn is_repeatable(&self) -> bool {
        self.is_cheap() && self.in_range().is_some()
    }

    fn bytes(&self, level: Level, pieces: &[Keys<'_>], last: u8, ids: &mut [u8]) -> u32 {
        each(|key| self.bucket(key)).bytes(level, pieces, last, ids)
    }

    fn words(&self, level: Level, keys: Keys<'_>, last: u32, sink: &mut dyn FnMut(&[u32])) {
        each(|key| self.bucket(key)).words(level, keys, last, sink);
    }
}

/// Computes the buckets of many keys.
pub(crate) trait ManyKeys: Sync {
    /// Writes the bucket of each key. The keys are given as bytes, and are those of the bucket function.
    fn ids(&self, keys: &[u8], ids: &mut [u32]);
}

/// What computes the buckets of keys on the CPU.
#[derive(Clone, Copy)]
pub struct Loops<'a>(Kind<'a>);

#[derive(Clone, Copy)]
enum Kind<'a> {
    Each(&'a dyn Function),
    Many(&'a dyn ManyKeys),
}

impl<'a> Loops<'a> {
    /// Computes one after the other. The loops are compiled where this is called.
    pub(crate) fn each(f: &'a impl Buckets) -> Self {
        Self(Kind::Each(f))
    }

    /// Computes many together.
    pub(crate) fn many(keys: &'a dyn ManyKeys) -> Self {
        Self(Kind::Many(keys))
    }
}

// SAFETY: as those that they call.
unsafe impl Function for Loops<'_> {
    fn is_repeatable(&self) -> bool {
        match self.0 {
            Kind::Each(f) => f.is_repeatable(),
            Kind::Many(_) => false,
        }
    }

    fn bytes(&self, level: Level, pieces: &[Keys<'_>], last: u8, ids: &mut [u8]) -> u32 {
        match self.0 {
            Kind::Each(f) => f.bytes(level, pieces, last, ids),
            Kind::Many(_) => bytes_of_words(self, level, pieces, last, ids),
        }
    }

    fn words(&self, level: Level, keys: Keys<'_>, last: u32, sink: &mut dyn FnMut(&[u32])) {
        match self.0 {
            Kind::Each(f) => f.words(level, keys, last, sink),
            Kind::Many(many) => words_of_many(many, keys, last, sink),
        }
    }
}

fn words_of_many(many: &dyn ManyKeys, keys: Keys<'_>, last: u32, sink: &mut dyn FnMut(&[u32])) {
    for keys in keys.chunks(GROUP) {
        let mut ids = [0; GROUP];
        let ids = &mut ids[..keys.len()];
        many.ids(keys.bytes, ids);
        ids.iter_mut().for_each(|id| *id = (*id).min(last));
        sink(ids);
    }
}

/// Fills `ids` with those that a function shows.
fn bytes_of_words(f: &dyn Function, level: Level, pieces: &[Keys<'_>], last: u8, ids: &mut [u8]) -> u32 {
    let (mut largest, mut rest) = (0, ids);
    for &keys in pieces {
        f.words(level, keys, u32::MAX, &mut |words| {
            let (ids, others) = std::mem::take(&mut rest).split_at_mut(words.len());
            for (&word, id) in words.iter().zip(ids) {
                *id = word.min(u32::from(last)) as u8;
            }
            largest = words.iter().fold(largest, |largest, &word| largest.max(word));
            rest = others;
        });
    }
    largest
}

// SAFETY: `Fill` writes an id for every key, and brings it down to `last`.
unsafe impl<K: Pod, B: Fn(K) -> u32 + Sync> Function for Each<K, B> {
    fn is_repeatable(&self) -> bool {
        self.repeatable
    }

    fn bytes(&self, level: Level, pieces: &[Keys<'_>], last: u8, mut ids: &mut [u8]) -> u32 {
        let mut largest = 0;
        for keys in pieces {
            let piece;
            (piece, ids) = ids.split_at_mut(keys.len());
            level.run(Fill {
                ids: piece,
                keys: cast_slice(keys.bytes),
                last,
                bucket: &self.bucket,
                largest: &mut largest,
            });
        }
        largest
    }

    fn words(&self, level: Level, keys: Keys<'_>, last: u32, sink: &mut dyn FnMut(&[u32])) {
        level.run(Words { keys: cast_slice::<u8, K>(keys.bytes), last, bucket: &self.bucket, sink });
    }
}

struct Fill<'a, K, B> {
    ids: &'a mut [u8],
    keys: &'a [K],
    last: u8,
    bucket: &'a B,
    largest: &'a mut u32,
}

/// The ids of a few keys at a time go to an array that nobody else can know of, and are copied from there. Most
/// closures capture by reference, and the compiler would have to assume that writing an id changes what they
/// captured: it would not vectorize, and a split of 8-byte keys into 2 buckets took twice as long.
impl<K: Copy, B: Fn(K) -> u32> SimdLoop for Fill<'_, K, B> {
    #[inline(always)]
    fn run(self) {
        let Self { ids, keys, last, bucket, .. } = self;
        let last = u32::from(last);
        let mut largest = *self.largest;
        let (id_groups, last_ids) = ids.as_chunks_mut::<FILL>();
        let (key_groups, last_keys) = keys.as_chunks::<FILL>();
        for (ids, keys) in id_groups.iter_mut().zip(key_groups) {
            prefetch::fetch(keys, prefetch::DISTANCE);
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
        *self.largest = largest;
    }
}

struct Words<'a, K, B> {
    keys: &'a [K],
    last: u32,
    bucket: &'a B,
    sink: &'a mut dyn FnMut(&[u32]),
}

impl<K: Copy, B: Fn(K) -> u32> SimdLoop for Words<'_, K, B> {
    #[inline(always)]
    fn run(self) {
        let Self { keys, last, bucket, sink } = self;
        let (groups, rest) = keys.as_chunks::<GROUP>();
        for keys in groups {
            prefetch::fetch(keys, prefetch::DISTANCE);
            let mut ids = [0; GROUP];
            for (id, &key) in ids.iter_mut().zip(keys) {
                *id = bucket(key).min(last);
            }
            sink(&ids);
        }
        let mut ids = [0; GROUP];
        for (id, &key) in ids.iter_mut().zip(rest) {
            *id = bucket(key).min(last);
        }
        sink(&ids[..rest.len()]);
    }
}

/// Fills `ids` with the buckets of as many keys, by all threads. Those above `last` are replaced by it.
pub(crate) fn fill_ids(f: &dyn Function, keys: Keys<'_>, last: u32, ids: &mut [u32]) {
    let level = Level::detect();
    ids.par_chunks_mut(PART).enumerate().for_each(|(part, ids)| {
        let (start, mut rest) = (part * PART, ids);
        f.words(level, keys.range(start..start + rest.len()), last, &mut |words| {
            let (ids, others) = std::mem::take(&mut rest).split_at_mut(words.len());
            ids.copy_from_slice(words);
            rest = others;
        });
    });
}

/// A function of another one's ids.
pub(super) struct Of<'a, G> {
    pub f: &'a dyn Function,
    pub of_id: G,
}

// SAFETY: an id is written for every key, and brought down to `last`.
unsafe impl<G: Fn(u32) -> u32 + Sync> Function for Of<'_, G> {
    fn bytes(&self, level: Level, pieces: &[Keys<'_>], last: u8, ids: &mut [u8]) -> u32 {
        bytes_of_words(self, level, pieces, last, ids)
    }

    fn words(&self, level: Level, keys: Keys<'_>, last: u32, sink: &mut dyn FnMut(&[u32])) {
        self.f.words(level, keys, u32::MAX, &mut |words| {
            let mut ids = [0; GROUP];
            for (id, &word) in ids.iter_mut().zip(words) {
                *id = (self.of_id)(word).min(last);
            }
            sink(&ids[..words.len()]);
        });
    }
}
