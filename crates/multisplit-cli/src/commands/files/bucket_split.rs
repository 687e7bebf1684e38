//! Splits of the keys of a file by a bucket function, for `split` and `partition`.

use super::carrier::Carrier;
use super::device_io::{DeviceIo, Results, Travelling};
use super::encoding::Encoding;
use super::folder;
use super::input::{FileKeys, Input};
use super::key_type::KeyType;
use super::number::Number;
use super::paths::OutputPaths;
use super::write::OutputFiles;
use anyhow::Result;
use multisplit::bucket::{BitWindow, Buckets, Delta, Hash, Splitters};
use multisplit::{Method, Multisplit};
use std::time::{Duration, Instant};

/// A bucket function for keys of one carrier. Some look at the value of a key, others only at its bits.
pub enum BucketFunction<C: Carrier> {
    Delta(Delta<C>),
    Splitters(Splitters<C>),
    Hash(Hash<C::Word>),
    Window(BitWindow<C::Word>),
    /// No function of the library's: the bucket of each key is known.
    Chosen {
        ids: Vec<u32>,
        buckets: u32,
    },
}

impl<C: Carrier> BucketFunction<C> {
    /// Returns the function that splits between ascending numbers.
    pub fn between(numbers: &[Number], key_type: KeyType) -> Result<Self> {
        Ok(Self::Splitters(Splitters::new(&C::all(numbers, key_type)?)?))
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
}

impl FileSplit<'_> {
    /// Splits the keys and writes the results. They are not in place before `files` are committed.
    pub fn run<C: Carrier>(
        &self,
        keys: FileKeys,
        function: BucketFunction<C>,
        files: &mut OutputFiles,
    ) -> Result<FileBuckets> {
        let (carrier, ordered) = (keys.carrier(), keys.ordered());
        let travel = |keys, encoding| Travelling { keys, encoding, ids: None };
        match function {
            BucketFunction::Delta(f) => self.by(&f, travel(keys, carrier), files),
            BucketFunction::Splitters(f) => self.by(&f, travel(keys, carrier), files),
            BucketFunction::Hash(f) => self.by(&f, travel(keys, ordered), files),
            BucketFunction::Window(f) => self.by(&f, travel(keys, ordered), files),
            BucketFunction::Chosen { ids, buckets } => {
                let by_id = Delta::<u32>::new(0, 1, buckets)?;
                self.by(&by_id, Travelling { keys, encoding: Encoding::Bits, ids: Some(ids) }, files)
            }
        }
    }

    /// Splits and writes, with keys as the function takes them.
    fn by<F: Buckets>(&self, f: &F, keys: Travelling, files: &mut OutputFiles) -> Result<FileBuckets> {
        let format_of_input = keys.keys.format;
        if self.paths.folder.is_some() {
            folder::check_buckets(f.buckets() as usize)?;
        }
        let mut io = DeviceIo::load(&self.input.device, self.paths, keys)?;
        let (offsets, time) = split(f, self.method, &mut io)?;
        self.write(&io.results()?, &offsets, files)?;
        if let Some(path) = &self.paths.offsets {
            let offsets: Vec<u64> = offsets.iter().map(|&offset| offset as u64).collect();
            files.counts(path, self.paths.format(path, format_of_input)?, "offset", &offsets)?;
        }
        Ok(FileBuckets { offsets, time })
    }

    fn write(&self, results: &Results<'_>, offsets: &[usize], files: &mut OutputFiles) -> Result<()> {
        let n = offsets.last().copied().unwrap_or(0);
        let kept = if self.select { offsets.get(1).copied().unwrap_or(n) } else { n };
        results.write(0..kept, self.paths, files)?;
        match &self.paths.folder {
            Some(place) => folder::write(place, results, offsets, self.paths, files),
            None => Ok(()),
        }
    }
}

/// Splits on the device, and returns the bucket offsets and the time.
fn split<F: Buckets>(f: &F, method: Method, io: &mut DeviceIo<F::Key>) -> Result<(Vec<usize>, Duration)> {
    let split = Multisplit::by(f).method(method);
    let (narrow, wide) = io.widths();
    let mut workspace = split.workspace(&io.device, io.n(), narrow + wide)?;
    let mut offsets = split.offsets(&io.device)?;
    let (keys, mut columns) = io.columns();
    let start = Instant::now();
    split.enqueue(&keys.from, &mut keys.to, &mut columns, &mut offsets, &mut workspace)?;
    let offsets = offsets.read()?;
    Ok((offsets, start.elapsed()))
}
