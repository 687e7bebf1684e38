//! `multisplit completions`: what shells need to complete command lines.

use super::Arguments;
use anyhow::Result;
use clap::{Args, CommandFactory};
use clap_complete::Shell;
use std::io::{self, Write};

#[derive(Args, Clone, Debug)]
pub struct CompletionsArguments {
    /// The shell. Bash takes what is printed as a file in its folder of completions, or by `source`; others likewise.
    pub shell: Shell,
}

/// Runs `multisplit completions`.
pub fn run(raw: &CompletionsArguments) -> Result<()> {
    // Into memory first: what writes it does not take an error.
    let mut script = Vec::new();
    clap_complete::generate(raw.shell, &mut Arguments::command(), "multisplit", &mut script);
    Ok(io::stdout().write_all(&script)?)
}
