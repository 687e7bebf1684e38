//! Parts of a buffer on several streams and threads: what reads one comes after what wrote it.

use crate::common::everywhere;
use multisplit::bucket::Delta;
use multisplit::measure::Reference;
use multisplit::{BufferSliceMut, Column, Device, Multisplit, Sort};
use test_support::uniform;

/// Elements of one part: a multiple of what any device asks for.
const PART: usize = 1 << 13;

/// Two threads write two parts at the same time, each on its own stream; a third stream reads both.
#[test]
fn two_threads_write_two_parts() {
    everywhere("two_threads_write_two_parts", |device| {
        let streams = ["a", "b"].map(|name| device.stream(name).unwrap());
        let f = Delta::whole(16).unwrap();
        let split = Multisplit::by(&f);
        let mut both = device.alloc::<u32>(2 * PART).unwrap();
        let mut copies = ["c", "a"].map(|name| device.stream(name).unwrap().alloc::<u32>(2 * PART).unwrap());
        for round in 0..6 {
            let inputs = [0, 1].map(|i| uniform(PART, 2 * round + i));
            let (left, right) = both.split_at_mut(PART).unwrap();
            let work = |stream: &Device, keys: &[u32], to: BufferSliceMut<'_, u32>| {
                let input = stream.upload(keys).unwrap();
                // A call runs on the stream of its key output, and so writes the part there.
                let mut out = stream.alloc(PART).unwrap();
                let (mut offsets, mut workspace) =
                    (split.offsets(stream).unwrap(), split.workspace(stream, PART, 1).unwrap());
                let columns = &mut [Column::new(&input, to)];
                split.enqueue(&input, &mut out, columns, &mut offsets, &mut workspace).unwrap();
            };
            std::thread::scope(|scope| {
                scope.spawn(|| work(&streams[0], &inputs[0], left));
                scope.spawn(|| work(&streams[1], &inputs[1], right));
            });
            let expected = inputs.map(|keys| Reference::split(&keys, &f).permute(&keys)).concat();
            copies.iter_mut().for_each(|copy| copy.copy_from(&both).unwrap());
            both.fill(7).unwrap(); // after the copies have read it
            assert!(copies.iter().all(|copy| copy.download().unwrap() == expected), "round {round}");
            assert!(both.download().unwrap() == vec![7; 2 * PART]);
        }
    });
}

/// A stream that has read one part waits for what another thread writes to the other.
#[test]
fn one_part_is_read_while_the_other_is_written() {
    everywhere("one_part_is_read_while_the_other_is_written", |device| {
        let other = device.stream("reader").unwrap();
        let mut both = device.upload(&vec![0u32; 2 * PART]).unwrap();
        for round in 1..8u32 {
            let (mut left, right) = both.split_at_mut(PART).unwrap();
            let mut seen = other.alloc::<u32>(PART).unwrap();
            std::thread::scope(|scope| {
                scope.spawn(|| left.fill(round).unwrap());
                scope.spawn(|| seen.copy_from(&right).unwrap());
            });
            assert!(seen.download().unwrap() == vec![(round - 1) * 100; PART]);
            let mut all = other.alloc::<u32>(PART).unwrap();
            all.copy_from(both.slice(..PART).unwrap()).unwrap();
            both.slice_mut(PART..).unwrap().fill(round * 100).unwrap();
            assert!(all.download().unwrap() == vec![round; PART], "round {round}");
        }
    });
}

/// A buffer is written again while a stream still reads it, and dropped while it is read.
#[test]
fn written_after_it_is_read() {
    everywhere("written_after_it_is_read", |device| {
        let other = device.stream("sorts").unwrap();
        let sort = Sort::new();
        let n = 3 * PART;
        let mut workspace = sort.workspace::<u32>(&other, n, 0, 0).unwrap();
        let mut next = device.alloc::<u32>(n).unwrap();
        let mut results = Vec::new();
        for seed in 0..6 {
            let keys = uniform(n, seed);
            next.write(0, &keys[..PART]).unwrap();
            next.write(PART, &keys[PART..]).unwrap();
            let mut sorted = other.alloc::<u32>(n).unwrap();
            sort.enqueue(&next, &mut sorted, &mut [], &mut workspace).unwrap();
            results.push((keys, sorted));
        }
        drop(next);
        let _again = device.upload(&vec![9u32; n]).unwrap();
        for (mut keys, sorted) in results {
            keys.sort_unstable();
            assert!(sorted.download().unwrap() == keys);
        }
    });
}

/// Single bytes of one word are written by two streams.
#[test]
fn neighbours_in_one_word() {
    everywhere("neighbours_in_one_word", |device| {
        let other = device.stream("bytes").unwrap();
        let mut bytes = device.upload(&[0u8; 12]).unwrap();
        let odd = other.upload(&[5u8; 12]).unwrap();
        for round in 0..20u8 {
            let (mut left, mut right) = bytes.split_at_mut(5).unwrap();
            std::thread::scope(|scope| {
                scope.spawn(|| left.write(&[round; 5]).unwrap());
                scope.spawn(|| right.copy_from(odd.slice(3..10).unwrap()).unwrap());
            });
            assert_eq!(bytes.download().unwrap(), [&[round; 5][..], &[5; 7]].concat());
            bytes.slice_mut(5..).unwrap().fill(0).unwrap();
        }
    });
}
