//! Values of every size: those that move with their keys, and those that are gathered.

use crate::common::everywhere;
use multisplit::approach::{Approach, Way};
use multisplit::bucket::Hash;
use multisplit::measure::Reference;
use multisplit::{Column, Device, Error, Multisplit, Sort, gather, select_pairs};
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

/// Columns between device buffers: all sizes beside each other, with the permutation that they are gathered by.
#[test]
fn between_device_buffers() {
    everywhere("between_device_buffers", |device| {
        let (n, f) = (5003, Hash::new(9, 4));
        let keys = uniform(n, 6);
        let rows = rows(n);
        let expected = Reference::split(&keys, &f);
        let (a, b, c, d, _, e, ..) = &rows;
        let from = (device.upload(a), device.upload(b), device.upload(c), device.upload(d), device.upload(e));
        let from = (from.0.unwrap(), from.1.unwrap(), from.2.unwrap(), from.3.unwrap(), from.4.unwrap());
        let input = device.upload(&keys).unwrap();
        let mut output = device.alloc(n).unwrap();
        let split = Multisplit::by(&f);
        let mut offsets = split.offsets(device).unwrap();
        // Of these the `f32` values and the permutation move.
        let mut workspace = split.workspace(device, n, 2).unwrap();
        let approach = Approach::by(&f, Way::RecursiveScanSplit);
        let mut approach_workspace = approach.workspace(device, n, 2, 0).unwrap();
        let mut segment_workspace = split.segment_workspace(device, n, 1, 2).unwrap();
        for call in 0..3 {
            // One more than there are: what is behind the last is not touched.
            let mut to = (
                device.upload(&vec![7u8; n + 1]).unwrap(),
                device.upload(&vec![7u16; n + 1]).unwrap(),
                device.upload(&vec![[7u8; 3]; n + 1]).unwrap(),
                device.alloc::<f32>(n).unwrap(),
                device.upload(&vec![[7u32; 3]; n + 1]).unwrap(),
            );
            let mut permutation = device.alloc(n).unwrap();
            let columns = &mut [
                Column::new(&from.0, &mut to.0),
                Column::new(&from.1, &mut to.1),
                Column::new(&from.2, &mut to.2),
                Column::new(&from.3, &mut to.3),
                Column::new(&from.4, &mut to.4),
                Column::permutation(&mut permutation),
            ];
            match call {
                0 => split.enqueue(&input, &mut output, columns, &mut offsets, &mut workspace),
                1 => approach.enqueue(&input, &mut output, columns, &mut offsets, &mut approach_workspace),
                _ => {
                    let mut offsets = split.segment_offsets(device, 1).unwrap();
                    let workspace = &mut segment_workspace;
                    split.enqueue_segments(&input, &[0, n], &mut output, columns, &mut offsets, workspace)
                }
            }
            .unwrap();
            assert_eq!(to.0.download().unwrap(), [&expected.permute(a)[..], &[7]].concat(), "call {call}");
            assert_eq!(to.1.download().unwrap(), [&expected.permute(b)[..], &[7]].concat(), "call {call}");
            assert_eq!(to.2.download().unwrap(), [&expected.permute(c)[..], &[[7; 3]]].concat(), "call {call}");
            assert_eq!(to.3.download().unwrap(), expected.permute(d), "call {call}");
            assert_eq!(to.4.download().unwrap(), [&expected.permute(e)[..], &[[7; 3]]].concat(), "call {call}");
            assert_eq!(permutation.download().unwrap(), expected.permutation, "call {call}");
        }
        let mut to = device.alloc::<u8>(n).unwrap();
        let columns = &mut [Column::new(&from.0, &mut to)];
        let error = split.enqueue(&input, &mut output, columns, &mut offsets, &mut workspace).unwrap_err();
        assert_eq!(error, Error::PermutationNeeded { bytes: 1 });
        let mut workspace = Sort::new().workspace::<u32>(device, n, 1, 0).unwrap();
        let error = Sort::new().enqueue(&input, &mut output, columns, &mut workspace).unwrap_err();
        assert_eq!(error, Error::PermutationNeeded { bytes: 1 });
        let mut permutation = device.alloc(n).unwrap();
        let columns = &mut [Column::permutation(&mut permutation), Column::new(&from.0, &mut to)];
        Sort::new().enqueue(&input, &mut output, columns, &mut workspace).unwrap();
        let mut order: Vec<usize> = (0..n).collect();
        order.sort_by_key(|&i| keys[i]);
        assert!(to.download().unwrap().iter().eq(order.iter().map(|&i| &a[i])));
    });
}

/// Rows of any size, from and to slices that begin at any byte.
#[test]
fn gathered_at_any_byte() {
    fn check<const N: usize>(device: &Device) {
        let bytes: Vec<[u8; N]> = (0..50).map(|i| std::array::from_fn(|j| (i * 7 + j) as u8)).collect();
        let index: Vec<u32> = uniform(40, N as u64).iter().map(|&word| word % 50).collect();
        let (from, permutation) = (device.upload(&bytes).unwrap(), device.upload(&index).unwrap());
        for (source, target) in [(0, 0), (1, 0), (0, 1), (3, 5)] {
            let mut to = device.upload(&[[9u8; N]; 50]).unwrap();
            let rows = 40 - source;
            let part = permutation.slice(..rows).unwrap();
            gather(from.slice(source..).unwrap(), part, to.slice_mut(target..target + rows).unwrap()).unwrap();
            let mut expected = [[9u8; N]; 50];
            for i in 0..rows {
                expected[target + i] = bytes[(source + index[i] as usize).min(49)];
            }
            assert_eq!(to.download().unwrap(), expected, "rows of {N} bytes, from {source} to {target}");
        }
    }
    everywhere("gathered_at_any_byte", |device| {
        check::<1>(device);
        check::<2>(device);
        check::<3>(device);
        check::<4>(device);
        check::<5>(device);
        check::<12>(device);
        check::<33>(device);
        check::<100>(device);
    });
}
