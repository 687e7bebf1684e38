//! What is said on standard error beside errors: nothing with `--quiet`.

use std::fmt::Display;
use std::io::{self, Write};
use std::sync::atomic::{AtomicBool, Ordering};

static QUIET: AtomicBool = AtomicBool::new(false);

/// Says nothing but errors from now on.
pub fn be_quiet() {
    QUIET.store(true, Ordering::Relaxed);
}

/// Returns whether nothing but errors is said.
pub fn is_quiet() -> bool {
    QUIET.load(Ordering::Relaxed)
}

/// Writes a note on standard error.
pub fn note(text: impl Display) {
    if !is_quiet() {
        complain(text);
    }
}

/// Writes on standard error what is wrong.
pub fn complain(text: impl Display) {
    let _ = writeln!(io::stderr(), "multisplit: {text}");
}
