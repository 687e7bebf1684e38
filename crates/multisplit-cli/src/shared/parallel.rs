//! Loops on all threads, compiled once.
//!
//! Rayon compiles a loop for each closure, to some 15 KB of machine code. This program has loops for each of its key
//! types and bucket functions; all of them run in the one loop of [`each`].

use bytemuck::Zeroable;
use rayon::prelude::*;
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};

/// Elements that a thread takes at a time.
const PART: usize = 1 << 14;

/// Calls `call` with each number below `count`.
fn each(count: usize, call: &(dyn Fn(usize) + Sync)) {
    (0..count).into_par_iter().for_each(call);
}

/// Collects `item(0)`, `item(1)`, … `item(count - 1)`.
pub fn collect<T: Send>(count: usize, item: impl Fn(usize) -> T + Sync) -> Vec<T> {
    let items: Vec<Mutex<Option<T>>> = (0..count).map(|_| Mutex::new(None)).collect();
    each(count, &|i| *items[i].lock().expect("one thread locks it") = Some(item(i)));
    items.into_iter().filter_map(|item| item.into_inner().expect("one thread locked it")).collect()
}

/// Collects `n` small elements: `element(0)`, `element(1)`, … `element(n - 1)`.
pub fn fill<T: Zeroable + Copy + Send>(n: usize, element: impl Fn(usize) -> T + Sync) -> Vec<T> {
    let mut elements = vec![T::zeroed(); n];
    let parts: Vec<Mutex<&mut [T]>> = elements.chunks_mut(PART).map(Mutex::new).collect();
    each(parts.len(), &|p| {
        for (i, to) in parts[p].lock().expect("one thread locks it").iter_mut().enumerate() {
            *to = element(p * PART + i);
        }
    });
    elements
}

/// Converts each element of `from`.
pub fn map<A: Copy + Sync, B: Zeroable + Copy + Send>(from: &[A], convert: impl Fn(A) -> B + Sync) -> Vec<B> {
    fill(from.len(), |i| convert(from[i]))
}

/// Cuts `of` into a part for each thread and collects what `part` makes of them, in order. `part` is given the index
/// where its part begins, and the part.
pub fn parts<A: Sync, T: Send>(of: &[A], part: impl Fn(usize, &[A]) -> T + Sync) -> Vec<T> {
    let size = of.len().div_ceil(rayon::current_num_threads()).max(1);
    let slices: Vec<&[A]> = of.chunks(size).collect();
    collect(slices.len(), |i| part(i * size, slices[i]))
}

/// Returns the first number below `n` for which `found` is true.
pub fn position(n: usize, found: impl Fn(usize) -> bool + Sync) -> Option<usize> {
    let first = AtomicUsize::new(n);
    each(n.div_ceil(PART), &|p| {
        let part = p * PART..(p * PART + PART).min(first.load(Ordering::Relaxed));
        if let Some(i) = part.into_iter().find(|&i| found(i)) {
            first.fetch_min(i, Ordering::Relaxed);
        }
    });
    Some(first.into_inner()).filter(|&first| first < n)
}

#[cfg(test)]
mod tests {
    use super::*;

    const SIZES: [usize; 6] = [0, 1, PART - 1, PART, PART + 1, 5 * PART + 3];

    #[test]
    fn elements_are_in_their_order() {
        for n in SIZES {
            assert_eq!(fill(n, |i| i as u64), (0..n as u64).collect::<Vec<_>>());
            assert_eq!(
                collect(n.min(99), |i| i.to_string()),
                (0..n.min(99)).map(|i| i.to_string()).collect::<Vec<_>>()
            );
            let numbers = fill(n, |i| i as u32);
            assert_eq!(map(&numbers, u64::from), fill(n, |i| i as u64));
            assert_eq!(parts(&numbers, |_, part| part.to_vec()).concat(), numbers);
            parts(&numbers, |start, part| assert_eq!(part[0] as usize, start));
        }
    }

    #[test]
    fn the_first_of_several_is_found() {
        for n in SIZES {
            assert_eq!(position(n, |_| false), None);
            assert_eq!(position(n, |_| true), (n > 0).then_some(0));
            for first in [0, 1, n / 2, n.saturating_sub(1)] {
                assert_eq!(position(n, |i| i >= first), (first < n).then_some(first));
            }
        }
    }
}
