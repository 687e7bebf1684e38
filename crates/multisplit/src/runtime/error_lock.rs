//! Who may ask a device what went wrong, and when.

use std::marker::PhantomData;
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};
use std::thread::{self, ThreadId};

/// Keeps the errors of a first run for the thread that waits for it.
///
/// A device reports a launch that failed to whoever asks next. So a thread that has a kernel run for the first time
/// holds this lock exclusively until it has asked, and all others share it while they ask. Once a kernel has run,
/// launches do not fail.
#[derive(Default)]
pub(super) struct ErrorLock {
    state: Mutex<State>,
    changed: Condvar,
}

#[derive(Default)]
struct State {
    /// The thread that holds it exclusively, and how often.
    owner: Option<(ThreadId, usize)>,
    /// How many share it.
    shared: usize,
}

impl State {
    /// Whether no other thread holds it exclusively.
    fn is_mine(&self) -> bool {
        self.owner.is_none_or(|(owner, _)| owner == thread::current().id())
    }
}

impl ErrorLock {
    /// Waits until no other thread holds the lock exclusively.
    pub fn shared(&self) -> Shared<'_> {
        self.wait(State::is_mine).shared += 1;
        Shared(self)
    }

    /// Waits until no other thread holds the lock. The thread that does may lock it again, in both ways.
    pub fn exclusive(&self) -> Exclusive<'_> {
        let mut state = self.wait(|state| state.is_mine() && (state.shared == 0 || state.owner.is_some()));
        let depth = state.owner.map_or(0, |(_, depth)| depth);
        state.owner = Some((thread::current().id(), depth + 1));
        Exclusive(self, PhantomData)
    }

    fn wait(&self, ready: impl Fn(&State) -> bool) -> MutexGuard<'_, State> {
        self.changed.wait_while(self.lock(), |state| !ready(state)).unwrap_or_else(PoisonError::into_inner)
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Shares the lock until it is dropped.
#[must_use]
pub(super) struct Shared<'a>(&'a ErrorLock);

impl Drop for Shared<'_> {
    fn drop(&mut self) {
        self.0.lock().shared -= 1;
        self.0.changed.notify_all();
    }
}

/// Holds the lock exclusively until it is dropped, by the thread that locked it: it is not `Send`.
#[must_use]
pub(super) struct Exclusive<'a>(&'a ErrorLock, PhantomData<*const ()>);

impl Drop for Exclusive<'_> {
    fn drop(&mut self) {
        let mut state = self.0.lock();
        state.owner = state.owner.filter(|&(_, depth)| depth > 1).map(|(owner, depth)| (owner, depth - 1));
        drop(state);
        self.0.changed.notify_all();
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::atomic::{AtomicU32, Ordering};

    /// Whoever holds it exclusively may share it, and lock it again; others wait.
    #[test]
    fn one_at_a_time() {
        let (lock, inside, most) = (ErrorLock::default(), AtomicU32::new(0), AtomicU32::new(0));
        let visit = || {
            {
                let _lock = lock.exclusive();
                let now = inside.fetch_add(1, Ordering::SeqCst) + 1;
                most.fetch_max(now, Ordering::SeqCst);
                {
                    let _again = lock.exclusive();
                    let _shared = lock.shared();
                    thread::yield_now();
                }
                inside.fetch_sub(1, Ordering::SeqCst);
            }
            let _lock = lock.shared();
            assert_eq!(inside.load(Ordering::SeqCst), 0);
        };
        thread::scope(|scope| {
            for _ in 0..4 {
                scope.spawn(|| (0..200).for_each(|_| visit()));
            }
        });
        assert_eq!(most.into_inner(), 1);
    }
}
