//! What to do with which files, validated before anything is read.

use super::args::{
    By, HistogramArguments, InputArguments, MovedArguments, PartitionArguments, SortArguments, SplitArguments,
};
use super::kind::KeyKind;
use anyhow::{Context, Result, bail, ensure};
use multisplit::{Device, MAX_BINS, MAX_BUCKETS, Method, Sort};
use std::collections::HashSet;
use std::ops::Range;
use std::path::{Path, PathBuf};

/// A task, and the keys to do it with.
pub struct Plan {
    pub input: PathBuf,
    pub kind: Option<KeyKind>,
    pub device: Device,
    pub task: Task,
}

pub enum Task {
    Sort(SortPlan),
    Split(SplitPlan),
    Histogram(HistogramPlan),
    Partition(PartitionPlan),
}

pub struct SortPlan {
    /// By all bits: how many there are is in the file.
    pub sort: Sort,
    pub places: Places,
    pub descending: bool,
    pub bits: Option<Range<u32>>,
}

pub struct SplitPlan {
    pub rule: Rule,
    pub method: Method,
    pub places: Places,
}

/// What says which bucket a key belongs to. Keys are still text: their type is in the file.
pub enum Rule {
    Delta { buckets: u32, from: Option<String>, to: Option<String> },
    Identity { buckets: u32 },
    Hash { buckets: u32, seed: u32 },
    Window { bits: Range<u32> },
    Highest { buckets: u32 },
    Splitters { path: PathBuf },
}

pub struct HistogramPlan {
    pub bins: Bins,
    pub output: Option<PathBuf>,
}

pub enum Bins {
    Even { bins: u32, from: Option<String>, to: Option<String> },
    Edges { path: PathBuf },
}

pub struct PartitionPlan {
    pub below: String,
    pub and_below: Option<String>,
    pub select: bool,
    pub places: Places,
}

/// Where values come from, and where everything that is moved goes.
pub struct Places {
    pub keys: Option<PathBuf>,
    pub values: Vec<(PathBuf, PathBuf)>,
    pub offsets: Option<PathBuf>,
    pub permutation: Option<PathBuf>,
}

impl Plan {
    fn new(raw: &InputArguments, task: Task) -> Result<Self> {
        let device = match &raw.device {
            Some(name) => Device::open(name).with_context(|| format!("--device {name}"))?,
            None => Device::best(),
        };
        Ok(Self { input: raw.input.clone(), kind: raw.kind, device, task })
    }

    pub fn sort(raw: &SortArguments) -> Result<Self> {
        let places = Places::new(&raw.moved, None, raw.argsort.as_deref(), "--output or --argsort")?;
        let mut sort = Sort::new();
        if raw.descending {
            sort = sort.descending();
        }
        if let Some(digit) = raw.digit {
            ensure!((4..=8).contains(&digit), "--digit {digit} is out of range: 4 to 8 bits");
            sort = sort.digit_bits(digit);
        }
        let task = SortPlan { sort, places, descending: raw.descending, bits: raw.bits.clone() };
        Self::new(&raw.input, Task::Sort(task))
    }

    pub fn split(raw: &SplitArguments) -> Result<Self> {
        let rule = Rule::new(raw)?;
        let [offsets, permutation] = [&raw.offsets, &raw.permutation].map(Option::as_deref);
        let places = Places::new(&raw.moved, offsets, permutation, "--output, --offsets or --permutation")?;
        Self::new(&raw.input, Task::Split(SplitPlan { rule, method: raw.method, places }))
    }

    pub fn histogram(raw: &HistogramArguments) -> Result<Self> {
        let bins = match (&raw.edges, raw.bins) {
            (Some(path), _) => Bins::Edges { path: path.clone() },
            (None, Some(bins)) => {
                let bins = within("--bins", bins, MAX_BINS)?;
                Bins::Even { bins, from: raw.from.clone(), to: raw.to.clone() }
            }
            (None, None) => bail!("how many --bins, or between which --edges?"),
        };
        Self::new(&raw.input, Task::Histogram(HistogramPlan { bins, output: raw.output.clone() }))
    }

    pub fn partition(raw: &PartitionArguments) -> Result<Self> {
        let [offsets, permutation] = [&raw.offsets, &raw.permutation].map(Option::as_deref);
        let places = Places::new(&raw.moved, offsets, permutation, "--output, --offsets or --permutation")?;
        let task =
            PartitionPlan { below: raw.below.clone(), and_below: raw.and_below.clone(), select: raw.select, places };
        Self::new(&raw.input, Task::Partition(task))
    }
}

impl Rule {
    fn new(raw: &SplitArguments) -> Result<Self> {
        if let Some(path) = &raw.splitters {
            return Ok(Self::Splitters { path: path.clone() });
        }
        ensure!(raw.by == By::Delta || (raw.from.is_none() && raw.to.is_none()), "--from and --to are for --by delta");
        ensure!(raw.by == By::Bits || raw.bits.is_none(), "--bits is for --by bits");
        ensure!(raw.by == By::Hash || raw.seed.is_none(), "--seed is for --by hash");
        if let Some(bits) = &raw.bits {
            let made = 1usize.checked_shl(bits.end.saturating_sub(bits.start)).unwrap_or(usize::MAX);
            if let Some(buckets) = raw.buckets.filter(|&buckets| buckets != made) {
                bail!("--bits {bits:?} are not {buckets} buckets; leave --buckets out");
            }
            return Ok(Self::Window { bits: bits.clone() });
        }
        let buckets = raw.buckets.context("into how many --buckets, or between which --splitters?")?;
        let buckets = within("--buckets", buckets, MAX_BUCKETS)?;
        Ok(match raw.by {
            By::Delta => Self::Delta { buckets, from: raw.from.clone(), to: raw.to.clone() },
            By::Identity => Self::Identity { buckets },
            By::Hash => Self::Hash { buckets, seed: raw.seed.unwrap_or(0) },
            By::Bits => {
                ensure!(buckets.is_power_of_two(), "--by bits makes a power of two of buckets, which {buckets} is not");
                Self::Highest { buckets }
            }
        })
    }
}

fn within(name: &str, number: usize, most: u32) -> Result<u32> {
    let fits = u32::try_from(number).ok().filter(|number| (1..=most).contains(number));
    fits.with_context(|| format!("{name} {number} is out of range: 1 to {most}"))
}

impl Places {
    fn new(
        raw: &MovedArguments,
        offsets: Option<&Path>,
        permutation: Option<&Path>,
        what_to_name: &str,
    ) -> Result<Self> {
        let (values, outputs) = (raw.values.len(), raw.values_output.len());
        ensure!(
            values == outputs,
            "there are {values} --values, but {outputs} --values-output; every file of values needs one to be written to"
        );
        let places = Self {
            keys: raw.output.clone(),
            values: raw.values.iter().cloned().zip(raw.values_output.iter().cloned()).collect(),
            offsets: offsets.map(Path::to_path_buf),
            permutation: permutation.map(Path::to_path_buf),
        };
        let mut seen = HashSet::new();
        for path in places.outputs() {
            let whole = std::path::absolute(path).with_context(|| path.display().to_string())?;
            ensure!(seen.insert(whole), "two outputs would be written to {}", path.display());
        }
        ensure!(!seen.is_empty(), "nothing would be written; name {what_to_name}");
        Ok(places)
    }

    fn outputs(&self) -> impl Iterator<Item = &Path> {
        let single = [&self.keys, &self.offsets, &self.permutation];
        let single = single.into_iter().flatten().map(PathBuf::as_path);
        single.chain(self.values.iter().map(|(_, to)| to.as_path()))
    }
}
