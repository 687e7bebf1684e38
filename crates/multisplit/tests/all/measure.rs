//! What splits are measured against: the plain copy and the plain read; and splits that stop early.

use crate::common::{everywhere, gpu};
use multisplit::bucket::Delta;
use multisplit::measure::Reference;
use multisplit::measure::bandwidth;
use multisplit::{Device, Error, Multisplit, Stage};
use test_support::uniform;

const SIZES: [usize; 12] = [0, 1, 2, 3, 4, 5, 1023, 1024, 4096, 4097, 70_001, 300_002];

#[test]
fn copies_of_any_length() {
    everywhere("copies_of_any_length", |device| {
        for n in SIZES {
            let words = uniform(n, 1);
            let wide: Vec<u64> = words.iter().map(|&word| u64::from(word) << 7).collect();
            let (from, wide_from) = (device.upload(&words).unwrap(), device.upload(&wide).unwrap());
            // Nothing beyond the copy is touched.
            let mut to = device.upload(&vec![7u32; n + 3]).unwrap();
            let mut wide_to = device.upload(&vec![7u64; n + 1]).unwrap();
            bandwidth::copy(&from, &mut to).unwrap();
            bandwidth::copy(&wide_from, &mut wide_to).unwrap();
            assert_eq!(to.download().unwrap(), [&words[..], &[7; 3]].concat());
            assert_eq!(wide_to.download().unwrap(), [&wide[..], &[7]].concat());
        }
    });
}

#[test]
fn reads_of_any_length() {
    everywhere("reads_of_any_length", |device| {
        for n in SIZES {
            let words = uniform(n, 2);
            let from = device.upload(&words).unwrap();
            let sum = words.iter().fold(0u32, |sum, &word| sum.wrapping_add(word));
            for entries in [1, 3, 2000] {
                let mut sink = device.upload(&vec![9u32; entries]).unwrap();
                bandwidth::read(&from, &mut sink).unwrap();
                let got = sink.download().unwrap().iter().fold(0u32, |sum, &part| sum.wrapping_add(part));
                assert_eq!(got, sum, "n = {n}, {entries} entries");
            }
        }
    });
}

#[test]
fn what_limits_refuse() {
    everywhere("what_limits_refuse", |device| {
        let from = device.upload(&[1u32, 2]).unwrap();
        let error = bandwidth::copy(&from, &mut device.alloc(1).unwrap()).unwrap_err();
        assert!(matches!(error, Error::OutputTooSmall { got: 1, needed: 2, .. }), "{error}");
        let error = bandwidth::read(&from, &mut device.alloc(0).unwrap()).unwrap_err();
        assert!(matches!(error, Error::OutputTooSmall { needed: 1, .. }), "{error}");
    });
    let Some(device) = gpu("what_limits_refuse") else { return };
    let from = device.upload(&[1u32]).unwrap();
    let error = bandwidth::copy(&from, &mut Device::cpu().alloc(1).unwrap()).unwrap_err();
    assert!(matches!(error, Error::WrongDevice { .. }), "{error}");
    let error = bandwidth::copy(&device.upload(&[1u8]).unwrap(), &mut device.alloc(1).unwrap()).unwrap_err();
    assert!(matches!(error, Error::MissingCapability { .. }), "{error}");
}

/// A GPU stops after the stage asked for; what was asked for last is done whole again.
#[test]
fn splits_stop_after_a_stage() {
    everywhere("splits_stop_after_a_stage", |device| {
        let keys = uniform(10_000, 3);
        let f = Delta::whole(16).unwrap();
        let split = Multisplit::by(&f);
        let input = device.upload(&keys).unwrap();
        let (mut offsets, mut workspace) =
            (split.offsets(device).unwrap(), split.workspace(device, keys.len(), 0).unwrap());
        let mut run = |stage| {
            let mut out = device.upload(&vec![0u32; keys.len()]).unwrap();
            split.through(stage).enqueue(&input, &mut out, &mut [], &mut offsets, &mut workspace).unwrap();
            out.download().unwrap()
        };
        let expected = Reference::split(&keys, &f).permute(&keys);
        assert_eq!(run(Stage::Postscan), expected);
        for stage in [Stage::Prescan, Stage::Scan] {
            let out = run(stage);
            let on_gpu = device.name() != "cpu";
            assert_eq!(out, if on_gpu { vec![0; keys.len()] } else { expected.clone() }, "{stage:?}");
        }
        assert_eq!(run(Stage::Postscan), expected);
    });
}
