//! The command lines of `bench split` and `bench large-m`.

use crate::bench::harness::key_types::{BucketKind, Distribution, KeyType, ValueType};
use crate::bench::harness::options::CommonArguments;
use crate::shared::arguments::count;
use clap::Args;
use multisplit::Method;
use multisplit::approach::Way;

#[derive(Args, Clone, Debug)]
pub struct BenchSplitArguments {
    /// How many keys: numbers, or powers such as 2^25, separated by commas.
    #[arg(short, long, value_delimiter = ',', default_value = "2^25", value_parser = count)]
    pub n: Vec<usize>,
    /// Numbers of buckets.
    #[arg(short, long, value_delimiter = ',', default_values_t = [2, 4, 8, 16, 32, 64, 128, 256])]
    pub buckets: Vec<u32>,
    /// Key types.
    #[arg(short, long, value_delimiter = ',', default_value = "u32")]
    pub keys: Vec<KeyType>,
    /// Value types; none is keys only.
    #[arg(short, long, value_delimiter = ',', default_value = "none,u32")]
    pub values: Vec<ValueType>,
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
    pub keys: Vec<KeyType>,
    /// Value types; none is keys only.
    #[arg(short, long, value_delimiter = ',', default_value = "none,u32")]
    pub values: Vec<ValueType>,
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

/// `large-m` is `split` with other lists.
impl From<LargeMArguments> for BenchSplitArguments {
    fn from(raw: LargeMArguments) -> Self {
        let LargeMArguments { n, buckets, keys, values, bucket, dist, approach, common } = raw;
        Self { n, buckets, keys, values, method: vec![Method::Auto], bucket, dist, approach, stages: false, common }
    }
}

/// Parses a number of buckets, written as a count.
fn buckets(text: &str) -> Result<u32, String> {
    let m = count(text)?;
    u32::try_from(m).map_err(|_| format!("{m} buckets are too many"))
}
