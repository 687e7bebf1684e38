//! `multisplit`: split keys into buckets on the best device of this machine.
//!
//! Arguments as typed ([`args`]) become a validated plan ([`plan`]), which is run ([`demo`]) and reported
//! ([`report`]). Calls on files ([`files`]), the benchmarks ([`bench`]) and shortest paths ([`sssp`], with the graphs
//! of [`graph`]) go the same way.

mod args;
mod bench;
mod compile;
mod data;
mod demo;
mod files;
mod graph;
mod logging;
mod npy;
mod parallel;
mod plan;
mod report;
mod sequential;
mod sssp;
mod timing;

use args::{Arguments, Command};
use clap::Parser;
use std::io::{self, Write};
use std::path::PathBuf;
use std::process::ExitCode;

fn main() -> ExitCode {
    if std::env::var_os("XDG_RUNTIME_DIR").is_none() {
        // SAFETY: nothing else runs yet.
        // Without a desktop, a layer of Mesa's Vulkan loader complains on standard error. This leaves it out.
        unsafe { std::env::set_var("NODEVICE_SELECT", "1") };
    }
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
    if arguments.verbose {
        logging::start();
    }
    let cache = if arguments.no_kernel_cache { None } else { cache_kernels()? };
    match arguments.command.unwrap_or_default() {
        Command::Devices => report::devices(&mut io::stdout().lock(), None),
        Command::Sort(raw) => files::run(&files::plan::Plan::sort(&raw)?),
        Command::Split(raw) => files::run(&files::plan::Plan::split(&raw)?),
        Command::Histogram(raw) => files::run(&files::plan::Plan::histogram(&raw)?),
        Command::Partition(raw) => files::run(&files::plan::Plan::partition(&raw)?),
        Command::Sssp(raw) => sssp::run(&sssp::plan::Plan::new(&raw)?),
        Command::Graph(command) => graph::run(&command),
        Command::Bench(command) => bench::run(command),
        Command::Demo(raw) => demo::run(&raw, cache.as_deref()),
    }
}

/// Keeps compiled kernels in the user's cache folder, and tells where.
fn cache_kernels() -> io::Result<Option<PathBuf>> {
    let Some(folder) = user_cache() else { return Ok(None) };
    match multisplit::cache_kernels(&folder.join("multisplit")) {
        Ok(folder) => Ok(Some(folder)),
        Err(error) => {
            // Slower, not wrong.
            writeln!(io::stderr(), "multisplit: {error}")?;
            Ok(None)
        }
    }
}

/// Where this user's programs keep what they can make again.
fn user_cache() -> Option<PathBuf> {
    let set = |name| std::env::var_os(name).filter(|value| !value.is_empty()).map(PathBuf::from);
    set("XDG_CACHE_HOME").or_else(|| set("LOCALAPPDATA")).or_else(|| Some(set("HOME")?.join(".cache")))
}

fn is_broken_pipe(error: &anyhow::Error) -> bool {
    let kind = error.chain().find_map(|cause| cause.downcast_ref::<io::Error>()).map(io::Error::kind);
    kind == Some(io::ErrorKind::BrokenPipe)
}
