//! Copies to, from and between buffers, and fills, at any offset and of any element.

use crate::common::{everywhere, gpu};
use bytemuck::Pod;
use multisplit::{Device, Error};
use std::fmt::Debug;
use std::ops::Range;
use test_support::Random;

/// Writes, fills and copies parts of buffers, and compares all of them with a model after each step.
fn check<T: Pod + PartialEq + Debug>(device: &Device, make: fn(u32) -> T) {
    let mut random = Random::new(size_of::<T>() as u64);
    let other = device.stream("transfers").unwrap();
    for n in [0usize, 1, 2, 3, 5, 17, 130, 1000] {
        let mut next = 0;
        let mut data = |len: usize| -> Vec<T> {
            next += 1;
            (0..len as u32).map(|i| make(i.wrapping_mul(31) + 1000 * next)).collect()
        };
        let (mut model, second) = (data(n), data(n));
        let (mut buffer, source) = (device.upload(&model).unwrap(), other.upload(&second).unwrap());
        let mut range = |n: usize| -> Range<usize> {
            let mut ends = [0; 2].map(|_| random.below(n as u32 + 1) as usize);
            ends.sort_unstable();
            ends[0]..ends[1]
        };
        for step in 0..10 {
            let part = range(n);
            match step % 5 {
                0 => {
                    let data = data(part.len());
                    model[part.clone()].copy_from_slice(&data);
                    buffer.write(part.start, &data).unwrap();
                }
                1 => {
                    model[part.clone()].fill(make(step));
                    buffer.slice_mut(part.clone()).unwrap().fill(make(step)).unwrap();
                }
                2 => {
                    // To another place than where it is from.
                    let at = range(n - part.len()).start;
                    model[at..at + part.len()].copy_from_slice(&second[part.clone()]);
                    let mut to = buffer.slice_mut(at..at + part.len()).unwrap();
                    to.copy_from(source.slice(part.clone()).unwrap()).unwrap();
                }
                3 => {
                    // Within one buffer.
                    let at = n / 2;
                    let (from, to) = (range(at), at + range(n - at).start);
                    let len = from.len().min(n - to);
                    model.copy_within(from.start..from.start + len, to);
                    let (first, mut rest) = buffer.split_at_mut(at).unwrap();
                    let mut to = rest.slice_mut(to - at..to - at + len).unwrap();
                    to.copy_from(first.slice(from.start..from.start + len).unwrap()).unwrap();
                }
                _ => {
                    let mut back = vec![make(7); part.len()];
                    buffer.slice(part.clone()).unwrap().download_into(&mut back).unwrap();
                    assert_eq!(back, model[part.clone()], "{n}, {part:?}");
                }
            }
            let context = || format!("{} of {}, step {step}, {part:?}", n, std::any::type_name::<T>());
            assert_eq!(buffer.download().unwrap(), model, "{}", context());
        }
        assert_eq!(source.download().unwrap(), second);
        buffer.fill(make(1)).unwrap();
        assert_eq!(buffer.to_device(&other).unwrap().download().unwrap(), vec![make(1); n]);
    }
}

#[test]
fn parts_of_bytes() {
    everywhere("parts_of_bytes", |device| {
        check::<u8>(device, |i| i as u8);
        check::<[u8; 3]>(device, |i| [i as u8, (i >> 8) as u8, 9]);
    });
}

#[test]
fn parts_of_halves_and_odd_rows() {
    everywhere("parts_of_halves_and_odd_rows", |device| {
        check::<u16>(device, |i| i as u16);
        check::<[u16; 3]>(device, |i| [i as u16, !i as u16, 9]);
    });
}

#[test]
fn parts_of_words() {
    everywhere("parts_of_words", |device| {
        check::<u32>(device, |i| i);
        check::<f64>(device, f64::from);
        check::<[u32; 3]>(device, |i| [i, !i, 9]);
        check::<[u64; 4]>(device, |i| [u64::from(i); 4]);
    });
}

/// Elements without bytes take no memory, and do no harm.
#[test]
fn elements_without_bytes() {
    everywhere("elements_without_bytes", |device| {
        let mut buffer = device.upload(&[(); 5]).unwrap();
        buffer.write(1, &[(); 2]).unwrap();
        buffer.fill(()).unwrap();
        buffer.copy_from(&device.alloc(5).unwrap()).unwrap();
        assert_eq!(buffer.slice(2..).unwrap().download().unwrap(), [(); 3]);
        assert_eq!(device.slice_alignment::<()>() % device.slice_alignment::<u8>(), 0);
    });
}

#[test]
fn large_parts() {
    everywhere("large_parts", |device| {
        let n = 1 << 20;
        let words: Vec<u32> = (0..n as u32).collect();
        let mut buffer = device.upload(&vec![0u32; n]).unwrap();
        buffer.write(3, &words[3..]).unwrap();
        buffer.slice_mut(..3).unwrap().copy_from(device.upload(&words[..3]).unwrap().slice(..).unwrap()).unwrap();
        assert!(buffer.download().unwrap() == words);
        let bytes: Vec<u8> = words.iter().map(|&word| (word * 7) as u8).collect();
        let (from, mut to) = (device.upload(&bytes).unwrap(), device.upload(&vec![1u8; n]).unwrap());
        to.slice_mut(1..n - 1).unwrap().copy_from(from.slice(2..).unwrap()).unwrap();
        assert!(to.download().unwrap() == [&[1], &bytes[2..], &[1]].concat());
        to.slice_mut(5..).unwrap().fill(9).unwrap();
        assert!(to.slice(5..).unwrap().download().unwrap() == vec![9; n - 5]);
        assert_eq!(to.slice(..5).unwrap().download().unwrap(), [1, bytes[2], bytes[3], bytes[4], bytes[5]]);
    });
}

/// From any device to any other.
#[test]
fn between_devices() {
    let mut devices = vec![Device::cpu()];
    devices.extend(gpu("between_devices").iter().flat_map(|&gpu| [gpu.clone(), gpu.stream("other").unwrap()]));
    let data: Vec<u64> = (0..1001).map(|i| i * i).collect();
    for from in &devices {
        let mut buffer = from.upload(&data).unwrap();
        for to in &devices {
            let there = buffer.to_device(to).unwrap();
            assert_eq!((there.device().name(), there.len()), (to.name(), 1001));
            assert_eq!(there.download().unwrap(), data);
            let part = buffer.slice(1..8).unwrap().to_device(to).unwrap();
            assert_eq!(part.download().unwrap(), data[1..8]);
            let empty = buffer.slice(5..5).unwrap().to_device(to).unwrap();
            assert!(empty.is_empty());
            buffer.fill(0).unwrap();
            buffer.copy_from(&there).unwrap();
            assert_eq!(buffer.download().unwrap(), data);
        }
    }
}

#[test]
fn lengths_that_differ() {
    everywhere("lengths_that_differ", |device| {
        let mut buffer = device.upload(&[1u32, 2, 3]).unwrap();
        let wrong = |what, got, needed| Err(Error::WrongLength { what, got, needed });
        assert_eq!(buffer.download_into(&mut [0; 2]), wrong("the slice to download into", 2, 3));
        assert_eq!(buffer.download_into(&mut [0; 4]), wrong("the slice to download into", 4, 3));
        assert_eq!(buffer.copy_from(&device.alloc(4).unwrap()), wrong("the slice to copy to", 3, 4));
        assert_eq!(buffer.copy_from(&Device::cpu().alloc(2).unwrap()), wrong("the slice to copy to", 3, 2));
        assert_eq!(buffer.slice_mut(1..).unwrap().write(&[1]), wrong("the slice to write to", 2, 1));
        assert_eq!(buffer.write(2, &[1, 2]), Err(Error::OutOfBounds { start: 2, end: 4, len: 3 }));
        assert!(matches!(buffer.write(usize::MAX, &[1]), Err(Error::OutOfBounds { .. })));
        buffer.write(3, &[]).unwrap();
        assert!(buffer.write(4, &[]).is_err());
        // A shorter buffer is of its first elements.
        buffer.set_len(2).unwrap();
        assert!(buffer.write(2, &[9]).is_err());
        buffer.fill(5).unwrap();
        buffer.set_len(3).unwrap();
        assert_eq!(buffer.slice(..2).unwrap().download().unwrap(), [5, 5]);
    });
}
