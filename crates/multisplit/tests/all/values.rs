//! Values of every size: those that move with their keys, and those that are gathered.

use crate::common::everywhere;
use multisplit::approach::{Approach, Way};
use multisplit::bucket::Hash;
use multisplit::measure::Reference;
use multisplit::{Device, Multisplit, Sort, select_pairs};
use test_support::uniform;

/// The same numbers as values of 1, 2, 3, 4, 8, 12, 16 and 20 bytes.
type Rows = (Vec<u8>, Vec<u16>, Vec<[u8; 3]>, Vec<f32>, Vec<u64>, Vec<[u32; 3]>, Vec<u128>, Vec<[u8; 20]>);

fn rows(n: usize) -> Rows {
    let each = 0..n as u32;
    (
        each.clone().map(|i| i as u8).collect(),
        each.clone().map(|i| i as u16).collect(),
        each.clone().map(|i| [i as u8, (i >> 8) as u8, 7]).collect(),
        each.clone().map(|i| i as f32).collect(),
        each.clone().map(|i| u64::from(i) << 20).collect(),
        each.clone().map(|i| [i, !i, 1]).collect(),
        each.clone().map(|i| u128::from(i) << 90 | 5).collect(),
        each.map(|i| [(i % 251) as u8; 20]).collect(),
    )
}

fn permuted(rows: &Rows, expected: &Reference) -> Rows {
    let (a, b, c, d, e, f, g, h) = rows;
    (
        expected.permute(a),
        expected.permute(b),
        expected.permute(c),
        expected.permute(d),
        expected.permute(e),
        expected.permute(f),
        expected.permute(g),
        expected.permute(h),
    )
}

#[test]
fn of_any_size() {
    everywhere("of_any_size", |device| {
        for n in [0, 1, 1000, 9001] {
            let keys = uniform(n, 1);
            let rows = rows(n);
            let (a, b, c, d, e, f, g, h) = &rows;
            let all = (&a[..], &b[..], &c[..], &d[..], &e[..], &f[..], &g[..], &h[..]);
            for m in [7, 300] {
                let by = Hash::new(m, 3);
                let expected = Reference::split(&keys, &by);
                let got = Multisplit::by(&by).split_with(device, &keys, all).unwrap();
                assert_eq!(got.offsets, expected.offsets);
                assert_eq!(got.keys, expected.permute(&keys));
                assert!(got.values == permuted(&rows, &expected), "{n} keys, {m} buckets");
                assert_eq!(got.permutation, None);
                let got = Multisplit::by(&by).with_permutation().split_with(device, &keys, all).unwrap();
                assert!(got.values == permuted(&rows, &expected), "{n} keys, {m} buckets");
                assert_eq!(got.permutation.unwrap(), expected.permutation);
            }
        }
    });
}

/// One column of one size, through every operation.
#[test]
fn through_every_operation() {
    everywhere("through_every_operation", |device| {
        let (n, f) = (3001, Hash::new(5, 3));
        let keys = uniform(n, 2);
        let (bytes, _, _, _, _, words, ..) = rows(n);
        let expected = Reference::split(&keys, &f);
        for way in [Way::ReducedBitSort, Way::RecursiveScanSplit] {
            let got = Approach::by(&f, way).split_with(device, &keys, &words).unwrap();
            assert_eq!((got.values, got.permutation), (expected.permute(&words), None), "{way}");
        }
        segments(device, &keys, &bytes);

        let mut order: Vec<usize> = (0..n).collect();
        order.sort_by_key(|&i| keys[i]);
        let got = Sort::new().sort_with(device, &keys, (&bytes[..], &words[..])).unwrap();
        assert!(got.values.0.iter().eq(order.iter().map(|&i| &bytes[i])));
        assert!(got.values.1.iter().eq(order.iter().map(|&i| &words[i])));

        let got = select_pairs(device, &keys, &words, &Hash::new(2, 9)).unwrap();
        let chosen = Reference::split(&keys, &Hash::new(2, 9));
        assert_eq!(got.values, chosen.permute(&words)[..chosen.offsets[1]]);
    });
}

fn segments(device: &Device, keys: &[u32], bytes: &[u8]) {
    let f = Hash::new(5, 3);
    let offsets = [0, 10, 10, 2000, keys.len()];
    let got = Multisplit::by(&f).split_segments_with(device, keys, bytes, &offsets).unwrap();
    for part in offsets.windows(2) {
        let part = part[0]..part[1];
        assert_eq!(got.values[part.clone()], Reference::split(&keys[part.clone()], &f).permute(&bytes[part])[..]);
    }
}
