//! Keys of histograms, and the bins they fall into.

use crate::bench::harness::key_types::{BucketKind, Distribution};
use crate::bench::harness::keys::{BenchKey, BucketRanges, LittleEndian, generate as generate_words};
use crate::shared::arguments::display_as_typed;
use clap::ValueEnum;
use multisplit::bucket::{DeltaKey, EvenKey};
use multisplit_graph::parallel;
use std::ops::Range;

/// Key types that histograms are timed with.
#[derive(ValueEnum, Clone, Copy, Debug, PartialEq, Eq)]
pub enum SampleType {
    U32,
    U64,
    /// From 0 up to 1024, as in the paper.
    F32,
}

#[derive(ValueEnum, Clone, Copy, Debug, PartialEq, Eq)]
pub enum BinKind {
    /// Of equal width.
    Even,
    /// Between levels of unequal distance.
    Range,
}

display_as_typed!(SampleType BinKind);

/// A key type of this benchmark, made from words that are spread over their whole domain.
pub trait Sample: EvenKey + DeltaKey + LittleEndian {
    type Word: BenchKey;
    /// Converts a word, and keeps the order.
    fn of(word: Self::Word) -> Self;
    /// Returns what even bins cover: all keys, but for the largest integer.
    fn bounds() -> Range<Self>;

    /// Returns the levels of `m` bins of unequal width, which cover the same.
    fn levels(m: u32) -> Vec<Self> {
        let inner = BucketRanges::new::<Self::Word>(BucketKind::Splitters, m).splitters::<Self::Word>();
        let Range { start, end } = Self::bounds();
        std::iter::once(start).chain(inner.into_iter().map(Self::of)).chain([end]).collect()
    }
}

impl Sample for u32 {
    type Word = u32;
    fn of(word: u32) -> Self {
        word
    }
    fn bounds() -> Range<Self> {
        0..u32::MAX
    }
}

impl Sample for u64 {
    type Word = u64;
    fn of(word: u64) -> Self {
        word
    }
    fn bounds() -> Range<Self> {
        0..u64::MAX
    }
}

impl Sample for f32 {
    type Word = u32;
    /// Takes the 24 bits that fit exactly: multiples of 2^-14 below 1024.
    fn of(word: u32) -> Self {
        (word >> 8) as f32 / 16_384.0
    }
    fn bounds() -> Range<Self> {
        0.0..1024.0
    }
}

/// Generates `n` keys, the same every time.
pub fn generate<K: Sample>(n: usize, bucket: BinKind, m: u32, dist: Distribution) -> Vec<K> {
    let bucket = match bucket {
        BinKind::Even => BucketKind::Delta,
        BinKind::Range => BucketKind::Splitters,
    };
    let words: Vec<K::Word> = generate_words(n, &BucketRanges::new::<K::Word>(bucket, m), dist);
    parallel::map(&words, K::of)
}

#[cfg(test)]
mod tests {
    use super::*;
    use multisplit::bucket::{BucketFn, EvenBins, RangeBins};

    fn check<K: Sample>() {
        for m in [1, 2, 3, 256, 5000] {
            let levels = K::levels(m);
            assert_eq!(levels.len(), m as usize + 1);
            let (even, range) = (EvenBins::new(K::bounds(), m).unwrap(), RangeBins::new(&levels).unwrap());
            for key in generate::<K>(1000, BinKind::Even, m, Distribution::Uniform) {
                assert!(even.bucket(key) < m && range.bucket(key) < m);
            }
            let skewed = generate::<K>(1000, BinKind::Range, m, Distribution::OneBucket);
            let first = range.bucket(skewed[0]);
            let elsewhere = skewed.iter().filter(|&&key| range.bucket(key) != first).count();
            assert!(elsewhere < 100, "{elsewhere} of {} in {m} bins", K::NAME);
        }
    }

    #[test]
    fn every_key_has_its_bin() {
        check::<u32>();
        check::<u64>();
        check::<f32>();
    }
}
