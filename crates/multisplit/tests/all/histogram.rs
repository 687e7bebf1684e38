//! Histograms: every call, back end and key type against naive references.

use crate::common::{any_keys, cases, everywhere, gpu, is_supported};
use multisplit::bucket::{Buckets, Delta, DeltaKey, EvenBins, EvenKey, Hash, Identity, Lookup, RangeBins, Splitters};
use multisplit::measure::Reference;
use multisplit::{Counts, Device, DeviceKind, Error, Histogram, IntKey, Key, MAX_BINS, bf16, f16};
use multisplit::{histogram, histogram_even, histogram_range};
use proptest::prelude::*;
use test_support::{Random, distributions, floats, uniform};

/// Counts on slices and on device buffers, in 32 and 64 bits, all at once and in blocks.
fn check<F: Buckets>(device: &Device, keys: &[F::Key], f: &F) {
    check_against(device, keys, f, &Reference::histogram(keys, f));
}

fn check_against<F: Buckets>(device: &Device, keys: &[F::Key], f: &F, expected: &Counts) {
    let (n, m) = (keys.len(), f.buckets() as usize);
    let context = || format!("{} keys of {}, {m} bins on {}", n, F::Key::NAME, device.name());
    let same = |got: &Counts| {
        if got == expected {
            return;
        }
        let first = (0..m).find(|&b| got.bins[b] != expected.bins[b]);
        let [got_there, there] = [got, expected].map(|counts| first.map_or(counts.outside, |b| counts.bins[b]));
        panic!("bin {first:?} (none: outside) has {got_there} instead of {there}: {}", context());
    };
    let count = Histogram::by(f);
    assert_eq!(expected.total(), n as u64, "{}", context());
    same(&count.count(device, keys).unwrap_or_else(|error| panic!("{error}: {}", context())));

    let input = device.upload(keys).unwrap();
    // What is there before does not matter, and what lies behind stays.
    let mut narrow = device.upload(&vec![0xdead_beefu32; m + 3]).unwrap();
    let mut wide = device.upload(&vec![0xdead_beef_dead_beefu64; m + 2]).unwrap();
    count.enqueue(&input, &mut narrow).unwrap_or_else(|error| panic!("{error}: {}", context()));
    count.enqueue(&input, &mut wide).unwrap_or_else(|error| panic!("{error}: {}", context()));
    let narrow = narrow.download().unwrap();
    same(&Counts { bins: narrow[..m].iter().map(|&c| u64::from(c)).collect(), outside: u64::from(narrow[m]) });
    assert_eq!(narrow[m + 1..], [0xdead_beef; 2], "{}", context());
    let wide = wide.download().unwrap();
    same(&Counts { bins: wide[..m].to_vec(), outside: wide[m] });
    assert_eq!(wide[m + 1], 0xdead_beef_dead_beef, "{}", context());
}

/// Whether the device takes keys of this type; if not, it says so by name.
fn takes<K: Key>(device: &Device) -> bool {
    is_supported::<K, _>(histogram(device, &[K::zeroed()], &Hash::<K>::new(2, 0)))
}

const N: usize = 10_007;

#[test]
fn every_number_of_bins_and_distribution() {
    everywhere("every_number_of_bins_and_distribution", |device| {
        for &m in cases(device, &[1, 2, 3, 5, 31, 32, 33, 64, 100, 255, 256, 257, 1000], &[1, 3, 33, 256, 1000]) {
            for (name, ids) in distributions(N, m, u64::from(m)) {
                println!("{name}, m = {m}");
                check(device, &ids, &Identity::new(m));
            }
        }
    });
}

/// Beyond one cube's memory: windows of bins, then counts in memory. (10,000 bins take two windows on the software
/// device.)
#[test]
fn many_bins() {
    everywhere("many_bins", |device| {
        let all = [4095, 4096, 4097, 10_000, 20_000, 65_535, 65_536, 65_537, 300_000];
        for &m in cases(device, &all, &[4096, 10_000, 65_537, 300_000]) {
            let mut random = Random::new(u64::from(m));
            let uniform: Vec<u32> = (0..3 * N).map(|_| random.below(m + 1 + m / 8)).collect();
            let mostly_one = uniform.iter().map(|&id| if id % 4 == 0 { id } else { m / 2 }).collect::<Vec<_>>();
            for keys in [uniform, mostly_one, vec![m - 1; 3 * N], vec![m; 3 * N]] {
                check(device, &keys, &Identity::new(m));
            }
        }
        let (keys, most) = (uniform(N, 1), Hash::new(MAX_BINS, 1));
        assert_eq!(histogram(device, &keys, &most).unwrap(), Reference::histogram(&keys, &most));
    });
}

#[test]
fn every_size_around_tiles() {
    everywhere("every_size_around_tiles", |device| {
        let keys = uniform(300_001, 1);
        let f = Delta::whole(7).unwrap();
        let few = (0..40).chain((8..=18).flat_map(|log| [(1 << log) - 1, 1 << log, (1 << log) + 1]));
        for n in few.chain([16_383 * 4 + 3, 299_999, 300_001]) {
            check(device, &keys[..n], &f);
        }
        let many = Delta::whole(100_000).unwrap();
        for n in [0, 1, 2, 1023, 1024, 1025, 70_001] {
            check(device, &keys[..n], &many);
        }
    });
}

/// More keys than are counted at a time: blocks are added up.
#[test]
fn blocks_are_added_up() {
    everywhere("blocks_are_added_up", |device| {
        let keys = uniform(10_123, 2);
        let input = device.upload(&keys).unwrap();
        for m in [2, 300, 70_000] {
            let f = EvenBins::new(1 << 20..u32::MAX - (1 << 20), m).unwrap();
            let expected = Reference::histogram(&keys, &f);
            for block in [1, 256, 1000, 5120, 10_123, usize::MAX] {
                let count = Histogram::by(&f).block(block);
                assert_eq!(count.count(device, &keys).unwrap(), expected, "blocks of {block}, m = {m}");
                let mut counts = device.alloc::<u64>(m as usize + 1).unwrap();
                count.enqueue(&input, &mut counts).unwrap();
                assert_eq!(counts.download().unwrap(), [&expected.bins[..], &[expected.outside]].concat());
            }
        }
    });
}

/// Ranges by the definition: how many levels are not above the key.
fn naive_range<K: Key>(keys: &[K], levels: &[K]) -> Counts {
    let mut counts = Counts { bins: vec![0; levels.len() - 1], outside: 0 };
    for key in keys {
        let bin = levels.windows(2).rposition(|pair| pair[0] <= *key && *key < pair[1]);
        *bin.map_or(&mut counts.outside, |bin| &mut counts.bins[bin]) += 1;
    }
    counts
}

fn any_key<K: EvenKey + DeltaKey>(device: &Device) {
    if !takes::<K>(device) {
        return;
    }
    let keys = any_keys::<K>(N, 3);
    check(device, &keys, &Hash::<K>::new(1000, 7));
    // Levels drawn from the keys themselves: every boundary is hit.
    let mut sorted: Vec<K> = keys.iter().copied().filter(|k| k.partial_cmp(k).is_some()).collect();
    sorted.sort_by(|a, b| a.partial_cmp(b).unwrap());
    let (first, last) = (sorted[100], sorted[sorted.len() - 100]);
    for &m in cases(device, &[1, 3, 100, 256, 1000], &[3, 256]) {
        let levels: Vec<K> = (0..=m).map(|i| sorted[50 + i * (sorted.len() - 100) / m]).collect();
        let expected = naive_range(&keys, &levels);
        assert_eq!(histogram_range(device, &keys, &levels).unwrap(), expected, "{m} bins of {}", K::NAME);
        check_against(device, &keys, &RangeBins::new(&levels).unwrap(), &expected);
        if let Ok(f) = EvenBins::new(first..last, m as u32) {
            check(device, &keys, &f);
        }
    }
    // Equal levels: the bins between them stay empty.
    let levels = [&[first; 3][..], &sorted[300..400], &[last; 5]].concat();
    check_against(device, &keys, &RangeBins::new(&levels).unwrap(), &naive_range(&keys, &levels));
    let none = histogram_range(device, &keys, &[first, first]).unwrap();
    assert_eq!((none.bins, none.outside), (vec![0], N as u64));
}

#[test]
fn every_key_type() {
    everywhere("every_key_type", |device| {
        any_key::<u8>(device);
        any_key::<u16>(device);
        any_key::<i8>(device);
        any_key::<i16>(device);
        any_key::<f16>(device);
        any_key::<bf16>(device);
        any_key::<u32>(device);
        any_key::<i32>(device);
        any_key::<f32>(device);
        any_key::<u64>(device);
        any_key::<i64>(device);
        any_key::<f64>(device);
    });
}

/// Even bins of integers by the definition, in 128 bits.
fn even_integers<K: IntKey + EvenKey + Into<i128>>(device: &Device, ranges: &[(K, K)]) {
    if !takes::<K>(device) {
        return;
    }
    for &(lower, upper) in ranges {
        let (low, span) = (lower.into(), upper.into() - lower.into());
        for bins in [1u32, 2, 3, 10, 255, 256, 257, 1000, 65_536] {
            let mut samples = any_keys::<K>(N, bins.into());
            samples.extend([lower, upper]);
            let mut expected = Counts { bins: vec![0; bins as usize], outside: 0 };
            for &key in &samples {
                let x: i128 = key.into() - low;
                let inside = (0..span).contains(&x);
                let bin = if inside {
                    &mut expected.bins[(x * i128::from(bins) / span) as usize]
                } else {
                    &mut expected.outside
                };
                *bin += 1;
            }
            let got = histogram_even(device, &samples, lower..upper, bins).unwrap();
            assert!(got == expected, "{bins} bins over {low}.. of {span} {}", K::NAME);
        }
    }
}

#[test]
fn even_bins_of_integers_are_exact() {
    everywhere("even_bins_of_integers_are_exact", |device| {
        even_integers::<u8>(device, &[(0, 255), (10, 200), (7, 8)]);
        even_integers::<u16>(device, &[(0, u16::MAX), (1000, 1999)]);
        even_integers::<u32>(device, &[(0, u32::MAX), (1 << 30, (1 << 30) + (1 << 29) + 7), (0, 1 << 31)]);
        even_integers::<i8>(device, &[(i8::MIN, i8::MAX), (-7, 90)]);
        even_integers::<i16>(device, &[(i16::MIN, i16::MAX), (-1000, 999)]);
        even_integers::<i32>(device, &[(i32::MIN, i32::MAX), (-1_000_000_007, 5), (-1 << 30, 1 << 30)]);
        even_integers::<u64>(device, &[(0, u64::MAX), (1 << 60, (1 << 63) + 12_345)]);
        even_integers::<i64>(device, &[(i64::MIN, i64::MAX), (-(1 << 62), 3)]);
    });
}

/// NaN, whatever its sign, and infinities are outside; −0 is 0.
#[test]
fn special_floats() {
    everywhere("special_floats", |device| {
        let special = [
            (0.0f32, Some(2)),
            (-0.0, Some(2)),
            (1.0, Some(3)),
            (-1.0, Some(1)),
            (f32::NAN, None),
            (-f32::NAN, None),
            (f32::from_bits(0x7f80_0001), None),
            (f32::INFINITY, None),
            (f32::NEG_INFINITY, None),
            (f32::MIN, None),
            (f32::MAX, None),
            (-2.0, Some(0)),
            (2.0, None),
            (1.999_999_9, Some(3)),
        ];
        for (key, bin) in special {
            let mut expected = Counts { bins: vec![0; 4], outside: 0 };
            *bin.map_or(&mut expected.outside, |bin: usize| &mut expected.bins[bin]) += 1;
            assert_eq!(histogram_even(device, &[key], -2.0..2.0, 4).unwrap(), expected, "{key}");
            let levels = [-2.0, -1.0, 0.0, 1.0, 2.0];
            assert_eq!(histogram_range(device, &[key], &levels).unwrap(), expected, "{key}");
        }
        // Infinite levels take everything but NaN, and +∞ itself.
        let all = [f32::NEG_INFINITY, 0.0, f32::INFINITY];
        let keys = [f32::NEG_INFINITY, f32::MIN, -0.0, f32::MAX, f32::INFINITY, f32::NAN];
        assert_eq!(histogram_range(device, &keys, &all).unwrap(), Counts { bins: vec![2, 2], outside: 2 });
        let samples = floats(N, 5);
        check(device, &samples, &EvenBins::new(-10.0f32..10.0, 64).unwrap());
        check(device, &samples, &EvenBins::new(-10.0f32..10.0, 3000).unwrap());
        check_against(device, &samples, &RangeBins::new(&all).unwrap(), &naive_range(&samples, &all));
        if takes::<f64>(device) {
            let samples: Vec<f64> = samples.into_iter().map(f64::from).collect();
            check(device, &samples, &EvenBins::new(-7.0f64..19.0, 31).unwrap());
            let levels = [f64::MIN, -1.0, -0.0, 1e-3, 5.0, f64::MAX];
            check_against(device, &samples, &RangeBins::new(&levels).unwrap(), &naive_range(&samples, &levels));
        }
    });
}

/// Levels that lie unevenly take more steps, and the same bins.
#[test]
fn levels_of_any_spread() {
    everywhere("levels_of_any_spread", |device| {
        let mut random = Random::new(4);
        let mut samples: Vec<u32> = (0..N).map(|i| random.next_u32() >> (i % 32)).collect();
        let clustered: Vec<u32> = (0..600).collect();
        let doubling: Vec<u32> = (0..32).map(|i| 1 << i).collect();
        let ends: Vec<u32> = (0..300).chain(u32::MAX - 300..=u32::MAX).collect();
        let mut random_levels: Vec<u32> = uniform(3001, 9);
        random_levels.sort_unstable();
        samples.extend(&random_levels);
        for levels in [clustered, doubling, ends, random_levels] {
            check_against(device, &samples, &RangeBins::new(&levels).unwrap(), &naive_range(&samples, &levels));
        }
        // Floats crowd around 0.
        let levels: Vec<f32> = (-60..60).map(|i| (i as f32 / 2.0).powi(5)).collect();
        let samples = floats(N, 6);
        check_against(device, &samples, &RangeBins::new(&levels).unwrap(), &naive_range(&samples, &levels));
    });
}

/// Levels whose tables find room in the shared memory of large GPUs, and more of them, which are counted in parts.
#[test]
fn many_levels() {
    fn check_levels<K: DeltaKey + Ord>(device: &Device, keys: &[K], mut levels: Vec<K>) {
        levels.sort_unstable();
        let mut expected = Counts { bins: vec![0; levels.len() - 1], outside: 0 };
        for key in keys {
            let bin = levels.partition_point(|level| level <= key).checked_sub(1);
            *bin.and_then(|bin| expected.bins.get_mut(bin)).unwrap_or(&mut expected.outside) += 1;
        }
        check_against(device, keys, &RangeBins::new(&levels).unwrap(), &expected);
    }
    everywhere("many_levels", |device| {
        // So many for each processor that it pays to copy tables.
        let (n, bins) = match device.info().kind {
            DeviceKind::Cuda if device.info().description.starts_with("emulated") => {
                (70_007, vec![3000, 16_384, 40_000])
            }
            DeviceKind::Cuda => (3 << 20, vec![1026, 3000, 16_384, 16_385, 40_000, 131_072, 140_000]),
            _ => (20_007, vec![1026, 16_385]),
        };
        let keys = uniform(n, 3);
        for bins in bins {
            // Some are keys, and some are equal.
            let levels = [&uniform(bins / 2, bins as u64)[..], &keys[..bins / 2 - 9], &keys[..10]].concat();
            check_levels(device, &keys, levels);
        }
        // In a small part of what keys there are, and as 8 bytes.
        check_levels(device, &keys, keys[..20_000].iter().map(|key| 1 << 30 | key >> 5).collect());
        let wide: Vec<u64> = keys.iter().map(|&key| u64::from(key) << 20).collect();
        if takes::<u64>(device) {
            check_levels(device, &wide, wide[..5000].to_vec());
            check_levels(device, &wide, wide[..20_000].to_vec());
        }
    });
}

/// A split by the same functions works where no key is outside, and says how many are where some are.
#[test]
fn splits_by_bins() {
    everywhere("splits_by_bins", |device| {
        let keys: Vec<u32> = uniform(N, 7).into_iter().map(|k| k % 1000).collect();
        let (even, range) = (EvenBins::new(0..1000, 30).unwrap(), RangeBins::new(&[0, 10, 500, 1000]).unwrap());
        let (by_even, by_range) = (Reference::split(&keys, &even), Reference::split(&keys, &range));
        assert_eq!(multisplit::split(device, &keys, &even).unwrap().keys, by_even.permute(&keys));
        assert_eq!(multisplit::split(device, &keys, &range).unwrap().keys, by_range.permute(&keys));
        let narrow = EvenBins::new(0..999, 30).unwrap();
        let count = keys.iter().filter(|&&key| key == 999).count() as u64;
        assert_eq!(multisplit::split(device, &keys, &narrow), Err(Error::BucketOutOfRange { count, m: 30 }));
        // And the other way round: what a split reports, a histogram counts apart.
        check(device, &keys, &Lookup::<u32>::new(3, (0..900).map(|i| i % 4).collect::<Vec<_>>()).unwrap());
        check(device, &keys, &Splitters::new(&[10, 500]).unwrap());
    });
}

#[test]
#[allow(clippy::reversed_empty_ranges)] // refused, as they should be
fn what_bins_refuse() {
    fn refused<F>(f: Result<F, Error>, says: &str) {
        match f {
            Err(Error::InvalidBuckets(reason)) => assert!(reason.contains(says), "'{reason}' does not say '{says}'"),
            Err(other) => panic!("{other}"),
            Ok(_) => panic!("accepted, but should say '{says}'"),
        }
    }
    refused(EvenBins::new(0u32..10, 0), "at least one bin");
    refused(EvenBins::new(0u32..u32::MAX, MAX_BINS + 1), "too many");
    refused(EvenBins::new(5i64..5, 4), "lower bound must be below");
    refused(EvenBins::new(5i32..-5, 4), "lower bound must be below");
    for (lower, upper) in [(f32::NAN, 1.0), (0.0, f32::NAN), (0.0, -0.0), (1.0, 0.0)] {
        refused(EvenBins::new(lower..upper, 4), "lower bound must be below");
    }
    refused(EvenBins::new(f64::NEG_INFINITY..0.0, 4), "finite");
    refused(EvenBins::new(0.0..f32::INFINITY, 4), "finite");
    refused(EvenBins::new(0.0f32..f32::from_bits(3), 4), "too close together");
    refused(RangeBins::<u32>::new(&[]), "0 levels make no bins");
    refused(RangeBins::new(&[7u32]), "1 levels make no bins");
    refused(RangeBins::new(&[1u32, 3, 2]), "level 2 is below level 1");
    refused(RangeBins::new(&[1.0f32, f32::NAN, 3.0]), "level 1 is NaN");
    refused(RangeBins::new(&[f64::NAN, 1.0]), "level 0 is NaN");
    let device = Device::cpu();
    refused(histogram_even(&device, &[1u32], 1..1, 4), "lower bound");
    refused(histogram_range(&device, &[1u32], &[2, 1]), "must ascend");
}

#[test]
fn what_histograms_refuse() {
    everywhere("what_histograms_refuse", |device| {
        assert_eq!(histogram(device, &[0u32], &Identity::new(0)), Err(Error::NoBuckets));
        let error = histogram(device, &[0u32], &Identity::new(MAX_BINS + 1)).unwrap_err();
        assert_eq!(error, Error::TooManyBins { m: MAX_BINS + 1, limit: MAX_BINS });
        assert!(error.to_string().contains("fewer, wider bins"), "{error}");

        let keys = device.upload(&[0u32, 1, 2]).unwrap();
        let f = Identity::<u32>::new(3);
        let mut small = device.upload(&[7u32; 3]).unwrap();
        let error = Histogram::by(&f).enqueue(&keys, &mut small).unwrap_err();
        assert_eq!(error, Error::OutputTooSmall { what: "the buffer of counts".into(), got: 3, needed: 4 });
        assert_eq!(small.download().unwrap(), [7; 3], "nothing is written");
        assert_eq!(Histogram::by(&Identity::new(0)).enqueue(&keys, &mut small), Err(Error::NoBuckets));
    });
    let error = Error::CountsTooNarrow { n: 1 << 33, limit: u64::from(u32::MAX) };
    assert!(error.to_string().contains("u64 counts"), "{error}");
    let Some(device) = gpu("what_histograms_refuse") else { return };
    let (keys, f) = (device.upload(&[0u32]).unwrap(), Identity::<u32>::new(3));
    let error = Histogram::by(&f).enqueue(&keys, &mut Device::cpu().alloc::<u64>(4).unwrap()).unwrap_err();
    assert!(matches!(&error, Error::WrongDevice { got, .. } if got == "cpu"), "{error}");
}

/// Buffers that begin or end where no load does.
#[cfg(feature = "wgpu")]
#[test]
fn on_handles_of_the_users_own() {
    let Some(device) = gpu("on_handles_of_the_users_own") else { return };
    use multisplit::cubecl::prelude::Runtime;
    use multisplit::cubecl::wgpu::{WgpuDevice, WgpuRuntime};
    if device.info().kind != multisplit::DeviceKind::Software {
        return; // the name of the wgpu device below is that of the software device
    }
    let client = WgpuRuntime::client(&WgpuDevice::Cpu);
    let device = Device::from_wgpu(client.clone()).unwrap();
    let keys = uniform(1001, 4);
    let f = Delta::whole(100).unwrap();
    let expected = Reference::histogram(&keys, &f);
    let handle = client.create_from_slice(bytemuck::cast_slice(&keys));
    // SAFETY: nobody else has the handle.
    let input = unsafe { device.adopt::<u32>(handle, 1001) }.unwrap();
    let mut counts = device.alloc::<u64>(101).unwrap();
    Histogram::by(&f).enqueue(&input, &mut counts).unwrap();
    assert_eq!(counts.download().unwrap(), [&expected.bins[..], &[expected.outside]].concat());
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 32, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn any_keys_any_levels(
        keys in prop::collection::vec(any::<i32>(), 0..3000),
        mut levels in prop::collection::vec(any::<i32>(), 2..400),
        bins in 1u32..20_000,
    ) {
        levels.sort_unstable();
        let (range, ids) = (RangeBins::new(&levels).unwrap(), Hash::new(bins, 1));
        let even = EvenBins::new(levels[0]..levels[levels.len() - 1].max(levels[0].saturating_add(1)), bins);
        for device in [Some(&Device::cpu()), gpu("any_keys_any_levels")].into_iter().flatten() {
            prop_assert_eq!(histogram(device, &keys, &range).unwrap(), naive_range(&keys, &levels));
            prop_assert_eq!(histogram(device, &keys, &ids).unwrap(), Reference::histogram(&keys, &ids));
            if let Ok(even) = &even {
                prop_assert_eq!(histogram(device, &keys, even).unwrap(), Reference::histogram(&keys, even));
            }
        }
    }
}
