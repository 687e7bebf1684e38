//! `multisplit`: split keys into buckets on the best device of this machine.
//!
//! Arguments as typed ([`args`]) become a validated plan ([`plan`]), which is run ([`demo`]) and reported ([`report`]).

mod args;
mod data;
mod demo;
mod limits;
mod plan;
mod report;

use args::{Arguments, Command};
use clap::Parser;
use std::io::{self, Write};
use std::process::ExitCode;

fn main() -> ExitCode {
    let arguments = Arguments::parse();
    match run(arguments) {
        Ok(()) => ExitCode::SUCCESS,
        // Whoever read our output has seen enough.
        Err(error) if is_broken_pipe(&error) => ExitCode::SUCCESS,
        Err(error) => {
            let _ = writeln!(io::stderr(), "multisplit: {error:#}");
            ExitCode::FAILURE
        }
    }
}

fn run(arguments: Arguments) -> anyhow::Result<()> {
    match arguments.command.unwrap_or_default() {
        Command::Devices => report::devices(&mut io::stdout().lock(), None),
        Command::Demo(raw) => demo::run(&plan::Plan::new(&raw)?),
    }
}

fn is_broken_pipe(error: &anyhow::Error) -> bool {
    let kind = error.chain().find_map(|cause| cause.downcast_ref::<io::Error>()).map(io::Error::kind);
    kind == Some(io::ErrorKind::BrokenPipe)
}
