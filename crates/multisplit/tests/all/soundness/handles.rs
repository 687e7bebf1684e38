//! Handles of memory that somebody else allocated.

use crate::common::gpu;
#[cfg(feature = "cuda")]
use multisplit::measure::{Reference, bandwidth};
use multisplit::{Error, sort};
#[cfg(feature = "cuda")]
use multisplit::{Multisplit, bucket::Delta};
use test_support::uniform;

/// Handles that claim more than there is, or begin where no element may, are refused.
#[test]
fn handles_that_do_not_fit() {
    use multisplit::cubecl::server::Handle;
    let Some(device) = gpu("handles_that_do_not_fit") else { return };
    let buffer = device.upload(&uniform(1024, 5)).unwrap();
    let handle = buffer.handle().unwrap().unwrap();
    // SAFETY: all of these are refused.
    let adopt = |handle: Handle, len| unsafe { device.adopt::<u64>(handle, len) }.map(drop);
    assert!(adopt(handle.clone(), 512).is_ok());
    assert_eq!(
        adopt(handle.clone(), 513),
        Err(Error::OutputTooSmall { what: "the handle".into(), got: 512, needed: 513 })
    );
    for offset in [1, 2, 4, 6, 12] {
        let error = adopt(handle.clone().offset_start(offset), 1).unwrap_err();
        assert!(matches!(error, Error::Misaligned { offset: at, .. } if at == offset), "{error}");
    }
    // It has room for 1024 words, whatever it says.
    let lie = Handle::from_memory(handle.memory.clone(), handle.stream, 1 << 40);
    for (handle, len) in [
        (lie.clone(), 1 << 30),
        (lie.clone().offset_start(1 << 20), 1),
        (lie.clone().offset_end(1 << 20), 1),
        (lie.offset_start(u64::MAX - 255).offset_end(u64::MAX), 1),
        (handle.clone().offset_start(1 << 20), 1),
        (handle.clone().offset_end(1 << 20), 1),
    ] {
        assert!(matches!(adopt(handle, len), Err(Error::OutputTooSmall { .. })));
    }
    // The device works on.
    assert_eq!(sort(device, &[2u32, 1]).unwrap(), [1, 2]);
}

/// A handle that begins in the middle of a 16-byte load is read as it must be, where the device lets it begin there.
#[cfg(feature = "cuda")]
#[test]
fn handles_between_loads() {
    let Some(device) = gpu("handles_between_loads").filter(|d| d.info().kind == multisplit::DeviceKind::Cuda) else {
        return;
    };
    let keys = uniform(10_001, 6);
    let buffer = device.upload(&keys).unwrap();
    let handle = buffer.handle().unwrap().unwrap();
    for skipped in [1usize, 2, 3, 5] {
        let n = keys.len() - skipped;
        // SAFETY: nothing writes to it.
        let part = unsafe { device.adopt::<u32>(handle.clone().offset_start(4 * skipped as u64), n) }.unwrap();
        let mut out = device.alloc::<u32>(n).unwrap();
        bandwidth::copy(&part, &mut out).unwrap();
        assert!(out.download().unwrap() == keys[skipped..]);
        let mut sums = device.alloc::<u32>(1000).unwrap();
        bandwidth::read(&part, &mut sums).unwrap();
        let sum = |words: &[u32]| words.iter().fold(0u32, |sum, &word| sum.wrapping_add(word));
        assert_eq!(sum(&sums.download().unwrap()), sum(&keys[skipped..]));
        let f = Delta::whole(32).unwrap();
        let split = Multisplit::by(&f);
        let (mut offsets, mut workspace) = (split.offsets(device).unwrap(), split.workspace(device, n, 0).unwrap());
        split.enqueue(&part, &mut out, &mut [], &mut offsets, &mut workspace).unwrap();
        assert!(out.download().unwrap() == Reference::split(&keys[skipped..], &f).permute(&keys[skipped..]));
        let mut counts = device.alloc::<u32>(33).unwrap();
        multisplit::Histogram::by(&f).enqueue(&part, &mut counts).unwrap();
        assert_eq!(sum(&counts.download().unwrap()), n as u32);
    }
}
