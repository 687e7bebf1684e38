//! Device buffers: copies, slices, order, handles; and splits between them: reuse, several columns, gathers.

mod columns;
mod cuda_view;
mod handles;
mod operations;
mod order;
mod slices;
mod transfers;

use crate::common::everywhere;
use multisplit::bucket::Delta;
use multisplit::measure::Reference;
use multisplit::{Column, Device, Method, Multisplit, PaddedGroups, Stage, gather, split_pairs, split_rows};
use test_support::uniform;

#[test]
fn what_goes_up_comes_down() {
    everywhere("what_goes_up_comes_down", |device| {
        for n in [0usize, 1, 2, 3, 4, 5, 1000] {
            let bytes: Vec<u8> = (0..n).map(|i| i as u8).collect();
            assert_eq!(device.upload(&bytes).unwrap().download().unwrap(), bytes);
            let words: Vec<[u32; 3]> = (0..n as u32).map(|i| [i, !i, 7]).collect();
            assert_eq!(device.upload(&words).unwrap().download().unwrap(), words);
        }
        let buffer = device.alloc::<u64>(5).unwrap();
        assert_eq!((buffer.len(), buffer.is_empty(), buffer.device().name()), (5, false, device.name()));
    });
}

/// One workspace, one set of outputs, many splits of different sizes, nothing read in between.
#[test]
fn buffers_can_be_used_again() {
    everywhere("buffers_can_be_used_again", |device| {
        let keys = uniform(20_000, 1);
        for method in [Method::Auto, Method::Direct, Method::BlockLevel] {
            let f = Delta::whole(4).unwrap();
            let split = Multisplit::by(&f).method(method);
            let mut workspace = split.workspace(device, keys.len(), 1).unwrap();
            assert!(workspace.bytes() >= split.workspace_bytes(device, keys.len(), 1).unwrap());
            let mut offsets = split.offsets(device).unwrap();
            let mut out = device.alloc(keys.len()).unwrap();
            let mut permutation = device.alloc(keys.len()).unwrap();
            for n in [20_000, 3, 0, 19_999, 512] {
                let input = device.upload(&keys[..n]).unwrap();
                let columns = &mut [Column::permutation(&mut permutation)];
                split.enqueue(&input, &mut out, columns, &mut offsets, &mut workspace).unwrap();
                let expected = Reference::split(&keys[..n], &f);
                assert_eq!(offsets.read().unwrap(), expected.offsets);
                assert_eq!(out.download().unwrap()[..n], expected.permute(&keys[..n]));
                assert_eq!(permutation.download().unwrap()[..n], expected.permutation);
            }
        }
    });
}

/// Offsets are 0 until a split has written all of them, wherever they are read.
#[test]
fn offsets_that_nothing_has_written() {
    everywhere("offsets_that_nothing_has_written", |device| {
        let f = Delta::whole(4).unwrap();
        let split = Multisplit::by(&f);
        let offsets = || split.offsets(device).unwrap();
        assert_eq!(offsets().read().unwrap(), [0; 5]);
        offsets().check().unwrap();
        assert_eq!(offsets().read_later().unwrap()().unwrap(), [0; 5]);
        assert_eq!(offsets().into_buffer().unwrap().download().unwrap(), [0; 5]);
        assert_eq!(split.segment_offsets(device, 3).unwrap().read().unwrap(), [0; 13]);

        let input = device.upload(&uniform(1000, 2)).unwrap();
        let mut out = device.alloc(1000).unwrap();
        let (mut offsets, mut workspace) = (offsets(), split.workspace(device, 1000, 0).unwrap());
        let mut groups = PaddedGroups::new(device, 1000, 4, 8).unwrap();
        groups.enqueue(&offsets, &device.alloc(0).unwrap()).unwrap();
        assert_eq!(groups.starts().download().unwrap(), [0; 5]);
        split.enqueue(&input, &mut out, &mut [], &mut offsets, &mut workspace).unwrap();
        let later = offsets.read_later().unwrap();
        let whole = offsets.read().unwrap();
        assert_eq!((whole[4], later().unwrap()), (1000, whole.clone()));
        split.through(Stage::Prescan).enqueue(&input, &mut out, &mut [], &mut offsets, &mut workspace).unwrap();
        assert_eq!(offsets.read().unwrap(), if device.name() == "cpu" { whole } else { vec![0; 5] });
    });
}

/// More columns than one pass carries, of both widths and of several types.
#[test]
fn many_columns_at_once() {
    everywhere("many_columns_at_once", |device| {
        for method in [Method::Direct, Method::WarpLevel, Method::BlockLevel] {
            let keys = uniform(3001, 2);
            let f = Delta::whole(4).unwrap();
            let expected = Reference::split(&keys, &f);
            let a: Vec<u32> = (0..3001).collect();
            let b: Vec<i64> = a.iter().map(|&i| -i64::from(i)).collect();
            let c: Vec<f32> = a.iter().map(|&i| i as f32 / 3.0).collect();
            let d: Vec<[u8; 4]> = a.iter().map(|&i| i.to_be_bytes()).collect();
            let e: Vec<[u16; 4]> = a.iter().map(|&i| [i as u16; 4]).collect();
            let g: Vec<f64> = a.iter().map(|&i| f64::from(i).sqrt()).collect();
            let columns = (&a[..], &b[..], &c[..], &d[..], &e[..], &g[..]);
            let got = Multisplit::by(&f).method(method).with_permutation().split_with(device, &keys, columns).unwrap();
            assert_eq!(got.keys, expected.permute(&keys));
            assert_eq!(got.values.0, expected.permute(&a));
            assert_eq!(got.values.1, expected.permute(&b));
            assert_eq!(got.values.2, expected.permute(&c));
            assert_eq!(got.values.3, expected.permute(&d));
            assert_eq!(got.values.4, expected.permute(&e));
            assert_eq!(got.values.5, expected.permute(&g));
            assert_eq!(got.permutation, Some(expected.permutation));
        }
    });
}

#[test]
fn rows_of_any_size() {
    everywhere("rows_of_any_size", |device| {
        let keys = uniform(1003, 3);
        let f = Delta::whole(9).unwrap();
        let expected = Reference::split(&keys, &f);
        let rows: Vec<String> = keys.iter().map(u32::to_string).collect();
        let got = split_rows(device, &keys, &rows, &f).unwrap();
        assert!(got.values.iter().zip(&got.keys).all(|(row, key)| *row == key.to_string()));
        assert_eq!(got.offsets, expected.offsets);

        let permutation = device.upload(&expected.permutation).unwrap();
        fn moved<T: bytemuck::Pod + Send + Sync + PartialEq + std::fmt::Debug>(
            device: &Device,
            rows: &[T],
            permutation: &multisplit::Buffer<u32>,
            expected: &Reference,
        ) {
            let mut out = device.alloc(rows.len()).unwrap();
            gather(&device.upload(rows).unwrap(), permutation, &mut out).unwrap();
            assert_eq!(out.download().unwrap(), expected.permute(rows));
        }
        moved(device, &keys, &permutation, &expected);
        moved(device, &keys.iter().map(|&k| [k; 3]).collect::<Vec<_>>(), &permutation, &expected);
        moved(device, &keys.iter().map(|&k| [u64::from(k); 8]).collect::<Vec<_>>(), &permutation, &expected);
        // And back.
        let (mut inverse, mut back) = (device.alloc(keys.len()).unwrap(), device.alloc(keys.len()).unwrap());
        multisplit::invert(&permutation, &mut inverse).unwrap();
        assert_eq!(inverse.download().unwrap(), multisplit::inverse(&expected.permutation).unwrap());
        gather(&device.upload(&expected.permute(&keys)).unwrap(), &inverse, &mut back).unwrap();
        assert_eq!(back.download().unwrap(), keys);
        // Indices out of range are ignored; nothing is written for those that are missing, nor beyond the end.
        let mut inverse = device.upload(&[7u32; 5]).unwrap();
        multisplit::invert(&device.upload(&[1u32, 4, u32::MAX, 0]).unwrap(), &mut inverse).unwrap();
        assert_eq!(inverse.download().unwrap(), [3, 0, 7, 7, 7]);
        multisplit::invert(&device.alloc(0).unwrap(), &mut inverse).unwrap();
        // Indices beyond the rows read the last one.
        let mut out = device.alloc(2).unwrap();
        gather(&device.upload(&[5u32, 6]).unwrap(), &device.upload(&[9, 0]).unwrap(), &mut out).unwrap();
        assert_eq!(out.download().unwrap(), [6, 5]);
    });
}

/// Threads share a device; each gets its own results.
#[test]
fn from_several_threads() {
    everywhere("from_several_threads", |device| {
        std::thread::scope(|scope| {
            for seed in 0..4 {
                scope.spawn(move || {
                    let keys = uniform(5000, seed);
                    let f = Delta::whole(8).unwrap();
                    let expected = Reference::split(&keys, &f);
                    for _ in 0..5 {
                        let got = split_pairs(device, &keys, &keys, &f).unwrap();
                        assert_eq!((got.keys, got.offsets), (expected.permute(&keys), expected.offsets.clone()));
                    }
                });
            }
        });
    });
}
