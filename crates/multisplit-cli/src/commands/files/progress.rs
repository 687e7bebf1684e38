//! How far work on large files is, on standard error.

use indicatif::{ProgressBar, ProgressStyle};

/// A bar that counts rows. It is seen on terminals only.
pub struct Progress(ProgressBar);

impl Progress {
    pub fn new(rows: u64) -> Self {
        let bar = ProgressBar::new(rows);
        if let Ok(style) = ProgressStyle::with_template("{bar:30} {percent}% {msg} {elapsed}") {
            bar.set_style(style);
        }
        Self(bar)
    }

    /// Begins a pass over all rows.
    pub fn pass(&self, what: &'static str) {
        self.0.set_message(what);
        self.0.set_position(0);
    }

    /// Says how many rows of this pass are done.
    pub fn set(&self, rows: u64) {
        self.0.set_position(rows);
    }

    /// Says that so many more are done.
    pub fn add(&self, rows: u64) {
        self.0.inc(rows);
    }
}

impl Drop for Progress {
    fn drop(&mut self) {
        self.0.finish_and_clear();
    }
}
