use std::alloc::{GlobalAlloc, Layout, System};
use std::cell::Cell;
use std::sync::atomic::{AtomicIsize, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};

/// The system's allocator, except that one chosen large allocation fails.
///
/// ```
/// use test_support::FailingAllocator;
///
/// #[global_allocator]
/// static ALLOCATOR: FailingAllocator = FailingAllocator::of_at_least(4096);
///
/// fn main() {
///     let _alone = ALLOCATOR.alone();
///     let (reserved, has_failed) = ALLOCATOR.fail(0, || Vec::<u8>::new().try_reserve_exact(4096));
///     assert!(reserved.is_err() && has_failed);
/// }
/// ```
pub struct FailingAllocator {
    /// Bytes of the smallest allocation that can be made to fail.
    large: usize,
    /// How many large allocations succeed before one fails; negative if none fails.
    before_failure: AtomicIsize,
    turn: Mutex<()>,
}

impl FailingAllocator {
    /// An allocator whose allocations of at least `large` bytes can be made to fail.
    pub const fn of_at_least(large: usize) -> Self {
        Self { large, before_failure: AtomicIsize::new(-1), turn: Mutex::new(()) }
    }

    /// Runs one test at a time, because they share the allocator.
    pub fn alone(&self) -> Alone<'_> {
        let turn = self.turn.lock().unwrap_or_else(PoisonError::into_inner);
        IS_OVER.set(false);
        Alone { _turn: turn }
    }

    /// Runs `call`, and has its large allocation number `k` fail, counted from 0. Also returns whether it had that
    /// many.
    pub fn fail<T>(&self, k: isize, call: impl FnOnce() -> T) -> (T, bool) {
        self.before_failure.store(k, Ordering::SeqCst);
        let result = call();
        (result, self.before_failure.swap(-1, Ordering::SeqCst) < 0)
    }

    fn fails(&self, bytes: usize) -> bool {
        bytes >= self.large
            && !IS_OVER.get()
            && self.before_failure.load(Ordering::SeqCst) >= 0
            && self.before_failure.fetch_sub(1, Ordering::SeqCst) == 0
    }
}

thread_local! {
    /// Whether the test of this thread is over. What the thread allocates then, to report the result, is no part of the
    /// next test, which may have begun.
    static IS_OVER: Cell<bool> = const { Cell::new(false) };
}

/// The turn of one test; see [`FailingAllocator::alone`].
pub struct Alone<'a> {
    _turn: MutexGuard<'a, ()>,
}

impl Drop for Alone<'_> {
    fn drop(&mut self) {
        IS_OVER.set(true);
    }
}

// SAFETY: every call is passed on to the system's allocator, or returns null, which says that it failed.
unsafe impl GlobalAlloc for FailingAllocator {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        // SAFETY: the caller keeps what `alloc` requires.
        if self.fails(layout.size()) { std::ptr::null_mut() } else { unsafe { System.alloc(layout) } }
    }

    unsafe fn alloc_zeroed(&self, layout: Layout) -> *mut u8 {
        // SAFETY: the caller keeps what `alloc_zeroed` requires.
        if self.fails(layout.size()) { std::ptr::null_mut() } else { unsafe { System.alloc_zeroed(layout) } }
    }

    unsafe fn realloc(&self, memory: *mut u8, layout: Layout, size: usize) -> *mut u8 {
        // SAFETY: the caller keeps what `realloc` requires.
        if self.fails(size) { std::ptr::null_mut() } else { unsafe { System.realloc(memory, layout, size) } }
    }

    unsafe fn dealloc(&self, memory: *mut u8, layout: Layout) {
        // SAFETY: the caller keeps what `dealloc` requires.
        unsafe { System.dealloc(memory, layout) }
    }
}
