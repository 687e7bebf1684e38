//! Sorts: every call, back end and key type against the standard library's stable sort.

mod common;

use common::data::{Random, distributions, floats};
use common::{everywhere, gpu, same_bits, takes};
use multisplit::{
    Column, Device, DeviceKind, DoubleColumn, Error, Key, Side, Sort, SortWorkspace, argsort, sort, sort_pairs,
};
use proptest::prelude::*;
use std::ops::Range;

/// A key's bits as a number in its order, by the rules and not by this library.
trait Ordered: Key {
    fn rank(self) -> u64;
}

macro_rules! ordered {
    ($($key:ident $rank:expr;)*) => {$(
        impl Ordered for $key {
            fn rank(self) -> u64 {
                let rank: fn($key) -> u64 = $rank;
                rank(self)
            }
        }
    )*};
}

ordered! {
    u8 |k| k.into();
    u16 |k| k.into();
    u32 |k| k.into();
    u64 |k| k;
    i32 |k| (i64::from(k) + (1 << 31)) as u64;
    i64 |k| (i128::from(k) + (1 << 63)) as u64;
    f32 |k| u64::from(if k.is_sign_negative() { !k.to_bits() } else { k.to_bits() | 1 << 31 });
    f64 |k| if k.is_sign_negative() { !k.to_bits() } else { k.to_bits() | 1 << 63 };
}

/// What to sort by.
#[derive(Clone, Debug)]
struct Wanted {
    bits: Option<Range<u32>>,
    digit_bits: Option<u32>,
    descending: bool,
}

impl Wanted {
    const WHOLE: Self = Self { bits: None, digit_bits: None, descending: false };

    fn sort(&self) -> Sort {
        let mut sort = Sort::new();
        if let Some(bits) = self.bits.clone() {
            sort = sort.bits(bits);
        }
        if let Some(bits) = self.digit_bits {
            sort = sort.digit_bits(bits);
        }
        if self.descending { sort.descending() } else { sort }
    }

    /// The permutation, by the standard library.
    fn expected<K: Ordered>(&self, keys: &[K]) -> Vec<u32> {
        let Range { start, end } = self.bits.clone().unwrap_or(0..8 * size_of::<K>() as u32);
        let mask = ((1u128 << (end - start)) - 1) as u64;
        let rank = |&i: &u32| {
            let bits = (u128::from(keys[i as usize].rank()) >> start) as u64 & mask;
            if self.descending { !bits } else { bits }
        };
        let mut order: Vec<u32> = (0..keys.len() as u32).collect();
        order.sort_by_key(rank);
        order
    }
}

/// Sorts on slices, with a column; on the CPU without, too. (On GPUs each is other kernels to compile, which takes most
/// of the time of these tests.)
fn check<K: Ordered>(device: &Device, keys: &[K], wanted: &Wanted) {
    let context = || format!("{} keys of {}, {wanted:?}, on {}", keys.len(), K::NAME, device.name());
    let order = wanted.expected(keys);
    let sorted: Vec<K> = order.iter().map(|&i| keys[i as usize]).collect();
    if device.info().kind == DeviceKind::Cpu {
        let got = wanted.sort().sort(device, keys).unwrap_or_else(|error| panic!("{error}: {}", context()));
        same_bits(&got.keys, &sorted, "keys", &context);
    }
    let index: Vec<u32> = (0..keys.len() as u32).collect();
    let got = wanted.sort().sort_with(device, keys, &index).unwrap_or_else(|error| panic!("{error}: {}", context()));
    same_bits(&got.keys, &sorted, "keys with values", &context);
    same_bits(&got.values, &order, "values", &context);
}

/// Sorts in every way there is, with columns of both widths and the permutation.
fn check_all<K: Ordered>(device: &Device, keys: &[K], wanted: &Wanted) {
    check(device, keys, wanted);
    let context = || format!("{} keys of {}, {wanted:?}, on {}", keys.len(), K::NAME, device.name());
    let fail = |error: Error| -> ! { panic!("{error}: {}", context()) };
    let (n, sort, order) = (keys.len(), wanted.sort(), wanted.expected(keys));
    let sorted: Vec<K> = order.iter().map(|&i| keys[i as usize]).collect();
    let narrow: Vec<u32> = (0..n as u32).collect();
    let wide: Vec<[u32; 2]> = narrow.iter().map(|&i| [!i, i]).collect();
    let sorted_wide: Vec<[u32; 2]> = order.iter().map(|&i| [!i, i]).collect();

    let got = sort.with_permutation().sort_with(device, keys, (&narrow[..], &wide[..])).unwrap_or_else(|e| fail(e));
    same_bits(&got.keys, &sorted, "keys with all", &context);
    same_bits(&got.values.0, &order, "narrow values", &context);
    same_bits(&got.values.1, &sorted_wide, "wide values", &context);
    same_bits(&got.permutation.unwrap(), &order, "permutation", &context);

    // Out of place. What lies behind the result stays, and so does the input.
    let input = device.upload(keys).unwrap();
    let wide_input = device.upload(&wide).unwrap();
    let junk = vec![0xdead_beefu32; n + 3];
    let (mut to, mut index) = (device.alloc::<K>(n).unwrap(), device.upload(&junk).unwrap());
    let mut wide_to = device.alloc::<[u32; 2]>(n + 1).unwrap();
    let mut workspace = sort.workspace(device, n + 5, 1, 1).unwrap_or_else(|e| fail(e));
    for _ in 0..2 {
        let columns = &mut [Column::permutation(&mut index), Column::new(&wide_input, &mut wide_to)];
        sort.enqueue(&input, &mut to, columns, &mut workspace).unwrap_or_else(|e| fail(e));
        workspace.check().unwrap_or_else(|e| fail(e));
    }
    same_bits(&to.download().unwrap(), &sorted, "keys out of place", &context);
    same_bits(&index.download().unwrap()[..n], &order, "permutation out of place", &context);
    assert_eq!(index.download().unwrap()[n..], junk[n..], "{}", context());
    same_bits(&wide_to.download().unwrap()[..n], &sorted_wide, "wide values out of place", &context);
    same_bits(&input.download().unwrap(), keys, "the input", &context);
    same_bits(&wide_input.download().unwrap(), &wide, "the wide input", &context);

    // Between two buffers.
    let (mut first, mut second) = (device.upload(keys).unwrap(), device.alloc::<K>(n + 1).unwrap());
    let (mut wide_first, mut wide_second) = (device.upload(&wide).unwrap(), device.alloc(n).unwrap());
    let (mut index_first, mut index_second) = (device.upload(&junk).unwrap(), device.upload(&junk).unwrap());
    let columns = &mut [
        DoubleColumn::new(&mut wide_first, &mut wide_second),
        DoubleColumn::permutation(&mut index_first, &mut index_second),
    ];
    let mut workspace = sort.double_workspace(device, n).unwrap_or_else(|e| fail(e));
    let side = sort.enqueue_double(&mut first, &mut second, columns, &mut workspace).unwrap_or_else(|e| fail(e));
    workspace.check().unwrap_or_else(|e| fail(e));
    let (got, wide_got, index_got) = match side {
        Side::First => (first, wide_first, index_first),
        Side::Second => (second, wide_second, index_second),
    };
    same_bits(&got.download().unwrap()[..n], &sorted, "keys between two", &context);
    same_bits(&wide_got.download().unwrap()[..n], &sorted_wide, "wide values between two", &context);
    same_bits(&index_got.download().unwrap()[..n], &order, "permutation between two", &context);
}

/// Random keys of any type, extremes among them.
fn keys<K: Key>(n: usize, seed: u64) -> Vec<K> {
    let mut random = Random::new(seed);
    let special = [0x00u8, 0xff, 0x80, 0x7f];
    let key = |_| match random.below(16) {
        0 => bytemuck::pod_read_unaligned(&[special[random.below(4) as usize]; 8][..size_of::<K>()]),
        _ => bytemuck::pod_read_unaligned(&random.next_u64().to_ne_bytes()[..size_of::<K>()]),
    };
    (0..n).map(key).collect()
}

fn any_key<K: Ordered>(device: &Device) {
    if !takes::<K>(device) {
        return;
    }
    // Small digits on GPUs, for kernels that are quickly compiled.
    let on_cpu = device.info().kind == DeviceKind::Cpu;
    let (keys, digit_bits): (Vec<K>, _) = if on_cpu { (keys(3001, 1), None) } else { (keys(701, 1), Some(4)) };
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
    });
}

#[test]
fn every_digit_width() {
    everywhere("every_digit_width", |device| {
        let keys: Vec<u32> = keys(701, 2);
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
        let keys: Vec<u32> = keys(5000, 3);
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

/// Sizes at which the CPU goes another way: more than one thread has, and buckets that do not fit a cache.
#[test]
fn large_on_the_cpu() {
    let device = Device::cpu();
    for n in [32_767, 32_768, 32_769, 300_001] {
        check_all::<u32>(&device, &keys(n, 4), &Wanted::WHOLE);
        check_all::<u64>(&device, &keys(n, 5), &Wanted { descending: true, ..Wanted::WHOLE });
        check_all::<u32>(&device, &keys(n, 6), &Wanted { digit_bits: Some(4), ..Wanted::WHOLE });
    }
    check_all::<f32>(&device, &floats(300_001, 1), &Wanted::WHOLE);
    check_all::<u8>(&device, &keys(300_001, 7), &Wanted::WHOLE);
    // Most keys agree in the highest digit: its bucket is split again.
    let skewed: Vec<u32> =
        keys::<u32>(600_001, 8).into_iter().map(|key| if key % 64 == 0 { key } else { key >> 9 }).collect();
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
        let (sort, keys) = (wanted.sort(), keys::<K>(n, 3));
        let sorted: Vec<K> = wanted.expected(&keys).into_iter().map(|i| keys[i as usize]).collect();
        same_bits(&sort.sort(device, &keys).unwrap().keys, &sorted, "keys alone", &context);
        let (input, mut to) = (device.upload(&keys).unwrap(), device.alloc::<K>(n).unwrap());
        let mut workspace = sort.workspace(device, n, 0, 0).unwrap();
        for _ in 0..2 {
            sort.enqueue(&input, &mut to, &mut [], &mut workspace).unwrap();
            workspace.check().unwrap();
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
        let keys: Vec<u32> = keys(700, 9);
        let wanted = Wanted { bits: Some(0..8), digit_bits: Some(4), descending: false };
        let (order, index) = (wanted.expected(&keys), (0..700).collect::<Vec<u32>>());
        let (a, b, c) = (&index[..], &index[..], &index[..]);
        let got = wanted.sort().sort_with(device, &keys, (a, b, c, a, b, c)).unwrap().values;
        assert!([got.0, got.1, got.2, got.3, got.4, got.5].iter().all(|column| *column == order));
    });
}

#[test]
fn bad_input() {
    everywhere("bad_input", |device| {
        let keys = [3u32, 1, 2];
        let invalid = |sort: Sort, reason: &str| {
            assert_eq!(sort.sort(device, &keys).unwrap_err(), Error::InvalidSort(reason.into()));
            assert!(
                sort.workspace::<u32>(device, 3, 0, 0).is_err() && sort.double_workspace::<u32>(device, 3).is_err()
            );
        };
        invalid(Sort::new().bits(0..33), "bits 0..33 do not lie within the 32 bits of u32");
        invalid(Sort::new().bits(33..33), "bits 33..33 do not lie within the 32 bits of u32");
        invalid(Sort::new().bits(Range { start: 9, end: 3 }), "bits 9..3 end before they begin");
        for bits in [0, 3, 9, u32::MAX] {
            invalid(Sort::new().digit_bits(bits), &format!("digits of {bits} bits are out of range: 4 to 8"));
        }
        let error = sort_pairs(device, &keys, &[1u32, 2]).unwrap_err();
        assert_eq!(error, Error::LengthMismatch { what: "value column 0".into(), got: 2, keys: 3 });

        let sort = Sort::new();
        let input = device.upload(&keys).unwrap();
        let values = device.upload(&[7u32, 7, 7]).unwrap();
        let (mut to, mut short) = (device.upload(&[9u32, 9, 9]).unwrap(), device.upload(&[9u32, 9]).unwrap());
        let mut values_to = device.upload(&[9u32, 9, 9]).unwrap();
        let mut other = device.upload(&[9u32, 9, 9]).unwrap();
        let mut workspace = sort.workspace(device, 3, 1, 0).unwrap();
        let too_small = |what: &str| Error::OutputTooSmall { what: what.into(), got: 2, needed: 3 };

        let error = sort.enqueue(&input, &mut short, &mut [], &mut workspace).unwrap_err();
        assert_eq!(error, too_small("the key output"));
        let columns = &mut [Column::new(&values, &mut short)];
        let error = sort.enqueue(&input, &mut to, columns, &mut workspace).unwrap_err();
        assert_eq!(error, too_small("the output of value column 0"));
        let columns = &mut [Column::permutation(&mut short)];
        let error = sort.enqueue(&input, &mut to, columns, &mut workspace).unwrap_err();
        assert_eq!(error, too_small("the permutation"));
        let columns = &mut [Column::permutation(&mut other), Column::permutation(&mut values_to)];
        let error = sort.enqueue(&input, &mut to, columns, &mut workspace).unwrap_err();
        assert_eq!(error, Error::InvalidPermutation("it was asked for twice".into()));
        let error = {
            let columns = &mut [Column::new(&short, &mut values_to)];
            sort.enqueue(&input, &mut to, columns, &mut workspace).unwrap_err()
        };
        assert_eq!(error, Error::LengthMismatch { what: "value column 0".into(), got: 2, keys: 3 });

        // Workspaces for fewer keys, fewer columns, and for two buffers.
        let columns = &mut [Column::new(&values, &mut values_to), Column::permutation(&mut other)];
        for workspace in &mut [
            sort.workspace(device, 2, 2, 0).unwrap(),
            sort.workspace(device, 3, 1, 2).unwrap(),
            sort.double_workspace(device, 3).unwrap(),
        ] {
            let error = sort.enqueue(&input, &mut to, columns, workspace).unwrap_err();
            assert!(matches!(error, Error::WorkspaceTooSmall { needed: 36, .. }), "{error:?}");
            assert!(error.to_string().contains("Sort::workspace"), "{error}");
        }
        let mut first = device.upload(&keys).unwrap();
        let error = sort.enqueue_double(&mut first, &mut short, &mut [], &mut workspace).unwrap_err();
        assert_eq!(error, too_small("the second buffer of keys"));
        let columns = &mut [DoubleColumn::new(&mut values_to, &mut short)];
        let error = sort.enqueue_double(&mut first, &mut to, columns, &mut workspace).unwrap_err();
        assert_eq!(error, too_small("the second buffer of value column 0"));

        // Nothing was written.
        for buffer in [&to, &values_to, &other] {
            assert_eq!(buffer.download().unwrap(), [9, 9, 9]);
        }
        assert_eq!((short.download().unwrap(), first.download().unwrap()), (vec![9, 9], keys.to_vec()));
    });
}

#[test]
fn buffers_of_another_device() {
    let Some(device) = gpu("buffers_of_another_device") else { return };
    let (cpu, sort) = (Device::cpu(), Sort::new());
    let (keys, mut to) = (device.upload(&[2u32, 1]).unwrap(), device.alloc(2).unwrap());
    let mut elsewhere: SortWorkspace<u32> = sort.workspace(&cpu, 2, 0, 0).unwrap();
    let error = sort.enqueue(&keys, &mut to, &mut [], &mut elsewhere).unwrap_err();
    assert!(matches!(error, Error::WrongDevice { ref what, .. } if what == "the workspace"), "{error:?}");
    let mut workspace = sort.workspace(device, 2, 1, 0).unwrap();
    let error = sort.enqueue(&keys, &mut cpu.alloc(2).unwrap(), &mut [], &mut workspace).unwrap_err();
    assert!(matches!(error, Error::WrongDevice { ref what, .. } if what == "the key output"), "{error:?}");
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
