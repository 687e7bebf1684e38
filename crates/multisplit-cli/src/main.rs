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
use std::io;
use std::process::ExitCode;

fn main() -> ExitCode {
    if std::env::var_os("XDG_RUNTIME_DIR").is_none() {
        // SAFETY: nothing else runs yet.
        // Without a desktop, a layer of Mesa's Vulkan loader complains on standard error. This leaves it out.
        unsafe { std::env::set_var("NODEVICE_SELECT", "1") };
    }
    let arguments = match Arguments::try_parse() {
        Ok(arguments) => arguments,
        Err(said) => return refused(&said),
    };
    match commands::run(arguments) {
        Ok(()) => ExitCode::SUCCESS,
        // The reader of the output has seen enough.
        Err(error) if is_broken_pipe(&error) => ExitCode::SUCCESS,
        Err(error) => {
            if error.is::<UsageError>() {
                complain(format!("{error:#}\n\nFor more information, try '--help'."));
                return ExitCode::from(2);
            }
            complain(format!("{error:#}"));
            ExitCode::FAILURE
        }
    }
}

/// Prints help, or what the parser does not take, in the style of all other errors.
fn refused(said: &clap::Error) -> ExitCode {
    let text = said.render().to_string();
    match text.strip_prefix("error: ") {
        Some(message) => complain(message.trim_end()),
        // With colours where that is a terminal.
        None => {
            let _ = said.print();
        }
    }
    ExitCode::from(said.exit_code() as u8)
}

fn is_broken_pipe(error: &anyhow::Error) -> bool {
    let kind = error.chain().find_map(|cause| cause.downcast_ref::<io::Error>()).map(io::Error::kind);
    kind == Some(io::ErrorKind::BrokenPipe)
}
