//! Threads, before and after a fork.
//!
//! A process that was forked has none of the threads of the one that it was forked from, and work that is handed to
//! them would never be done. So it has threads of its own, which are started when they are first needed.

use crate::error::Error;
use pyo3::PyResult;
use rayon::{ThreadPool, ThreadPoolBuilder};
use std::process::id;
use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

/// The first process that worked: its threads are rayon's own.
static FIRST: AtomicU32 = AtomicU32::new(0);

/// The threads of a process that was forked, with its number.
static FORKED: Mutex<Option<(u32, Arc<ThreadPool>)>> = Mutex::new(None);

/// Works on threads of this process.
pub fn on_threads<T: Send>(work: impl FnOnce() -> PyResult<T> + Send) -> PyResult<T> {
    let this = id();
    let first = FIRST.compare_exchange(0, this, Ordering::Relaxed, Ordering::Relaxed).unwrap_or_else(|first| first);
    if first == 0 || first == this { work() } else { forked(this)?.install(work) }
}

fn forked(this: u32) -> PyResult<Arc<ThreadPool>> {
    let mut forked = FORKED.lock().unwrap_or_else(PoisonError::into_inner);
    if let Some((_, pool)) = forked.as_ref().filter(|(process, _)| *process == this) {
        return Ok(pool.clone());
    }
    let pool = ThreadPoolBuilder::new().num_threads(rayon::current_num_threads()).build();
    let pool = Arc::new(pool.map_err(|error| Error::new_err(format!("threads cannot be started: {error}")))?);
    // Those of a process that this one was forked from are not there, and cannot be waited for.
    std::mem::forget(forked.replace((this, pool.clone())));
    Ok(pool)
}
