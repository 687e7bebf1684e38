//! What is refused, and leaves everything as it was.

use crate::common::{everywhere, gpu};
use multisplit::bucket::Identity;
use multisplit::{Error, Multisplit, split_segments};

#[test]
fn what_is_refused() {
    everywhere("what_is_refused", |device| {
        let f = Identity::<u32>::new(4);
        let keys = [3u32, 1, 2, 0];
        let refused = |segments: &[usize], error: Error, says: &str| {
            assert_eq!(split_segments(device, &keys, segments, &f), Err(error.clone()));
            assert!(error.to_string().contains(says), "{error}");
            // Nothing is written.
            let by = Multisplit::by(&f);
            let input = device.upload(&keys).unwrap();
            let mut out = device.upload(&[9u32; 4]).unwrap();
            let mut offsets = by.segment_offsets(device, 10).unwrap();
            let mut workspace = by.segment_workspace(device, 4, 10, 0).unwrap();
            let got = by.enqueue_segments(&input, segments, &mut out, &mut [], &mut offsets, &mut workspace);
            assert_eq!(got, Err(error));
            assert_eq!(out.download().unwrap(), [9; 4]);
        };
        refused(&[], Error::NoSegments, "there are no segment offsets");
        let uncovered = |first, last| Error::SegmentsDoNotCover { first, last, n: 4 };
        refused(&[1, 4], uncovered(1, 4), "cover keys 1 to 4 of 4; the first offset must be 0 and the last 4");
        refused(&[0, 3], uncovered(0, 3), "cover keys 0 to 3 of 4");
        refused(&[0, 2, 5], uncovered(0, 5), "cover keys 0 to 5 of 4");
        refused(&[0], uncovered(0, 0), "cover keys 0 to 0 of 4");
        let decreasing = Error::SegmentsDecrease { segment: 1, start: 3, end: 2 };
        refused(&[0, 3, 2, 4], decreasing, "segment 1 ends at 2, before it begins at 3");

        let many = Identity::<u32>::new(1 << 20);
        let error = Error::TooManySegments { segments: 17, m: 1 << 20, limit: 1 << 24 };
        assert_eq!(split_segments(device, &[], &[0; 18], &many), Err(error.clone()));
        assert!(error.to_string().contains("17 segments of 1048576 buckets"), "{error}");
        let by = Multisplit::by(&many);
        assert_eq!(by.segment_offsets(device, 17).unwrap_err(), error);
        assert_eq!(by.segment_workspace_bytes(device, 100, 17, 0).unwrap_err(), error);

        let by = Multisplit::by(&f);
        assert_eq!(split_segments(device, &keys, &[0, 4], &Identity::new(0)), Err(Error::NoBuckets));
        let mismatch = Error::LengthMismatch { what: "value column 0".into(), got: 3, keys: 4 };
        assert_eq!(by.split_segments_with(device, &keys, &[1u32; 3], &[0, 4]).unwrap_err(), mismatch);

        let input = device.upload(&keys).unwrap();
        let mut out = device.upload(&[9u32; 4]).unwrap();
        let mut offsets = by.segment_offsets(device, 1).unwrap();
        let mut workspace = by.segment_workspace(device, 4, 2, 0).unwrap();
        let error = by.enqueue_segments(&input, &[0, 2, 4], &mut out, &mut [], &mut offsets, &mut workspace);
        assert_eq!(error, Err(Error::OutputTooSmall { what: "the offsets".into(), got: 5, needed: 9 }));
        assert_eq!(out.download().unwrap(), [9; 4]);
    });
}

#[test]
fn workspaces_that_are_too_small() {
    let Some(device) = gpu("workspaces_that_are_too_small") else { return };
    let (f, many) = (Identity::<u32>::new(10), Identity::<u32>::new(1000));
    let keys = device.upload(&vec![7u32; 50_000]).unwrap();
    let mut out = device.upload(&vec![1u32; 50_000]).unwrap();
    // For fewer keys, for fewer buckets.
    let (by, by_many) = (Multisplit::by(&f), Multisplit::by(&many));
    let cases = [
        (&by, by.segment_workspace(device, 100, 1, 0).unwrap()),
        (&by_many, by.segment_workspace(device, 50_000, 1, 0).unwrap()),
    ];
    for (by, mut workspace) in cases {
        let mut offsets = by.segment_offsets(device, 1).unwrap();
        let error = by.enqueue_segments(&keys, &[0, 50_000], &mut out, &mut [], &mut offsets, &mut workspace);
        assert!(matches!(error, Err(Error::WorkspaceTooSmall { .. })), "{error:?}");
    }
    assert_eq!(out.download().unwrap(), vec![1; 50_000]);
}
