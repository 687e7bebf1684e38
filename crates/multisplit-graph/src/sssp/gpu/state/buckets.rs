//! The state of a search whose vertices wait in lists, one for each of many buckets of distances.
//!
//! Buckets are numbered from 0. Each bucket of a *window* has a list; vertices beyond the window wait in the far pile.
//! Hubs wait in a queue of their own once their list is taken. All these queues are alike: each has two rows, of which
//! one is written while the other is taken, and a bit that says which. A row has room for as many entries as there are
//! vertices. If that is not enough, the search restarts with the distances that it has.
//!
//! As in [`control`](super::control), every step has a slot of words that do not change while they are read. They count
//! the vertices in each queue, in two parts: those that were left, and those that the step before has added.

use super::control::{HEAD, NONE, Status};

/// Buckets that have a list: a power of two.
pub(crate) const LISTS: u32 = 16;
/// Queues after the lists: hubs, and the far pile.
pub(crate) const HUB_QUEUE: u32 = 0;
pub(crate) const FAR_PILE: u32 = 1;
/// All queues.
pub(crate) const QUEUES: u32 = LISTS + 2;

/// Slots for steps: more than the steps of a launch.
pub(crate) const SLOTS: u32 = 64;
/// In a slot: how many vertices were left in each queue, and how many were added.
pub(crate) const LEFT: u32 = 0;
pub(crate) const ADDED: u32 = QUEUES;
/// In a slot: which row of each queue is taken next, a bit each.
pub(crate) const ROWS: u32 = 2 * QUEUES;
/// In a slot: the first bucket of the window.
pub(crate) const WINDOW: u32 = ROWS + 1;
/// In a slot: a lower bound of the distances in the far pile.
pub(crate) const LEAST: u32 = WINDOW + 1;
/// In a slot: the vertices that the step before took, and their arcs.
pub(crate) const TOOK: u32 = LEAST + 1;
pub(crate) const ARCS: u32 = TOOK + 1;
/// Words of a slot.
pub(crate) const SLOT: u32 = ARCS + 1;

/// The last bucket, which has no end.
pub(crate) const LAST_BUCKET: u32 = 1 << 30;

/// Not 0 if cubes have not waited for the others to end a step.
pub(crate) const PARTED: u32 = HEAD + SLOTS * SLOT;
/// Words that count the cubes that have ended a step, each in a sector of its own: one word for each slot.
pub(crate) const MEETINGS: u32 = PARTED + 1;
pub(crate) const MEETING: u32 = 8;

/// All control words, but for those of every cube.
pub(crate) const WORDS: u32 = MEETINGS + SLOTS * MEETING;

/// The control words at the start of a search: the source is in the list of the first bucket.
pub(crate) fn at_start() -> Vec<u32> {
    let mut words = vec![0; WORDS as usize];
    words[(HEAD + ADDED) as usize] = 1;
    for slot in 0..SLOTS {
        words[(HEAD + slot * SLOT + LEAST) as usize] = NONE;
    }
    words
}

/// The control words at a restart: all vertices are in the far pile, and the window is before all buckets, so that no
/// vertex can be in a list.
pub(crate) fn at_restart(vertices: u32) -> Vec<u32> {
    let mut words = at_start();
    words[(HEAD + ADDED) as usize] = 0;
    words[(HEAD + ADDED + LISTS + FAR_PILE) as usize] = vertices;
    words[(HEAD + LEAST) as usize] = 0;
    words[(HEAD + WINDOW) as usize] = 0u32.wrapping_sub(LISTS);
    words
}

/// The row of all vertices at a restart.
pub(crate) const RESTART_ROW: u32 = 2 * (LISTS + FAR_PILE);

/// How many entries wait in all queues.
pub(crate) fn waiting(status: &Status) -> u64 {
    let slot = HEAD + status.step() % SLOTS * SLOT;
    (slot + LEFT..slot + ADDED + QUEUES).map(|word| u64::from(status.word(word))).sum()
}

/// Whether cubes have gone on without waiting for others to the end.
pub(crate) fn has_parted(status: &Status) -> bool {
    status.word(PARTED) != 0
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn who_waits() {
        assert_eq!(waiting(&Status::new(at_start())), 1);
        let words = at_restart(7);
        // No bucket is before what comes after that window, so that none can be in a list.
        assert_eq!(words[(HEAD + WINDOW) as usize].wrapping_add(LISTS), 0);
        assert_eq!(words[(HEAD + LEAST) as usize], 0);
        assert_eq!(waiting(&Status::new(words)), 7);
    }
}
