//! Expressions of the key that kernels compute: the same as on the host.

use crate::common::{Way, any_keys, cases, check_keys, everywhere, fewer};
use multisplit::bucket::BucketFn;
use multisplit::expression::{Expression, KeyExpression, Values};
use multisplit::{Device, Error, Key, Method, split};
use test_support::uniform;

const N: usize = 5003;

/// Every operation of words of 32 bits, in the type T of the key, in parts.
const ALL: [&str; 3] = [
    "hash((key / (key & 15 | 1) + key % 7 * 3 - quot(key, 9) ^ rem(key, 11 + (key & 3))) \
     + T(popcount(key) << (key & 63)) + (key >> (key & 63)) + T(clz(key)) + T(ctz(key >> 3 << 2)) * 5 \
     + abs(-key) + ~key + key / -7 % 256) % 256",
    "hash(min(key, key << 3) + max(key, 12345) + T(hash(key, 9)) + bit(key, 3) + clamp(key, 5, 99) \
     + (key < 1000 && !(key == 5) || key >= 2000000000 ? key * 77 : key ^ 255) + key % 16 + key / 32) % 256",
    "hash((key & 7 == 0 ? 1 : 100 / (key & 7) + rem(7, key & 7)) + quot(key, (key & 1) * -2 + 1)) % 256",
];

/// An expression for keys of a type. Literals that are negative have no place beside a `u32`.
fn expression<K: Key>(text: &str) -> Expression {
    let text = text.replace("T(", &format!("{}(", K::NAME));
    let text = if K::NAME == "u32" { text.replace("/ -7", "/ 7").replace("* -2", "* 2") } else { text };
    Expression::parse(&text).unwrap_or_else(|error| panic!("{text}: {error}"))
}

/// Compares buckets of single keys with those of all.
fn same_as_ids<K: Key>(text: &str, keys: &[K], column: Values<'_>, buckets: u32) -> KeyExpression<K> {
    let expression = expression::<K>(text);
    let f = expression.of_key::<K>(buckets).unwrap_or_else(|error| panic!("{expression}: {error}"));
    let expected = expression.ids(&[("key", column)], Some(buckets)).unwrap_or_else(|error| panic!("{error}"));
    for (key, id) in keys.iter().zip(expected.ids) {
        assert_eq!(f.bucket(*key), id, "{expression} of {key:?}");
    }
    f
}

#[test]
fn kernels_compute_what_the_host_does() {
    everywhere("kernels_compute_what_the_host_does", |device| {
        let way = Way::new(device, Method::Auto);
        let unsigned: Vec<u32> = any_keys(fewer(device, N), 1);
        let signed: Vec<i32> = any_keys(fewer(device, N), 2);
        for text in cases(device, &ALL, &ALL[..1]) {
            check_keys(&way, &unsigned, &same_as_ids(text, &unsigned, Values::U32(&unsigned), 256));
        }
        for text in ALL {
            check_keys(&way, &signed, &same_as_ids(text, &signed, Values::I32(&signed), 256));
        }
    });
}

#[test]
fn single_operations_of_single_keys() {
    let (mut unsigned, mut signed) = (any_keys::<u32>(500, 3), any_keys::<i32>(500, 4));
    unsigned.extend(0..40);
    signed.extend(-40..40);
    for text in [
        "key % 7",
        "(key / 7) % 16",
        "(key / (key % 5 == 0 ? -1 : 3)) % 16",
        "u32(key >> (key & 63)) % 256",
        "u32(T(1) << (key & 63)) % 256",
        "popcount(key) + clz(key) + ctz(key)",
        "hash(key) % 256",
        "key < 10 || key > 20 && key != 33 ? 1 : 0",
        "(key <= 10) & (key >= 3) | (key == 50) ^ true ? 1 : 0",
        "key == 0 ? 0 : abs(100 / key) % 101",
        "key != 0 && 100 % key == 1 ? 1 : 0",
        "key == 0 || 100 % key == 1 ? 1 : 0",
        "3",
        "T(7) / (T(3) - 2)",
        "(T(3) - T(5)) % 256",
    ] {
        let text_unsigned = text.replace("-1", "1");
        same_as_ids(&text_unsigned, &unsigned, Values::U32(&unsigned), 256);
        same_as_ids(text, &signed, Values::I32(&signed), 256);
    }
}

/// Of a key without a result the id is out of range.
#[test]
fn keys_without_a_bucket() {
    everywhere("keys_without_a_bucket", |device| {
        let keys: Vec<i32> = (-8..8).collect();
        let all = [
            ("key != 0 && 100 / (key & 3) >= 0 ? 1 : 0", 3),
            ("key >= 0 ? 100 / (key & 7) : 0", 1),
            ("1 << key & 3", 8),
        ];
        for &(text, count) in cases(device, &all, &all[..1]) {
            let f = expression::<i32>(text).of_key::<i32>(101).unwrap();
            let error = split(device, &keys, &f).unwrap_err();
            assert_eq!(error, Error::BucketOutOfRange { count, m: 101 }, "{text}");
        }
    });
}

#[test]
fn what_kernels_do_not_compute() {
    fn refused<K: Key>(text: &str, message: &str) {
        let error = Expression::parse(text).unwrap().of_key::<K>(4).unwrap_err();
        assert!(error.to_string().contains(message), "{text}: {error}");
    }
    refused::<f32>("key > 1 ? 0 : 1", "kernels compute expressions of u32 and i32 keys, not of f32");
    refused::<u64>("key % 4", "not of u64");
    refused::<u32>("u32(key * 0.5)", "kernels compute with u32 and i32 alone; split by the ids, at column");
    refused::<u32>("key + -1", "kernels compute with u32 and i32 alone");
    refused::<i32>("i64(key) % 3", "kernels compute with u32 and i32 alone");
    refused::<u32>("key + other", "kernels know the key alone, which 'key' is, at column 7");
    refused::<u32>(&vec!["key"; 80].join("+"), "kernels take 64 steps");
    let expression = Expression::parse("key % 4").unwrap();
    assert!(expression.of_key::<u32>(1 << 25).unwrap_err().to_string().contains("33554432 buckets are too many"));
    let f = expression.of_key::<u32>(4).unwrap();
    assert_eq!(split(&Device::cpu(), &uniform(10, 1), &f).unwrap().buckets(), 4);
}
