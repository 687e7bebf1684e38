//! `multisplit bench`: measures operations, and reports what was measured.

use crate::bench::ops::histogram::{self, BenchHistogramArguments};
use crate::bench::ops::partition::{self, BenchPartitionArguments};
use crate::bench::ops::segments::{self, BenchSegmentsArguments};
use crate::bench::ops::sort::{self, BenchSortArguments};
use crate::bench::ops::split;
use crate::bench::ops::split::arguments::{BenchSplitArguments, LargeMArguments};
use crate::bench::ops::sssp::{self, BenchSsspArguments};
use crate::report::{self, ReportArguments};
use anyhow::Result;
use clap::Subcommand;

#[derive(Subcommand, Clone, Debug)]
pub enum BenchCommand {
    /// Time splits: every combination of the lists given is a row, checked against the reference.
    ///
    /// Rows compare each split with the speed of light: the least that it must move (keys read twice and written once,
    /// values read once and written once) at the speed of a plain copy on the same device in the same run.
    #[command(
        after_help = "Example: multisplit bench split --n 2^14 --buckets 2,32 --values none --runs 3 --device cpu"
    )]
    Split(Box<BenchSplitArguments>),
    /// Time histograms: every combination of the lists given is a row, checked against the reference.
    ///
    /// Rows compare each histogram with the speed of light: a plain read of the keys on the same device in the same
    /// run.
    #[command(after_help = "Example: multisplit bench histogram --n 2^14 --bins 8,256 --runs 3 --device cpu")]
    Histogram(Box<BenchHistogramArguments>),
    /// Time sorts: every combination of the lists given is a row, checked against a stable sort of another library.
    #[command(after_help = "Example: multisplit bench sort --n 2^14 --values none --runs 3 --device cpu --format csv")]
    Sort(Box<BenchSortArguments>),
    /// Time splits into more than 256 buckets, and the library's own reduced-bit sort beside them.
    ///
    /// Rows are those of `bench split`.
    #[command(
        after_help = "Example: multisplit bench large-m --n 2^14 --buckets 1024 --values none --runs 3 --device cpu"
    )]
    LargeM(Box<LargeMArguments>),
    /// Time stable partitions into two and three parts, and selections of the first of two.
    ///
    /// Rows have no speed of light: a partition need not read its keys twice.
    #[command(
        after_help = "Example: multisplit bench partition --n 2^14 --values u32 --runs 3 --device cpu --format jsonl"
    )]
    Partition(Box<BenchPartitionArguments>),
    /// Time splits of many segments in one call, checked against splits of each.
    ///
    /// Keys are u32 and uniform. Rows have no speed of light: a segment that fits a cube is read once.
    #[command(
        after_help = "Example: multisplit bench segments --n 2^14 --segments 64 --buckets 8 --runs 3 --device cpu"
    )]
    Segments(Box<BenchSegmentsArguments>),
    /// Time shortest paths by every strategy, from several sources, checked against one whose paths are
    /// proven.
    ///
    /// Rates are arcs of the graph over the time of a search, so an undirected edge counts twice.
    #[command(after_help = "Example: multisplit bench sssp grid:40,30 --sources 2 --runs 3 --device cpu")]
    Sssp(Box<BenchSsspArguments>),
    /// The same as `multisplit report`.
    #[command(hide = true)]
    Report(ReportArguments),
}

/// Runs `multisplit bench`.
pub fn run(command: BenchCommand) -> Result<()> {
    match command {
        BenchCommand::Split(raw) => split::prepare(*raw)?.run(),
        BenchCommand::Histogram(raw) => histogram::prepare(*raw)?.run(),
        BenchCommand::Sort(raw) => sort::prepare(*raw)?.run(),
        BenchCommand::LargeM(raw) => split::prepare((*raw).into())?.run(),
        BenchCommand::Partition(raw) => partition::prepare(*raw)?.run(),
        BenchCommand::Segments(raw) => segments::prepare(*raw)?.run(),
        BenchCommand::Sssp(raw) => sssp::prepare(*raw)?.run(),
        BenchCommand::Report(raw) => report::run(&raw),
    }
}
