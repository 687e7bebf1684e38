//! Rows that were split piece by piece, in memory or in a temporary file.
//!
//! A run has the offsets of its buckets, and then its columns, one behind the other.

use super::StoredRows;
use crate::commands::files::encoding::Encoding;
use crate::commands::files::formats::elements::{self, Layout};
use crate::commands::files::words::{Words, WordsRef};
use crate::shared::output_files::in_folder;
use anyhow::{Context, Result, ensure};
use std::fs::File;
use std::io::{Read, Seek, SeekFrom, Write};
use std::ops::Range;
use std::path::{Path, PathBuf};

/// Runs, each with all buckets.
pub struct Runs {
    store: Store,
    /// Where the next run begins.
    end: u64,
    widths: Vec<usize>,
    runs: Vec<Run>,
    /// How many rows each bucket has in all runs.
    pub sizes: Vec<u64>,
}

enum Store {
    Memory(Vec<u8>),
    File(File, PathBuf),
}

struct Run {
    begin: u64,
    rows: u64,
}

/// Where rows of a bucket are.
struct Part {
    run: usize,
    rows: Range<u64>,
}

/// A bucket, as rows.
pub struct Bucket<'a> {
    runs: &'a Runs,
    parts: Vec<Part>,
    len: u64,
}

impl Runs {
    /// Makes room for rows with such columns, in a folder: in a file without a name.
    pub fn in_file(widths: Vec<usize>, buckets: usize, folder: &Path) -> Result<Self> {
        let file = tempfile::tempfile_in(folder).with_context(|| in_folder(folder))?;
        Ok(Self::new(Store::File(file, folder.to_path_buf()), widths, buckets))
    }

    /// Makes room in memory for so many rows, in so many runs.
    pub fn in_memory(widths: Vec<usize>, buckets: usize, rows: u64, runs: u64) -> Result<Self> {
        let row = widths.iter().sum::<usize>() as u64;
        let bytes = rows.saturating_mul(row) + runs.saturating_mul(4 * (buckets as u64 + 1));
        let mut room = Vec::new();
        room.try_reserve_exact(usize::try_from(bytes).unwrap_or(usize::MAX))
            .with_context(|| format!("there is no memory for {bytes} bytes"))?;
        Ok(Self::new(Store::Memory(room), widths, buckets))
    }

    fn new(store: Store, widths: Vec<usize>, buckets: usize) -> Self {
        Self { store, end: 0, widths, runs: Vec::new(), sizes: vec![0; buckets] }
    }

    /// Appends rows that were split. The first column is in an encoding, of which the bits are kept.
    pub fn push(&mut self, columns: &[Words], encoding: Encoding, offsets: &[usize]) -> Result<()> {
        for (size, ends) in self.sizes.iter_mut().zip(offsets.windows(2)) {
            *size += (ends[1] - ends[0]) as u64;
        }
        let rows = offsets.last().copied().unwrap_or(0) as u64;
        let run = Run { begin: self.end, rows };
        let size = self.begin_of(&run, self.widths.len()) - run.begin;
        let starts: Vec<u32> = offsets.iter().map(|&offset| offset as u32).collect();
        let (widths, end) = (self.widths.clone(), self.end);
        let write = |to: &mut dyn Write| {
            elements::write(to, WordsRef::Narrow(&starts), 4, Encoding::Bits)?;
            let encodings = std::iter::once(encoding).chain(std::iter::repeat(Encoding::Bits));
            for ((words, width), encoding) in columns.iter().zip(widths).zip(encodings) {
                elements::write(to, words.as_ref(), width, encoding)?;
            }
            Ok::<(), std::io::Error>(())
        };
        match &mut self.store {
            Store::Memory(bytes) => {
                write(bytes)?;
            }
            Store::File(file, folder) => {
                file.seek(SeekFrom::Start(end))?;
                write(file).with_context(|| in_folder(folder))?;
            }
        }
        self.end += size;
        self.runs.push(run);
        Ok(())
    }

    /// Returns where a column of a run begins.
    fn begin_of(&self, run: &Run, column: usize) -> u64 {
        let before: usize = self.widths[..column].iter().sum();
        run.begin + 4 * (self.sizes.len() as u64 + 1) + before as u64 * run.rows
    }

    fn read(&self, at: u64, width: usize, count: usize) -> Result<Words> {
        let (layout, bytes) = (Layout { width, big_endian: false }, count as u64 * width as u64);
        let words = match &self.store {
            Store::Memory(all) => {
                let mut from = all.get(at as usize..(at + bytes) as usize).unwrap_or_default();
                elements::read(&mut from, layout, count as u64, Some(bytes))?.0
            }
            Store::File(file, folder) => {
                let mut file = file;
                let mut read = || {
                    file.seek(SeekFrom::Start(at))?;
                    elements::read(&mut file.take(bytes), layout, count as u64, Some(bytes))
                };
                read().with_context(|| in_folder(folder))?.0
            }
        };
        ensure!(words.len() == count, "a temporary file was cut short");
        Ok(words)
    }

    /// Returns where the buckets of a range begin in a run, and where the last one ends.
    fn starts(&self, run: &Run, buckets: Range<usize>) -> Result<Vec<u64>> {
        let starts = self.read(run.begin + 4 * buckets.start as u64, 4, buckets.len() + 1)?;
        Ok((0..starts.len()).map(|i| starts.as_ref().get(i)).collect())
    }

    fn read_rows(&self, run: &Run, rows: Range<u64>) -> Result<Vec<Words>> {
        let count = (rows.end - rows.start) as usize;
        let read =
            |(c, &width): (usize, &usize)| self.read(self.begin_of(run, c) + rows.start * width as u64, width, count);
        self.widths.iter().enumerate().map(read).collect()
    }

    /// Returns a bucket.
    pub fn bucket(&self, b: usize) -> Result<Bucket<'_>> {
        let mut parts = Vec::new();
        for (run, about) in self.runs.iter().enumerate() {
            let starts = self.starts(about, b..b + 1)?;
            if starts[0] < starts[1] {
                parts.push(Part { run, rows: starts[0]..starts[1] });
            }
        }
        Ok(Bucket { runs: self, parts, len: self.sizes[b] })
    }

    /// Reads the rows of neighbouring buckets, bucket by bucket.
    pub fn buckets(&self, buckets: Range<usize>) -> Result<Vec<Words>> {
        let mut pieces = Vec::new();
        for run in &self.runs {
            let starts = self.starts(run, buckets.clone())?;
            let columns = self.read_rows(run, starts[0]..starts[buckets.len()])?;
            pieces.push((starts, columns));
        }
        let mut all: Vec<Words> = self.widths.iter().map(|&width| Words::none(width)).collect();
        for b in 0..buckets.len() {
            for (starts, columns) in &pieces {
                let range = (starts[b] - starts[0]) as usize..(starts[b + 1] - starts[0]) as usize;
                if !range.is_empty() {
                    all.iter_mut()
                        .zip(columns)
                        .for_each(|(all, column)| all.extend(column.as_ref().slice(range.clone())));
                }
            }
        }
        Ok(all)
    }
}

impl StoredRows for Bucket<'_> {
    fn len(&self) -> u64 {
        self.len
    }

    fn widths(&self) -> Vec<usize> {
        self.runs.widths.clone()
    }

    fn read(&self, at: u64, count: usize) -> Result<Vec<Words>> {
        let mut all: Vec<Words> = self.runs.widths.iter().map(|&width| Words::none(width)).collect();
        let (mut before, wanted) = (0, at..at + count as u64);
        for Part { run, rows } in &self.parts {
            let size = rows.end - rows.start;
            let (from, to) = (wanted.start.max(before), wanted.end.min(before + size));
            if from < to {
                let rows = rows.start + from - before..rows.start + to - before;
                let columns = self.runs.read_rows(&self.runs.runs[*run], rows)?;
                if all[0].len() == 0 {
                    // Mostly there is nothing to be appended.
                    all = columns;
                } else {
                    all.iter_mut().zip(&columns).for_each(|(all, column)| all.extend(column.as_ref()));
                }
            }
            before += size;
        }
        Ok(all)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn buckets_of_runs() {
        let folder = tempfile::tempdir().unwrap();
        let in_file = Runs::in_file(vec![1, 8], 3, folder.path()).unwrap();
        for mut runs in [in_file, Runs::in_memory(vec![1, 8], 3, 6, 2).unwrap()] {
            let columns = |keys: &[u32]| {
                let values = keys.iter().map(|&key| u64::from(key) << 40).collect();
                [Words::Narrow(keys.to_vec()), Words::Wide(values)]
            };
            runs.push(&columns(&[1, 2, 20]), Encoding::Bits, &[0, 2, 2, 3]).unwrap();
            runs.push(&columns(&[3, 21, 22]), Encoding::Bits, &[0, 1, 1, 3]).unwrap();
            assert_eq!(runs.sizes, [3, 0, 3]);
            let read = |columns: Vec<Words>| -> Vec<u64> {
                let [keys, values] = &columns[..] else { panic!() };
                let keys: Vec<u64> = (0..keys.len()).map(|i| keys.as_ref().get(i)).collect();
                assert!(keys.iter().enumerate().all(|(i, &key)| values.as_ref().get(i) == key << 40));
                keys
            };
            assert_eq!(read(runs.buckets(0..3).unwrap()), [1, 2, 3, 20, 21, 22]);
            assert_eq!(read(runs.buckets(1..3).unwrap()), [20, 21, 22]);
            let bucket = runs.bucket(2).unwrap();
            assert_eq!((bucket.len(), read(bucket.read(1, 2).unwrap())), (3, vec![21, 22]));
            assert!(read(runs.bucket(1).unwrap().read(0, 0).unwrap()).is_empty());
        }
        assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 0, "it has no name");
    }
}
