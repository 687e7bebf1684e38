//! Segmented splits in every way there is, against the reference, one segment at a time.

use crate::common::same_bits;
use multisplit::bucket::prelude::*;
use multisplit::measure::Reference;
use multisplit::{Device, Multisplit};
use test_support::Random;

/// What the result must be: each segment split by itself.
pub struct Expected {
    pub permutation: Vec<u32>,
    pub offsets: Vec<usize>,
    pub out_of_range: u64,
}

impl Expected {
    pub fn new<F: Buckets>(keys: &[F::Key], segments: &[usize], f: &F) -> Self {
        let mut all = Self { permutation: Vec::new(), offsets: Vec::new(), out_of_range: 0 };
        for pair in segments.windows(2) {
            let start = pair[0];
            let split = Reference::split(&keys[start..pair[1]], f);
            all.permutation.extend(split.permutation.iter().map(|&i| i + start as u32));
            all.offsets.extend(split.offsets[..f.buckets() as usize].iter().map(|&offset| offset + start));
            all.out_of_range += split.out_of_range;
        }
        all.offsets.push(keys.len());
        all
    }

    pub fn permute<T: Copy>(&self, column: &[T]) -> Vec<T> {
        self.permutation.iter().map(|&i| column[i as usize]).collect()
    }
}

/// Keys with a 4-byte and an 8-byte column and the permutation, and keys alone.
pub fn check<F: Buckets>(by: &Multisplit<'_, F>, device: &Device, keys: &[F::Key], segments: &[usize], f: &F) {
    let context = || format!("{device:?}, {} segments, n = {}, m = {}", segments.len() - 1, keys.len(), f.buckets());
    let expected = Expected::new(keys, segments, f);
    assert_eq!(expected.out_of_range, 0, "the test's own data is off: {}", context());
    let got = by.split_segments(device, keys, segments).unwrap_or_else(|e| panic!("{e}: {}", context()));
    assert_eq!(got.offsets, expected.offsets, "offsets: {}", context());
    same_bits(&got.keys, &expected.permute(keys), "keys", &context);

    let narrow: Vec<u32> = (0..keys.len() as u32).collect();
    let wide: Vec<[u32; 2]> = narrow.iter().map(|&i| [!i, i]).collect();
    let got = by.with_permutation().split_segments_with(device, keys, (&narrow[..], &wide[..]), segments);
    let got = got.unwrap_or_else(|e| panic!("{e}: {}", context()));
    assert_eq!(got.offsets, expected.offsets, "offsets with values: {}", context());
    same_bits(&got.keys, &expected.permute(keys), "keys with values", &context);
    same_bits(&got.values.0, &expected.permute(&narrow), "narrow values", &context);
    same_bits(&got.values.1, &expected.permute(&wide), "wide values", &context);
    same_bits(&got.permutation.unwrap(), &expected.permutation, "permutation", &context);
}

/// Keys with one column: for the cases that are many.
pub fn check_pairs<F: Buckets>(device: &Device, keys: &[F::Key], segments: &[usize], f: &F) {
    let context = || format!("{device:?}, {} segments, n = {}, m = {}", segments.len() - 1, keys.len(), f.buckets());
    let expected = Expected::new(keys, segments, f);
    let index: Vec<u32> = (0..keys.len() as u32).collect();
    let got = Multisplit::by(f).split_segments_with(device, keys, &index, segments);
    let got = got.unwrap_or_else(|e| panic!("{e}: {}", context()));
    assert_eq!(got.offsets, expected.offsets, "offsets: {}", context());
    same_bits(&got.keys, &expected.permute(keys), "keys", &context);
    same_bits(&got.values, &expected.permutation, "values", &context);
}

pub fn offsets_of(lengths: impl IntoIterator<Item = usize>) -> Vec<usize> {
    let mut offsets = vec![0];
    offsets.extend(lengths.into_iter().scan(0, |sum, len| {
        *sum += len;
        Some(*sum)
    }));
    offsets
}

/// Segments of every kind: empty ones, of one key, around the sizes of tiles on the test device, and large ones.
pub fn mixed(seed: u64, count: usize) -> Vec<usize> {
    let mut random = Random::new(seed);
    offsets_of((0..count).map(|_| match random.below(10) {
        0 | 1 => 0,
        2 => 1,
        3 | 4 => random.below(30) as usize,
        5 | 6 => random.below(140) as usize,
        7 => random.below(300) as usize,
        8 => 255 + random.below(3) as usize,
        _ => random.below(3000) as usize,
    }))
}
