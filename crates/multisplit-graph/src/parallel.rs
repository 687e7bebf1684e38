//! Loops on all threads, compiled once.
//!
//! Rayon compiles a loop for each closure, to some 5 to 15 KB of machine code. Programs have the same loops for many
//! types of keys, weights and bucket functions; all of them run in one loop here. For the crates of this repository.

use rayon::prelude::*;
use std::mem::MaybeUninit;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Mutex, PoisonError};

/// Elements that a thread takes at a time.
const PART: usize = 1 << 14;

/// Calls `call` with each number below `count`.
fn each(count: usize, call: &(dyn Fn(usize) + Sync)) {
    match count {
        0 => {}
        1 => call(0),
        _ => (0..count).into_par_iter().for_each(call),
    }
}

/// Calls `call` with the number of each of the parts, and the part.
fn each_part<P: Send>(parts: impl ExactSizeIterator<Item = P> + Send, call: impl Fn(usize, P) + Sync) {
    let count = parts.len();
    let parts = Mutex::new(parts.enumerate());
    each(count, &|_| {
        let next = parts.lock().unwrap_or_else(PoisonError::into_inner).next();
        if let Some((i, part)) = next {
            call(i, part);
        }
    });
}

/// Writes `element(0)` to the first place, `element(1)` to the second, and so on.
pub fn write<T: Send>(to: &mut [T], element: impl Fn(usize) -> T + Sync) {
    each_part(to.chunks_mut(PART), |p, part| {
        for (i, to) in part.iter_mut().enumerate() {
            *to = element(p * PART + i);
        }
    });
}

/// Appends `element(0)`, `element(1)`, … `element(n - 1)`.
pub fn extend<T: Send>(to: &mut Vec<T>, n: usize, element: impl Fn(usize) -> T + Sync) {
    to.reserve(n);
    write(&mut to.spare_capacity_mut()[..n], |i| MaybeUninit::new(element(i)));
    // SAFETY: each of the n elements behind the others was written. Had one of the calls panicked, so had the loop.
    unsafe { to.set_len(to.len() + n) };
}

/// Collects `element(0)`, `element(1)`, … `element(n - 1)`.
pub fn fill<T: Send>(n: usize, element: impl Fn(usize) -> T + Sync) -> Vec<T> {
    let mut elements = Vec::new();
    extend(&mut elements, n, element);
    elements
}

/// Converts each element of `from`.
pub fn map<A: Copy + Sync, B: Send>(from: &[A], convert: impl Fn(A) -> B + Sync) -> Vec<B> {
    fill(from.len(), |i| convert(from[i]))
}

/// Changes each element.
pub fn change<T: Send>(all: &mut [T], change: impl Fn(&mut T) + Sync) {
    each_part(all.chunks_mut(PART), |_, part| part.iter_mut().for_each(&change));
}

/// Collects `item(0)`, `item(1)`, … `item(count - 1)`, each of which is worth a task.
pub fn collect<T: Send>(count: usize, item: impl Fn(usize) -> T + Sync) -> Vec<T> {
    let mut items: Vec<Option<T>> = (0..count).map(|_| None).collect();
    each_part(items.iter_mut(), |i, to| *to = Some(item(i)));
    items.into_iter().flatten().collect()
}

/// Cuts `of` into parts of `size` elements and collects what `part` makes of them, in order. `part` is given the index
/// where its part begins, and the part.
pub fn parts_of<A: Sync, T: Send>(size: usize, of: &[A], part: impl Fn(usize, &[A]) -> T + Sync) -> Vec<T> {
    let slices: Vec<&[A]> = of.chunks(size).collect();
    collect(slices.len(), |i| part(i * size, slices[i]))
}

/// The same with a part for each thread.
pub fn parts<A: Sync, T: Send>(of: &[A], part: impl Fn(usize, &[A]) -> T + Sync) -> Vec<T> {
    parts_of(of.len().div_ceil(rayon::current_num_threads()).max(1), of, part)
}

/// Returns what `find` finds for the least number below `count` for which it finds anything. Greater numbers may be
/// left out.
pub fn find<T: Send>(count: usize, find: impl Fn(usize) -> Option<T> + Sync) -> Option<T> {
    let first = AtomicUsize::new(count);
    let found = Mutex::new(None);
    each(count, &|i| {
        if i < first.load(Ordering::Relaxed)
            && let Some(this) = find(i)
        {
            let mut found = found.lock().unwrap_or_else(PoisonError::into_inner);
            if first.fetch_min(i, Ordering::Relaxed) > i {
                *found = Some(this);
            }
        }
    });
    found.into_inner().unwrap_or_else(PoisonError::into_inner)
}

/// Returns the first number below `n` for which `is_it` is true.
pub fn position(n: usize, is_it: impl Fn(usize) -> bool + Sync) -> Option<usize> {
    find(n.div_ceil(PART), |p| (p * PART..n.min(p * PART + PART)).find(|&i| is_it(i)))
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::panic::{AssertUnwindSafe, catch_unwind};

    const SIZES: [usize; 6] = [0, 1, PART - 1, PART, PART + 1, 5 * PART + 3];

    #[test]
    fn elements_are_in_their_order() {
        for n in SIZES {
            let numbers = fill(n, |i| i as u32);
            assert!(numbers.iter().copied().eq(0..n as u32));
            assert_eq!(map(&numbers, u64::from), fill(n, |i| i as u64));
            let mut changed = numbers.clone();
            write(&mut changed, |i| i as u32 / 2);
            assert!(changed.iter().enumerate().all(|(i, &half)| half as usize == i / 2));
            changed.copy_from_slice(&numbers);
            change(&mut changed, |i| *i += 1);
            assert!(changed.iter().copied().eq(1..n as u32 + 1));
            extend(&mut changed, n, |i| i as u32);
            assert_eq!(changed[n..], numbers);
            let few = n.min(99);
            assert_eq!(collect(few, |i| i.to_string()), (0..few).map(|i| i.to_string()).collect::<Vec<_>>());
            assert_eq!(parts(&numbers, |_, part| part.to_vec()).concat(), numbers);
            assert_eq!(parts_of(1000, &numbers, |_, part| part.len()).len(), n.div_ceil(1000));
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
                assert_eq!(find(n, |i| (i >= first).then(|| i.to_string())), (first < n).then(|| first.to_string()));
            }
        }
    }

    #[test]
    fn a_panic_leaves_a_vector_as_it_was() {
        let mut all = vec!["one".to_string()];
        let unfinished = |i: usize| if i == PART + 5 { panic!("not this one") } else { i.to_string() };
        assert!(catch_unwind(AssertUnwindSafe(|| extend(&mut all, 3 * PART, unfinished))).is_err());
        assert_eq!(all, ["one"]);
    }
}
