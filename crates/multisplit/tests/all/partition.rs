//! Partitions and selections: against the definition, on every back end.

use crate::common::everywhere;
use multisplit::bucket::prelude::*;
use multisplit::bucket::{Identity, Splitters};
use multisplit::{
    Column, Device, DeviceKind, Error, Multisplit, Workspace, partition, partition3, select, select_pairs,
};
use test_support::{distributions, uniform};

/// Multiples of a number come first.
#[derive(CubeType, CubeLaunch)]
struct Multiple {
    of: u32,
}

#[cube]
impl BucketFn for Multiple {
    type Key = u32;
    fn bucket(&self, key: u32) -> u32 {
        let mut part = 1u32;
        if key % self.of == 0 {
            part = 0u32;
        }
        part
    }
}

impl Buckets for Multiple {
    fn buckets(&self) -> u32 {
        2
    }
    kernel_fields!(of);
}

/// Both parts as the standard library makes them.
fn parts(keys: &[u32], of: u32) -> (Vec<u32>, Vec<u32>) {
    keys.iter().partition(|&key| key % of == 0)
}

/// Sizes around those of tiles and chunks.
const SIZES: [usize; 11] = [0, 1, 2, 3, 31, 255, 256, 257, 4096, 10_007, 100_003];

#[test]
fn two_ways() {
    everywhere("two_ways", |device| {
        let keys = uniform(100_003, 1);
        for n in SIZES {
            // All, some, few, none.
            for of in [1, 3, 1000, 0x8000_0001] {
                let keys: Vec<u32> = keys[..n].iter().map(|&key| key.max(1)).collect();
                let (first, second) = parts(&keys, of);
                let got = partition(device, &keys, &Multiple { of }).unwrap();
                assert_eq!(got.offsets, [0, first.len(), n], "n = {n}, multiples of {of}");
                assert_eq!((got.bucket(0), got.bucket(1)), (&first[..], &second[..]), "n = {n}, multiples of {of}");
            }
        }
    });
}

#[test]
fn three_ways() {
    everywhere("three_ways", |device| {
        for (name, keys) in distributions(5003, 9, 2) {
            let f = Splitters::new(&[4u32, 5]).unwrap();
            let got = partition3(device, &keys, &f).unwrap();
            let part = |lies: fn(&u32) -> bool| keys.iter().copied().filter(lies).collect::<Vec<_>>();
            assert_eq!(got.bucket(0), part(|&key| key < 4), "{name}");
            assert_eq!(got.bucket(1), part(|&key| key == 4), "{name}");
            assert_eq!(got.bucket(2), part(|&key| key > 4), "{name}");
        }
    });
}

#[test]
fn selections() {
    everywhere("selections", |device| {
        let keys = uniform(100_003, 3);
        for n in SIZES {
            let f = Multiple { of: 5 };
            let keys = &keys[..n];
            let chosen: Vec<u32> = (0..n as u32).filter(|&i| keys[i as usize] % 5 == 0).collect();
            let expected: Vec<u32> = chosen.iter().map(|&i| keys[i as usize]).collect();
            assert_eq!(select(device, keys, &f).unwrap(), expected, "n = {n}");

            let indices: Vec<u32> = (0..n as u32).collect();
            let wide: Vec<u64> = indices.iter().map(|&i| u64::from(!i)).collect();
            let got = select_pairs(device, keys, &indices, &f).unwrap();
            assert_eq!((&got.keys, &got.values, &got.indices), (&expected, &chosen, &None), "n = {n}");

            let by = Multisplit::by(&f).with_permutation();
            let got = by.select_with(device, keys, (&indices[..], &wide[..])).unwrap();
            assert_eq!(got.keys, expected, "n = {n}");
            assert_eq!(got.values.1, chosen.iter().map(|&i| u64::from(!i)).collect::<Vec<_>>(), "n = {n}");
            assert_eq!((&got.values.0, got.indices), (&chosen, Some(chosen.clone())), "n = {n}");
        }
    });
}

/// Nothing is read before all are enqueued.
#[test]
fn between_device_buffers() {
    everywhere("between_device_buffers", |device| {
        let keys = uniform(20_000, 4);
        let f = Multiple { of: 3 };
        let by = Multisplit::by(&f);
        let mut workspace = by.workspace(device, keys.len(), 2).unwrap();
        let values: Vec<f64> = keys.iter().map(|&key| f64::from(key) / 7.0).collect();
        let mut runs = Vec::new();
        for n in [20_000usize, 0, 1, 777] {
            let (input, carried) = (device.upload(&keys[..n]).unwrap(), device.upload(&values[..n]).unwrap());
            let (mut out, mut indices) = (device.alloc(n).unwrap(), device.alloc(n).unwrap());
            let mut carried_out = device.alloc(n).unwrap();
            let mut offsets = by.offsets(device).unwrap();
            let columns = &mut [Column::permutation(&mut indices), Column::new(&carried, &mut carried_out)];
            by.enqueue_select(&input, &mut out, columns, &mut offsets, &mut workspace).unwrap();
            runs.push((n, out, indices, carried_out, offsets));
        }
        for (n, out, indices, carried, offsets) in runs {
            let chosen: Vec<usize> = (0..n).filter(|&i| keys[i] % 3 == 0).collect();
            let count = offsets.selected().unwrap();
            assert_eq!(count, chosen.len());
            assert_eq!(out.download().unwrap()[..count], chosen.iter().map(|&i| keys[i]).collect::<Vec<_>>());
            assert_eq!(indices.download().unwrap()[..count], chosen.iter().map(|&i| i as u32).collect::<Vec<_>>());
            assert_eq!(carried.download().unwrap()[..count], chosen.iter().map(|&i| values[i]).collect::<Vec<f64>>());
        }
    });
}

/// More keys than a software device, or one with few processors, or any, splits in one launch.
fn most(device: &Device) -> usize {
    match device.info().kind {
        DeviceKind::Software => 20_000,
        _ if device.info().description.starts_with("emulated") => 60_000,
        _ => 5 << 20,
    }
}

/// Selects on the device with so many columns of 8 bytes, and compares all with the definition.
fn check_selection(device: &Device, keys: &[u32], of: u32, columns: usize, workspace: &mut Workspace) {
    let (f, n) = (Multiple { of }, keys.len());
    let by = Multisplit::by(&f);
    workspace.reserve(by.workspace_bytes(device, n, columns + 1).unwrap()).unwrap();
    let values: Vec<u64> = keys.iter().map(|&key| !u64::from(key)).collect();
    let (input, carried) = (device.upload(keys).unwrap(), device.upload(&values).unwrap());
    let (mut out, mut indices) = (device.alloc(n).unwrap(), device.alloc(n).unwrap());
    let mut outs: Vec<_> = (0..columns).map(|_| device.alloc::<u64>(n).unwrap()).collect();
    let mut offsets = by.offsets(device).unwrap();
    let moved = outs.iter_mut().map(|out| Column::new(&carried, out));
    let mut moved: Vec<_> = moved.chain([Column::permutation(&mut indices)]).collect();
    by.enqueue_select(&input, &mut out, &mut moved, &mut offsets, workspace).unwrap();
    drop(moved);
    let chosen: Vec<u32> = (0..n as u32).filter(|&i| keys[i as usize] % of == 0).collect();
    let context = format!("{n} keys, multiples of {of}, {columns} columns, {}", device.name());
    let count = offsets.selected().unwrap();
    assert_eq!(count, chosen.len(), "{context}");
    assert!(offsets.read().unwrap() == [0, count, n], "{context}");
    assert!(out.download().unwrap()[..count] == of_chosen(keys, &chosen), "keys: {context}");
    assert!(indices.download().unwrap()[..count] == chosen, "indices: {context}");
    for out in outs {
        assert!(out.download().unwrap()[..count] == of_chosen(&values, &chosen), "values: {context}");
    }
}

fn of_chosen<T: Copy>(elements: &[T], chosen: &[u32]) -> Vec<T> {
    chosen.iter().map(|&i| elements[i as usize]).collect()
}

/// Inputs that take one pass: full tiles and others, all kept, some, few, and none; in one workspace, after others.
#[test]
fn large_selections() {
    everywhere("large_selections", |device| {
        let mut workspace = Workspace::new(device);
        let sizes = [1025, 2047, 2048, 2049, 8704, most(device) - 1, most(device)];
        for (i, n) in sizes.into_iter().enumerate() {
            let keys: Vec<u32> = uniform(n, n as u64).iter().map(|&key| key.max(1)).collect();
            for (j, of) in [1, 2, 1000, 0x8000_0001].into_iter().enumerate() {
                check_selection(device, &keys, of, [0, 1, 5, 2][(i + j) % 4], &mut workspace);
            }
            // In runs: whole tiles are kept, or nothing of them.
            let runs: Vec<u32> = (0..n as u32).map(|i| 1 + i / 5000 % 2).collect();
            check_selection(device, &runs, 2, 1, &mut workspace);
        }
    });
}

/// Every call has its own workspace and stream; cubes of one wait for none of another.
#[test]
fn on_many_streams_at_once() {
    everywhere("on_many_streams_at_once", |device| {
        let keys = uniform(most(device), 7);
        std::thread::scope(|scope| {
            for of in 2..6 {
                let (keys, stream) = (&keys, device.stream(&format!("selection {of}")).unwrap());
                scope.spawn(move || {
                    let mut workspace = Workspace::new(&stream);
                    for _ in 0..3 {
                        check_selection(&stream, keys, of, 1, &mut workspace);
                    }
                });
            }
        });
    });
}

/// Ids out of range are counted, and values of any type follow.
#[test]
fn what_else_a_large_selection_does() {
    everywhere("what_else_a_large_selection_does", |device| {
        let n = most(device);
        let ids: Vec<u32> = (0..n as u32).map(|i| if i % 1000 == 7 { 2 + i } else { i % 2 }).collect();
        let f = Identity::<u32>::new(2);
        let by = Multisplit::by(&f);
        let mut workspace = by.workspace(device, n, 2).unwrap();
        let (input, mut out) = (device.upload(&ids).unwrap(), device.alloc(n).unwrap());
        let mut offsets = by.offsets(device).unwrap();
        by.enqueue_select(&input, &mut out, &mut [], &mut offsets, &mut workspace).unwrap();
        let count = (0..n).filter(|i| i % 1000 == 7).count();
        assert_eq!(offsets.selected(), Err(Error::BucketOutOfRange { count: count as u64, m: 2 }));

        let keys = uniform(n, 8);
        let bytes: Vec<[u8; 3]> = keys.iter().map(|&key| [key as u8, 1, (key >> 8) as u8]).collect();
        let f = Multiple { of: 3 };
        let by = Multisplit::by(&f);
        let (input, values) = (device.upload(&keys).unwrap(), device.upload(&bytes).unwrap());
        let (mut indices, mut values_out) = (device.alloc(n).unwrap(), device.alloc(n).unwrap());
        let columns = &mut [Column::permutation(&mut indices), Column::new(&values, &mut values_out)];
        by.enqueue_select(&input, &mut out, columns, &mut offsets, &mut workspace).unwrap();
        let count = offsets.selected().unwrap();
        let chosen: Vec<u32> = (0..n as u32).filter(|&i| keys[i as usize] % 3 == 0).collect();
        assert_eq!(count, chosen.len());
        assert!(out.download().unwrap()[..count] == of_chosen(&keys, &chosen));
        assert!(values_out.download().unwrap()[..count] == of_chosen(&bytes, &chosen));
    });
}

#[test]
fn what_is_refused() {
    everywhere("what_is_refused", |device| {
        let wrong = |call, m, needed| Error::WrongNumberOfBuckets { call, m, needed };
        for m in [0, 1, 3, 300] {
            let f = Identity::<u32>::new(m);
            assert_eq!(partition(device, &[0], &f), Err(wrong("a partition", m, 2)));
            assert_eq!(select(device, &[0], &f), Err(wrong("a selection", m, 2)));
        }
        let two = Identity::<u32>::new(2);
        let error = partition3(device, &[0], &two).unwrap_err();
        assert_eq!(error, wrong("a three-way partition", 2, 3));
        assert!(error.to_string().contains("3 buckets, not 2"), "{error}");

        // A key that belongs to no part.
        assert_eq!(partition(device, &[0, 7, 1], &two), Err(Error::BucketOutOfRange { count: 1, m: 2 }));
        let error = select_pairs(device, &[0, 1], &[1u32], &two).unwrap_err();
        assert_eq!(error, Error::LengthMismatch { what: "value column 0".into(), got: 1, keys: 2 });

        let three = Identity::<u32>::new(3);
        let by = Multisplit::by(&three);
        let keys = device.upload(&[2u32, 1, 0]).unwrap();
        let mut out = device.upload(&[9u32; 3]).unwrap();
        let (mut offsets, mut workspace) = (by.offsets(device).unwrap(), by.workspace(device, 3, 0).unwrap());
        let error = by.enqueue_select(&keys, &mut out, &mut [], &mut offsets, &mut workspace).unwrap_err();
        assert_eq!(error, wrong("a selection", 3, 2));
        assert_eq!(out.download().unwrap(), [9; 3]);

        let by = Multisplit::by(&two);
        let mut short = device.upload(&[9u32; 2]).unwrap();
        let error = by.enqueue_select(&keys, &mut short, &mut [], &mut offsets, &mut workspace).unwrap_err();
        assert_eq!(error, Error::OutputTooSmall { what: "the key output".into(), got: 2, needed: 3 });
        assert_eq!(short.download().unwrap(), [9; 2]);
    });
}
