//! Ranges of floats so wide that the difference of two keys overflows.

use crate::common::everywhere;
use multisplit::bucket::{Buckets, Delta, EvenBins, RangeBins, Splitters};
use multisplit::{Device, histogram, split_pairs};

/// Checks the bucket of each key, when the function is called directly and when a device splits by it.
fn check<F: Buckets<Key: std::fmt::Debug>>(device: &Device, f: &F, expected: &[(F::Key, u32)]) {
    let keys: Vec<F::Key> = expected.iter().map(|&(key, _)| key).collect();
    let index: Vec<u32> = (0..keys.len() as u32).collect();
    let result = split_pairs(device, &keys, &index, f).unwrap();
    for (bucket, range) in result.offsets.windows(2).enumerate() {
        for &i in &result.values[range[0]..range[1]] {
            let (key, expected) = expected[i as usize];
            assert_eq!(f.bucket(key), expected, "{key:?}");
            assert_eq!(bucket, expected as usize, "{key:?} on {}", device.name());
        }
    }
}

/// Checks the bin of each key; `None` is outside all bins. Key number i is there i + 1 times, so that keys which change
/// places are seen.
fn check_bins<F: Buckets<Key: std::fmt::Debug>>(device: &Device, f: &F, expected: &[(F::Key, Option<u32>)]) {
    let (mut keys, mut outside, mut bins) = (Vec::new(), 0, vec![0; f.buckets() as usize]);
    for (i, &(key, bin)) in expected.iter().enumerate() {
        keys.extend(std::iter::repeat_n(key, i + 1));
        *bin.map_or(&mut outside, |bin| &mut bins[bin as usize]) += i as u64 + 1;
    }
    let counts = histogram(device, &keys, f).unwrap();
    assert_eq!(counts.bins, bins, "on {}", device.name());
    assert_eq!(counts.outside, outside, "on {}", device.name());
}

/// Devices that take 64-bit floats.
fn with_f64(test: &str, run: impl Fn(&Device)) {
    crate::common::that_take::<f64>(test).iter().for_each(run);
}

#[test]
fn delta_over_more_than_the_largest_float() {
    everywhere("delta_over_more_than_the_largest_float", |device| {
        let f = Delta::new(-3e38f32, 5e37, 100).unwrap();
        check(
            device,
            &f,
            &[
                (3e38, 12),
                (-3e38, 0),
                (f32::MIN, 0),
                (f32::MAX, 12),
                (0.0, 6),
                (-0.0, 6),
                (1e-40, 6),
                (1.1e38, 8),
                (-2.4e38, 1),
                (f32::INFINITY, 99),
                (f32::NEG_INFINITY, 0),
                (f32::NAN, 99),
                (-f32::NAN, 99),
            ],
        );
        // Few buckets: the last one ends before the keys do.
        check(device, &Delta::new(-3e38f32, 5e37, 9).unwrap(), &[(3e38, 8), (0.0, 6), (f32::MIN, 0), (f32::NAN, 8)]);
    });
    with_f64("delta_over_more_than_the_largest_float", |device| {
        let f = Delta::new(-1.5e308f64, 2.5e307, 100).unwrap();
        let expected = [(1.5e308, 12), (-1.5e308, 0), (0.0, 6), (f64::MAX, 13), (f64::INFINITY, 99), (f64::NAN, 99)];
        check(device, &f, &expected);
        check(device, &f, &[(f64::MIN, 0), (f64::NEG_INFINITY, 0), (1.1e308, 10)]);
    });
}

#[test]
fn delta_that_covers_a_range_wider_than_the_largest_float() {
    everywhere("delta_that_covers_a_range_wider_than_the_largest_float", |device| {
        let f = Delta::over(-3e38f32..3e38, 100).unwrap();
        let expected = [(-3e38, 0), (-2.95e38, 0), (-2.93e38, 1), (0.1e38, 51), (2.93e38, 98), (2.95e38, 99)];
        check(device, &f, &expected);
        check(device, &f, &[(f32::MIN, 0), (f32::MAX, 99), (f32::INFINITY, 99), (f32::NEG_INFINITY, 0)]);
        // So few ranges that the reciprocal of their width would not be a normal number.
        for (m, bucket) in [(1, 0), (2, 1), (3, 2), (4, 3), (6, 5)] {
            let f = Delta::over(f32::MIN..f32::MAX, m).unwrap();
            let expected = [(f32::MIN, 0), (3.4e38, bucket), (f32::INFINITY, bucket), (f32::NAN, bucket)];
            check(device, &f, &expected);
            check(device, &f, &[(-3.3e38, 0), (f32::MIN_POSITIVE, m / 2), (f32::NEG_INFINITY, 0)]);
        }
        check(device, &Delta::new(0.0f32, 1.5e38, 3).unwrap(), &[(-1.0, 0), (1e38, 0), (2e38, 1), (3.1e38, 2)]);
    });
    with_f64("delta_that_covers_a_range_wider_than_the_largest_float", |device| {
        for m in [1, 2, 5, 100, 1000] {
            let f = Delta::over(f64::MIN..f64::MAX, m).unwrap();
            check(device, &f, &[(f64::MIN, 0), (1e300, m / 2), (1.797e308, m - 1), (f64::NAN, m - 1)]);
        }
    });
}

#[test]
fn even_bins_wider_than_the_largest_float() {
    everywhere("even_bins_wider_than_the_largest_float", |device| {
        let f = EvenBins::new(-3e38f32..3e38, 100).unwrap();
        let expected =
            [(-3e38, Some(0)), (-2.95e38, Some(0)), (-2.93e38, Some(1)), (0.1e38, Some(51)), (2.95e38, Some(99))];
        check_bins(device, &f, &expected);
        let outside = [3e38, f32::MAX, f32::MIN, f32::INFINITY, f32::NEG_INFINITY, f32::NAN];
        check_bins(device, &f, &outside.map(|key| (key, None)));
        for bins in [1, 2, 4, 6] {
            let f = EvenBins::new(f32::MIN..f32::MAX, bins).unwrap();
            let last = Some(bins - 1);
            check_bins(device, &f, &[(f32::MIN, Some(0)), (1.0, Some(bins / 2)), (3.4e38, last), (f32::MAX, None)]);
        }
    });
    with_f64("even_bins_wider_than_the_largest_float", |device| {
        let f = EvenBins::new(f64::MIN..f64::MAX, 10).unwrap();
        check_bins(device, &f, &[(f64::MIN, Some(0)), (-1e308, Some(2)), (1e308, Some(7)), (f64::MAX, None)]);
    });
}

#[test]
fn levels_further_apart_than_the_largest_float() {
    everywhere("levels_further_apart_than_the_largest_float", |device| {
        let levels: Vec<f32> = (-34..=34).map(|i| i as f32 * 1e37).collect();
        let (bins, splitters) = (RangeBins::new(&levels).unwrap(), Splitters::new(&levels).unwrap());
        let mut keys: Vec<f32> = levels.iter().flat_map(|&level| [level, level.next_up(), level.next_down()]).collect();
        keys.extend([f32::MIN, f32::MAX, f32::INFINITY, f32::NEG_INFINITY, 0.5, -1e30]);
        let below = |key: f32| levels.iter().filter(|&&level| level <= key).count() as u32;
        let mut buckets: Vec<(f32, u32)> = keys.iter().map(|&key| (key, below(key))).collect();
        let in_bin = |key: f32| below(key).checked_sub(1).filter(|&bin| bin < 68);
        let mut in_bins: Vec<(f32, Option<u32>)> = keys.iter().map(|&key| (key, in_bin(key))).collect();
        buckets.extend([(f32::NAN, 69), (-f32::NAN, 69)]);
        in_bins.push((f32::NAN, None));
        check(device, &splitters, &buckets);
        check_bins(device, &bins, &in_bins);
    });
}
