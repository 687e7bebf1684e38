//! Records that were dealt out to parts of the output, in a temporary file.
//!
//! They are held until they take some memory, and then appended as a run: where each part begins in it, and the parts.

use crate::shared::output_files::in_folder;
use anyhow::{Context, Result};
use std::fs::File;
use std::io::{BufWriter, Read, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};

/// Bytes that are held for each part before any is written, at least.
const OF_PART: usize = 16;

/// Such a file.
pub struct Spool {
    file: File,
    folder: PathBuf,
    /// Where each run begins.
    runs: Vec<u64>,
    end: u64,
    /// What is held of each part.
    held: Vec<Vec<u8>>,
    /// How many bytes that are.
    size: usize,
    /// How many are held at most.
    most: usize,
}

impl Spool {
    /// Makes room for so many parts, in a folder: in a file without a name. Of very many, more is held, so that where
    /// they begin takes no more than they do.
    pub fn new(folder: &Path, parts: usize, most: usize) -> Result<Self> {
        let most = most.max(OF_PART * parts);
        let file = tempfile::tempfile_in(folder).with_context(|| in_folder(folder))?;
        let held = (0..parts).map(|_| Vec::new()).collect();
        Ok(Self { file, folder: folder.to_path_buf(), runs: Vec::new(), end: 0, held, size: 0, most })
    }

    /// Appends to a part what `write` appends.
    pub fn push(&mut self, part: usize, write: &mut dyn FnMut(&mut Vec<u8>) -> Result<()>) -> Result<()> {
        let held = &mut self.held[part];
        let before = held.len();
        write(held)?;
        self.size += held.len() - before;
        if self.size >= self.most { self.flush() } else { Ok(()) }
    }

    /// Appends what is held as a run.
    pub fn flush(&mut self) -> Result<()> {
        if self.size == 0 {
            return Ok(());
        }
        let mut write = || {
            let mut file = BufWriter::with_capacity(1 << 16, &mut self.file);
            file.seek(SeekFrom::Start(self.end))?;
            let mut start = 8 * (self.held.len() as u64 + 1);
            file.write_all(&start.to_le_bytes())?;
            for part in &self.held {
                start += part.len() as u64;
                file.write_all(&start.to_le_bytes())?;
            }
            self.held.iter().try_for_each(|part| file.write_all(part))?;
            file.flush()?;
            Ok::<u64, std::io::Error>(start)
        };
        let size = write().with_context(|| in_folder(&self.folder))?;
        self.runs.push(self.end);
        self.end += size;
        self.size = 0;
        self.held.iter_mut().for_each(|part| *part = Vec::new());
        Ok(())
    }

    /// Reads a part: what all runs have of it, one behind the other.
    pub fn read(&self, part: usize) -> Result<Vec<u8>> {
        let mut file = &self.file;
        let mut all = Vec::new();
        let mut read = || {
            for run in &self.runs {
                let mut ends = [0; 16];
                file.seek(SeekFrom::Start(run + 8 * part as u64))?;
                file.read_exact(&mut ends)?;
                let [start, end] = [0, 8].map(|at| u64::from_le_bytes(ends[at..at + 8].try_into().unwrap_or_default()));
                if start < end {
                    let before = all.len();
                    all.resize(before + (end - start) as usize, 0);
                    file.seek(SeekFrom::Start(run + start))?;
                    file.read_exact(&mut all[before..])?;
                }
            }
            Ok::<(), std::io::Error>(())
        };
        read().with_context(|| in_folder(&self.folder))?;
        Ok(all)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parts_of_runs() {
        let folder = tempfile::tempdir().unwrap();
        let mut spool = Spool::new(folder.path(), 3, 50).unwrap();
        let long = "c".repeat(47);
        for (part, bytes) in [(2, "ab"), (0, &*long), (2, "f"), (0, "d"), (2, "gh")] {
            let write = &mut |to: &mut Vec<u8>| {
                to.extend_from_slice(bytes.as_bytes());
                Ok(())
            };
            spool.push(part, write).unwrap();
        }
        spool.flush().unwrap();
        assert_eq!(spool.runs.len(), 2);
        assert_eq!(Spool::new(folder.path(), 300, 50).unwrap().most, 4800);
        let parts = [0, 1, 2].map(|part| String::from_utf8(spool.read(part).unwrap()).unwrap());
        assert_eq!(parts, [&*(long + "d"), "", "abfgh"]);
        assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 0, "it has no name");
    }
}
