//! Workspaces and offsets that serve one call after the other.

use crate::common::everywhere;
use multisplit::bucket::{Hash, Identity};
use multisplit::measure::Reference;
use multisplit::{Column, Device, Error, Multisplit, Sort, Workspace, split_segments};
use test_support::uniform;

/// One workspace for sorts of other widths: every one is right, and nothing beside it is touched.
#[test]
fn a_workspace_for_sorts_of_other_widths() {
    everywhere("a_workspace_for_sorts_of_other_widths", |device| {
        let n = 20_000;
        let keys = uniform(n, 2);
        let (input, mut out) = (device.upload(&keys).unwrap(), device.alloc::<u32>(n).unwrap());
        let (full, part) = (Sort::new(), Sort::new().bits(0..20));
        let mut workspace = full.workspace::<u32>(device, n, 0, 0).unwrap();
        let canary = vec![0xabcd_ef01u32; 131];
        let mut canaries = Vec::new();
        let mut sorted = keys.clone();
        sorted.sort_unstable();
        for sort in [full, part, full, full, part, full] {
            canaries.extend((0..16).map(|_| device.upload(&canary).unwrap()));
            sort.enqueue(&input, &mut out, &mut [], &mut workspace).unwrap();
        }
        assert!(out.download().unwrap() == sorted);
        assert!(canaries.iter().all(|buffer| buffer.download().unwrap() == canary));
    });
}

/// One workspace for every operation, width, number of buckets and length, one after the other.
#[test]
fn a_workspace_for_everything() {
    everywhere("a_workspace_for_everything", |device| {
        let n = 9000;
        let keys: Vec<u32> = uniform(n, 3).iter().map(|key| key % 300).collect();
        let wide: Vec<u64> = keys.iter().map(|&key| u64::from(key) << 33).collect();
        let (few, many) = (Identity::<u32>::new(300), Hash::<u32>::new(40, 7));
        let (split_few, split_many, sort) = (Multisplit::by(&many), Multisplit::by(&few), Sort::new());
        let mut workspace = Workspace::new(device);
        assert_eq!(workspace.bytes(), 0);
        for bytes in [
            split_few.workspace_bytes(device, n, 1).unwrap(),
            split_many.workspace_bytes(device, n, 1).unwrap(),
            split_few.segment_workspace_bytes(device, n, 3, 1).unwrap(),
            sort.workspace_bytes::<u32>(device, n, 0, 1).unwrap(),
        ] {
            workspace.reserve(bytes).unwrap();
            assert!(workspace.bytes() >= bytes);
        }
        let held = workspace.bytes();
        workspace.reserve(1).unwrap();
        assert_eq!(workspace.bytes(), held, "it never shrinks");

        let (input, values) = (device.upload(&keys).unwrap(), device.upload(&wide).unwrap());
        let (mut out, mut values_out) = (device.alloc(n).unwrap(), device.alloc(n).unwrap());
        let mut offsets = split_many.offsets(device).unwrap();
        let mut segment_offsets = split_few.segment_offsets(device, 3).unwrap();
        for _ in 0..2 {
            let columns = &mut [Column::new(&values, &mut values_out)];
            split_many.enqueue(&input, &mut out, columns, &mut offsets, &mut workspace).unwrap();
            let expected = Reference::split(&keys, &few);
            assert_eq!(offsets.read().unwrap(), expected.offsets);
            assert_eq!(values_out.download().unwrap(), expected.permute(&wide));

            let segments = [0, 100, 100, n];
            let columns = &mut [Column::new(&values, &mut values_out)];
            let call =
                split_few.enqueue_segments(&input, &segments, &mut out, columns, &mut segment_offsets, &mut workspace);
            call.unwrap();
            let expected = split_segments(&Device::cpu(), &keys, &segments, &many).unwrap();
            assert_eq!(segment_offsets.read().unwrap(), expected.offsets);
            assert_eq!(out.download().unwrap(), expected.keys);

            let columns = &mut [Column::new(&values, &mut values_out)];
            sort.enqueue(&input, &mut out, columns, &mut workspace).unwrap();
            let mut sorted = wide.clone();
            sorted.sort_unstable();
            assert_eq!(values_out.download().unwrap(), sorted);

            let columns = &mut [Column::new(&values, &mut values_out)];
            split_few.enqueue(&input, &mut out, columns, &mut offsets, &mut workspace).unwrap();
            assert_eq!(offsets.read().unwrap(), Reference::split(&keys, &many).offsets);
        }
    });
}

/// Offsets for many buckets serve for few, and for many again.
#[test]
fn offsets_for_fewer_and_then_more_buckets() {
    everywhere("offsets_for_fewer_and_then_more_buckets", |device| {
        let keys: Vec<u32> = uniform(5000, 4).iter().map(|key| key % 4).collect();
        let input = device.upload(&keys).unwrap();
        let mut out = device.alloc(keys.len()).unwrap();
        let (many, few) = (Identity::<u32>::new(256), Identity::<u32>::new(4));
        let mut offsets = Multisplit::by(&many).offsets(device).unwrap();
        let mut workspace = Multisplit::by(&many).workspace(device, keys.len(), 0).unwrap();
        for f in [&many, &few, &many, &few, &few, &many] {
            Multisplit::by(f).enqueue(&input, &mut out, &mut [], &mut offsets, &mut workspace).unwrap();
            assert_eq!(offsets.read().unwrap(), Reference::split(&keys, f).offsets);
            assert_eq!(offsets.capacity(), 256);
        }
        let more = Identity::<u32>::new(257);
        let mut workspace = Multisplit::by(&more).workspace(device, keys.len(), 0).unwrap();
        let error = Multisplit::by(&more).enqueue(&input, &mut out, &mut [], &mut offsets, &mut workspace).unwrap_err();
        assert_eq!(error, Error::OutputTooSmall { what: "the offsets".into(), got: 257, needed: 258 });
        // No keys leave empty buckets.
        let none = device.upload::<u32>(&[]).unwrap();
        Multisplit::by(&few).enqueue(&none, &mut out, &mut [], &mut offsets, &mut workspace).unwrap();
        assert_eq!(offsets.read().unwrap(), [0; 5]);
    });
}

/// Sizes that no machine has are errors, and messages about them make sense.
#[test]
fn workspaces_of_any_size() {
    everywhere("workspaces_of_any_size", |device| {
        let (few, many) = (Identity::<u32>::new(4), Identity::<u32>::new(1000));
        for f in [&few, &many] {
            for (n, columns) in [(0, usize::MAX), (1, usize::MAX), (1000, usize::MAX / 2), (u32::MAX as usize, 1 << 40)]
            {
                let split = Multisplit::by(f);
                // What takes no more than a small machine has is also allocated.
                match split.workspace_bytes(device, n, columns) {
                    Ok(bytes) if bytes > 1 << 30 => continue,
                    Ok(bytes) => assert!(split.workspace(device, n, columns).unwrap().bytes() >= bytes),
                    Err(_) => assert!(split.workspace(device, n, columns).is_err()),
                }
                let _ = split.segment_workspace(device, n, 1, columns);
            }
        }
        let _ = Sort::new().workspace::<u64>(device, 1000, usize::MAX, usize::MAX).unwrap_err();
        assert!(matches!(Workspace::with_bytes(device, usize::MAX), Err(Error::OutOfMemory { .. })));
        // A workspace that holds nothing holds too little for anything that needs something.
        let (keys, mut out) = (device.upload(&vec![1u32; 5000]).unwrap(), device.alloc(5000).unwrap());
        let split = Multisplit::by(&many);
        let mut offsets = split.offsets(device).unwrap();
        match split.enqueue(&keys, &mut out, &mut [], &mut offsets, &mut Workspace::new(device)) {
            Err(Error::WorkspaceTooSmall { got: 0, needed }) => assert!(needed > 0),
            other => panic!("{other:?}"),
        }
    });
}
