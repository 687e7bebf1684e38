//! A call that runs out of memory says so, whichever allocation fails, and leaves its input as it was.

use multisplit::bucket::{Delta, Identity};
use multisplit::{Column, Device, Error, Multisplit, Result, Sort, Workspace};
use test_support::{FailingAllocator, uniform};

/// Allocations of at least this many bytes can be made to fail. Those of the thread pool are smaller.
const LARGE: usize = 4096;

#[global_allocator]
static ALLOCATOR: FailingAllocator = FailingAllocator::of_at_least(LARGE);

/// Makes each large allocation of a call fail, one at a time, until none is left.
fn check<T>(what: &str, mut call: impl FnMut() -> Result<T>) {
    // Threads are started, and whatever is kept is allocated.
    assert!(call().is_ok(), "{what}");
    let mut failures = 0;
    for k in 0.. {
        let (result, failed) = ALLOCATOR.fail(k, &mut call);
        match result {
            Ok(_) if !failed => break,
            Ok(_) => panic!("{what}: allocation {k} failed, and the call did not"),
            Err(Error::OutOfMemory { device, bytes, reason }) => {
                assert!(failed, "{what}: out of memory without a failed allocation");
                assert_eq!(device, "cpu", "{what}");
                assert!(bytes >= LARGE as u64 && !reason.is_empty(), "{what}: {bytes} bytes, '{reason}'");
                failures += 1;
            }
            Err(error) => panic!("{what}: {error}"),
        }
    }
    assert!(failures > 0, "{what}: nothing was allocated");
}

const N: usize = 300_000;

#[test]
fn splits() {
    let _alone = ALLOCATOR.alone();
    let (device, keys) = (Device::cpu(), uniform(N, 1));
    let (narrow, wide): (Vec<u32>, Vec<u64>) = (0..N).map(|i| (i as u32, i as u64)).unzip();
    // Buckets that one pass tells apart, and more; as many as there are keys about take passes by digits.
    for (m, n) in [(2, N), (32, N), (256, N), (1000, N), (100_000, N), (100_000, 20_000), (1_000_000, N)] {
        let f = Delta::whole(m).unwrap();
        let (keys, narrow, wide) = (&keys[..n], &narrow[..n], &wide[..n]);
        let what = |call: &str| format!("{call} of {n} keys into {m} buckets");
        check(&what("split"), || multisplit::split(&device, keys, &f));
        check(&what("split_pairs, 4 bytes"), || multisplit::split_pairs(&device, keys, narrow, &f));
        check(&what("split_pairs, 8 bytes"), || multisplit::split_pairs(&device, keys, wide, &f));
        check(&what("split_pairs, two columns"), || multisplit::split_pairs(&device, keys, (narrow, wide), &f));
        let by = Multisplit::by(&f).with_permutation();
        check(&what("split with permutation"), || by.split(&device, keys));
    }
    assert!(keys == uniform(N, 1) && wide.iter().zip(&narrow).all(|(&wide, &narrow)| wide == u64::from(narrow)));
}

#[test]
fn small_splits() {
    let _alone = ALLOCATOR.alone();
    let (device, keys) = (Device::cpu(), uniform(4000, 1));
    check("split of few keys", || multisplit::split(&device, &keys, &Delta::whole(256).unwrap()));
    check("sort of few keys", || multisplit::sort(&device, &keys));
}

#[test]
fn sorts() {
    let _alone = ALLOCATOR.alone();
    let (device, keys) = (Device::cpu(), uniform(N, 1));
    let wide_keys: Vec<u64> = keys.iter().map(|&key| u64::from(key) << 20 | u64::from(key) >> 12).collect();
    // Nearly all of them in one bucket, which does not fit a cache.
    let skewed: Vec<u64> = wide_keys.iter().map(|&key| if key % 1000 == 0 { key } else { key >> 25 }).collect();
    let (narrow, wide): (Vec<u32>, Vec<u64>) = (0..N).map(|i| (i as u32, i as u64)).unzip();
    check("sort", || multisplit::sort(&device, &keys));
    check("sort, 8 bytes", || multisplit::sort(&device, &wide_keys));
    check("sort, skewed", || multisplit::sort(&device, &skewed));
    check("sort_pairs, 4 bytes", || multisplit::sort_pairs(&device, &keys, &narrow));
    check("sort_pairs, 8 bytes", || multisplit::sort_pairs(&device, &keys, &wide));
    check("sort_pairs, skewed", || multisplit::sort_pairs(&device, &skewed, (&narrow[..], &wide[..])));
    check("argsort", || multisplit::argsort(&device, &keys));
    check("sort by one digit", || Sort::new().bits(0..8).sort(&device, &keys));
    assert!(keys == uniform(N, 1));
}

#[test]
fn histograms_and_selections() {
    let _alone = ALLOCATOR.alone();
    let (device, keys) = (Device::cpu(), uniform(N, 1));
    // The counts of fewer bins are no large allocation.
    for m in [1000, 100_000, 1_000_000] {
        let f = Delta::whole(m).unwrap();
        check(&format!("histogram of {m} bins"), || multisplit::histogram(&device, &keys, &f));
    }
    let f = Delta::whole(2).unwrap();
    check("select", || multisplit::select(&device, &keys, &f));
    check("select_pairs", || multisplit::select_pairs(&device, &keys, &keys, &f));
    check("partition", || multisplit::partition(&device, &keys, &f));
}

#[test]
fn segments() {
    let _alone = ALLOCATOR.alone();
    let (device, keys) = (Device::cpu(), uniform(N, 1));
    let values: Vec<u64> = keys.iter().map(|&key| key.into()).collect();
    let many: Vec<usize> = (0..=300).map(|s| s * 1000).collect();
    let mixed = vec![0, 10, 10, 70_000, 75_000, 80_000, 81_000, 200_000, 200_001, 240_000, N];
    for (name, segments) in [("many", many), ("mixed", mixed)] {
        for m in [2, 200, 1000] {
            let (f, what) = (Delta::whole(m).unwrap(), format!("{name} segments, {m} buckets"));
            check(&what, || multisplit::split_segments(&device, &keys, &segments, &f));
            let by = Multisplit::by(&f).with_permutation();
            check(&what, || by.split_segments_with(&device, &keys, &values, &segments));
        }
    }
    assert!(keys == uniform(N, 1));
}

/// Workspaces, and calls that are the first to use theirs. Those can be tried again.
#[test]
fn workspaces() {
    let _alone = ALLOCATOR.alone();
    let (device, keys) = (Device::cpu(), uniform(N, 1));
    let input = device.upload(&keys).unwrap();
    for m in [64, 1000, 1_000_000] {
        let f = Identity::<u32>::new(m);
        let by = Multisplit::by(&f);
        check(&format!("workspace, {m} buckets"), || by.workspace(&device, N, 2));
        check(&format!("segment workspace, {m} buckets"), || by.segment_workspace(&device, N, 10, 2));
        let (mut keys_out, mut permutation) = (device.alloc(N).unwrap(), device.alloc(N).unwrap());
        let f = Delta::whole(m).unwrap();
        let by = Multisplit::by(&f);
        let mut offsets = by.offsets(&device).unwrap();
        check(&format!("enqueue, {m} buckets"), || {
            // It holds enough, but has none of it yet.
            let mut workspace = Workspace::with_bytes(&device, by.workspace_bytes(&device, N, 1)?)?;
            let columns = &mut [Column::permutation(&mut permutation)];
            let first = by.enqueue(&input, &mut keys_out, columns, &mut offsets, &mut workspace);
            if first.is_err() {
                by.enqueue(&input, &mut keys_out, columns, &mut offsets, &mut workspace).unwrap();
            }
            let expected = Multisplit::by(&f).split(&device, &keys);
            first.and(expected.map(|split| assert!(split.keys == keys_out.as_slice().unwrap())))
        });
    }
    check("sort workspace", || Sort::new().workspace::<u32>(&device, N, 1, 1));
}

#[test]
fn buffers() {
    let _alone = ALLOCATOR.alone();
    let (device, keys) = (Device::cpu(), uniform(N, 1));
    check("upload", || device.upload(&keys));
    check("alloc", || device.alloc::<u64>(N));
}

#[test]
fn download_reports_out_of_memory() {
    let _alone = ALLOCATOR.alone();
    let buffer = Device::cpu().upload(&uniform(N, 1)).unwrap();
    check("download", || buffer.download());
}
