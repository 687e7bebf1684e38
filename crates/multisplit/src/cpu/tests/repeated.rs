//! Splits for which ids are computed twice instead of being stored.

use super::{data, levels};
use crate::cpu::function::each_repeatable;
use crate::cpu::split::split_at;
use crate::cpu::{Column, Keys, Scratch};
use std::sync::atomic::{AtomicU32, Ordering};

#[test]
fn new_memory_is_not_taken_for_ids() {
    let (n, f) = (150_001, each_repeatable(|key: u32| key));
    for (level, m) in levels().into_iter().flat_map(|level| [1, 2, 7, 33, 256].map(|m| (level, m))) {
        let keys = data::keys(0, n, m);
        let (order, offsets, _) = data::reference(&keys, m);
        let sorted: Vec<u32> = order.iter().map(|&row| keys[row as usize]).collect();
        let mut scratch = Scratch::default();
        // The memory of a split that is used again has ids.
        for has_ids in [false, true] {
            let (mut to, mut found) = (vec![0; n], vec![0; m as usize + 1]);
            let columns = &mut [Column::of_keys(&keys, &mut to)];
            let out_of_range = split_at(level, Keys::of(&keys), columns, m, &f, &mut found, &mut scratch);
            assert_eq!(out_of_range, Ok(0), "{level:?} {m}");
            assert!(to == sorted && found == offsets, "{level:?} {m}");
            let left = Scratch::bytes_for(n, m, 1, rayon::current_num_threads()) - scratch.size();
            assert_eq!(left, if has_ids { 0 } else { n }, "{level:?} {m}");
        }
    }
}

/// Safe code cannot make such a function. If one answers differently the second time, rows are lost, and nothing else.
#[test]
fn nothing_is_written_out_of_bounds() {
    let (n, m, calls) = (70_000, 9, AtomicU32::new(0));
    let f =
        each_repeatable(|key: u32| (key ^ calls.fetch_add(1, Ordering::Relaxed).wrapping_mul(0x85eb_ca6b)) % (m + 1));
    for level in levels() {
        let (keys, mut to) = (data::keys(0, n, m), vec![u32::MAX; n + 128]);
        let mut offsets = vec![0; m as usize + 1];
        let columns = &mut [Column::of_keys(&keys, &mut to[64..64 + n])];
        split_at(level, Keys::of(&keys), columns, m, &f, &mut offsets, &mut Scratch::default()).unwrap();
        assert!(to[..64].iter().chain(&to[64 + n..]).all(|&word| word == u32::MAX), "{level:?}");
        assert_eq!(offsets[m as usize], n, "{level:?}");
    }
}
