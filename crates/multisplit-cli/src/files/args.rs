//! The command lines of calls on files, as typed.

use super::kind::KeyKind;
use crate::args::count;
use clap::{Args, ValueEnum};
use multisplit::Method;
use std::ops::Range;
use std::path::PathBuf;

#[derive(Args, Clone, Debug)]
pub struct InputArguments {
    /// The file of the keys: a NumPy array of one dimension (.npy), or under any other name numbers alone,
    /// little-endian, with --type.
    pub input: PathBuf,
    /// The type of the keys, where the file does not say.
    #[arg(short = 't', long = "type", value_name = "TYPE")]
    pub kind: Option<KeyKind>,
    /// The device, by its name in `multisplit devices` [default: the best].
    #[arg(short, long)]
    pub device: Option<String>,
}

#[derive(Args, Clone, Debug)]
pub struct MovedArguments {
    /// Write the keys to this file, which may be the input: a NumPy array if its name ends in .npy, else numbers alone,
    /// little-endian. So are all outputs.
    #[arg(short, long, value_name = "FILE")]
    pub output: Option<PathBuf>,
    /// A file of values that travel with the keys, of 4 or 8 bytes and any type; may be given several times.
    #[arg(long, value_name = "FILE")]
    pub values: Vec<PathBuf>,
    /// Write the values to this file; once for each --values, in the same order.
    #[arg(long, value_name = "FILE")]
    pub values_output: Vec<PathBuf>,
}

#[derive(Args, Clone, Debug)]
pub struct SortArguments {
    #[command(flatten)]
    pub input: InputArguments,
    #[command(flatten)]
    pub moved: MovedArguments,
    /// The largest key first. Equal keys keep their order either way.
    #[arg(long)]
    pub descending: bool,
    /// Sort by these bits alone, such as 8..16, counted from the lowest of the key as an unsigned number in its order.
    #[arg(long, value_name = "A..B", value_parser = bits)]
    pub bits: Option<Range<u32>>,
    /// Split by so many bits at a time, 4 to 8. For tuning; the result stays the same.
    #[arg(long, value_name = "BITS")]
    pub digit: Option<u32>,
    /// Write to this file where each key was before, as u32 numbers.
    #[arg(long, value_name = "FILE")]
    pub argsort: Option<PathBuf>,
}

#[derive(ValueEnum, Clone, Copy, Debug, PartialEq, Eq)]
pub enum By {
    /// Ranges of equal width, from the smallest key to the largest or as --from and --to say; keys outside them are in
    /// the first and the last, NaN in the last.
    Delta,
    /// The key is the number of its bucket.
    Identity,
    /// Scattered evenly, equal keys together.
    Hash,
    /// Some bits of the key: those that --bits names, or as many of the highest as the buckets take.
    Bits,
}

#[derive(Args, Clone, Debug)]
pub struct SplitArguments {
    #[command(flatten)]
    pub input: InputArguments,
    #[command(flatten)]
    pub moved: MovedArguments,
    /// How many buckets: a number up to 2^24, or a power such as 2^10.
    #[arg(short, long, value_parser = count)]
    pub buckets: Option<usize>,
    /// What says which bucket a key belongs to.
    #[arg(long, default_value = "delta")]
    pub by: By,
    /// A file of ascending numbers of the keys' type, to split between: one bucket more than there are numbers.
    #[arg(long, value_name = "FILE", conflicts_with_all = ["buckets", "by", "from", "to", "bits", "seed"])]
    pub splitters: Option<PathBuf>,
    /// Where the first range of --by delta begins [default: at the smallest key].
    #[arg(long, value_name = "KEY", allow_hyphen_values = true)]
    pub from: Option<String>,
    /// Where the last range of --by delta ends [default: with the largest key].
    #[arg(long, value_name = "KEY", allow_hyphen_values = true)]
    pub to: Option<String>,
    /// The bits of --by bits, such as 8..16, counted from the lowest of the key as an unsigned number in its order.
    #[arg(long, value_name = "A..B", value_parser = bits)]
    pub bits: Option<Range<u32>>,
    /// Another number is another function of --by hash [default: 0].
    #[arg(long)]
    pub seed: Option<u32>,
    /// Write to this file where the buckets begin, and where the last ends, as u64 numbers.
    #[arg(long, value_name = "FILE")]
    pub offsets: Option<PathBuf>,
    /// Write to this file where each key was before, as u32 numbers.
    #[arg(long, value_name = "FILE")]
    pub permutation: Option<PathBuf>,
    /// auto, direct, warp-level or block-level; the CPU has one way of its own.
    #[arg(short, long, default_value_t = Method::Auto)]
    pub method: Method,
}

#[derive(Args, Clone, Debug)]
pub struct HistogramArguments {
    #[command(flatten)]
    pub input: InputArguments,
    /// How many bins of equal width: a number up to 2^24, or a power such as 2^10.
    #[arg(short, long, value_parser = count, required_unless_present = "edges")]
    pub bins: Option<usize>,
    /// Where the first bin begins [default: at the smallest key].
    #[arg(long, value_name = "KEY", allow_hyphen_values = true)]
    pub from: Option<String>,
    /// Where the last bin ends; a key that is equal to it is outside [default: behind the largest key].
    #[arg(long, value_name = "KEY", allow_hyphen_values = true)]
    pub to: Option<String>,
    /// A file of ascending numbers of the keys' type, one more than there are bins: each bin begins at one and ends
    /// before the next.
    #[arg(long, value_name = "FILE", conflicts_with_all = ["bins", "from", "to"])]
    pub edges: Option<PathBuf>,
    /// Write the counts to this file, as u64 numbers.
    #[arg(short, long, value_name = "FILE")]
    pub output: Option<PathBuf>,
}

#[derive(Args, Clone, Debug)]
pub struct PartitionArguments {
    #[command(flatten)]
    pub input: InputArguments,
    #[command(flatten)]
    pub moved: MovedArguments,
    /// What is below this key comes first; NaN never is.
    #[arg(long, value_name = "KEY", allow_hyphen_values = true)]
    pub below: String,
    /// What is not, but below this one, comes second: three parts instead of two.
    #[arg(long, value_name = "KEY", allow_hyphen_values = true, conflicts_with = "select")]
    pub and_below: Option<String>,
    /// Keep the first part only.
    #[arg(long)]
    pub select: bool,
    /// Write to this file where the parts begin, and where the last ends, as u64 numbers.
    #[arg(long, value_name = "FILE", conflicts_with = "select")]
    pub offsets: Option<PathBuf>,
    /// Write to this file where each key was before, as u32 numbers.
    #[arg(long, value_name = "FILE")]
    pub permutation: Option<PathBuf>,
}

/// A range of bits, such as 8..16.
fn bits(text: &str) -> Result<Range<u32>, String> {
    let ends = text.split_once("..").and_then(|(start, end)| Some(start.parse().ok()?..end.parse().ok()?));
    ends.ok_or_else(|| format!("'{text}' is not a range such as 8..16"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ranges_of_bits() {
        assert_eq!(bits("8..16"), Ok(8..16));
        assert_eq!(bits("0..0"), Ok(0..0));
        for bad in ["", "8", "8..", "..8", "8..=16", "-1..4", "a..b", "8-16"] {
            assert!(bits(bad).is_err(), "{bad}");
        }
    }
}
