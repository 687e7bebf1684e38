//! What cannot be provoked from outside: more keys than 32 bits can count, and a device that lies about itself.

use super::{Launches, Request, count_slice};
use crate::Error;
use crate::bucket::Identity;
use crate::gpu::tests::lying;

/// Keys that are counted before counts are added up.
const BLOCK: usize = 1 << 31;

/// Counts that pass 32 bits carry into their high words, in shared memory's kernel and in the other.
#[test]
fn counts_carry() {
    let Some(gpu) = lying(|_| ()) else { return };
    for m in [3, 1 << 16] {
        let f = Identity::<u32>::new(m);
        let request = Request { f: &f, m, block: BLOCK };
        let job = Launches { carry: true, ..Launches::new(&gpu, &request, 2, 0) };
        let keys: Vec<u32> = (0..10_000).map(|i| if i % 10 == 0 { u32::MAX } else { i % 3 }).collect();
        let mut counts = vec![0u64; m as usize + 1];
        counts[..3].copy_from_slice(&[u64::from(u32::MAX) - 5, 7, (1 << 40) - 1]);
        let memory = [gpu.upload(&counts).unwrap(), gpu.upload(&keys).unwrap()];
        let slice = gpu.writes::<u64>(&memory[0]).unwrap().first(counts.len()).unwrap();
        let block = job.block(gpu.reads(&memory[1]).unwrap(), 10_000).unwrap();
        job.count(&block, &slice.bytes().cast().unwrap()).unwrap();
        let got = gpu.read(&slice).unwrap();
        keys.iter().for_each(|&key| counts[key.min(m) as usize] += 1);
        assert_eq!(got, counts, "m = {m}");
    }
}

/// Nothing depends on the plane size that a kernel was compiled for.
#[test]
fn planes_of_another_size_do_no_harm() {
    let Some(gpu) = lying(|facts| facts.plane = if facts.plane == 16 { 32 } else { 16 }) else { return };
    let keys: Vec<u32> = (0..50_000).map(|i| i % 7 * (i % 5)).collect();
    for m in [20, 1000, 100_000] {
        let f = Identity::<u32>::new(m);
        let got = count_slice(&gpu, &Request { f: &f, m, block: BLOCK }, &keys).unwrap();
        let expected = crate::measure::Reference::histogram(&keys, &f);
        assert_eq!((&got[..m as usize], got[m as usize]), (&expected.bins[..], expected.outside));
    }
}

/// A kernel that cannot be launched is an error, not a result full of zeros.
#[test]
fn a_launch_that_fails_is_reported() {
    let Some(gpu) = lying(|facts| facts.shared_memory = 1 << 20) else { return };
    let f = Identity::<u32>::new(100_000);
    let request = Request { f: &f, m: 100_000, block: BLOCK };
    let error = count_slice(&gpu, &request, &[0; 100_000]).unwrap_err();
    assert!(matches!(error, Error::KernelFailed { .. }), "{error}");
    assert!(error.to_string().contains("shared memory"), "{error}");
    // The device works on.
    let f = Identity::<u32>::new(4);
    assert!(count_slice(&gpu, &Request { f: &f, m: 4, block: BLOCK }, &[0; 1000]).is_ok());
}
