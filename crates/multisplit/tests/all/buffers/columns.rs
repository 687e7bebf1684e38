//! Columns without keys, rows of any size, host memory in place of buffers, and offsets as a buffer.

use crate::common::everywhere;
use multisplit::bucket::{BitWindow, Identity};
use multisplit::measure::Reference;
use multisplit::{Column, Device, Error, Multisplit, PaddedGroups};
use test_support::uniform;

/// Few buckets, for which the CPU leaves the keys where they are, and many.
#[test]
fn columns_by_keys_that_stay() {
    everywhere("columns_by_keys_that_stay", |device| {
        for (bits, n) in [(3, 5000), (3, 0), (3, 7), (9, 5000)] {
            let keys = uniform(n, 5);
            let f = BitWindow::new(0..bits).unwrap();
            let split = Multisplit::by(&f);
            let rows: Vec<u8> = keys.iter().flat_map(|key| key.to_be_bytes()[1..].to_vec()).collect();
            let (input, values, rows_in) =
                (device.upload(&keys).unwrap(), device.upload(&keys).unwrap(), device.upload(&rows).unwrap());
            let (mut values_out, mut index) = (device.alloc(n).unwrap(), device.alloc(n).unwrap());
            let mut rows_out = device.alloc(3 * n).unwrap();
            let (mut offsets, mut workspace) = (split.offsets(device).unwrap(), split.workspace(device, n, 2).unwrap());
            let columns = &mut [
                Column::new(&values, &mut values_out),
                Column::rows(&rows_in, &mut rows_out, 3),
                Column::permutation(&mut index),
            ];
            split.enqueue_columns(&input, columns, &mut offsets, &mut workspace).unwrap();
            let expected = Reference::split(&keys, &f);
            assert_eq!(offsets.read().unwrap(), expected.offsets);
            assert!(index.download().unwrap() == expected.permutation);
            assert!(values_out.download().unwrap() == expected.permute(&keys));
            let moved = expected.permute(&keys);
            let rows: Vec<u8> = moved.iter().flat_map(|key| key.to_be_bytes()[1..].to_vec()).collect();
            assert!(rows_out.download().unwrap() == rows);
            let narrow: Vec<u32> = expected.offsets.iter().map(|&offset| offset as u32).collect();
            assert_eq!(offsets.into_buffer().unwrap().download().unwrap(), narrow);
        }
    });
}

#[test]
fn what_columns_need() {
    everywhere("what_columns_need", |device| {
        let f = Identity::new(4);
        let split = Multisplit::by(&f);
        let keys = device.upload(&[3u32, 9, 1]).unwrap();
        let (mut short, mut index) = (device.alloc(2).unwrap(), device.alloc(3).unwrap());
        let (mut offsets, mut workspace) = (split.offsets(device).unwrap(), split.workspace(device, 3, 1).unwrap());
        let columns = &mut [Column::permutation(&mut short)];
        let got = split.enqueue_columns(&keys, columns, &mut offsets, &mut workspace);
        assert_eq!(got, Err(Error::OutputTooSmall { what: "the permutation".into(), got: 2, needed: 3 }));
        split.enqueue_columns(&keys, &mut [Column::permutation(&mut index)], &mut offsets, &mut workspace).unwrap();
        assert_eq!(offsets.check(), Err(Error::BucketOutOfRange { count: 1, m: 4 }));
        let few = Identity::<u32>::new(3);
        let mut small = Multisplit::by(&few).offsets(device).unwrap();
        let got = split.enqueue_columns(&keys, &mut [], &mut small, &mut workspace);
        assert!(matches!(got, Err(Error::OutputTooSmall { .. })));
        let rows = device.upload(b"abcdefg").unwrap();
        let mut rows_out = device.alloc(7).unwrap();
        let columns = &mut [Column::rows(&rows, &mut rows_out, 2)];
        let got = split.enqueue_columns(&keys, columns, &mut offsets, &mut workspace);
        assert_eq!(got, Err(Error::PermutationNeeded { bytes: 2 }));
        if device.name() != "cpu" {
            assert!(matches!(device.slice_of(&[1u32]).map(drop), Err(Error::MissingCapability { .. })));
            let got =
                split.enqueue_columns(Device::cpu().slice_of(&[1]).unwrap(), &mut [], &mut offsets, &mut workspace);
            assert!(matches!(got, Err(Error::WrongDevice { .. })));
        }
    });
}

#[test]
fn padding_of_ones_own() {
    everywhere("padding_of_ones_own", |device| {
        let f = Identity::new(3);
        let split = Multisplit::by(&f);
        let ids = device.upload(&[2u32, 0, 2, 2]).unwrap();
        let mut index = device.alloc(4).unwrap();
        let (mut offsets, mut workspace) = (split.offsets(device).unwrap(), split.workspace(device, 4, 1).unwrap());
        split.enqueue_columns(&ids, &mut [Column::permutation(&mut index)], &mut offsets, &mut workspace).unwrap();
        let mut groups = PaddedGroups::new(device, 4, 3, 2).unwrap().with_padding(4);
        groups.enqueue(&offsets, &index).unwrap();
        let [starts, of_block, padded] = groups.into_buffers();
        assert_eq!(starts.download().unwrap(), [0, 2, 2, 6]);
        assert_eq!(of_block.download().unwrap()[..3], [0, 2, 2]);
        let padded = padded.download().unwrap();
        assert_eq!(padded[..6], [1, 4, 0, 2, 3, 4]);
        assert!(padded[6..].iter().all(|&element| element == 4));
    });
}
