//! The commands of the program, a module for each. [`files`] is what the commands on files have in common.

mod bench;
mod completions;
mod demo;
mod devices;
mod files;
mod graph;
mod histogram;
mod man;
mod partition;
mod sort;
mod split;
mod sssp;

use crate::paper;
use crate::paper::settings::PaperArguments;
use crate::report::{self, ReportArguments};
use crate::shared::usage::usage;
use crate::shared::version::VERSION;
use crate::shared::{cache, logging, messages};
use anyhow::{Context, Result};
use bench::BenchCommand;
use clap::{Parser, Subcommand};
use completions::CompletionsArguments;
use demo::options::DemoArguments;
use devices::DevicesArguments;
use graph::GraphCommand;
use histogram::HistogramArguments;
use man::ManArguments;
use partition::PartitionArguments;
use sort::SortArguments;
use split::SplitArguments;
use sssp::options::SsspArguments;

/// Split keys into buckets on GPUs and CPUs, stably, by any bucket function.
///
/// Without a command it runs `demo`: it lists the devices, then splits random keys and key-value pairs on the best one,
/// checks every result and prints times and rates.
#[derive(Parser, Debug)]
#[command(name = "multisplit", version = VERSION, max_term_width = 100)]
pub struct Arguments {
    #[command(subcommand)]
    pub command: Option<Command>,
    /// Compile GPU kernels anew instead of keeping them in the user's cache folder.
    #[arg(long, global = true)]
    pub no_kernel_cache: bool,
    /// Say on standard error when GPU kernels are compiled, and how long it took.
    #[arg(long, global = true)]
    pub verbose: bool,
    /// Say nothing on standard error but errors: no notes, no progress.
    #[arg(short, long, global = true, conflicts_with = "verbose")]
    pub quiet: bool,
}

/// More than any machine has. Starting as many as the system allows would take its memory.
const MOST_THREADS: usize = 4096;

#[derive(Subcommand, Debug)]
pub enum Command {
    /// Split random keys and pairs, check every result, print times and rates.
    #[command(after_help = "Example: multisplit demo --n 2^14 --buckets 2,32 --runs 3 --device cpu")]
    Demo(DemoArguments),
    /// List the devices of this machine, and say which is the default, and why.
    #[command(after_help = "Example: multisplit devices --json")]
    Devices(DevicesArguments),
    /// Sort the keys of a file, and values along with them.
    ///
    /// Equal keys keep their order. Floats are in the IEEE 754 total order: a NaN comes first or last by its sign,
    /// and -0 before 0.
    #[command(after_help = "Example: multisplit sort people.csv --column age --output by-age.csv")]
    Sort(Box<SortArguments>),
    /// Split the keys of a file into buckets, and values along with them.
    #[command(after_help = "Example: multisplit split keys.npy --buckets 16 --output split.npy --offsets offsets.npy")]
    Split(Box<SplitArguments>),
    /// Count the keys of a file in bins.
    #[command(after_help = "Example: multisplit histogram people.csv --column age --bins 8 --svg ages.svg")]
    Histogram(Box<HistogramArguments>),
    /// Part the keys of a file in two or three, or select some, and values along with them.
    #[command(after_help = "Example: multisplit partition keys.npy --below 10 --select --output small.npy")]
    Partition(Box<PartitionArguments>),
    /// Find the shortest paths from a vertex of a graph to all others, or from several.
    #[command(after_help = "Example: multisplit sssp road.gr --source 1 --target 4 --output distances.txt")]
    Sssp(Box<SsspArguments>),
    /// Describe graphs, make some, and write them in other formats.
    #[command(subcommand)]
    Graph(GraphCommand),
    /// Measure, and report what was measured.
    #[command(subcommand)]
    Bench(BenchCommand),
    /// Run every experiment of the paper, and make a page of them beside its published numbers.
    ///
    /// The folder gets rows.jsonl, rows.csv and paper.html. Run it again after an interruption: what rows.jsonl has is
    /// not measured again, if it is of the same settings and the same program.
    Paper(PaperArguments),
    /// Make a page of measured rows, with tables and charts; or a Markdown file.
    Report(ReportArguments),
    /// Print what a shell needs to complete this program's command lines.
    #[command(after_help = "Example: multisplit completions bash")]
    Completions(CompletionsArguments),
    /// Write a page for `man` about each command.
    #[command(after_help = "Example: multisplit man --output man1")]
    Man(ManArguments),
}

impl Command {
    /// Returns the number of threads that the command line asks for.
    fn threads(&self) -> Option<usize> {
        match self {
            Self::Sssp(raw) => raw.graph.threads,
            Self::Graph(command) => command.threads(),
            Self::Paper(raw) => raw.threads,
            Self::Bench(BenchCommand::Sssp(raw)) => raw.threads,
            _ => None,
        }
    }

    /// Returns whether the command may run kernels. Those that do not need not wait for drivers of GPUs.
    fn may_run_kernels(&self) -> bool {
        let device = match self {
            Self::Demo(raw) => &raw.device,
            Self::Sort(raw) => &raw.input.device,
            Self::Split(raw) => &raw.input.device,
            Self::Histogram(raw) => &raw.input.device,
            Self::Partition(raw) => &raw.input.device,
            Self::Sssp(raw) => &raw.device,
            Self::Paper(raw) => &raw.device,
            Self::Bench(_) => return true,
            Self::Devices(_) | Self::Graph(_) | Self::Report(_) | Self::Completions(_) | Self::Man(_) => return false,
        };
        device.as_deref() != Some("cpu")
    }
}

impl Default for Command {
    fn default() -> Self {
        Self::Demo(DemoArguments::default())
    }
}

/// Runs the command that was typed.
pub fn run(arguments: Arguments) -> Result<()> {
    if arguments.verbose {
        logging::start();
    }
    if arguments.quiet {
        messages::be_quiet();
    }
    let command = arguments.command.unwrap_or_default();
    if let Some(threads) = command.threads() {
        // Before devices are listed for the cache of kernels: that starts as many threads as there are by default.
        if threads == 0 {
            return Err(usage("--threads must be at least 1"));
        }
        if threads > MOST_THREADS {
            return Err(usage(format!("--threads {threads} are too many: at most {MOST_THREADS}")));
        }
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).thread_name(|i| format!("multisplit-{i}"));
        pool.build_global().with_context(|| format!("--threads {threads} cannot be started; take fewer"))?;
    }
    let cached = command.may_run_kernels() && !arguments.no_kernel_cache;
    let cache = if cached { cache::cache_kernels()? } else { None };
    match command {
        Command::Devices(raw) => devices::run(&raw),
        Command::Sort(raw) => sort::run(&raw),
        Command::Split(raw) => split::run(&raw),
        Command::Histogram(raw) => histogram::run(&raw),
        Command::Partition(raw) => partition::run(&raw),
        Command::Sssp(raw) => sssp::run(&raw),
        Command::Graph(command) => graph::run(&command),
        Command::Bench(command) => bench::run(command),
        Command::Paper(raw) => paper::run(&raw),
        Command::Report(raw) => report::run(&raw),
        Command::Demo(raw) => demo::run(&raw, cache.as_deref()),
        Command::Completions(raw) => completions::run(&raw),
        Command::Man(raw) => man::run(&raw),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use clap::CommandFactory;

    #[test]
    fn the_command_line_is_sound() {
        Arguments::command().debug_assert();
    }

    /// The tests of the program run them.
    #[test]
    fn every_command_has_an_example() {
        fn check(command: &clap::Command, name: &str) {
            let inner: Vec<_> = command.get_subcommands().filter(|inner| !inner.is_hide_set()).collect();
            inner.iter().for_each(|inner| check(inner, &format!("{name} {}", inner.get_name())));
            if inner.is_empty() {
                let after = command.get_after_help().map(ToString::to_string).unwrap_or_default();
                assert!(after.starts_with(&format!("Example: {name}")), "{name}: {after}");
            }
        }
        check(&Arguments::command(), "multisplit");
    }
}
