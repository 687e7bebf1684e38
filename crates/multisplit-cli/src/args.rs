//! The command line, as typed.

use crate::bench::args::BenchCommand;
use crate::files::args::{HistogramArguments, PartitionArguments, SortArguments, SplitArguments};
use crate::graph::args::GraphCommand;
use crate::sssp::args::SsspArguments;
use clap::{Args, Parser, Subcommand};
use multisplit::Method;

/// Split keys into buckets on GPUs and CPUs, stably, by any bucket function.
///
/// Without a command it runs `demo`: it lists the devices, then splits random keys and key-value pairs on the best one,
/// checks every result and prints times and rates.
#[derive(Parser, Debug)]
#[command(version, max_term_width = 100)]
pub struct Arguments {
    #[command(subcommand)]
    pub command: Option<Command>,
    /// Compile GPU kernels anew instead of keeping them in the user's cache folder.
    #[arg(long, global = true)]
    pub no_kernel_cache: bool,
    /// Say on standard error when GPU kernels are compiled, and how long it took.
    #[arg(long, global = true)]
    pub verbose: bool,
}

#[derive(Subcommand, Debug)]
pub enum Command {
    /// Split random keys and pairs, check every result, print times and rates.
    Demo(DemoArguments),
    /// List the devices of this machine.
    Devices,
    /// Sort the keys of a file, and values along with them.
    ///
    /// Equal keys keep their order. Floats are in the IEEE 754 total order: a NaN comes first or last by its sign,
    /// and -0 before 0.
    Sort(Box<SortArguments>),
    /// Split the keys of a file into buckets, and values along with them.
    Split(Box<SplitArguments>),
    /// Count the keys of a file in bins.
    Histogram(Box<HistogramArguments>),
    /// Part the keys of a file in two or three, or select some, and values along with them.
    Partition(Box<PartitionArguments>),
    /// Find the shortest paths from one vertex of a graph to all others.
    Sssp(Box<SsspArguments>),
    /// Make graphs, and convert them to the binary form.
    #[command(subcommand)]
    Graph(GraphCommand),
    /// Measure, and report what was measured.
    #[command(subcommand)]
    Bench(BenchCommand),
}

impl Default for Command {
    fn default() -> Self {
        Self::Demo(DemoArguments::default())
    }
}

#[derive(Args, Clone, Debug)]
pub struct DemoArguments {
    /// How many keys: a number, or a power such as 2^24.
    #[arg(short, long, default_value = "2^24", value_parser = count)]
    pub n: usize,
    /// Numbers of buckets, separated by commas.
    #[arg(short, long, value_delimiter = ',', default_values_t = [2, 4, 8, 16, 32, 64, 128, 256])]
    pub buckets: Vec<u32>,
    /// The device, by its name in `multisplit devices` [default: the best].
    #[arg(short, long)]
    pub device: Option<String>,
    /// auto, direct, warp-level or block-level; the CPU has one way of its own.
    #[arg(short, long, default_value_t = Method::Auto)]
    pub method: Method,
    /// Timed runs per row, of which the median is shown.
    #[arg(short, long, default_value_t = 9)]
    pub runs: usize,
    /// Compile the kernels, and no more.
    #[arg(long, hide = true)]
    pub compile_only: bool,
}

impl Default for DemoArguments {
    fn default() -> Self {
        // The defaults are said once, above.
        let Some(Command::Demo(demo)) = Arguments::parse_from(["multisplit", "demo"]).command else {
            unreachable!("'demo' parses as the demo");
        };
        demo
    }
}

/// A number, or a power of two written as 2^k.
pub fn count(text: &str) -> Result<usize, String> {
    let number = match text.split_once('^') {
        Some((base, exponent)) => {
            let base: usize = base.parse().map_err(|_| format!("'{base}' is not a number"))?;
            let exponent: u32 = exponent.parse().map_err(|_| format!("'{exponent}' is not a number"))?;
            base.checked_pow(exponent)
        }
        None => text.replace('_', "").parse().ok(),
    };
    number.ok_or_else(|| format!("'{text}' is not a number such as 1000000 or 2^24"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use clap::CommandFactory;

    #[test]
    fn the_command_line_is_sound() {
        Arguments::command().debug_assert();
        assert_eq!(DemoArguments::default().n, 1 << 24);
    }

    #[test]
    fn counts() {
        assert_eq!(count("2^24"), Ok(1 << 24));
        assert_eq!(count("1_000"), Ok(1000));
        for bad in ["", "x", "2^", "2^99", "-1", "1.5"] {
            assert!(count(bad).is_err(), "{bad}");
        }
    }
}
