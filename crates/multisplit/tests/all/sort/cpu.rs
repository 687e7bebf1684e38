//! Sorts on the CPU: the sizes at which it goes another way, and keys that are hard to sort by their highest bits.

use super::check::{Ordered, Wanted, check, check_all};
use crate::common::any_keys;
use multisplit::{Device, bf16, f16};
use test_support::{Random, floats};

const DOWN: Wanted = Wanted { descending: true, ..Wanted::WHOLE };

/// Insertion alone, passes, more than one thread has, and buckets that do not fit a cache.
#[test]
fn sizes_of_wide_keys() {
    let device = Device::cpu();
    for n in (0..70).chain([127, 128, 129, 1023, 1024, 1025, 4095, 4096, 4097]) {
        check_all::<u64>(&device, &any_keys(n, 1), &Wanted::WHOLE);
        check::<f64>(&device, &any_keys(n, 2), &DOWN);
    }
    for n in [32_767, 32_768, 32_769, 65_536, 131_073, 700_001] {
        check::<u64>(&device, &any_keys(n, 3), &Wanted::WHOLE);
        check::<i64>(&device, &any_keys(n, 4), &DOWN);
    }
}

/// Types whose numbers are not their bits, on both sides of zero, in one bucket and in many.
#[test]
fn large_of_every_type() {
    fn both<K: Ordered>(n: usize) {
        let keys = any_keys::<K>(n, 5);
        check(&Device::cpu(), &keys, &Wanted::WHOLE);
        check(&Device::cpu(), &keys, &DOWN);
        // Without the sign, whose keys meet in a bucket then.
        let bits = Some(1..8 * size_of::<K>() as u32 - 1);
        check(&Device::cpu(), &keys, &Wanted { bits, ..Wanted::WHOLE });
    }
    for n in [20_000, 40_000] {
        both::<u8>(n);
        both::<i8>(n);
        both::<u16>(n);
        both::<i16>(n);
        both::<f16>(n);
        both::<bf16>(n);
        both::<u32>(n);
        both::<i32>(n);
        both::<f32>(n);
        both::<u64>(n);
        both::<i64>(n);
        both::<f64>(n);
    }
    let wide: Vec<f64> = floats(100_001, 6).into_iter().map(f64::from).collect();
    check_all(&Device::cpu(), &wide, &Wanted::WHOLE);
    check_all(&Device::cpu(), &wide, &DOWN);
}

/// Keys whose highest bits tell few of them apart, or none.
fn hard_keys(n: usize) -> Vec<(String, Vec<u64>)> {
    let mut random = Random::new(7);
    let mut each = |key: &mut dyn FnMut(u64, u64) -> u64| -> Vec<u64> {
        (0..n).map(|_| key(random.next_u64(), random.next_u64())).collect()
    };
    let mut sets = vec![
        ("equal".to_string(), vec![1 << 40; n]),
        ("two values".to_string(), each(&mut |a, _| (a & 1) << 63 | 5)),
        ("both ends".to_string(), each(&mut |a, _| a & 0xff00_0000_0000_00ff)),
        ("one bit of each byte".to_string(), each(&mut |a, _| a & 0x0101_0101_0101_0101)),
        ("letters".to_string(), each(&mut |a, _| a & 0x0707_0707_0707_0707 | 0x6060_6060_6060_6060)),
        ("low bits".to_string(), each(&mut |a, _| a >> 40)),
        ("all sizes".to_string(), each(&mut |a, b| b >> (a % 64))),
        ("a few high ones".to_string(), each(&mut |a, b| if a % 1000 == 0 { b } else { b >> 50 })),
    ];
    // Groups that agree in their highest bits, from a few keys to many.
    for group in [2, 23, 24, 25, 64, 1000, n / 2] {
        let groups = (n / group) as u64;
        let spread = |a: u64| (a % groups).wrapping_mul(0x9e37_79b9_7f4a_7c15) & !0xffff_ffff;
        sets.push((format!("groups of {group}"), each(&mut |a, b| spread(a) | b & 0xffff_ffff)));
        sets.push((format!("groups of {group}, low ends"), each(&mut |a, b| spread(a) | b & 0x7)));
    }
    let mut sorted: Vec<u64> = each(&mut |a, _| a);
    sorted.sort_unstable();
    sets.push(("reversed".into(), sorted.iter().rev().copied().collect()));
    let mut nearly = sorted.clone();
    for i in (7..n).step_by(1000) {
        nearly.swap(i, i - 7);
    }
    sets.extend([("nearly sorted".into(), nearly), ("sorted".into(), sorted)]);
    sets
}

#[test]
fn hard_keys_are_sorted() {
    for (name, keys) in hard_keys(20_000) {
        println!("{name}");
        check_all(&Device::cpu(), &keys, &Wanted::WHOLE);
        check(&Device::cpu(), &keys, &Wanted { bits: Some(3..61), digit_bits: Some(5), descending: true });
    }
    for (name, keys) in hard_keys(150_000) {
        println!("{name}, large");
        check_all(&Device::cpu(), &keys, &Wanted::WHOLE);
        let signed: Vec<i64> = keys.iter().map(|&key| key as i64).collect();
        check(&Device::cpu(), &signed, &DOWN);
    }
}

/// One thread, and a pool that is busy with other sorts.
#[test]
fn in_other_pools() {
    let keys: Vec<u64> = any_keys(200_001, 8);
    let pool = |threads| rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
    pool(1).install(|| check_all(&Device::cpu(), &keys, &Wanted::WHOLE));
    pool(3).scope(|scope| {
        for _ in 0..6 {
            scope.spawn(|_| check(&Device::cpu(), &keys, &DOWN));
        }
    });
}
