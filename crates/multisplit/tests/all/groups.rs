//! Groups of whole blocks, against a plain loop.

use crate::common::{everywhere, gpu};
use multisplit::bucket::Identity;
use multisplit::{Buffer, Column, Device, Error, Multisplit, Offsets, PaddedGroups};
use test_support::{Random, distributions};

const NONE: u32 = PaddedGroups::NONE;

/// Splits ids on the device: offsets and permutation.
fn split(device: &Device, ids: &[u32], m: u32) -> (Offsets, Buffer<u32>) {
    let f = Identity::new(m);
    let split = Multisplit::by(&f);
    let keys = device.upload(ids).unwrap();
    let mut sorted = device.alloc(ids.len()).unwrap();
    let mut permutation = device.alloc(ids.len()).unwrap();
    let mut offsets = split.offsets(device).unwrap();
    let mut workspace = split.workspace(device, ids.len(), 1).unwrap();
    let columns = &mut [Column::permutation(&mut permutation)];
    split.enqueue(&keys, &mut sorted, columns, &mut offsets, &mut workspace).unwrap();
    (offsets, permutation)
}

/// What the groups must be, up to their last block: starts, groups of blocks, index.
fn expected(ids: &[u32], m: u32, block: usize) -> (Vec<u32>, Vec<u32>, Vec<u32>) {
    let mut buckets = vec![Vec::new(); m as usize];
    for (i, &id) in ids.iter().enumerate() {
        buckets[id as usize].push(i as u32);
    }
    let (mut starts, mut groups, mut index) = (vec![0], Vec::new(), Vec::new());
    for (group, bucket) in buckets.iter().enumerate() {
        for elements in bucket.chunks(block) {
            groups.push(group as u32);
            index.extend(elements);
            index.resize(groups.len() * block, NONE);
        }
        starts.push(index.len() as u32);
    }
    (starts, groups, index)
}

fn check_groups(groups: &PaddedGroups, ids: &[u32], m: u32, context: &str) {
    let block = groups.block() as usize;
    let (starts, mut group_of_block, mut index) = expected(ids, m, block);
    group_of_block.resize(groups.blocks(), NONE);
    index.resize(groups.blocks() * block, NONE);
    assert!(groups.starts().download().unwrap() == starts, "starts: {context}");
    assert!(groups.group_of_block().download().unwrap() == group_of_block, "groups of blocks: {context}");
    assert!(groups.index().download().unwrap() == index, "index: {context}");
}

#[test]
fn any_block_and_number_of_groups() {
    everywhere("any_block_and_number_of_groups", |device| {
        for (n, m) in [(0, 1), (1, 1), (1, 5), (1000, 1), (4099, 8), (3001, 100), (5000, 1000)] {
            for (i, (name, ids)) in distributions(n, m, 7).into_iter().enumerate() {
                let (offsets, permutation) = split(device, &ids, m);
                // All blocks for the first distribution, two in turn for the others.
                let blocks = [1, 128, 2, if m > 8 { 300 } else { 5000 }, 7, 16];
                let blocks = if i == 0 { &blocks[..] } else { &blocks[i % 3 * 2..][..2] };
                for &block in blocks {
                    let mut groups = PaddedGroups::new(device, n, m as usize, block).unwrap();
                    groups.enqueue(&offsets, &permutation).unwrap();
                    let context = format!("{n} {name} elements in {m} groups, blocks of {block} on {}", device.name());
                    check_groups(&groups, &ids, m, &context);
                }
            }
        }
    });
}

/// More groups than one cube adds up.
#[test]
fn many_groups() {
    everywhere("many_groups", |device| {
        let (n, m) = (20_000, 100_000);
        let mut random = Random::new(3);
        let ids: Vec<u32> = (0..n).map(|_| random.below(m)).collect();
        let (offsets, permutation) = split(device, &ids, m);
        let mut groups = PaddedGroups::new(device, n, m as usize, 4).unwrap();
        groups.enqueue(&offsets, &permutation).unwrap();
        check_groups(&groups, &ids, m, "many groups");
    });
}

/// Made large enough once, they serve smaller splits too: nothing is left of the one before.
#[test]
fn used_again() {
    everywhere("used_again", |device| {
        let mut groups = PaddedGroups::new(device, 1000, 20, 8).unwrap();
        let mut random = Random::new(5);
        for (n, m) in [(1000, 20), (3, 2), (0, 1), (999, 7), (500, 20)] {
            let ids: Vec<u32> = (0..n).map(|_| random.below(m)).collect();
            let (offsets, permutation) = split(device, &ids, m);
            groups.enqueue(&offsets, &permutation).unwrap();
            check_groups(&groups, &ids, m, &format!("{n} elements in {m} groups"));
        }
    });
}

/// Offsets of segments are those of all their buckets, one after the other.
#[test]
fn groups_of_segments() {
    everywhere("groups_of_segments", |device| {
        let (ids, segments) = ([1u32, 0, 1, 1, 0, 0, 0, 1], [0, 3, 3, 8]);
        let f = Identity::new(2);
        let split = Multisplit::by(&f);
        let keys = device.upload(&ids).unwrap();
        let (mut sorted, mut permutation) = (device.alloc(8).unwrap(), device.alloc(8).unwrap());
        let mut offsets = split.segment_offsets(device, 3).unwrap();
        let mut workspace = split.segment_workspace(device, 8, 3, 1).unwrap();
        let columns = &mut [Column::permutation(&mut permutation)];
        split.enqueue_segments(&keys, &segments, &mut sorted, columns, &mut offsets, &mut workspace).unwrap();
        let mut groups = PaddedGroups::new(device, 8, 6, 2).unwrap();
        groups.enqueue(&offsets, &permutation).unwrap();
        let permutation = permutation.download().unwrap();
        assert_eq!(groups.starts().download().unwrap(), [0, 2, 4, 4, 4, 8, 10]);
        assert_eq!(groups.group_of_block().download().unwrap()[..5], [0, 1, 4, 4, 5]);
        let index = groups.index().download().unwrap();
        let p = |i: usize| permutation[i];
        assert_eq!(index[..10], [p(0), NONE, p(1), p(2), p(3), p(4), p(5), NONE, p(6), p(7)]);
    });
}

#[test]
fn what_does_not_fit_is_refused() {
    everywhere("what_does_not_fit_is_refused", |device| {
        assert_eq!(PaddedGroups::new(device, 10, 2, 0).unwrap_err(), Error::InvalidBlock);
        assert!(matches!(PaddedGroups::new(device, 1 << 31, 1 << 20, 4096), Err(Error::TooManyKeys { .. })));
        let (offsets, permutation) = split(device, &[0, 1, 2, 1], 3);
        let mut groups = PaddedGroups::new(device, 3, 3, 2).unwrap();
        let error = groups.enqueue(&offsets, &permutation).unwrap_err();
        assert!(matches!(error, Error::OutputTooSmall { got: 3, needed: 4, .. }), "{error}");
        let mut groups = PaddedGroups::new(device, 4, 2, 2).unwrap();
        let error = groups.enqueue(&offsets, &permutation).unwrap_err();
        assert!(matches!(error, Error::OutputTooSmall { got: 3, needed: 4, .. }), "{error}");
        let mut groups = PaddedGroups::new(device, 4, 3, 2).unwrap();
        let error = groups.enqueue(&offsets, &device.alloc(3).unwrap()).unwrap_err();
        assert!(matches!(error, Error::LengthMismatch { got: 3, keys: 4, .. }), "{error}");
    });
    let Some(gpu) = gpu("what_does_not_fit_is_refused") else { return };
    let (offsets, permutation) = split(&Device::cpu(), &[0, 1], 2);
    let mut groups = PaddedGroups::new(gpu, 2, 2, 2).unwrap();
    assert!(matches!(groups.enqueue(&offsets, &permutation), Err(Error::WrongDevice { .. })));
}
