//! Slices through every operation, against the reference; what is around them stays as it was.

use crate::common::everywhere;
use bytemuck::Pod;
use multisplit::approach::{Approach, Way};
use multisplit::bucket::{Delta, EvenBins, Hash, Identity};
use multisplit::measure::{Reference, bandwidth};
use multisplit::{
    Buffer, BufferSlice, BufferSliceMut, Column, Device, DoubleColumn, Error, Histogram, Multisplit, Side, Sort,
    gather, invert, split_segments,
};
use std::fmt::Debug;
use test_support::uniform;

/// Elements between slices, and around them.
const CANARY: u8 = 0xab;

/// A buffer among canaries, of which only a slice is used.
struct Framed<T> {
    buffer: Buffer<T>,
    start: usize,
    len: usize,
}

impl<T: Pod + PartialEq + Debug> Framed<T> {
    fn new(device: &Device, start: usize, data: &[T]) -> Self {
        let mut buffer = device.upload(&vec![canary::<T>(); start + data.len() + 3]).unwrap();
        buffer.write(start, data).unwrap();
        Self { buffer, start, len: data.len() }
    }

    fn get(&self) -> BufferSlice<'_, T> {
        self.buffer.slice(self.start..self.start + self.len).unwrap()
    }

    fn get_mut(&mut self) -> BufferSliceMut<'_, T> {
        self.buffer.slice_mut(self.start..self.start + self.len).unwrap()
    }

    /// What is in it, if nothing around it was touched.
    fn inside(&self) -> Vec<T> {
        let mut all = self.buffer.download().unwrap();
        let rest = all.split_off(self.start + self.len);
        let inside = all.split_off(self.start);
        assert!(all.iter().chain(&rest).all(|&element| element == canary()), "a canary was hit");
        inside
    }
}

fn canary<T: Pod>() -> T {
    bytemuck::pod_read_unaligned(&vec![CANARY; size_of::<T>()])
}

/// Where slices begin: multiples of what the device asks for, which may be any element.
fn starts(device: &Device) -> Vec<usize> {
    let align = device.slice_alignment::<u32>();
    if align == 1 { vec![0, 1, 6] } else { vec![align, 3 * align] }
}

fn zeros<T: Pod + PartialEq + Debug>(device: &Device, start: usize, n: usize) -> Framed<T> {
    Framed::new(device, start, &vec![T::zeroed(); n])
}

#[test]
fn splits_and_selections() {
    everywhere("splits_and_selections", |device| {
        for (start, n) in starts(device).into_iter().flat_map(|start| [0, 1, 5, 1000, 5003].map(|n| (start, n))) {
            let keys = uniform(n, start as u64);
            let wide: Vec<u64> = keys.iter().map(|&key| u64::from(key) << 9).collect();
            let (few, many) = (Delta::whole(13).unwrap(), Delta::whole(700).unwrap());
            for f in [few, many] {
                let expected = Reference::split(&keys, &f);
                let by = Multisplit::by(&f);
                let (input, values) = (Framed::new(device, start, &keys), Framed::new(device, start, &wide));
                let (mut out, mut values_out) = (zeros::<u32>(device, start, n), zeros::<u64>(device, start, n));
                let mut permutation = zeros::<u32>(device, start, n);
                let mut offsets = by.offsets(device).unwrap();
                let mut workspace = by.workspace(device, n, 2).unwrap();
                let columns =
                    &mut [Column::new(values.get(), values_out.get_mut()), Column::permutation(permutation.get_mut())];
                by.enqueue(input.get(), out.get_mut(), columns, &mut offsets, &mut workspace).unwrap();
                assert_eq!(offsets.read().unwrap(), expected.offsets, "{start}, {n}");
                assert_eq!((input.inside(), out.inside()), (keys.clone(), expected.permute(&keys)), "{start}, {n}");
                assert_eq!(values_out.inside(), expected.permute(&wide));
                assert_eq!(permutation.inside(), expected.permutation);
            }
            let half = Delta::whole(2).unwrap();
            let by = Multisplit::by(&half);
            let (input, mut out) = (Framed::new(device, start, &keys), zeros::<u32>(device, start, n));
            let (mut offsets, mut workspace) = (by.offsets(device).unwrap(), by.workspace(device, n, 0).unwrap());
            by.enqueue_select(input.get(), out.get_mut(), &mut [], &mut offsets, &mut workspace).unwrap();
            let selected: Vec<u32> = keys.iter().copied().filter(|&key| key < 1 << 31).collect();
            assert_eq!(offsets.selected().unwrap(), selected.len());
            assert_eq!(out.inside()[..selected.len()], selected);
        }
    });
}

#[test]
fn segments_and_approaches() {
    everywhere("segments_and_approaches", |device| {
        for start in starts(device) {
            let (n, f) = (2001, Hash::new(8, 5));
            let (keys, segments) = (uniform(n, 3), [0, 7, 7, 1500, n]);
            let (input, mut out) = (Framed::new(device, start, &keys), zeros::<u32>(device, start, n));
            let by = Multisplit::by(&f);
            let mut offsets = by.segment_offsets(device, 4).unwrap();
            let mut workspace = by.segment_workspace(device, n, 4, 0).unwrap();
            by.enqueue_segments(input.get(), &segments, out.get_mut(), &mut [], &mut offsets, &mut workspace).unwrap();
            let expected = split_segments(&Device::cpu(), &keys, &segments, &f).unwrap();
            assert_eq!((offsets.read().unwrap(), out.inside()), (expected.offsets, expected.keys));

            let expected = Reference::split(&keys, &f);
            for way in Way::ALL {
                let by = Approach::by(&f, way);
                let values: Vec<u32> = (0..n as u32).collect();
                let values = Framed::new(device, start, &values);
                let (mut out, mut values_out) = (zeros::<u32>(device, start, n), zeros::<u32>(device, start, n));
                let mut offsets = by.offsets(device).unwrap();
                let mut workspace = by.workspace(device, n, 1, 0).unwrap();
                let columns = &mut [Column::new(values.get(), values_out.get_mut())];
                by.enqueue(input.get(), out.get_mut(), columns, &mut offsets, &mut workspace).unwrap();
                assert_eq!(offsets.read().unwrap(), expected.offsets, "{way}");
                assert_eq!(
                    (out.inside(), values_out.inside()),
                    (expected.permute(&keys), expected.permutation.clone())
                );
            }
        }
    });
}

#[test]
fn sorts_of_slices() {
    everywhere("sorts_of_slices", |device| {
        for (start, n) in starts(device).into_iter().flat_map(|start| [0, 1, 3001].map(|n| (start, n))) {
            let keys = uniform(n, 5);
            let mut sorted = keys.clone();
            sorted.sort_unstable();
            let sort = Sort::new();
            let (mut input, mut out) = (Framed::new(device, start, &keys), zeros::<u32>(device, start, n));
            let mut workspace = sort.workspace::<u32>(device, n, 0, 0).unwrap();
            sort.enqueue(input.get(), out.get_mut(), &mut [], &mut workspace).unwrap();
            assert_eq!(out.inside(), sorted, "{start}, {n}");
            if n > 0 {
                assert_eq!(sort.trimmed(input.get()).unwrap(), sort.trimmed(&device.upload(&keys).unwrap()).unwrap());
            }
            let wide: Vec<u64> = keys.iter().map(|&key| u64::from(key)).collect();
            let (mut values, mut others) = (Framed::new(device, start, &wide), zeros::<u64>(device, start, n));
            let mut workspace = sort.double_workspace::<u32>(device, n).unwrap();
            let columns = &mut [DoubleColumn::new(values.get_mut(), others.get_mut())];
            let side = sort.enqueue_double(input.get_mut(), out.get_mut(), columns, &mut workspace).unwrap();
            let (keys, values) = match side {
                Side::First => (input.inside(), values.inside()),
                Side::Second => (out.inside(), others.inside()),
            };
            assert!(keys == sorted && values.iter().zip(&sorted).all(|(&value, &key)| value == u64::from(key)));
        }
    });
}

#[test]
fn counts_rows_and_permutations() {
    everywhere("counts_rows_and_permutations", |device| {
        for (start, n) in starts(device).into_iter().flat_map(|start| [0, 1, 3, 4099].map(|n| (start, n))) {
            let keys: Vec<u32> = uniform(n, 7).iter().map(|key| key % 100).collect();
            let input = Framed::new(device, start, &keys);
            let f = EvenBins::new(0..90u32, 9).unwrap();
            let mut counts = zeros::<u64>(device, start, 10);
            Histogram::by(&f).enqueue(input.get(), counts.get_mut()).unwrap();
            let expected = Reference::histogram(&keys, &f);
            assert_eq!(counts.inside(), [&expected.bins[..], &[expected.outside]].concat());

            let permutation = Reference::split(&keys, &Identity::new(100));
            let rows: Vec<[u32; 3]> = keys.iter().map(|&key| [key, !key, 1]).collect();
            let (from, mut to) = (Framed::new(device, 4 * start, &rows), zeros::<[u32; 3]>(device, 8 * start, n));
            let index = Framed::new(device, start, &permutation.permutation);
            gather(from.get(), index.get(), to.get_mut()).unwrap();
            assert_eq!(to.inside(), permutation.permute(&rows));

            let mut inverse = zeros::<u32>(device, start, n);
            invert(index.get(), inverse.get_mut()).unwrap();
            assert_eq!(inverse.inside(), multisplit::inverse(&permutation.permutation).unwrap());

            let mut copy = zeros::<u32>(device, start, n);
            bandwidth::copy(input.get(), copy.get_mut()).unwrap();
            assert_eq!(copy.inside(), keys);
            let mut sums = zeros::<u32>(device, start, 100);
            bandwidth::read(input.get(), sums.get_mut()).unwrap();
            assert_eq!(sums.inside().iter().sum::<u32>(), keys.iter().sum::<u32>());
        }
    });
}

/// Input and output, values and their output, are all parts of one buffer.
#[test]
fn all_in_one_buffer() {
    everywhere("all_in_one_buffer", |device| {
        let align = device.slice_alignment::<u32>();
        for n in [5usize, 4001] {
            let room = n.next_multiple_of(align);
            let (keys, values) = (uniform(n, 8), uniform(n, 9));
            let mut all = device.upload(&vec![0u32; 5 * room]).unwrap();
            all.write(0, &keys).unwrap();
            all.write(room, &values).unwrap();
            let mut rest = BufferSliceMut::from(&mut all);
            let mut parts = Vec::new();
            for _ in 0..5 {
                let (mut part, others) = rest.split_at(room).unwrap();
                rest = others;
                part = part.split_at(n).unwrap().0;
                parts.push(part);
            }
            let [input, values_in, mut out, mut values_out, mut permutation] = <[_; 5]>::try_from(parts).unwrap();
            let f = Delta::whole(40).unwrap();
            let by = Multisplit::by(&f);
            let (mut offsets, mut workspace) = (by.offsets(device).unwrap(), by.workspace(device, n, 2).unwrap());
            let columns = &mut [Column::new(&values_in, &mut values_out), Column::permutation(&mut permutation)];
            by.enqueue(&input, &mut out, columns, &mut offsets, &mut workspace).unwrap();
            let expected = Reference::split(&keys, &f);
            assert_eq!(offsets.read().unwrap(), expected.offsets);
            assert_eq!((out.download().unwrap(), input.download().unwrap()), (expected.permute(&keys), keys));
            assert_eq!(values_out.download().unwrap(), expected.permute(&values));
            assert_eq!(permutation.download().unwrap(), expected.permutation);
            let mut workspace = Sort::new().workspace::<u32>(device, n, 0, 0).unwrap();
            Sort::new().enqueue(&values_in, &mut out, &mut [], &mut workspace).unwrap();
            let mut sorted = values;
            sorted.sort_unstable();
            assert_eq!(out.download().unwrap(), sorted);
        }
    });
}

/// Where the device binds memory only from some elements on, slices that begin elsewhere are refused; nothing happens.
#[test]
fn slices_that_begin_elsewhere() {
    everywhere("slices_that_begin_elsewhere", |device| {
        let align = device.slice_alignment::<u32>();
        assert_eq!(device.slice_alignment::<u8>(), align * if align > 1 { 4 } else { 1 });
        let (keys, mut out) = (device.upload(&[3u32, 2, 1, 0]).unwrap(), device.upload(&[9u32; 4]).unwrap());
        let mut workspace = Sort::new().workspace::<u32>(device, 4, 0, 0).unwrap();
        for (from, to) in [(1, 0), (0, 1)] {
            let (input, output) = (keys.slice(from..from + 3).unwrap(), out.slice_mut(to..to + 3).unwrap());
            let got = Sort::new().enqueue(input, output, &mut [], &mut workspace);
            if align == 1 {
                got.unwrap();
                continue;
            }
            let error = got.unwrap_err();
            assert_eq!(error, Error::Misaligned { offset: 4, needed: 4 * align });
            assert!(error.to_string().contains("slice_alignment"), "{error}");
            assert_eq!(out.download().unwrap(), [9; 4]);
        }
        // Without elements, anywhere.
        let (input, output) = (keys.slice(3..3).unwrap(), out.slice_mut(2..2).unwrap());
        Sort::new().enqueue(input, output, &mut [], &mut workspace).unwrap();
    });
}
