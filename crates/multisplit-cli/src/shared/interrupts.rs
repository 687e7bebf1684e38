//! Temporary files are removed when a signal ends the program.
//!
//! Those that are not in place yet are known here. The first one starts a thread that waits for signals: it removes
//! them all, and ends the program as the signal would have ended it.

use std::io;
use std::ops::{Deref, DerefMut};
use std::path::{Path, PathBuf};
use std::sync::{Mutex, MutexGuard, PoisonError};

/// Files and folders to remove.
static TEMPORARY: Mutex<Vec<PathBuf>> = Mutex::new(Vec::new());

/// Held while files are moved to their places: a signal waits until all of them are there.
static MOVING: Mutex<()> = Mutex::new(());

/// A temporary file or folder that a signal removes.
pub struct Temporary<T> {
    /// Dropped first, which removes it.
    inner: T,
    known: Known,
}

/// A path that is known until this is dropped.
pub struct Known(PathBuf);

/// Creates a temporary file or folder.
pub fn create<T: AsRef<Path>>(create: impl FnOnce() -> io::Result<T>) -> io::Result<Temporary<T>> {
    #[cfg(unix)]
    signals::wait_for_them();
    // Locked before it is there, so that no signal comes between.
    let mut temporary = lock(&TEMPORARY);
    let inner = create()?;
    let path = inner.as_ref().to_path_buf();
    temporary.push(path.clone());
    Ok(Temporary { inner, known: Known(path) })
}

impl<T> Temporary<T> {
    /// Returns the file or folder, and what removes it as long as it lives.
    pub fn into_parts(self) -> (T, Known) {
        (self.inner, self.known)
    }
}

impl<T> Deref for Temporary<T> {
    type Target = T;

    fn deref(&self) -> &T {
        &self.inner
    }
}

impl<T> DerefMut for Temporary<T> {
    fn deref_mut(&mut self) -> &mut T {
        &mut self.inner
    }
}

/// Makes signals wait until the result is dropped.
pub fn hold() -> MutexGuard<'static, ()> {
    lock(&MOVING)
}

impl Drop for Known {
    fn drop(&mut self) {
        let mut temporary = lock(&TEMPORARY);
        if let Some(at) = temporary.iter().position(|path| *path == self.0) {
            temporary.swap_remove(at);
        }
    }
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

#[cfg(unix)]
mod signals {
    use super::{MOVING, TEMPORARY, lock};
    use signal_hook::consts::{SIGHUP, SIGINT, SIGTERM};
    use signal_hook::iterator::Signals;
    use signal_hook::low_level::emulate_default_handler;
    use std::fs;
    use std::path::Path;
    use std::sync::{Once, mpsc};
    use std::thread;
    use std::time::Duration;

    /// How often a folder is tried to be removed: another thread may still add files to it.
    const TRIES: u32 = 100;

    /// Starts the thread that waits for signals, once. If that cannot be, they end the program as ever.
    pub fn wait_for_them() {
        static START: Once = Once::new();
        START.call_once(|| {
            let (ready, is_ready) = mpsc::channel();
            let wait = move || {
                let all = [SIGINT, SIGTERM, SIGHUP].into_iter().filter(|&signal| !is_ignored(signal));
                let signals = Signals::new(all);
                let _ = ready.send(());
                if let Ok(mut signals) = signals {
                    signals.forever().for_each(end);
                }
            };
            // Signals are taken by the thread itself: nobody takes any where there cannot be one.
            if thread::Builder::new().name("signals".into()).spawn(wait).is_ok() {
                let _ = is_ready.recv();
            }
        });
    }

    /// Removes all temporary files, and ends the program by this signal. Nothing is created or moved any more.
    fn end(signal: i32) {
        let _moving = lock(&MOVING);
        let temporary = lock(&TEMPORARY);
        temporary.iter().for_each(|path| remove(path));
        let _ = emulate_default_handler(signal);
    }

    fn remove(path: &Path) {
        if fs::remove_file(path).is_ok() {
            return;
        }
        for _ in 0..TRIES {
            if fs::remove_dir_all(path).is_ok() || !path.exists() {
                return;
            }
            thread::sleep(Duration::from_millis(1));
        }
    }

    /// Returns whether whoever started the program has it ignore a signal, as `nohup` does.
    #[cfg(target_os = "linux")]
    fn is_ignored(signal: i32) -> bool {
        let status = fs::read_to_string("/proc/self/status").unwrap_or_default();
        let mask = status.lines().find_map(|line| line.strip_prefix("SigIgn:"));
        let mask = mask.and_then(|mask| u64::from_str_radix(mask.trim(), 16).ok()).unwrap_or(0);
        mask >> (signal - 1) & 1 == 1
    }

    /// The system does not say. `nohup` takes programs from the terminal.
    #[cfg(not(target_os = "linux"))]
    fn is_ignored(signal: i32) -> bool {
        use std::io::IsTerminal;
        signal == SIGHUP && !std::io::stderr().is_terminal()
    }
}
