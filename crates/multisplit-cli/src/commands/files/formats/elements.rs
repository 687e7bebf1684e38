//! Elements as files have them: one behind the other, each of 1, 2, 4 or 8 bytes.

use crate::commands::files::encoding::Encoding;
use crate::commands::files::words::{Words, WordsRef};
use anyhow::{Context, Result, ensure};
use bytemuck::Pod;
use multisplit::{Buffer, Device};
use std::io::{self, Read, Write};

/// Elements that are converted at a time, and that memory is reserved for where their number is unknown: a header may
/// lie.
const STEP: usize = 1 << 18;

/// How elements lie in a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Layout {
    /// The bytes of each: 1, 2, 4 or 8.
    pub width: usize,
    pub big_endian: bool,
}

/// Reads up to `most` elements, and returns them and how many bytes of a further one come before the end. `there` is
/// how many bytes there are, if that is known.
pub fn read(from: &mut dyn Read, layout: Layout, most: u64, there: Option<u64>) -> Result<(Words, usize)> {
    let most = usize::try_from(most).unwrap_or(usize::MAX);
    let there = there.map(|bytes| usize::try_from(bytes).unwrap_or(usize::MAX) / layout.width);
    let (mut words, left) = match layout.width {
        1 | 2 => read_small(from, layout.width, most, there).map(|(words, left)| (Words::Narrow(words), left))?,
        4 => read_whole(from, most, there).map(|(words, left)| (Words::Narrow(words), left))?,
        _ => read_whole(from, most, there).map(|(words, left)| (Words::Wide(words), left))?,
    };
    let swapped = if layout.width < 4 { layout.big_endian } else { layout.big_endian != cfg!(target_endian = "big") };
    if swapped {
        match &mut words {
            Words::Narrow(words) if layout.width == 4 => words.iter_mut().for_each(|word| *word = word.swap_bytes()),
            Words::Narrow(words) if layout.width == 2 => {
                words.iter_mut().for_each(|word| *word = word.swap_bytes() >> 16);
            }
            Words::Narrow(_) => {}
            Words::Wide(words) => words.iter_mut().for_each(|word| *word = word.swap_bytes()),
        }
    }
    Ok((words, left))
}

/// Makes room for more elements. `exactly` if there will be no others.
fn make_room<T>(elements: &mut Vec<T>, more: usize, exactly: bool) -> Result<()> {
    let room = if exactly { elements.try_reserve_exact(more) } else { elements.try_reserve(more) };
    room.with_context(|| format!("there is no memory for {} elements", elements.len().saturating_add(more)))
}

/// Reads up to `most` bytes.
pub fn read_bytes(from: &mut dyn Read, most: u64, there: Option<u64>) -> Result<Vec<u8>> {
    let fits = |bytes: u64| usize::try_from(bytes).unwrap_or(usize::MAX);
    read_whole(from, fits(most), there.map(fits)).map(|(bytes, _)| bytes)
}

/// Reads elements as they are.
fn read_whole<T: Pod>(from: &mut dyn Read, most: usize, there: Option<usize>) -> Result<(Vec<T>, usize)> {
    let mut elements = zeros::<T>(there.unwrap_or(0).min(most))?;
    let got = fill(from, bytemuck::cast_slice_mut(&mut elements))?;
    let left = got % size_of::<T>();
    if got < size_of_val(&elements[..]) {
        elements.truncate(got / size_of::<T>());
        return Ok((elements, left));
    }
    // Mostly there are no more, so that nothing has to be moved for them.
    let mut step = 1;
    while elements.len() < most {
        let mut more = vec![T::zeroed(); step.min(most - elements.len())];
        let got = fill(from, bytemuck::cast_slice_mut(&mut more))?;
        let (whole, left) = (got / size_of::<T>(), got % size_of::<T>());
        make_room(&mut elements, whole, false)?;
        elements.extend_from_slice(&more[..whole]);
        if whole < more.len() {
            return Ok((elements, left));
        }
        step = STEP;
    }
    Ok((elements, 0))
}

/// Returns zeros where the library has its buffers, so that they become one without a copy: in large pages, if the
/// system has some.
fn zeros<T: Pod>(n: usize) -> Result<Vec<T>> {
    let room = Device::cpu().alloc(n).and_then(Buffer::into_vec);
    room.with_context(|| format!("there is no memory for {n} elements"))
}

/// Reads elements of 1 or 2 bytes, little-endian.
fn read_small(from: &mut dyn Read, width: usize, most: usize, there: Option<usize>) -> Result<(Vec<u32>, usize)> {
    let mut words: Vec<u32> = Vec::new();
    make_room(&mut words, there.unwrap_or(0).min(most), true)?;
    let mut buffer = vec![0; STEP.min(most) * width];
    while words.len() < most {
        let more = STEP.min(most - words.len());
        let got = fill(from, &mut buffer[..more * width])?;
        make_room(&mut words, more, false)?;
        match width {
            1 => words.extend(buffer[..got].iter().map(|&byte| u32::from(byte))),
            _ => words
                .extend(buffer[..got].chunks_exact(2).map(|pair| u32::from(u16::from_le_bytes([pair[0], pair[1]])))),
        }
        if got < more * width {
            return Ok((words, got % width));
        }
    }
    Ok((words, 0))
}

/// Reads until the buffer is full or the input ends, and returns the number of bytes.
pub fn fill(from: &mut dyn Read, mut buffer: &mut [u8]) -> io::Result<usize> {
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

/// Refuses a header that promised more.
pub fn check_count(got: usize, promised: u64) -> Result<()> {
    ensure!(
        got as u64 == promised,
        "the file is cut short: its header says {promised} elements, but only {got} are there"
    );
    Ok(())
}

/// Reads numbers alone, little-endian, to the end. `what` names one of them.
pub fn read_to_end(from: &mut dyn Read, width: usize, there: Option<u64>, what: &str) -> Result<Words> {
    let (words, left) = read(from, Layout { width, big_endian: false }, u64::MAX, there)?;
    ensure!(left == 0, "{}", ends_within(what, width));
    Ok(words)
}

/// Says that the last element of a file is not complete. `what` names one of them.
pub fn ends_within(what: &str, width: usize) -> String {
    format!("the file ends within one of its {what}, which are of {width} bytes each")
}

/// Writes elements of `width` bytes, little-endian.
pub fn write(to: &mut dyn Write, words: WordsRef<'_>, width: usize, encoding: Encoding) -> io::Result<()> {
    if encoding.is_identity() {
        return write_bits(to, words, width);
    }
    for begin in (0..words.len()).step_by(STEP) {
        let mut part = words.slice(begin..words.len().min(begin + STEP)).to_owned();
        encoding.undo(&mut part);
        write_bits(to, part.as_ref(), width)?;
    }
    Ok(())
}

fn write_bits(to: &mut dyn Write, words: WordsRef<'_>, width: usize) -> io::Result<()> {
    match words {
        WordsRef::Narrow(words) if width == 4 && cfg!(target_endian = "little") => {
            to.write_all(bytemuck::cast_slice(words))
        }
        WordsRef::Wide(words) if cfg!(target_endian = "little") => to.write_all(bytemuck::cast_slice(words)),
        WordsRef::Narrow(words) => words.chunks(STEP).try_for_each(|part| {
            let bytes: Vec<u8> = match width {
                1 => part.iter().map(|&word| word as u8).collect(),
                2 => part.iter().flat_map(|&word| (word as u16).to_le_bytes()).collect(),
                _ => part.iter().flat_map(|&word| word.to_le_bytes()).collect(),
            };
            to.write_all(&bytes)
        }),
        WordsRef::Wide(words) => words.iter().try_for_each(|word| to.write_all(&word.to_le_bytes())),
    }
}
