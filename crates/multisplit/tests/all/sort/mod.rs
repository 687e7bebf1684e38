//! Sorts: every call, back end and key type against the standard library's stable sort.

mod check;
mod cpu;
mod refused;

use crate::common::{any_keys, cases, everywhere, same_bits, takes};
use check::{Ordered, Wanted, check, check_all};
use multisplit::{Device, DeviceKind, Error, Sort, argsort, bf16, f16, sort, sort_pairs};
use proptest::prelude::*;
use test_support::{Random, distributions, floats};

fn any_key<K: Ordered>(device: &Device) {
    if !takes::<K>(device) {
        return;
    }
    // Small digits on GPUs, for kernels that are quickly compiled.
    let on_cpu = device.info().kind == DeviceKind::Cpu;
    let (keys, digit_bits): (Vec<K>, _) = if on_cpu { (any_keys(3001, 1), None) } else { (any_keys(701, 1), Some(4)) };
    for descending in [false, true] {
        let wanted = Wanted { descending, digit_bits, ..Wanted::WHOLE };
        if on_cpu { check_all(device, &keys, &wanted) } else { check(device, &keys, &wanted) }
    }
    // On GPUs the function is the same for all types, and their orders are seen above.
    if !on_cpu && !["u32", "u64"].contains(&K::NAME) {
        return;
    }
    // All windows of bits that begin and end at the ends and in between; reversed ones are errors.
    let width = 8 * size_of::<K>() as u32;
    let ends = [0, width / 3, 3 * width / 4, width];
    for (start, end) in ends.into_iter().flat_map(|start| ends.map(|end| (start, end))) {
        let wanted = Wanted { bits: Some(start..end), digit_bits, ..Wanted::WHOLE };
        if start <= end {
            check(device, &keys, &wanted);
            check(device, &keys, &Wanted { descending: true, ..wanted });
        } else {
            let error = wanted.sort().sort(device, &keys).unwrap_err();
            assert_eq!(error, Error::InvalidSort(format!("bits {start}..{end} end before they begin")));
        }
    }
}

#[test]
fn every_key_type_and_window() {
    everywhere("every_key_type_and_window", |device| {
        any_key::<u32>(device);
        any_key::<i32>(device);
        any_key::<f32>(device);
        any_key::<u64>(device);
        any_key::<i64>(device);
        any_key::<f64>(device);
        any_key::<u8>(device);
        any_key::<u16>(device);
        any_key::<i8>(device);
        any_key::<i16>(device);
        any_key::<f16>(device);
        any_key::<bf16>(device);
    });
}

#[test]
fn every_digit_width() {
    everywhere("every_digit_width", |device| {
        let keys: Vec<u32> = any_keys(701, 2);
        for digit_bits in 4..=8 {
            // A last digit of as many bits as the others, or of one.
            let bits = Some(0..if digit_bits <= 5 { 3 * digit_bits + 1 } else { 3 * digit_bits });
            check(device, &keys, &Wanted { digit_bits: Some(digit_bits), bits, ..Wanted::WHOLE });
        }
        if device.info().kind != DeviceKind::Cpu {
            return;
        }
        for digit_bits in 4..=8 {
            check_all(device, &keys, &Wanted { digit_bits: Some(digit_bits), ..Wanted::WHOLE });
        }
        let bits = Some(3..29);
        check(device, &keys, &Wanted { digit_bits: Some(7), bits, descending: true });
    });
}

#[test]
fn sizes() {
    everywhere("sizes", |device| {
        let keys: Vec<u32> = any_keys(5000, 3);
        let tiles = [255, 256, 257, 511, 512, 513, 1023, 1024, 1025, 2047, 2049, 4095, 4096, 4097, 5000];
        for n in [0, 1, 2, 3, 5, 17].into_iter().chain(tiles) {
            check(device, &keys[..n], &Wanted::WHOLE);
        }
        // Odd and even numbers of digits, one, and none.
        for bits in [0..12, 1..9, 8..12, 7..7] {
            let wanted = Wanted { bits: Some(bits), digit_bits: Some(4), descending: true };
            check_all(device, &keys[..0], &wanted);
            check(device, &keys[..1], &wanted);
            check(device, &keys[..2], &wanted);
            check_all(device, &keys[..700], &wanted);
        }
    });
}

/// What fits one tile is sorted by the highest bits that differ, which need not tell keys apart.
#[test]
fn keys_that_agree_in_high_bits() {
    everywhere("keys_that_agree_in_high_bits", |device| {
        let sizes = cases(device, &[2, 100, 250, 1000, 4096, 8000], &[100, 250]);
        for (i, &n) in sizes.iter().enumerate() {
            let mut orders: Vec<Vec<u32>> = vec![
                // But for one, all agree in the high bits, and are in the wrong order.
                (0..n).map(|i| if i == n / 2 { 1 << 31 } else { n - i }).collect(),
                vec![7; n as usize],
            ];
            // Groups that agree in 16 bits, the second half of each before the first, or reversed; with equal keys.
            for group in [2, 3, 8, 9, 40] {
                let high = |i: u32| (i / group).wrapping_mul(0x9e37_79b9) & 0xffff_0000;
                orders.push((0..n).map(|i| high(i) | (group - i % group)).collect());
                orders.push((0..n).map(|i| high(i) | ((i + group / 2) % group / 2)).collect());
            }
            for keys in orders {
                check(device, &keys, &Wanted::WHOLE);
                let wide: Vec<u64> = keys.iter().map(|&key| u64::from(key) << 20 | u64::from(key & 1)).collect();
                check(device, &wide, &Wanted { descending: i % 2 == 1, ..Wanted::WHOLE });
            }
        }
    });
}

/// Sizes at which the CPU goes another way: more than one thread has, and buckets that do not fit a cache.
#[test]
fn large_on_the_cpu() {
    let device = Device::cpu();
    for n in [32_767, 32_768, 32_769, 300_001] {
        check_all::<u32>(&device, &any_keys(n, 4), &Wanted::WHOLE);
        check_all::<u64>(&device, &any_keys(n, 5), &Wanted { descending: true, ..Wanted::WHOLE });
        check_all::<u32>(&device, &any_keys(n, 6), &Wanted { digit_bits: Some(4), ..Wanted::WHOLE });
    }
    check_all::<f32>(&device, &floats(300_001, 1), &Wanted::WHOLE);
    check_all::<u8>(&device, &any_keys(300_001, 7), &Wanted::WHOLE);
    // Most keys agree in the highest digit: its bucket is split again.
    let skewed: Vec<u32> =
        any_keys::<u32>(600_001, 8).into_iter().map(|key| if key % 64 == 0 { key } else { key >> 9 }).collect();
    check_all(&device, &skewed, &Wanted::WHOLE);
    let narrow: Vec<u32> = skewed.iter().map(|key| key & 0x000f_ff00).collect();
    check_all(&device, &narrow, &Wanted::WHOLE);
    check_all(&device, &vec![7u32; 300_001], &Wanted::WHOLE);
    let few: Vec<u64> = skewed.iter().map(|&key| u64::from(key & 1) << 60 | u64::from(key & 2) << 8).collect();
    check_all(&device, &few, &Wanted::WHOLE);
}

#[test]
fn distributions_and_duplicates() {
    everywhere("distributions_and_duplicates", |device| {
        // Spread over the whole key, and close together.
        for factor in [u32::MAX / 255, 1] {
            for (name, keys) in distributions(1501, 256, 1) {
                println!("{name}, times {factor}");
                let keys: Vec<u32> = keys.iter().map(|&key| key * factor).collect();
                check(device, &keys, &Wanted { bits: Some(0..32), digit_bits: Some(8), descending: false });
            }
        }
    });
}

/// Every special value, bit by bit, in the order of `total_cmp`.
#[test]
fn special_floats() {
    everywhere("special_floats", |device| {
        let bits = [
            0u32,
            1,
            0x7f_ffff,
            0x80_0000,
            0x3f80_0000,
            0x7f7f_ffff,
            0x7f80_0000,
            0x7f80_0001,
            0x7fc0_0000,
            0x7fff_ffff,
        ];
        let mut all: Vec<f32> = bits.iter().flat_map(|&b| [b, b | 1 << 31]).map(f32::from_bits).collect();
        all.extend(all.clone());
        check(device, &all, &Wanted::WHOLE);
        check(device, &all, &Wanted { descending: true, ..Wanted::WHOLE });
        let mut expected = all.clone();
        expected.sort_by(f32::total_cmp);
        same_bits(&sort(device, &all).unwrap(), &expected, "total order", &String::new);
        check(device, &floats(3001, 3), &Wanted::WHOLE);
        if takes::<f64>(device) {
            let mut wide: Vec<f64> = all.iter().map(|&f| f64::from(f)).collect();
            wide.extend([f64::MIN_POSITIVE, -f64::MIN_POSITIVE, f64::from_bits(1), f64::from_bits(1 << 63 | 1)]);
            wide.extend([f64::from_bits(0x7ff0_0000_0000_0001), f64::from_bits(u64::MAX), f64::MAX, f64::MIN]);
            check(device, &wide, &Wanted::WHOLE);
        }
    });
}

#[test]
fn short_forms() {
    everywhere("short_forms", |device| {
        assert_eq!(sort(device, &[3u32, 1, 2]).unwrap(), [1, 2, 3]);
        assert_eq!(argsort(device, &[30u32, 10, 20, 10]).unwrap(), [1, 3, 2, 0]);
        let sorted = sort_pairs(device, &[2u32, 0, 2], (&[1u32, 2, 3][..], &[1.5f64, 2.5, 3.5][..])).unwrap();
        assert_eq!((sorted.keys, sorted.values), (vec![0, 2, 2], (vec![2, 1, 3], vec![2.5, 1.5, 3.5])));
        assert!(sort::<u32>(device, &[]).unwrap().is_empty());
    });
}

/// Wide keys without values, in several tiles: there a split leaves bucket ids for the next one.
#[test]
fn wide_keys_alone() {
    fn alone<K: Ordered>(device: &Device, n: usize, wanted: &Wanted) {
        if !takes::<K>(device) {
            return;
        }
        let context = || format!("{n} keys of {}, {wanted:?}, on {}", K::NAME, device.name());
        let (sort, keys) = (wanted.sort(), any_keys::<K>(n, 3));
        let sorted: Vec<K> = wanted.expected(&keys).into_iter().map(|i| keys[i as usize]).collect();
        same_bits(&sort.sort(device, &keys).unwrap().keys, &sorted, "keys alone", &context);
        let (input, mut to) = (device.upload(&keys).unwrap(), device.alloc::<K>(n).unwrap());
        let mut workspace = sort.workspace::<K>(device, n, 0, 0).unwrap();
        for _ in 0..2 {
            sort.enqueue(&input, &mut to, &mut [], &mut workspace).unwrap();
            device.sync().unwrap();
        }
        same_bits(&to.download().unwrap(), &sorted, "keys alone, out of place", &context);
    }
    everywhere("wide_keys_alone", |device| {
        let by_nibbles = Wanted { digit_bits: Some(4), bits: Some(3..27), descending: true };
        alone::<u64>(device, 70_001, &by_nibbles);
        // Kernels of wide digits take long to compile for a software device.
        if device.info().kind != DeviceKind::Software {
            for n in [20_000, 70_001, 300_000] {
                alone::<u64>(device, n, &Wanted::WHOLE);
            }
            alone::<i64>(device, 70_001, &Wanted { descending: true, ..Wanted::WHOLE });
            alone::<f64>(device, 70_001, &Wanted { bits: Some(5..50), ..Wanted::WHOLE });
        }
    });
}

/// Digits in which all keys agree are not sorted by; the result is the same.
#[test]
fn uniform_digits() {
    everywhere("uniform_digits", |device| {
        let mut random = Random::new(5);
        // Which bits vary: none, one, some at the ends, none in the middle.
        for varying in [0, 1 << 31, 0x0000_0f0f, 0xff00_0001, 0x00ff_0000u32] {
            let keys: Vec<u32> = (0..900).map(|_| 0x1234_5678 ^ (random.next_u64() as u32 & varying)).collect();
            check(device, &keys, &Wanted { digit_bits: Some(4), ..Wanted::WHOLE });
            let trimmed = Sort::new().trimmed(&device.upload(&keys).unwrap()).unwrap();
            let bits = varying.trailing_zeros() % 32..32 - varying.leading_zeros();
            assert_eq!(trimmed, Sort::new().bits(bits), "{varying:#x} on {}", device.name());
        }
        let trimmed = Sort::new().bits(4..12).descending().trimmed(&device.upload(&[0x0f0u32, 0x10f0]).unwrap());
        assert_eq!(trimmed, Ok(Sort::new().bits(4..4).descending()));
        assert_eq!(Sort::new().trimmed(&device.upload::<u32>(&[]).unwrap()), Ok(Sort::new().bits(0..0)));
        if takes::<u64>(device) {
            let keys = device.upload(&[1u64 << 40, 1 << 33, 1 << 40]).unwrap();
            assert_eq!(Sort::new().trimmed(&keys), Ok(Sort::new().bits(33..41)));
        }
        let floats = device.upload(&[1.0f32, 2.0]).unwrap();
        assert_eq!(Sort::new().trimmed(&floats), Ok(Sort::new().bits(23..31)));
        let error = Sort::new().bits(0..33).trimmed(&floats).unwrap_err();
        assert_eq!(error.to_string(), Sort::new().bits(0..33).sort(device, &[1.0f32]).unwrap_err().to_string());
    });
}

/// As many columns as a split takes; on GPUs in several passes.
#[test]
fn many_columns() {
    everywhere("many_columns", |device| {
        let keys: Vec<u32> = any_keys(700, 9);
        let wanted = Wanted { bits: Some(0..8), digit_bits: Some(4), descending: false };
        let (order, index) = (wanted.expected(&keys), (0..700).collect::<Vec<u32>>());
        let (a, b, c) = (&index[..], &index[..], &index[..]);
        let got = wanted.sort().sort_with(device, &keys, (a, b, c, a, b, c)).unwrap().values;
        assert!([got.0, got.1, got.2, got.3, got.4, got.5].iter().all(|column| *column == order));
    });
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 32, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn any_input_any_order(
        keys in prop::collection::vec(any::<u64>(), 0..3000),
        and in any::<u64>(),
        mut ends in [0u32..=64, 0u32..=64],
        digit_bits in prop::option::of(4u32..=8),
        descending in any::<bool>(),
    ) {
        ends.sort_unstable();
        let wanted = Wanted { bits: Some(ends[0]..ends[1]), digit_bits, descending };
        let keys: Vec<u64> = keys.into_iter().map(|key| key & and).collect();
        check_all(&Device::cpu(), &keys, &wanted);
    }
}
