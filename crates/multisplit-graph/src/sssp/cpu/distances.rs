//! Distances that many threads lower at once, without locks.

use crate::graph::Weight;
use crate::parallel;
use std::marker::PhantomData;
use std::sync::atomic::{AtomicU32, Ordering::Relaxed};

/// A distance for every vertex. None ever grows.
pub(super) struct Distances<W> {
    /// As order-preserving bits, so that one atomic minimum serves all types.
    ordered: Vec<AtomicU32>,
    weight: PhantomData<W>,
}

impl<W: Weight> Distances<W> {
    /// All unreachable.
    pub(super) fn new(n: usize) -> Self {
        let ordered = parallel::fill(n, |_| AtomicU32::new(W::UNREACHABLE.to_ordered()));
        Self { ordered, weight: PhantomData }
    }

    #[inline(always)]
    pub(super) fn get(&self, v: u32) -> W {
        W::from_ordered(self.ordered[v as usize].load(Relaxed))
    }

    /// Lowers the distance of `v`, if the new one is less. Returns whether it was: true for one of those threads that
    /// bring the same distance.
    #[inline(always)]
    pub(super) fn lower(&self, v: u32, distance: W) -> bool {
        let (slot, new) = (&self.ordered[v as usize], distance.to_ordered());
        // Most arcs lower nothing, and reading is cheaper than an atomic minimum.
        new < slot.load(Relaxed) && new < slot.fetch_min(new, Relaxed)
    }

    pub(super) fn into_vec(self) -> Vec<W> {
        parallel::fill(self.ordered.len(), |v| self.get(v as u32))
    }
}
