//! Splits of arrays by a bucket function, for `split` and `partition`.

use super::device_io::DeviceIo;
use super::input::Input;
use super::key::FileKey;
use super::paths::OutputPaths;
use super::write::OutputFiles;
use anyhow::Result;
use multisplit::bucket::{BitWindow, Buckets, Delta, Hash, Splitters};
use multisplit::{Method, Multisplit};
use std::time::{Duration, Instant};

/// A bucket function for keys of one type. Some look at the value of a key, others only at its bits.
pub enum BucketFunction<K: FileKey> {
    Delta(Delta<K::Carrier>),
    Splitters(Splitters<K::Carrier>),
    Hash(Hash<K::Word>),
    Window(BitWindow<K::Word>),
}

impl<K: FileKey> BucketFunction<K> {
    /// Returns the function that splits between ascending numbers.
    pub fn between(numbers: &[K]) -> Result<Self> {
        let numbers: Vec<K::Carrier> = numbers.iter().map(|number| number.carry()).collect();
        Ok(Self::Splitters(Splitters::new(&numbers)?))
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
    pub fn run<K: FileKey>(
        &self,
        keys: Vec<K>,
        function: BucketFunction<K>,
        files: &mut OutputFiles,
    ) -> Result<FileBuckets> {
        match function {
            BucketFunction::Delta(f) => self.by(&f, keys, K::carry, K::carried, files),
            BucketFunction::Splitters(f) => self.by(&f, keys, K::carry, K::carried, files),
            BucketFunction::Hash(f) => self.by(&f, keys, K::to_word, K::from_word, files),
            BucketFunction::Window(f) => self.by(&f, keys, K::to_word, K::from_word, files),
        }
    }

    /// Splits and writes, with keys as the function takes them.
    fn by<K: FileKey, F: Buckets>(
        &self,
        f: &F,
        keys: Vec<K>,
        carrier: impl Fn(K) -> F::Key + Sync,
        key: impl Fn(F::Key) -> K + Sync,
        files: &mut OutputFiles,
    ) -> Result<FileBuckets> {
        let n = keys.len();
        let mut io = DeviceIo::load(&self.input.device, self.paths, keys, carrier)?;
        let (offsets, time) = split(f, self.method, &mut io)?;
        let kept = if self.select { offsets.get(1).copied().unwrap_or(n) } else { n };
        io.write(kept, key, self.paths, files)?;
        if let Some(path) = &self.paths.offsets {
            let offsets: Vec<u64> = offsets.iter().map(|&offset| offset as u64).collect();
            files.numbers(path, &offsets)?;
        }
        Ok(FileBuckets { offsets, time })
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
