//! Who may ask a device what went wrong, and when.

use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};
use std::thread::{self, ThreadId};

/// Keeps the errors of a first run for the thread that waits for it.
///
/// A device reports a launch that failed to whoever asks next. So a thread that has a kernel run for the first time
/// has the device to itself until it has asked, and others wait before they ask. Once a kernel has run, launches do
/// not fail.
#[derive(Default)]
pub(super) struct Turns {
    state: Mutex<State>,
    changed: Condvar,
}

#[derive(Default)]
struct State {
    /// The thread that has the device to itself, and how often it has asked for that.
    owner: Option<(ThreadId, usize)>,
    /// Threads that are asking.
    asking: usize,
}

impl State {
    fn is_mine(&self) -> bool {
        self.owner.is_none_or(|(owner, _)| owner == thread::current().id())
    }
}

impl Turns {
    /// Runs `call`, which asks the device, when no other thread has it to itself.
    pub fn ask<T>(&self, call: impl FnOnce() -> T) -> T {
        self.wait(State::is_mine).asking += 1;
        let _done = Done(|| self.lock().asking -= 1, &self.changed);
        call()
    }

    /// Runs `call` while no other thread asks the device.
    pub fn alone<T>(&self, call: impl FnOnce() -> T) -> T {
        let mut state = self.wait(|state| state.is_mine() && (state.asking == 0 || state.owner.is_some()));
        let depth = state.owner.map_or(0, |(_, depth)| depth);
        state.owner = Some((thread::current().id(), depth + 1));
        drop(state);
        let _done = Done(
            || {
                let mut state = self.lock();
                state.owner = state.owner.filter(|&(_, depth)| depth > 1).map(|(owner, depth)| (owner, depth - 1));
            },
            &self.changed,
        );
        call()
    }

    fn wait(&self, ready: impl Fn(&State) -> bool) -> MutexGuard<'_, State> {
        self.changed.wait_while(self.lock(), |state| !ready(state)).unwrap_or_else(PoisonError::into_inner)
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Runs a function when it is dropped, also by a panic, and wakes who waits.
struct Done<'a, F: FnMut()>(F, &'a Condvar);

impl<F: FnMut()> Drop for Done<'_, F> {
    fn drop(&mut self) {
        (self.0)();
        self.1.notify_all();
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::atomic::{AtomicU32, Ordering};

    /// Whoever is alone may ask, and be alone again; others wait for it.
    #[test]
    fn one_at_a_time() {
        let (turns, inside, most) = (Turns::default(), AtomicU32::new(0), AtomicU32::new(0));
        let visit = || {
            turns.alone(|| {
                let now = inside.fetch_add(1, Ordering::SeqCst) + 1;
                most.fetch_max(now, Ordering::SeqCst);
                turns.alone(|| turns.ask(thread::yield_now));
                inside.fetch_sub(1, Ordering::SeqCst);
            });
            // Nobody is alone while this asks.
            turns.ask(|| assert_eq!(inside.load(Ordering::SeqCst), 0));
        };
        thread::scope(|scope| {
            for _ in 0..4 {
                scope.spawn(|| (0..200).for_each(|_| visit()));
            }
        });
        assert_eq!(most.into_inner(), 1);
    }
}
