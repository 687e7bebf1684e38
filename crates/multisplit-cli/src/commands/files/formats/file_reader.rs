//! Reads a file, by all threads where much is wanted at a time.
//!
//! A copy of what the system has of a file takes as long as many a command, most of all where the memory for it is new.

use crate::shared::progress;
use std::borrow::Borrow;
use std::fs::File;
use std::io::{self, Read};
#[cfg(not(unix))]
use std::io::{Seek, SeekFrom};

/// Bytes that are worth the work of all threads, and those of each piece of it.
const MANY: usize = 1 << 23;
const PIECE: usize = 1 << 21;

/// The bytes of a file from some place on.
pub struct FileReader<F> {
    file: F,
    at: u64,
}

impl<F: Borrow<File>> FileReader<F> {
    /// Begins to read at some place.
    pub fn new(file: F, at: u64) -> Self {
        Self { file, at }
    }
}

impl<F: Borrow<File>> Read for FileReader<F> {
    fn read(&mut self, bytes: &mut [u8]) -> io::Result<usize> {
        let file = self.file.borrow();
        let read = if bytes.len() < MANY { read_at(file, self.at, bytes)? } else { read_many(file, self.at, bytes)? };
        self.at += read as u64;
        Ok(read)
    }
}

/// Reads some bytes. None are left if there are none.
#[cfg(unix)]
fn read_at(file: &File, at: u64, bytes: &mut [u8]) -> io::Result<usize> {
    let read = std::os::unix::fs::FileExt::read_at(file, bytes, at)?;
    progress::advance(read);
    Ok(read)
}

#[cfg(not(unix))]
fn read_at(mut file: &File, at: u64, bytes: &mut [u8]) -> io::Result<usize> {
    file.seek(SeekFrom::Start(at))?;
    let read = file.read(bytes)?;
    progress::advance(read);
    Ok(read)
}

/// Reads so many bytes, or fewer if the file ends before.
#[cfg(unix)]
fn read_many(file: &File, at: u64, bytes: &mut [u8]) -> io::Result<usize> {
    use multisplit_graph::parallel;
    use std::sync::{Mutex, PoisonError};
    let pieces: Vec<Mutex<&mut [u8]>> = bytes.chunks_mut(PIECE).map(Mutex::new).collect();
    let piece = |i: usize| -> io::Result<usize> {
        let (mut bytes, mut read) = (pieces[i].lock().unwrap_or_else(PoisonError::into_inner), 0);
        while read < bytes.len() {
            match read_at(file, at + (i * PIECE + read) as u64, &mut bytes[read..]) {
                Ok(0) => break,
                Ok(more) => read += more,
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                Err(error) => return Err(error),
            }
        }
        Ok(read)
    };
    let read: Vec<usize> = parallel::collect(pieces.len(), piece).into_iter().collect::<io::Result<_>>()?;
    // What is behind a piece that is not full was read from a file that grew meanwhile.
    let full = read.iter().take_while(|&&read| read == PIECE).count();
    Ok(full * PIECE + read.get(full).copied().unwrap_or(0))
}

/// Elsewhere threads would take each other's place in the file.
#[cfg(not(unix))]
fn read_many(file: &File, at: u64, bytes: &mut [u8]) -> io::Result<usize> {
    let _ = PIECE;
    read_at(file, at, bytes)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::io::Write;

    #[test]
    fn threads_read_what_one_would() {
        let bytes: Vec<u8> = (0..MANY + PIECE + 5).map(|i| ((i * i) >> 5) as u8).collect();
        let mut file = tempfile::tempfile().unwrap();
        file.write_all(&bytes).unwrap();
        for (at, most) in [(3, MANY), (1, bytes.len() - 1), (7, bytes.len()), (0, 9), (bytes.len(), MANY)] {
            let (mut found, mut reader) = (vec![0; most], FileReader::new(&file, at as u64));
            let mut read = 0;
            while let more @ 1.. = reader.read(&mut found[read..]).unwrap() {
                read += more;
            }
            assert_eq!(read, most.min(bytes.len() - at));
            assert!(found[..read] == bytes[at..at + read]);
        }
    }
}
