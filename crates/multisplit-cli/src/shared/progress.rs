//! Progress on standard error, where that is a terminal, and never with `--quiet`.
//!
//! A [`Stage`] is what a command is doing, such as reading a file. It is shown once it takes longer than a moment. Code
//! that moves bytes tells with [`advance`], and need not know which stage that is a part of.

use super::messages::is_quiet;
use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use std::io::{self, IsTerminal, Read, Seek, SeekFrom, Write};
use std::sync::mpsc::{self, RecvTimeoutError, Sender};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::thread::{self, JoinHandle};
use std::time::Duration;

/// How long a stage may take before it is shown.
const MOMENT: Duration = Duration::from_millis(500);
const TICK: Duration = Duration::from_millis(200);

/// Of a stage, of one that moves bytes, and of one that is known to move so many.
const TEMPLATES: [&str; 3] =
    ["{spinner} {msg}, {elapsed}", "{spinner} {msg}, {bytes}", "{bar:30} {bytes}/{total_bytes} {msg}"];

/// The stage that is on, if it may be shown.
static CURRENT: Mutex<Option<ProgressBar>> = Mutex::new(None);

/// Returns a bar of so many steps.
pub fn bar(steps: u64) -> ProgressBar {
    let target = if is_quiet() { ProgressDrawTarget::hidden() } else { ProgressDrawTarget::stderr() };
    ProgressBar::with_draw_target(Some(steps), target)
}

/// What a command is doing, until it is dropped.
pub struct Stage {
    bar: ProgressBar,
    /// Dropped when the stage ends.
    end: Option<Sender<()>>,
    wait: Option<JoinHandle<()>>,
}

/// Begins a stage, if it may be shown. One within another is a part of it.
pub fn stage(what: impl Into<String>) -> Option<Stage> {
    begin(what.into(), TEMPLATES[0])
}

/// Begins a stage that moves bytes.
pub fn transfer(what: impl Into<String>) -> Option<Stage> {
    begin(what.into(), TEMPLATES[1])
}

/// Tells that the stage that is on has moved so many bytes more.
pub fn advance(bytes: usize) {
    if let Some(bar) = &*current() {
        bar.inc(bytes as u64);
    }
}

/// Tells how many bytes the stage that is on will move from here on.
pub fn expect(bytes: u64) {
    if let Some(bar) = &*current() {
        bar.set_style(style(TEMPLATES[2]));
        bar.set_position(0);
        bar.set_length(bytes);
    }
}

/// A reader or a writer that tells how far it is.
pub struct Moving<T>(pub T);

impl<R: Read> Read for Moving<R> {
    fn read(&mut self, bytes: &mut [u8]) -> io::Result<usize> {
        let read = self.0.read(bytes)?;
        advance(read);
        Ok(read)
    }
}

impl<W: Write> Write for Moving<W> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let written = self.0.write(bytes)?;
        advance(written);
        Ok(written)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.0.flush()
    }
}

impl<S: Seek> Seek for Moving<S> {
    fn seek(&mut self, to: SeekFrom) -> io::Result<u64> {
        self.0.seek(to)
    }
}

fn begin(what: String, template: &str) -> Option<Stage> {
    let mut current = current();
    if current.is_some() || is_quiet() || !io::stderr().is_terminal() {
        return None;
    }
    let bar = ProgressBar::with_draw_target(None, ProgressDrawTarget::hidden());
    bar.set_style(style(template));
    bar.set_message(what);
    *current = Some(bar.clone());
    let (end, ended) = mpsc::channel::<()>();
    let later = bar.clone();
    let show = move || {
        if ended.recv_timeout(MOMENT) == Err(RecvTimeoutError::Timeout) {
            later.set_draw_target(ProgressDrawTarget::stderr());
            later.enable_steady_tick(TICK);
        }
    };
    let wait = thread::Builder::new().name("progress".into()).spawn(show).ok();
    Some(Stage { bar, end: Some(end), wait })
}

impl Drop for Stage {
    fn drop(&mut self) {
        *current() = None;
        drop(self.end.take());
        // From here on nothing shows it.
        let _ = self.wait.take().map(JoinHandle::join);
        self.bar.finish_and_clear();
    }
}

fn style(template: &str) -> ProgressStyle {
    ProgressStyle::with_template(template).unwrap_or_else(|_| ProgressStyle::default_bar())
}

fn current() -> MutexGuard<'static, Option<ProgressBar>> {
    CURRENT.lock().unwrap_or_else(PoisonError::into_inner)
}
