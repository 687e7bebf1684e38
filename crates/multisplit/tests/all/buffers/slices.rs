//! Slices of buffers: bounds, lengths, and what can be made of what.

use crate::common::everywhere;
use multisplit::{Buffer, BufferSlice, BufferSliceMut, Error};
use std::ops::Bound;

#[test]
fn ranges() {
    everywhere("ranges", |device| {
        let data: Vec<u32> = (0..10).collect();
        let mut buffer = device.upload(&data).unwrap();
        let down = |slice: BufferSlice<'_, u32>| slice.download().unwrap();
        assert_eq!(down(buffer.slice(..).unwrap()), data);
        assert_eq!(down(buffer.slice(3..).unwrap()), data[3..]);
        assert_eq!(down(buffer.slice(..=3).unwrap()), data[..=3]);
        assert_eq!(down(buffer.slice(2..7).unwrap().slice(1..3).unwrap()), [3, 4]);
        assert_eq!(down(buffer.slice((Bound::Excluded(2), Bound::Included(4))).unwrap()), [3, 4]);
        assert_eq!(buffer.slice(10..).unwrap().len(), 0);
        let (head, tail) = buffer.slice(1..9).unwrap().split_at(3).unwrap();
        assert_eq!((down(head), down(tail)), (data[1..4].to_vec(), data[4..9].to_vec()));
        let mut middle = buffer.slice_mut(2..8).unwrap();
        assert_eq!((middle.len(), middle.is_empty(), middle.device().name()), (6, false, device.name()));
        middle.slice_mut(1..3).unwrap().fill(0).unwrap();
        let (mut left, right) = middle.split_at_mut(1).unwrap();
        left.write(&[20]).unwrap();
        assert_eq!(down(BufferSlice::from(&right)), [0, 0, 5, 6, 7]);
        assert_eq!(buffer.download().unwrap(), [0, 1, 20, 0, 0, 5, 6, 7, 8, 9]);
    });
}

#[test]
fn ranges_out_of_bounds() {
    everywhere("ranges_out_of_bounds", |device| {
        let mut buffer = device.upload(&[1u64, 2, 3]).unwrap();
        let out = |start, end| Error::OutOfBounds { start, end, len: 3 };
        assert_eq!(buffer.slice(1..4).unwrap_err(), out(1, 4));
        assert_eq!(buffer.slice(4..).unwrap_err(), out(4, 3));
        #[allow(clippy::reversed_empty_ranges)]
        let reversed = 2..1;
        assert_eq!(buffer.slice(reversed).unwrap_err(), out(2, 1));
        assert_eq!(buffer.slice(..=usize::MAX).unwrap_err(), out(0, usize::MAX));
        assert_eq!(buffer.slice_mut(0..4).unwrap_err(), out(0, 4));
        assert_eq!(buffer.split_at_mut(4).unwrap_err(), out(0, 4));
        assert_eq!(
            buffer.slice(1..).unwrap().split_at(3).unwrap_err(),
            Error::OutOfBounds { start: 0, end: 3, len: 2 }
        );
        let message = buffer.slice(1..4).unwrap_err().to_string();
        assert_eq!(message, "elements 1..4 do not lie within the 3 of the buffer; give a range that does");
        // What was made shorter has fewer to slice.
        buffer.set_len(2).unwrap();
        assert!(buffer.slice(..3).is_err());
        assert!(device.alloc::<u32>(0).unwrap().slice(..).unwrap().is_empty());
    });
}

/// Buffers and slices turn into slices; in host memory they are plain slices.
#[test]
fn conversions() {
    fn all<'a>(slice: impl Into<BufferSlice<'a, u32>>) -> Vec<u32> {
        slice.into().download().unwrap()
    }
    fn set<'a>(slice: impl Into<BufferSliceMut<'a, u32>>, value: u32) {
        slice.into().fill(value).unwrap();
    }
    fn is_send_and_sync<T: Send + Sync>(_: &T) {}
    everywhere("conversions", |device| {
        let mut buffer: Buffer<u32> = device.upload(&[1, 2, 3]).unwrap();
        assert_eq!((all(&buffer), all(&mut buffer)), (vec![1, 2, 3], vec![1, 2, 3]));
        let slice = buffer.slice(1..).unwrap();
        let lent = &slice;
        assert_eq!((all(slice), all(lent)), (vec![2, 3], vec![2, 3]));
        assert_eq!(slice.as_slice().is_some(), device.name() == "cpu");
        assert_eq!(format!("{slice:?}"), format!("BufferSlice<u32>(2 elements on {})", device.name()));
        is_send_and_sync(&slice);
        set(&mut buffer, 4);
        let mut slice = buffer.slice_mut(..2).unwrap();
        assert_eq!(format!("{slice:?}"), format!("BufferSliceMut<u32>(2 elements on {})", device.name()));
        is_send_and_sync(&slice);
        set(&mut slice, 5);
        assert_eq!((all(&slice), slice.download().unwrap()), (vec![5, 5], vec![5, 5]));
        if let Some(host) = slice.as_mut_slice() {
            host[1] = 6;
            assert_eq!(slice.as_slice(), Some(&[5, 6][..]));
        }
        assert_eq!(all(slice).len(), 2);
    });
}
