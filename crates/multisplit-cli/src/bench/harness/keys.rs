//! Keys that are distributed over buckets.

use super::key_types::{BucketKind, Distribution};
use crate::shared::random::{between, random};
use multisplit::IntKey;
use multisplit::bucket::DeltaKey;
use multisplit_graph::parallel;
use rayon::prelude::*;

/// The share of keys that alpha-uniform spreads over all buckets, in parts of 2^64.
const ALPHA: u64 = 1 << 62;
/// Random numbers that are set aside for a key.
const DRAWS: u64 = 8;

/// A key type of the benchmarks.
pub trait BenchKey: IntKey + DeltaKey + LittleEndian + Ord + std::ops::Not<Output = Self> {
    const BITS: u32;
    /// Takes the low bits of a word.
    fn from_word(word: u64) -> Self;
}

/// A number as peers read it from a file.
pub trait LittleEndian: Copy {
    /// Appends its bytes.
    fn extend_le(self, bytes: &mut Vec<u8>);
}

macro_rules! little_endian {
    ($($number:ident)*) => {$(
        impl LittleEndian for $number {
            fn extend_le(self, bytes: &mut Vec<u8>) {
                bytes.extend_from_slice(&self.to_le_bytes());
            }
        }
    )*};
}

little_endian!(u32 u64 f32);

macro_rules! bench_key {
    ($($key:ident)*) => {$(
        impl BenchKey for $key {
            const BITS: u32 = $key::BITS;
            fn from_word(word: u64) -> Self {
                word as $key
            }
        }
    )*};
}

bench_key!(u32 u64);

/// Where the buckets lie: bucket b holds the keys `starts[b]..starts[b + 1]`.
pub struct BucketRanges(Vec<u128>);

impl BucketRanges {
    /// Returns the ranges of `m` buckets.
    pub fn new<K: BenchKey>(bucket: BucketKind, m: u32) -> Self {
        let (m, domain) = (u128::from(m), 1u128 << K::BITS);
        let mut starts: Vec<u128> = match bucket {
            // The least key with floor(key * m / domain) = b.
            BucketKind::Delta => (0..m).map(|b| (b * domain).div_ceil(m)).collect(),
            BucketKind::Identity => (0..m).collect(),
            BucketKind::Splitters => std::iter::once(0).chain((1..m).map(|b| splitter(b, m, domain))).collect(),
        };
        starts.push(if bucket == BucketKind::Identity { m } else { domain });
        Self(starts)
    }

    /// Returns the keys between neighbouring buckets.
    pub fn splitters<K: BenchKey>(&self) -> Vec<K> {
        self.0[1..self.0.len() - 1].iter().map(|&start| K::from_word(start as u64)).collect()
    }

    fn buckets(&self) -> u64 {
        self.0.len() as u64 - 1
    }

    /// Returns a uniform key of bucket `b`.
    fn key_in(&self, b: usize, random: u64) -> u64 {
        between(self.0[b], self.0[b + 1], random)
    }

    /// Returns a uniform key of any bucket.
    fn key(&self, random: u64) -> u64 {
        between(self.0[0], self.0[self.0.len() - 1], random)
    }
}

/// Returns the lower end of bucket `b`: that of equal parts, moved by up to a quarter of a part.
fn splitter(b: u128, m: u128, domain: u128) -> u128 {
    let part = domain / m;
    b * domain / m + u128::from(between(0, part / 2, random(m as u64, b as u64))) - part / 4
}

/// Generates `n` keys, the same every time.
pub fn generate<K: BenchKey>(n: usize, ranges: &BucketRanges, dist: Distribution) -> Vec<K> {
    const SEED: u64 = 1;
    let m = ranges.buckets();
    let cumulated = zipf(m as usize);
    let favourite = (random(SEED, m) % m) as usize;
    let key = |i: u64| {
        let draw = |j: u64| random(SEED, i * DRAWS + j);
        match dist {
            Distribution::Uniform | Distribution::Sorted => ranges.key(draw(0)),
            Distribution::OneBucket => ranges.key_in(favourite, draw(0)),
            Distribution::AlphaUniform if draw(1) < ALPHA => ranges.key(draw(0)),
            Distribution::AlphaUniform => ranges.key_in(favourite, draw(0)),
            Distribution::Binomial => ranges.key_in(heads(m - 1, |j| draw(1 + j)), draw(0)),
            Distribution::Zipf => {
                let at = (draw(1) >> 11) as f64 / (1u64 << 53) as f64;
                ranges.key_in(cumulated.partition_point(|&sum| sum <= at).min(m as usize - 1), draw(0))
            }
        }
    };
    let mut keys: Vec<K> = parallel::fill(n, |i| K::from_word(key(i as u64)));
    if dist == Distribution::Sorted {
        keys.par_sort_unstable();
    }
    keys
}

/// Returns how many of `tosses` (up to 7 * 64) fair coins show heads.
fn heads(tosses: u64, draw: impl Fn(u64) -> u64) -> usize {
    let words = (0..tosses.div_ceil(64)).map(|j| {
        let unused = 64 - (tosses - 64 * j).min(64);
        (draw(j) << unused).count_ones() as usize
    });
    words.sum()
}

/// Returns the cumulated probabilities of the first 1, 2, … buckets.
fn zipf(m: usize) -> Vec<f64> {
    let total: f64 = (1..=m).map(|rank| 1.0 / rank as f64).sum();
    let mut sum = 0.0;
    (1..=m)
        .map(|rank| {
            sum += 1.0 / (rank as f64 * total);
            sum
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use clap::ValueEnum;
    use multisplit::bucket::{Buckets, Delta, Identity, Splitters};

    const N: usize = 1 << 16;

    /// How many keys each bucket gets. Every key must have a bucket.
    fn counts<K: BenchKey>(bucket: BucketKind, dist: Distribution, m: u32) -> Vec<usize> {
        fn count<F: Buckets>(keys: &[F::Key], f: &F) -> Vec<usize> {
            let mut counts = vec![0; f.buckets() as usize];
            keys.iter().for_each(|&key| counts[f.bucket(key) as usize] += 1);
            counts
        }
        let ranges = BucketRanges::new::<K>(bucket, m);
        let keys = generate::<K>(N, &ranges, dist);
        match bucket {
            BucketKind::Delta => count(&keys, &Delta::<K>::whole(m).unwrap()),
            BucketKind::Identity => count(&keys, &Identity::<K>::new(m)),
            BucketKind::Splitters => count(&keys, &Splitters::new(&ranges.splitters::<K>()).unwrap()),
        }
    }

    /// Every combination gives every bucket about its share of the keys.
    #[test]
    fn shares() {
        for &bucket in BucketKind::value_variants() {
            for &dist in Distribution::value_variants() {
                for m in [1, 2, 3, 17, 64, 65, 256] {
                    check_shares(&counts::<u32>(bucket, dist, m), bucket, dist);
                    check_shares(&counts::<u64>(bucket, dist, m), bucket, dist);
                }
            }
        }
    }

    fn check_shares(counts: &[usize], bucket: BucketKind, dist: Distribution) {
        let m = counts.len();
        let context = || format!("{bucket} {dist} {m}: {counts:?}");
        let share = |b: usize| counts[b] as f64 / N as f64;
        let near = |got: f64, expected: f64| (got - expected).abs() < 0.01 + 0.1 * expected;
        let even = 1.0 / m as f64;
        let largest = counts.iter().copied().max().unwrap_or(0) as f64 / N as f64;
        match dist {
            // Splitters move each boundary by up to a quarter.
            Distribution::Uniform | Distribution::Sorted => {
                let slack = if bucket == BucketKind::Splitters { 0.55 * even } else { 0.0 };
                assert!((0..m).all(|b| (share(b) - even).abs() < slack + 0.01 + 0.1 * even), "{}", context());
            }
            Distribution::OneBucket => assert_eq!(largest, 1.0, "{}", context()),
            Distribution::AlphaUniform => {
                assert!((0.74..=1.0).contains(&largest) && largest < 0.77 + 0.25 * 1.5 * even, "{}", context());
            }
            Distribution::Binomial => {
                let mean: f64 = (0..m).map(|b| b as f64 * share(b)).sum();
                let variance: f64 = (0..m).map(|b| (b as f64 - mean).powi(2) * share(b)).sum();
                let tosses = (m - 1) as f64;
                assert!(near(mean, tosses / 2.0) && near(variance, tosses / 4.0), "{}", context());
            }
            Distribution::Zipf => {
                let total: f64 = (1..=m).map(|rank| 1.0 / rank as f64).sum();
                assert!((0..m).all(|b| near(share(b), 1.0 / ((b + 1) as f64 * total))), "{}", context());
            }
        }
    }

    #[test]
    fn the_same_every_time() {
        let ranges = BucketRanges::new::<u32>(BucketKind::Delta, 8);
        let keys = generate::<u32>(1000, &ranges, Distribution::Uniform);
        assert_eq!(keys, generate::<u32>(1000, &ranges, Distribution::Uniform));
        assert_eq!(keys[..3], [2_433_363_436, 1_226_250_462, 2_771_691_174]);
        assert!(generate::<u64>(1000, &ranges, Distribution::Sorted).is_sorted());
    }

    /// Published rates are of these keys: for every distribution, a sum that depends on all of them and on their order.
    #[test]
    fn the_same_forever() {
        fn sum<K: BenchKey + Into<u64>>(bucket: BucketKind, m: u32) -> [u64; 6] {
            let ranges = BucketRanges::new::<K>(bucket, m);
            let add = |sum: u64, key: K| sum.rotate_left(7).wrapping_add(key.into());
            let of = |&dist: &Distribution| generate::<K>(5000, &ranges, dist).into_iter().fold(0, add);
            let sums: Vec<u64> = Distribution::value_variants().iter().map(of).collect();
            sums.try_into().unwrap()
        }
        assert_eq!([sum::<u32>(BucketKind::Delta, 32), sum::<u64>(BucketKind::Splitters, 256)], SUMS);
    }

    const SUMS: [[u64; 6]; 2] = [
        [
            17_118_096_501_159_269_600,
            7_035_711_799_266_031_439,
            16_065_867_516_029_519_335,
            9_454_161_561_858_332_065,
            1_682_464_794_711_918_806,
            12_987_240_013_308_340_073,
        ],
        [
            5_347_158_628_334_425_542,
            6_474_175_965_720_573_644,
            6_726_747_950_643_486_228,
            1_390_117_994_763_995_742,
            12_895_890_967_814_148_274,
            2_972_124_054_045_259_697,
        ],
    ];

    #[test]
    fn splitters_ascend() {
        for m in [1, 2, 3, 100, 256] {
            let splitters = BucketRanges::new::<u32>(BucketKind::Splitters, m).splitters::<u32>();
            assert_eq!(splitters.len(), m as usize - 1);
            assert!(splitters.windows(2).all(|pair| pair[0] < pair[1]));
        }
    }
}
