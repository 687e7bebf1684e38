//! What cannot be provoked from outside: more keys than 32 bits can count, and a device that lies about itself.

use super::super::{Facts, Gpu};
use super::{Histogram, Job, count_slice};
use crate::bucket::Identity;
use crate::device::{Backend, Device};
use crate::{DeviceKind, Error};
use cubecl::wgpu::WgpuRuntime;

type Software = Gpu<WgpuRuntime>;

/// The software device with other facts, if there is one; the integration tests insist on it where it must be.
fn software(change: impl Fn(&mut Facts)) -> Option<Software> {
    let info = Device::list().into_iter().find(|info| info.kind == DeviceKind::Software)?;
    let device = Device::open(&info.name).ok()?;
    let Backend::Wgpu(gpu) = device.backend() else { return None };
    let mut facts = gpu.facts.clone();
    change(&mut facts);
    Some(Gpu::new(u64::MAX - 1, "software".into(), gpu.client.clone(), facts))
}

/// Counts that pass 32 bits carry into their high words, in shared memory's kernel and in the other.
#[test]
fn counts_carry() {
    let Some(gpu) = software(|_| ()) else { return };
    for m in [3, 1 << 16] {
        let f = Identity::<u32>::new(m);
        let job = Job { carry: true, ..Job::new(&gpu, &f, 2, 0).unwrap() };
        let keys: Vec<u32> = (0..10_000).map(|i| if i % 10 == 0 { u32::MAX } else { i % 3 }).collect();
        let mut counts = vec![0u64; m as usize + 1];
        counts[..3].copy_from_slice(&[u64::from(u32::MAX) - 5, 7, (1 << 40) - 1]);
        let handle = gpu.upload(bytemuck::cast_slice(&counts)).unwrap();
        let block = job.block(gpu.upload(bytemuck::cast_slice(&keys)).unwrap(), 10_000).unwrap();
        gpu.launch(|| job.count(&block, &handle)).unwrap();
        let got: Vec<u64> =
            bytemuck::pod_collect_to_vec(&gpu.read(&handle, 8 * counts.len()).unwrap()[..8 * counts.len()]);
        keys.iter().for_each(|&key| counts[key.min(m) as usize] += 1);
        assert_eq!(got, counts, "m = {m}");
    }
}

/// Nothing depends on the plane size that a kernel was compiled for.
#[test]
fn planes_of_another_size_do_no_harm() {
    let Some(gpu) = software(|facts| facts.plane = if facts.plane == 16 { 32 } else { 16 }) else { return };
    let keys: Vec<u32> = (0..50_000).map(|i| i % 7 * (i % 5)).collect();
    for m in [20, 1000, 100_000] {
        let f = Identity::<u32>::new(m);
        let got = count_slice(&gpu, &Histogram::by(&f), &keys).unwrap();
        let expected = crate::reference::Reference::histogram(&keys, &f);
        assert_eq!((&got[..m as usize], got[m as usize]), (&expected.bins[..], expected.outside));
    }
}

/// A kernel that cannot be launched is an error, not a result full of zeros.
#[test]
fn a_launch_that_fails_is_reported() {
    let Some(gpu) = software(|facts| facts.shared_memory = 1 << 20) else { return };
    let f = Identity::<u32>::new(100_000);
    let error = count_slice(&gpu, &Histogram::by(&f), &[0; 100_000]).unwrap_err();
    assert!(matches!(error, Error::KernelFailed { .. }), "{error}");
    assert!(error.to_string().contains("shared memory"), "{error}");
    // The device works on.
    assert!(count_slice(&gpu, &Histogram::by(&Identity::<u32>::new(4)), &[0; 1000]).is_ok());
}
