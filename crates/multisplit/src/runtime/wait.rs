//! Waits for a device.
//!
//! CubeCL submits on a thread of its own. When that has had nothing to do for some 100 us it sleeps, and looks for work
//! every 150 to 200 us only: a call that comes just after a long kernel would take as much longer. So a thread that has
//! a device to itself waits there, on CubeCL's thread, which then goes on at once. That takes some 4 us more, so it does
//! where its last wait was long. Of several threads each waits by itself, so that none keeps the others from submitting.

use super::client::Gpu;
use super::facts::Dialect;
use crate::error::Result;
use cubecl::future::block_on;
use cubecl::prelude::*;
use cubecl::server::ServerError;
use std::sync::atomic::Ordering::Relaxed;
use std::sync::atomic::{AtomicBool, AtomicUsize};
use std::time::{Duration, Instant};

/// A wait after which CubeCL's thread may sleep.
const LONG: Duration = Duration::from_micros(60);

/// Which threads use a device, one after the other.
#[derive(Default)]
pub(super) struct Turns {
    /// The thread that has used it last.
    last: AtomicUsize,
    /// How often it was another one than before.
    changes: AtomicUsize,
    /// The same when a thread waited last.
    waited: AtomicUsize,
    /// Whether that wait was long.
    was_long: AtomicBool,
}

impl Turns {
    /// Notes that this thread uses the device.
    pub fn take(&self) {
        let this = this_thread();
        if self.last.load(Relaxed) != this {
            self.last.store(this, Relaxed);
            self.changes.fetch_add(1, Relaxed);
        }
    }

    /// Whether nobody else has used it since this thread waited last. It is about to wait again.
    fn is_alone(&self) -> bool {
        self.take();
        let changes = self.changes.load(Relaxed);
        self.waited.swap(changes, Relaxed) == changes
    }
}

/// A number that no other thread has at the same time.
fn this_thread() -> usize {
    thread_local!(static HERE: u8 = const { 0 });
    HERE.with(|here| std::ptr::from_ref(here).addr())
}

impl<R: Runtime> Gpu<R> {
    /// Asks the device something, and waits for the answer.
    pub(super) fn ask_and_wait<'a, T: Send + 'static, F>(
        &'a self,
        ask: impl FnOnce(&'a ComputeClient<R>) -> F + Send,
    ) -> Result<T>
    where
        F: Future<Output = std::result::Result<T, ServerError>> + Send,
    {
        let lock = self.server.errors.shared();
        let begin = Instant::now();
        let answer = if self.waits_there() {
            self.server.answer(|| self.client.exclusive(|| block_on(ask(&self.client)))?)
        } else {
            let answer = self.server.ask(|| ask(&self.client))?;
            drop(lock);
            self.server.answer(|| block_on(answer))
        };
        self.has_waited(begin);
        answer
    }

    /// Waits for the answer to what was asked before.
    pub(super) fn wait<T: Send + 'static>(
        &self,
        answer: impl Future<Output = std::result::Result<T, ServerError>> + Send,
    ) -> Result<T> {
        let begin = Instant::now();
        let answer = if self.waits_there() {
            self.server.answer(|| self.client.exclusive(|| block_on(answer))?)
        } else {
            self.server.answer(|| block_on(answer))
        };
        self.has_waited(begin);
        answer
    }

    /// Whether this thread is to wait on CubeCL's. Answers of other devices may take that thread to arrive.
    fn waits_there(&self) -> bool {
        let turns = &self.server.turns;
        self.facts.dialect == Dialect::Cuda && turns.is_alone() && turns.was_long.load(Relaxed)
    }

    fn has_waited(&self, begin: Instant) {
        self.server.turns.was_long.store(begin.elapsed() >= LONG, Relaxed);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::thread;

    #[test]
    fn a_thread_is_alone_until_another_one_comes() {
        let turns = Turns::default();
        assert!(!turns.is_alone());
        assert!(turns.is_alone());
        thread::scope(|scope| {
            scope.spawn(|| turns.take());
        });
        assert!(!turns.is_alone(), "another thread was there");
        assert!(turns.is_alone(), "and has gone");
        thread::scope(|scope| {
            scope.spawn(|| assert!(!turns.is_alone(), "this one was there"));
        });
        assert!(!turns.is_alone());
    }
}
