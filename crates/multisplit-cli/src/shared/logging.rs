//! The library's messages on standard error, for `--verbose`.

use log::{LevelFilter, Log, Metadata, Record};
use std::io::{self, Write};

struct Messages;

impl Log for Messages {
    fn enabled(&self, metadata: &Metadata<'_>) -> bool {
        metadata.target().starts_with("multisplit")
    }

    fn log(&self, record: &Record<'_>) {
        if self.enabled(record.metadata()) {
            let _ = writeln!(io::stderr(), "{}", record.args());
        }
    }

    fn flush(&self) {}
}

/// Prints the messages of the library from now on.
pub fn start() {
    if log::set_logger(&Messages).is_ok() {
        log::set_max_level(LevelFilter::Info);
    }
}
