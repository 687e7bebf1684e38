//! Splits of the keys of a file by a bucket function, for `split` and `partition`.

use super::carrier::Carrier;
use super::device_io::{Beside, InOut, Results, Travelling, download, load};
use super::encoding::Encoding;
use super::folder;
use super::input::{FileKeys, Input};
use super::key_type::{KeyType, with_carrier};
use super::number::Number;
use super::paths::OutputPaths;
use super::room;
use super::words::Words;
use super::write::OutputFiles;
use crate::shared::progress;
use anyhow::Result;
use multisplit::bucket::{BitWindow, Buckets, Delta, Hash, Splitters};
use multisplit::{Method, Multisplit};
use std::ops::Range;
use std::time::{Duration, Instant};

/// A bucket function. Some look at the value of a key, others only at its bits.
pub enum BucketFunction {
    Ranges(Ranges),
    /// Between ascending numbers.
    Between(Vec<Number>),
    Hash {
        buckets: u32,
        seed: u32,
    },
    /// Some bits of the word of a key in the keys' order.
    Window(Range<u32>),
    /// No function of the library's: the bucket of each key is known.
    Chosen {
        ids: Vec<u32>,
        buckets: u32,
    },
}

/// Ranges of equal width from one number to another, or of width one.
#[derive(Clone, Copy)]
pub struct Ranges {
    pub lower: Number,
    pub upper: Option<Number>,
    pub buckets: u32,
}

impl Ranges {
    /// Returns the library's function. Ends that keys do not have are those that they have.
    pub fn delta<C: Carrier>(&self, key_type: KeyType) -> multisplit::Result<Delta<C>> {
        let lower = C::nearest(self.lower, key_type);
        match self.upper {
            Some(upper) => Delta::over(lower..C::nearest(upper, key_type), self.buckets),
            None => Delta::new(lower, C::ONE, self.buckets),
        }
    }
}

/// Where the buckets are.
pub struct FileBuckets {
    /// One more than there are buckets.
    pub offsets: Vec<usize>,
    pub time: Duration,
}

/// A split of the keys of a file, and of the values that travel with them.
pub struct FileSplit<'a> {
    pub input: &'a Input,
    pub paths: &'a OutputPaths,
    pub method: Method,
    /// Whether only the first bucket is written.
    pub select: bool,
    /// What messages name if the function cannot be made.
    pub named: &'a str,
}

impl FileSplit<'_> {
    /// Splits the keys and writes the results. They are not in place before `files` are committed.
    pub fn run(&self, keys: FileKeys, function: BucketFunction, files: &mut OutputFiles) -> Result<FileBuckets> {
        if !self.select {
            room::check(self.paths, &keys)?;
        }
        let (key_type, carrier, ordered) = (keys.key_type, keys.carrier(), keys.ordered());
        let narrow = matches!(keys.bits, Words::Narrow(_));
        let travel = |keys, encoding| Travelling { keys, encoding, ids: None };
        match function {
            BucketFunction::Ranges(ranges) => with_carrier!(key_type.carrier(), C => {
                let f = ranges.delta::<C>(key_type);
                self.by(&self.made(f)?, travel(keys, carrier), files)
            }),
            BucketFunction::Between(numbers) => with_carrier!(key_type.carrier(), C => {
                let f = Splitters::new(&C::all(&numbers, key_type)?);
                self.by(&self.made(f)?, travel(keys, carrier), files)
            }),
            BucketFunction::Hash { buckets, seed } if narrow => {
                self.by(&Hash::<u32>::new(buckets, seed), travel(keys, ordered), files)
            }
            BucketFunction::Hash { buckets, seed } => {
                self.by(&Hash::<u64>::new(buckets, seed), travel(keys, ordered), files)
            }
            BucketFunction::Window(bits) if narrow => {
                self.by(&self.made(BitWindow::<u32>::new(bits))?, travel(keys, ordered), files)
            }
            BucketFunction::Window(bits) => {
                self.by(&self.made(BitWindow::<u64>::new(bits))?, travel(keys, ordered), files)
            }
            BucketFunction::Chosen { ids, buckets } => {
                let by_id = Delta::<u32>::new(0, 1, buckets)?;
                self.by(&by_id, Travelling { keys, encoding: Encoding::Bits, ids: Some(ids) }, files)
            }
        }
    }

    fn made<F>(&self, function: multisplit::Result<F>) -> Result<F> {
        function.map_err(|error| anyhow::Error::from(error).context(self.named.to_string()))
    }

    /// Splits and writes, with keys as the function takes them. What is in here is compiled for each.
    fn by<F: Buckets>(&self, f: &F, keys: Travelling, files: &mut OutputFiles) -> Result<FileBuckets> {
        self.check_buckets(f.buckets())?;
        let (mut keys, mut beside) = load::<F::Key>(&self.input.device, self.paths, keys)?;
        let (offsets, time) = split(f, self.method, &mut keys, &mut beside)?;
        self.write(&beside.results(download(&keys.to)?)?, FileBuckets { offsets, time }, files)
    }

    fn check_buckets(&self, buckets: u32) -> Result<()> {
        match self.paths.folder {
            Some(_) => folder::check_buckets(buckets as usize),
            None => Ok(()),
        }
    }

    fn write(&self, results: &Results<'_>, buckets: FileBuckets, files: &mut OutputFiles) -> Result<FileBuckets> {
        let offsets = &buckets.offsets;
        let n = offsets.last().copied().unwrap_or(0);
        let kept = if self.select { offsets.get(1).copied().unwrap_or(n) } else { n };
        results.write(0..kept, self.paths, files)?;
        if let Some(place) = &self.paths.folder {
            folder::write(place, results, offsets, self.paths, files)?;
        }
        if let Some(path) = &self.paths.offsets {
            let offsets: Vec<u64> = offsets.iter().map(|&offset| offset as u64).collect();
            files.counts(path, self.paths.format(path, results.format_of_input())?, "offset", &offsets)?;
        }
        Ok(buckets)
    }
}

/// Splits on the device, and returns the bucket offsets and the time.
fn split<F: Buckets>(
    f: &F,
    method: Method,
    keys: &mut InOut<F::Key>,
    beside: &mut Beside,
) -> Result<(Vec<usize>, Duration)> {
    let _stage = progress::stage("splitting");
    let split = Multisplit::by(f).method(method);
    let (narrow, wide) = beside.widths();
    let mut workspace = split.workspace(&beside.device, keys.from.len(), narrow + wide)?;
    let mut offsets = split.offsets(&beside.device)?;
    let mut columns = beside.columns();
    let start = Instant::now();
    split.enqueue(&keys.from, &mut keys.to, &mut columns, &mut offsets, &mut workspace)?;
    let offsets = offsets.read()?;
    Ok((offsets, start.elapsed()))
}
