//! Reads arrays from files.

use super::key::FileKey;
use super::key_type::FileKeyType;
use crate::shared::npy::{self, Header};
use anyhow::{Context, Result, bail, ensure};
use bytemuck::Pod;
use npyz::DType;
use std::fs::File;
use std::io::{self, BufReader, Read, Seek};
use std::path::Path;

/// Values that travel with keys, of any type: nothing looks at them.
pub struct FileValues {
    pub dtype: DType,
    pub words: ValueWords,
}

/// The bits of values.
pub enum ValueWords {
    /// Of 4 bytes.
    Narrow(Vec<u32>),
    /// Of 8 bytes.
    Wide(Vec<u64>),
}

impl ValueWords {
    fn len(&self) -> usize {
        match self {
            Self::Narrow(words) => words.len(),
            Self::Wide(words) => words.len(),
        }
    }
}

/// An open file whose elements come next.
pub struct ArrayFile {
    from: BufReader<File>,
    /// The header of a NumPy file.
    header: Option<Header>,
    /// How many bytes come next. Unknown for pipes.
    bytes: Option<u64>,
}

impl ArrayFile {
    /// Opens a file, and reads its header if it is a NumPy file.
    pub fn open(path: &Path) -> Result<Self> {
        let file = File::open(path)?;
        let about = file.metadata()?;
        ensure!(!about.is_dir(), "this is a folder, not a file");
        let mut from = BufReader::new(file);
        let header = npy::is_npy(path).then(|| npy::read_header(&mut from)).transpose()?;
        let bytes = if about.is_file() { Some(about.len().saturating_sub(from.stream_position()?)) } else { None };
        Ok(Self { from, header, bytes })
    }

    /// Returns the type that a NumPy file names.
    pub fn dtype(&self) -> Option<&DType> {
        self.header.as_ref().map(|header| &header.dtype)
    }

    /// Reads all elements as keys of a type.
    pub fn keys<K: FileKey>(mut self) -> Result<Vec<K>> {
        let mut keys = self.elements::<K>(K::TYPE)?;
        if cfg!(target_endian = "big") {
            bytemuck::cast_slice_mut::<K, u8>(&mut keys).chunks_exact_mut(size_of::<K>()).for_each(<[u8]>::reverse);
        }
        Ok(keys)
    }

    /// Reads all elements, of whatever type, as the values of that many keys.
    pub fn values(mut self, keys: usize) -> Result<FileValues> {
        let values = match self.dtype().cloned() {
            Some(dtype) => {
                let words = match dtype.num_bytes() {
                    Some(4) => ValueWords::Narrow(self.elements("values")?),
                    Some(8) => ValueWords::Wide(self.elements("values")?),
                    _ => bail!("values must be of 4 or 8 bytes, but these are {}", dtype.descr()),
                };
                FileValues { dtype, words }
            }
            None => untyped_values(self.elements("4-byte words")?, keys)?,
        };
        let n = values.words.len();
        ensure!(n == keys, "there are {n} values, but {keys} keys; there must be as many");
        Ok(values)
    }

    fn elements<T: Pod>(&mut self, what: impl std::fmt::Display) -> Result<Vec<T>> {
        let width = size_of::<T>() as u64;
        let there = self.bytes.map(|bytes| bytes / width);
        let Some(Header { n, .. }) = self.header else {
            let (elements, left) = read_up_to(&mut self.from, u64::MAX, there)?;
            ensure!(left == 0, "the file ends within one of its {what}, which are of {width} bytes each");
            return Ok(elements);
        };
        // More arrays may follow in a NumPy file; the first counts.
        let (elements, _) = read_up_to(&mut self.from, n, there.map(|there| there.min(n)))?;
        let got = elements.len();
        ensure!(got as u64 == n, "the file is cut short: its header says {n} elements, but only {got} are there");
        Ok(elements)
    }
}

/// Makes values of words without a type: as wide as the number of keys says.
fn untyped_values(words: Vec<u32>, keys: usize) -> Result<FileValues> {
    let n = words.len();
    if n == keys {
        Ok(FileValues { dtype: npy::dtype("<u4")?, words: ValueWords::Narrow(words) })
    } else if n == 2 * keys {
        let wide = words.chunks_exact(2).map(|pair| bytemuck::cast([pair[0], pair[1]])).collect();
        Ok(FileValues { dtype: npy::dtype("<u8")?, words: ValueWords::Wide(wide) })
    } else {
        bail!("there are {} bytes, but {keys} keys; there must be 4 or 8 for each", 4 * n)
    }
}

/// How many elements to reserve memory for at a time where their number is unknown: a header may lie.
const STEP: usize = 1 << 18;

/// Reads up to `most` elements, and returns them and how many bytes of a further one come before the end.
fn read_up_to<T: Pod>(from: &mut impl Read, most: u64, there: Option<u64>) -> Result<(Vec<T>, usize)> {
    let most = usize::try_from(most).unwrap_or(usize::MAX);
    let mut step = there.map_or(STEP, |there| usize::try_from(there).unwrap_or(usize::MAX)).max(1);
    let mut elements: Vec<T> = Vec::new();
    while elements.len() < most {
        let before = elements.len();
        let more = step.min(most - before);
        let room = if there.is_some() { elements.try_reserve_exact(more) } else { elements.try_reserve(more) };
        room.with_context(|| format!("there is no memory for {} elements", before.saturating_add(more)))?;
        elements.resize(before + more, T::zeroed());
        let got = fill(from, bytemuck::cast_slice_mut(&mut elements[before..]))?;
        if got < more * size_of::<T>() {
            elements.truncate(before + got / size_of::<T>());
            return Ok((elements, got % size_of::<T>()));
        }
        step = STEP;
    }
    Ok((elements, 0))
}

/// Reads until the buffer is full or the input ends, and returns the number of bytes.
fn fill(from: &mut impl Read, mut buffer: &mut [u8]) -> io::Result<usize> {
    let whole = buffer.len();
    while !buffer.is_empty() {
        match from.read(buffer) {
            Ok(0) => break,
            Ok(got) => buffer = &mut buffer[got..],
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            Err(error) => return Err(error),
        }
    }
    Ok(whole - buffer.len())
}

/// Opens a file of keys, and returns their type.
pub fn open_keys(path: &Path, asked: Option<FileKeyType>) -> Result<(FileKeyType, ArrayFile)> {
    let file = ArrayFile::open(path)?;
    Ok((FileKeyType::settle(asked, file.dtype())?, file))
}

/// Reads numbers of the same type as the keys, such as splitters.
pub fn read_like_keys<K: FileKey>(path: &Path) -> Result<Vec<K>> {
    let file = ArrayFile::open(path)?;
    if let Some(dtype) = file.dtype() {
        let found = FileKeyType::of(dtype)?;
        ensure!(found == K::TYPE, "these are {found}, but the keys are {}; both must be of one type", K::TYPE);
    }
    file.keys()
}
