//! Bucket functions that change their mind.

use crate::common::everywhere;
use multisplit::bucket::prelude::*;
use multisplit::{Error, Multisplit, select, split_segments};
use std::sync::atomic::{AtomicU32, Ordering};
use test_support::uniform;

/// The number of buckets of [`Fickle`].
static FICKLE: AtomicU32 = AtomicU32::new(0);

/// A function that says another number of buckets each time that it is asked.
#[derive(CubeType, CubeLaunch)]
struct Fickle {
    modulus: u32,
}

#[cube]
impl BucketFn for Fickle {
    type Key = u32;
    fn bucket(&self, key: u32) -> u32 {
        key % self.modulus
    }
}

impl Buckets for Fickle {
    fn buckets(&self) -> u32 {
        [2, 7, 3, 300, 1, 5000, 2, 40][FICKLE.fetch_add(1, Ordering::Relaxed) as usize % 8]
    }
    kernel_fields!(modulus);
}

/// A number of buckets that changes between calls is read once by each: no panic, no write out of bounds.
#[test]
fn buckets_that_change_their_number() {
    everywhere("buckets_that_change_their_number", |device| {
        let keys = uniform(3000, 8);
        let (f, input) = (Fickle { modulus: 11 }, device.upload(&keys).unwrap());
        let mut out = device.alloc(keys.len()).unwrap();
        let canary = device.upload(&[0xabcd_ef01u32; 512]).unwrap();
        for round in 0..16 {
            // Whatever number is read, the result is of so many buckets, or an error that says what was wrong.
            match multisplit::split(device, &keys, &f) {
                Ok(split) => assert_eq!((split.keys.len(), split.offsets.last()), (3000, Some(&3000)), "{round}"),
                Err(error) => assert!(matches!(error, Error::BucketOutOfRange { .. }), "{error}"),
            }
            match multisplit::histogram(device, &keys, &f) {
                Ok(counts) => assert_eq!(counts.total(), 3000),
                Err(error) => panic!("{error}"),
            }
            let split = Multisplit::by(&f);
            if let (Ok(mut offsets), Ok(mut workspace)) = (split.offsets(device), split.workspace(device, 3000, 0)) {
                let enqueued = split.enqueue(&input, &mut out, &mut [], &mut offsets, &mut workspace);
                match enqueued.and_then(|()| offsets.read()) {
                    Ok(offsets) => assert_eq!(offsets.last(), Some(&3000)),
                    Err(Error::BucketOutOfRange { .. } | Error::OutputTooSmall { .. }) => {}
                    Err(Error::WorkspaceTooSmall { got, needed }) => assert!(got < needed),
                    Err(error) => panic!("{error}"),
                }
            }
            match split_segments(device, &keys, &[0, 1000, 3000], &f) {
                Ok(split) => assert_eq!(split.offsets.last(), Some(&3000)),
                Err(error) => assert!(matches!(error, Error::BucketOutOfRange { .. }), "{error}"),
            }
            match select(device, &keys, &f) {
                Ok(_) | Err(Error::WrongNumberOfBuckets { .. } | Error::BucketOutOfRange { .. }) => {}
                Err(error) => panic!("{error}"),
            }
        }
        assert_eq!(canary.download().unwrap(), [0xabcd_ef01; 512]);
    });
}
