//! `multisplit`: split keys into buckets on the best device of this machine.
//!
//! [`commands`] has a module for each command. [`paper`] runs the paper's experiments, [`report`] makes documents of
//! rows, [`mod@bench`] measures them, [`charts`] draws, and [`shared`] is what all use. Modules use each other in this
//! direction only.

mod bench;
mod charts;
mod commands;
mod paper;
mod report;
mod shared;

use clap::Parser;
use commands::Arguments;
use shared::messages::complain;
use shared::usage::UsageError;
use std::ffi::OsString;
use std::io;

pub use shared::program::Program;

/// Runs the program with these arguments, of which the first is its name, and returns its exit code. What it is started
/// again by, and where its code is, `program` says.
pub fn run(arguments: impl IntoIterator<Item = OsString>, program: Program) -> u8 {
    program.set();
    let arguments = match Arguments::try_parse_from(arguments) {
        Ok(arguments) => arguments,
        Err(said) => return refused(&said),
    };
    match commands::run(arguments) {
        Ok(()) => 0,
        // The reader of the output has seen enough.
        Err(error) if is_broken_pipe(&error) => 0,
        Err(error) => {
            if error.is::<UsageError>() {
                complain(format!("{error:#}\n\nFor more information, try '--help'."));
                return 2;
            }
            complain(format!("{error:#}"));
            1
        }
    }
}

/// Prints help, or what the parser does not take, in the style of all other errors.
fn refused(said: &clap::Error) -> u8 {
    let text = said.render().to_string();
    match text.strip_prefix("error: ") {
        Some(message) => complain(message.trim_end()),
        // With colours where that is a terminal.
        None => {
            let _ = said.print();
        }
    }
    said.exit_code() as u8
}

fn is_broken_pipe(error: &anyhow::Error) -> bool {
    let kind = error.chain().find_map(|cause| cause.downcast_ref::<io::Error>()).map(io::Error::kind);
    kind == Some(io::ErrorKind::BrokenPipe)
}
