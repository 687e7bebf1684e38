//! Splits in one launch: inputs so small that all tiles are resident at once.

use crate::common::{everywhere, gpu};
use multisplit::bucket::{Delta, Identity};
use multisplit::measure::Reference;
use multisplit::{Column, Device, DeviceKind, Multisplit, Sort, Workspace, split};
use test_support::{distributions, uniform};

/// Splits keys with two columns in a workspace, and compares everything with the reference.
fn check(device: &Device, keys: &[u32], m: u32, workspace: &mut Workspace) {
    let (f, n) = (Delta::whole(m).unwrap(), keys.len());
    let (split, expected) = (Multisplit::by(&f), Reference::split(keys, &f));
    let wide: Vec<u64> = keys.iter().map(|&key| !u64::from(key)).collect();
    workspace.reserve(split.workspace_bytes(device, n, 2).unwrap()).unwrap();
    let (input, values) = (device.upload(keys).unwrap(), device.upload(&wide).unwrap());
    let (mut out, mut values_out) = (device.alloc(n).unwrap(), device.alloc(n).unwrap());
    let mut permutation = device.alloc(n).unwrap();
    let mut offsets = split.offsets(device).unwrap();
    let columns = &mut [Column::new(&values, &mut values_out), Column::permutation(&mut permutation)];
    split.enqueue(&input, &mut out, columns, &mut offsets, workspace).unwrap();
    let context = format!("{n} keys, {m} buckets, {}", device.name());
    assert!(offsets.read().unwrap() == expected.offsets, "offsets: {context}");
    assert!(out.download().unwrap() == expected.permute(keys), "keys: {context}");
    assert!(values_out.download().unwrap() == expected.permute(&wide), "values: {context}");
    assert!(permutation.download().unwrap() == expected.permutation, "permutation: {context}");
}

/// Whether cubes run one after the other, thread by thread.
fn slow(device: &Device) -> bool {
    device.info().description.starts_with("emulated")
}

/// More keys than a software device, or one with few processors, or any, takes in one launch.
fn most(device: &Device) -> usize {
    match device.info().kind {
        DeviceKind::Software => 5000,
        _ if slow(device) => 40_000,
        _ => 3 << 20,
    }
}

#[test]
fn every_size() {
    let Some(device) = gpu("every_size") else { return };
    let mut workspace = Workspace::new(device);
    // Tiles of the software device have 128 keys.
    let around: &[usize] = match device.info().kind {
        DeviceKind::Software => &[128, 200, 256, 384, 512, 640, 768, 1024, 1025, 2000, 3584],
        _ => &[200, 256, 1024, 1792, 2000, 3584, 7168, 14_336, 1 << 16, 1 << 18, 1 << 20, 2_298_000],
    };
    let sizes = around.iter().flat_map(|&n| [n - 1, n, n + 1]).filter(|&n| n <= most(device));
    for (i, n) in sizes.enumerate() {
        for m in [[1, 100], [2, 256], [33, 8], [64, 700]][i % 4] {
            check(device, &uniform(n, n as u64), m, &mut workspace);
        }
    }
}

#[test]
fn every_distribution() {
    let Some(device) = gpu("every_distribution") else { return };
    for (n, m) in [(1000, 8), (1021, 200), (most(device) / 3, 30)] {
        for (name, ids) in distributions(n, m, 3) {
            let f = Identity::new(m);
            let result = split(device, &ids, &f).unwrap();
            let expected = Reference::split(&ids, &f);
            assert!(result.offsets == expected.offsets, "{n} {name}");
            assert!(result.keys == expected.permute(&ids), "{n} {name}");
        }
    }
}

/// What launches before have published in a workspace, of other sizes and numbers of buckets, is not taken for this
/// one's.
#[test]
fn one_workspace_for_all_of_them() {
    everywhere("one_workspace_for_all_of_them", |device| {
        let mut workspace = Workspace::new(device);
        workspace.reserve(Sort::new().workspace_bytes::<u32>(device, 1000, 0, 0).unwrap()).unwrap();
        for round in 0..40u64 {
            let n = [1000, 300, 900, 1023][round as usize % 4];
            let m = [8, 256, 3, 64, 100][round as usize % 5];
            check(device, &uniform(n, round), m, &mut workspace);
            if round % 6 == 5 {
                let mut expected = uniform(1000, round);
                let keys = device.upload(&expected).unwrap();
                let mut sorted = device.alloc(1000).unwrap();
                Sort::new().enqueue(&keys, &mut sorted, &mut [], &mut workspace).unwrap();
                expected.sort_unstable();
                assert_eq!(sorted.download().unwrap(), expected);
            }
        }
    });
}

/// A workspace for more keys serves fewer, which may be in more tiles.
#[test]
fn a_workspace_for_more() {
    let Some(device) = gpu("a_workspace_for_more") else { return };
    for m in [2, 8, 256, 1000] {
        let (f, keys) = (Delta::whole(m).unwrap(), uniform(most(device), 5));
        let split = Multisplit::by(&f);
        for least in if slow(device) { vec![3, 9] } else { vec![1, 3, 9, 100] } {
            let mut workspace = split.workspace(device, keys.len() / least, 0).unwrap();
            for n in (0..12).map(|i| (keys.len() / least) >> i) {
                let input = device.upload(&keys[..n]).unwrap();
                let (mut out, mut offsets) = (device.alloc(n).unwrap(), split.offsets(device).unwrap());
                split.enqueue(&input, &mut out, &mut [], &mut offsets, &mut workspace).unwrap();
                assert!(offsets.read().unwrap() == Reference::split(&keys[..n], &f).offsets, "{n} keys, {m} buckets");
            }
        }
    }
}

/// Cubes of several launches that wait for their like at the same time, on streams of their own, all come to an end.
#[test]
fn on_many_streams_at_once() {
    let Some(device) = gpu("on_many_streams_at_once") else { return };
    let n = most(device).min(1 << 20);
    std::thread::scope(|scope| {
        for seed in 0..8u64 {
            scope.spawn(move || {
                let device = device.stream(&format!("one launch {seed}")).unwrap();
                let (f, keys) = (Delta::whole(20 + seed as u32).unwrap(), uniform(n, seed));
                let (split, expected) = (Multisplit::by(&f), Reference::split(&keys, &f));
                let (input, mut out) = (device.upload(&keys).unwrap(), device.alloc(n).unwrap());
                let mut offsets = split.offsets(&device).unwrap();
                let mut workspace = split.workspace(&device, n, 0).unwrap();
                for _ in 0..4 {
                    for _ in 0..10 {
                        split.enqueue(&input, &mut out, &mut [], &mut offsets, &mut workspace).unwrap();
                    }
                    assert!(out.download().unwrap() == expected.permute(&keys));
                    assert_eq!(offsets.read().unwrap(), expected.offsets);
                }
            });
        }
    });
}
