//! The command line of the benchmarks, as typed.

use super::kinds::{BinKind, BucketKind, Distribution, Format, KeyKind, Lengths, PeerKind, SampleKind, ValueKind};
use crate::shared::arguments::count;
use clap::{Args, Subcommand};
use multisplit::Method;
use multisplit::approach::Way;
use multisplit_graph::Strategy;
use std::path::PathBuf;

#[derive(Subcommand, Clone, Debug)]
pub enum BenchCommand {
    /// Time splits: every combination of the lists given is a row, checked against the reference.
    ///
    /// Rows hold each split against the speed of light: the least that it must move (keys read twice and written once,
    /// values read once and written once) at the speed of a plain copy on the same device in the same run.
    Split(Box<SplitArguments>),
    /// Time histograms: every combination of the lists given is a row, checked against the reference.
    ///
    /// Rows hold each histogram against the speed of light: a plain read of the keys on the same device in the same
    /// run.
    Histogram(Box<HistogramArguments>),
    /// Time sorts: every combination of the lists given is a row, checked against a stable sort of another library.
    Sort(Box<SortArguments>),
    /// Time splits into more than 256 buckets, and the library's own reduced-bit sort beside them.
    ///
    /// Rows are those of `bench split`.
    LargeM(Box<LargeMArguments>),
    /// Time stable partitions into two and three parts, and selections of the first of two.
    ///
    /// Rows have no speed of light: a partition need not read its keys twice.
    Partition(Box<PartitionArguments>),
    /// Time splits of many segments in one call, checked against splits of each.
    ///
    /// Keys are u32 and uniform. Rows have no speed of light: a segment that fits a cube is read once.
    Segments(Box<SegmentsArguments>),
    /// Time shortest paths by every strategy, from several sources, checked against one whose paths are
    /// proven.
    ///
    /// Rates are arcs of the graph over the time of a search, so an undirected edge counts twice.
    Sssp(Box<SsspArguments>),
    /// Write tables and plots of measured rows into a Markdown file.
    Report(ReportArguments),
}

#[derive(Args, Clone, Debug)]
pub struct SplitArguments {
    /// How many keys: numbers, or powers such as 2^25, separated by commas.
    #[arg(short, long, value_delimiter = ',', default_value = "2^25", value_parser = count)]
    pub n: Vec<usize>,
    /// Numbers of buckets.
    #[arg(short, long, value_delimiter = ',', default_values_t = [2, 4, 8, 16, 32, 64, 128, 256])]
    pub buckets: Vec<u32>,
    /// Key types.
    #[arg(short, long, value_delimiter = ',', default_value = "u32")]
    pub keys: Vec<KeyKind>,
    /// Value types; none is keys only.
    #[arg(short, long, value_delimiter = ',', default_value = "none,u32")]
    pub values: Vec<ValueKind>,
    /// auto, direct, warp-level, block-level; the CPU has one way of its own.
    #[arg(short, long, value_delimiter = ',', default_value = "auto")]
    pub method: Vec<Method>,
    /// Bucket functions.
    #[arg(long, value_delimiter = ',', default_value = "delta")]
    pub bucket: Vec<BucketKind>,
    /// Distributions of the keys over the buckets.
    #[arg(long, value_delimiter = ',', default_value = "uniform")]
    pub dist: Vec<Distribution>,
    /// Other approaches of the paper to time as well: reduced-bit-sort, reduced-bit-sort-by-index, iterated-scan-split,
    /// recursive-scan-split.
    #[arg(long, value_delimiter = ',')]
    pub approach: Vec<Way>,
    /// Time prescan, scan and postscan too (GPUs).
    #[arg(long)]
    pub stages: bool,
    #[command(flatten)]
    pub common: CommonArguments,
}

#[derive(Args, Clone, Debug)]
pub struct LargeMArguments {
    /// How many keys: numbers, or powers such as 2^25, separated by commas.
    #[arg(short, long, value_delimiter = ',', default_value = "2^25", value_parser = count)]
    pub n: Vec<usize>,
    /// Numbers of buckets, or powers such as 2^20.
    #[arg(short, long, value_delimiter = ',', default_value = "512,1024,4096,16384,65536,2^20", value_parser = buckets)]
    pub buckets: Vec<u32>,
    /// Key types.
    #[arg(short, long, value_delimiter = ',', default_value = "u32")]
    pub keys: Vec<KeyKind>,
    /// Value types; none is keys only.
    #[arg(short, long, value_delimiter = ',', default_value = "none,u32")]
    pub values: Vec<ValueKind>,
    /// Bucket functions.
    #[arg(long, value_delimiter = ',', default_value = "delta")]
    pub bucket: Vec<BucketKind>,
    /// Distributions of the keys over the buckets.
    #[arg(long, value_delimiter = ',', default_value = "uniform")]
    pub dist: Vec<Distribution>,
    /// Other approaches of the paper to time as well, as of `bench split`.
    #[arg(long, value_delimiter = ',', default_value = "reduced-bit-sort")]
    pub approach: Vec<Way>,
    #[command(flatten)]
    pub common: CommonArguments,
}

/// A split like others, with other lists.
impl From<LargeMArguments> for SplitArguments {
    fn from(raw: LargeMArguments) -> Self {
        let LargeMArguments { n, buckets, keys, values, bucket, dist, approach, common } = raw;
        Self { n, buckets, keys, values, method: vec![Method::Auto], bucket, dist, approach, stages: false, common }
    }
}

/// A number of buckets, written as a count is.
fn buckets(text: &str) -> Result<u32, String> {
    let m = count(text)?;
    u32::try_from(m).map_err(|_| format!("{m} buckets are too many"))
}

#[derive(Args, Clone, Debug)]
pub struct PartitionArguments {
    /// How many keys: numbers, or powers such as 2^25, separated by commas.
    #[arg(short, long, value_delimiter = ',', default_value = "2^25", value_parser = count)]
    pub n: Vec<usize>,
    /// Numbers of parts: 2, which is also timed as a selection of the first, and 3.
    #[arg(long, value_delimiter = ',', default_values_t = [2, 3])]
    pub parts: Vec<u32>,
    /// Key types.
    #[arg(short, long, value_delimiter = ',', default_value = "u32")]
    pub keys: Vec<KeyKind>,
    /// Value types; none is keys only.
    #[arg(short, long, value_delimiter = ',', default_value = "none,u32")]
    pub values: Vec<ValueKind>,
    /// Distributions of the keys over the parts.
    #[arg(long, value_delimiter = ',', default_value = "uniform")]
    pub dist: Vec<Distribution>,
    #[command(flatten)]
    pub common: CommonArguments,
}

#[derive(Args, Clone, Debug)]
pub struct HistogramArguments {
    /// How many keys: numbers, or powers such as 2^25, separated by commas.
    #[arg(short, long, value_delimiter = ',', default_value = "2^25", value_parser = count)]
    pub n: Vec<usize>,
    /// Numbers of bins.
    #[arg(short, long, value_delimiter = ',', default_values_t = [2, 8, 32, 256, 1024, 4096, 8192, 65536])]
    pub bins: Vec<u32>,
    /// Key types.
    #[arg(short, long, value_delimiter = ',', default_value = "u32,f32")]
    pub keys: Vec<SampleKind>,
    /// Kinds of bins.
    #[arg(long, value_delimiter = ',', default_value = "even,range")]
    pub bucket: Vec<BinKind>,
    /// Distributions of the keys over the bins.
    #[arg(long, value_delimiter = ',', default_value = "uniform")]
    pub dist: Vec<Distribution>,
    #[command(flatten)]
    pub common: CommonArguments,
}

#[derive(Args, Clone, Debug)]
pub struct SortArguments {
    /// How many keys: numbers, or powers such as 2^25, separated by commas.
    #[arg(short, long, value_delimiter = ',', default_value = "2^25", value_parser = count)]
    pub n: Vec<usize>,
    /// Key types.
    #[arg(short, long, value_delimiter = ',', default_value = "u32,u64")]
    pub keys: Vec<KeyKind>,
    /// Value types; none is keys only.
    #[arg(short, long, value_delimiter = ',', default_value = "none,u32")]
    pub values: Vec<ValueKind>,
    /// Bits per split, 4 to 8 [default: as many as are best].
    #[arg(long, value_delimiter = ',')]
    pub digit_bits: Vec<u32>,
    /// Distributions of the keys over 256 parts of their range.
    #[arg(long, value_delimiter = ',', default_value = "uniform")]
    pub dist: Vec<Distribution>,
    #[command(flatten)]
    pub common: CommonArguments,
}

#[derive(Args, Clone, Debug)]
pub struct SegmentsArguments {
    /// How many keys in all segments together: numbers, or powers such as 2^25, separated by commas.
    #[arg(short, long, value_delimiter = ',', default_value = "2^25", value_parser = count)]
    pub n: Vec<usize>,
    /// Numbers of segments, or powers such as 2^15.
    #[arg(short, long, value_delimiter = ',', default_value = "1,2^5,2^10,2^15,2^18", value_parser = count)]
    pub segments: Vec<usize>,
    /// How long segments are.
    #[arg(short, long, value_delimiter = ',', default_value = "equal,zipf")]
    pub lengths: Vec<Lengths>,
    /// Numbers of buckets.
    #[arg(short, long, value_delimiter = ',', default_values_t = [8, 64])]
    pub buckets: Vec<u32>,
    /// Value types; none is keys only.
    #[arg(short, long, value_delimiter = ',', default_value = "none,u32")]
    pub values: Vec<ValueKind>,
    #[command(flatten)]
    pub common: CommonArguments,
}

#[derive(Args, Clone, Debug)]
pub struct SsspArguments {
    /// Graphs: files, or made up as rmat:VERTICES,EDGES, erdos-renyi:VERTICES,EDGES or grid:WIDTH,HEIGHT.
    #[arg(default_values = ["rmat:800000,4800000", "rmat:2^22,2^26"])]
    pub graphs: Vec<String>,
    /// Strategies, separated by commas. Those of GPUs are left out where there is none.
    #[arg(
        long,
        value_delimiter = ',',
        default_value = "near-far,bucketing,split-bucketing,multisplit,delta-stepping,dijkstra"
    )]
    pub strategies: Vec<Strategy>,
    /// How many vertices to start from, drawn among those that have arcs.
    #[arg(long, default_value_t = 5)]
    pub sources: usize,
    /// The width of the buckets on GPUs [default: what suits the graph].
    #[arg(long)]
    pub delta: Option<f64>,
    /// The seed of everything random.
    #[arg(long, default_value_t = 0)]
    pub seed: u64,
    #[command(flatten)]
    pub common: CommonArguments,
}

/// What every benchmark takes.
#[derive(Args, Clone, Debug)]
pub struct CommonArguments {
    /// The device, by its name in `multisplit devices` [default: the best].
    #[arg(short, long)]
    pub device: Option<String>,
    /// Time others too, on the same keys: cub, which is built with nvcc first; for sorts on the CPU rdst and
    /// voracious, if they are built in (`--features cpu-peers`).
    #[arg(long, value_delimiter = ',', num_args = 0..=1, default_missing_value = "cub")]
    pub peers: Vec<PeerKind>,
    /// Where the sources of the peers are.
    #[arg(long, default_value = "peers")]
    pub peers_dir: PathBuf,
    /// Timed runs per row, of which the median counts.
    #[arg(short, long, default_value_t = 9)]
    pub runs: usize,
    /// How rows are written.
    #[arg(short, long, default_value = "table")]
    pub format: Format,
    /// Write the rows to this file; a table still goes to standard output.
    #[arg(short, long)]
    pub out: Option<PathBuf>,
}

#[derive(Args, Clone, Debug)]
pub struct ReportArguments {
    /// Rows, as written with --format jsonl. Where a case occurs twice, the later row counts.
    #[arg(required = true)]
    pub files: Vec<PathBuf>,
    /// The Markdown file. What stands outside the marker comments in it is kept; plots go beside it.
    #[arg(short, long, default_value = "docs/performance.md")]
    pub out: PathBuf,
}
