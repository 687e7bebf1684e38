//! Splits of the keys of a file by a bucket function, for `split` and `partition`.

use super::carrier::Carrier;
use super::file_split::{FileBuckets, FileSplit};
use super::folder;
use super::key_type::{KeyType, with_carrier};
use super::keys::Keys;
use super::large::split as large;
use super::number::Number;
use super::open::Opened;
use super::results::{Results, Travelling};
use super::room;
use super::rows::By;
use super::split_rows::SplitRows;
use super::words::{Words, WordsRef};
use super::write::OutputFiles;
use crate::shared::progress;
use anyhow::Result;
use multisplit::bucket::{BitWindow, Delta, Hash, Splitters};
use std::ops::Range;

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
    /// No function of the library's: the bucket of each key is known here.
    Chosen {
        ids: IdsOf,
        buckets: u32,
    },
}

/// Returns the buckets of some keys, given as bits. The number is that of the first of them in the input.
pub type IdsOf = Box<dyn Fn(WordsRef<'_>, u64) -> Result<Vec<u32>>>;

/// A function that rows can be split by.
pub struct Prepared {
    pub function: Box<dyn SplitRows>,
    pub by: By<'static>,
}

impl BucketFunction {
    /// Makes the library's function for keys of a type. `named` is what messages name if it cannot be made.
    pub fn prepare(self, key_type: KeyType, named: &str) -> Result<Prepared> {
        let (carrier, ordered) = (By::Keys(key_type.value_encoding()), By::Keys(key_type.ordered()));
        let narrow = key_type.width() <= 4;
        Ok(match self {
            Self::Ranges(ranges) => with_carrier!(key_type.carrier(), C => {
                Prepared::new(made(ranges.delta::<C>(key_type), named)?, carrier)
            }),
            Self::Between(numbers) => with_carrier!(key_type.carrier(), C => {
                Prepared::new(made(Splitters::new(&C::all(&numbers, key_type)?), named)?, carrier)
            }),
            Self::Hash { buckets, seed } if narrow => Prepared::new(Hash::<u32>::new(buckets, seed), ordered),
            Self::Hash { buckets, seed } => Prepared::new(Hash::<u64>::new(buckets, seed), ordered),
            Self::Window(bits) if narrow => Prepared::new(made(BitWindow::<u32>::new(bits), named)?, ordered),
            Self::Window(bits) => Prepared::new(made(BitWindow::<u64>::new(bits), named)?, ordered),
            Self::Chosen { ids, buckets } => {
                let words = move |keys: WordsRef<'_>, first| ids(keys, first).map(Words::Narrow);
                Prepared::new(Delta::<u32>::new(0, 1, buckets)?, By::Others(Box::new(words)))
            }
        })
    }
}

impl Prepared {
    fn new(function: impl SplitRows + 'static, by: By<'static>) -> Self {
        Self { function: Box::new(function), by }
    }
}

fn made<F>(function: multisplit::Result<F>, named: &str) -> Result<F> {
    function.map_err(|error| anyhow::Error::from(error).context(named.to_string()))
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

impl FileSplit<'_> {
    /// Splits the keys and writes the results. They are not in place before `files` are committed.
    pub fn run(&self, keys: Opened, function: BucketFunction, files: &mut OutputFiles) -> Result<FileBuckets> {
        let Prepared { function, by } = function.prepare(keys.about().key_type, self.named)?;
        if self.paths.folder.is_some() {
            folder::check_buckets(function.count() as usize)?;
        }
        let (device, format) = (&self.input.device, keys.format());
        let buckets = match keys {
            Opened::Whole(keys, named) => {
                // Only rules look at them.
                drop(named);
                if !self.select {
                    room::check(self.paths, &keys)?;
                }
                let (rows, travelling) = Travelling::load(self.paths, keys, by)?;
                let stage = progress::stage("splitting");
                let mut moved = function.split_rows(device, self.method, rows, travelling.permutation)?;
                drop(stage);
                let offsets = std::mem::take(&mut moved.offsets);
                let buckets =
                    FileBuckets { offsets: offsets.iter().map(|&offset| offset as u64).collect(), time: moved.time };
                self.write(&travelling.results(moved), &buckets, &offsets, files)?;
                buckets
            }
            Opened::Large(table) => large::split(self, &table, &*function, &by, files)?,
        };
        if let Some(path) = &self.paths.offsets {
            files.counts(path, self.paths.format(path, format)?, "offset", &buckets.offsets)?;
        }
        Ok(buckets)
    }

    fn write(&self, results: &Results, buckets: &FileBuckets, at: &[usize], files: &mut OutputFiles) -> Result<()> {
        results.write(0..self.kept(&buckets.offsets) as usize, self.paths, files)?;
        match &self.paths.folder {
            Some(place) => folder::write(place, results, at, self.paths, files),
            None => Ok(()),
        }
    }
}
