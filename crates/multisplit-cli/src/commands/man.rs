//! `multisplit man`: pages for `man`, one for each command.

use super::Arguments;
use crate::shared::output_files::{OutputFile, commit};
use crate::shared::version::VERSION;
use anyhow::{Context, Result};
use clap::{Args, Command, CommandFactory};
use clap_mangen::Man;
use std::fs;
use std::io::{self, Write};
use std::path::{Path, PathBuf};

#[derive(Args, Clone, Debug)]
pub struct ManArguments {
    /// The folder for the pages, multisplit.1, multisplit-split.1 and so on. It is made if it is not there.
    #[arg(short, long, value_name = "FOLDER")]
    pub output: PathBuf,
}

/// Runs `multisplit man`.
pub fn run(raw: &ManArguments) -> Result<()> {
    let folder = raw.output.as_path();
    fs::create_dir_all(folder).with_context(|| format!("--output {}", folder.display()))?;
    let mut command = Arguments::command().disable_help_subcommand(true);
    // Names the commands within others, and gives them the options that all have.
    command.build();
    let mut files = Vec::new();
    pages(&command, folder, &mut files)?;
    let count = files.len();
    commit(files)?;
    Ok(writeln!(io::stdout(), "{}: {count} pages", folder.display())?)
}

/// Writes the pages of a command and of those within it.
fn pages(command: &Command, folder: &Path, files: &mut Vec<OutputFile>) -> Result<()> {
    let inner = command.get_subcommands().filter(|inner| !inner.is_hide_set());
    for inner in inner {
        pages(inner, folder, files)?;
    }
    let page = Man::new(command.clone()).source(format!("multisplit {VERSION}")).manual("multisplit");
    let path = folder.join(page.get_filename());
    let mut text = Vec::new();
    page.render(&mut text)?;
    // What follows the options of a command is its example.
    let text = String::from_utf8(text)?.replace(".SH EXTRA\n", ".SH EXAMPLE\n");
    files.push(OutputFile::written(&path, &mut |to| Ok(to.write_all(text.as_bytes())?))?);
    Ok(())
}
