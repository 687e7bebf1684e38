//! Graphs as a file of this crate's own: the arrays as they are in memory.
//!
//! All numbers are little-endian.
//!
//! | bytes | what |
//! |---|---|
//! | 8 | `\x89MSGRPH\n` |
//! | 4 | version: 1 |
//! | 4 | type of the weights: 0 is `u32`, 1 is `f32` |
//! | 8 | n, the number of vertices |
//! | 8 | m, the number of arcs |
//! | 8 | labels: 0 is without gaps, 1 is a table |
//! | 8 | the label of vertex 0, if they are without gaps |
//! | 8 | checksum of all above |
//! | 4 (n + 1) | offsets |
//! | 4 m | targets |
//! | 4 m | weights |
//! | 8 n | the table of labels, if there is one |
//! | 8 | checksum of all above |
//!
//! A file must have exactly the length that its header announces. Where the length is not known, as of a compressed
//! file, arrays grow with what was read.

use super::labels::Labels;
use super::source::Source;
use crate::error::{Error, Result};
use crate::graph::{AnyGraph, Graph, Weight, memory};
use std::fs::File;
use std::io::{self, BufWriter, Write};
use std::path::Path;

pub(crate) const MAGIC: [u8; 8] = *b"\x89MSGRPH\n";

const VERSION: u32 = 1;

/// The checksum of nothing: not 0, so that zeros count.
const FIRST: u64 = 1;

/// Words of the header.
const HEADER: usize = 14;

/// Words that are read or written at once.
const BLOCK: usize = 1 << 18;

impl AnyGraph {
    /// Writes a graph and its labels to a file in the binary format.
    ///
    /// # Errors
    /// [`Error::Io`]; [`Error::InvalidBinary`] if the labels are of another graph, or do not fit into 64 bits.
    pub fn save(&self, labels: &Labels, path: impl AsRef<Path>) -> Result<()> {
        let path = path.as_ref();
        let failed = |error: io::Error| Error::io(path.display(), &error);
        let file = File::create(path).map_err(failed)?;
        self.write(labels, BufWriter::with_capacity(1 << 20, file)).map_err(|error| match error {
            Error::Io { kind, reason, .. } => Error::Io { what: path.display().to_string(), kind, reason },
            other => other,
        })
    }

    /// Writes a graph and its labels in the binary format.
    ///
    /// # Errors
    /// As [`AnyGraph::save`].
    pub fn write(&self, labels: &Labels, to: impl Write) -> Result<()> {
        match self {
            Self::U32(graph) => write(graph, 0, labels, to),
            Self::F32(graph) => write(graph, 1, labels, to),
        }
    }
}

fn write<W: Weight>(graph: &Graph<W>, weights: u32, labels: &Labels, to: impl Write) -> Result<()> {
    if labels.vertices != graph.vertices() {
        let reason = format!("{} labels for {} vertices", labels.vertices, graph.vertices());
        return Err(Error::InvalidBinary(reason));
    }
    check_labels(labels)?;
    let [n, m] = [u64::from(graph.vertices()), graph.arcs() as u64];
    let (kind, first, table) = labels.parts();
    let mut sink = Sink { to, sum: FIRST };
    let written = (|| {
        let [magic_low, magic_high] = bytemuck::cast::<[u8; 8], [u32; 2]>(MAGIC).map(u32::from_le);
        sink.words(&[magic_low, magic_high, VERSION, weights])?;
        sink.longs(&[n, m, kind, first])?;
        sink.checksum()?;
        sink.words(graph.offsets())?;
        sink.words(graph.targets())?;
        sink.words(bytemuck::cast_slice(graph.weights()))?;
        sink.longs(table)?;
        sink.checksum()?;
        sink.to.flush()
    })();
    written.map_err(|error| Error::io("the binary graph", &error))
}

struct Sink<T> {
    to: T,
    sum: u64,
}

impl<T: Write> Sink<T> {
    fn words(&mut self, words: &[u32]) -> io::Result<()> {
        for block in words.chunks(BLOCK) {
            self.sum = checksum(self.sum, block);
            let little: Vec<u32> = block.iter().map(|word| word.to_le()).collect();
            self.to.write_all(bytemuck::cast_slice(&little))?;
        }
        Ok(())
    }

    fn longs(&mut self, longs: &[u64]) -> io::Result<()> {
        for block in longs.chunks(BLOCK) {
            let words: Vec<u32> = block.iter().flat_map(|&long| [long as u32, (long >> 32) as u32]).collect();
            self.words(&words)?;
        }
        Ok(())
    }

    fn checksum(&mut self) -> io::Result<()> {
        self.longs(&[self.sum])
    }
}

/// A sum that changes if any word does. It guards against accidents, not against intent.
fn checksum(sum: u64, words: &[u32]) -> u64 {
    let add = |sum: u64, &word: &u32| (sum.rotate_left(23) ^ u64::from(word)).wrapping_mul(0x9e37_79b9_7f4a_7c15);
    words.iter().fold(sum, add)
}

pub(crate) fn read(source: Source<'_>) -> Result<(AnyGraph, Labels)> {
    let mut input = Input { source, sum: FIRST, bytes: 0 };
    let header = input.words(HEADER as u64 - 2)?;
    input.check("header")?;
    let long = |at: usize| u64::from(header[at]) | u64::from(header[at + 1]) << 32;
    if bytemuck::cast::<[u32; 2], [u8; 8]>([header[0].to_le(), header[1].to_le()]) != MAGIC {
        return wrong("it does not begin like one");
    }
    if header[2] != VERSION {
        return wrong(format!("it is of version {}, but this program reads version {VERSION}", header[2]));
    }
    let (n, m, kind, first) = (long(4), long(6), long(8), long(10));
    let vertices = u32::try_from(n).map_err(|_| Error::TooManyVertices { vertices: n })?;
    u32::try_from(m).map_err(|_| Error::TooManyArcs { arcs: m })?;
    let table = match kind {
        0 => 0,
        1 => n,
        other => return wrong(format!("its labels are of an unknown kind, {other}")),
    };
    // All are less than 2^32, so this is far from 2^64.
    input.announced(4 * HEADER as u64 + 4 * (n + 1) + 8 * m + 8 * table + 8)?;

    let (offsets, targets, weights) = (input.words(n + 1)?, input.words(m)?, input.words(m)?);
    let labels = if kind == 0 {
        Labels::from(first, vertices)
    } else {
        let labels = Labels::table(input.longs(n)?);
        labels.ok_or_else(|| Error::InvalidBinary("its labels are not in ascending order".into()))?
    };
    check_labels(&labels)?;
    input.check("content")?;
    if !input.source.at_end()? {
        return wrong(format!("it goes on after its end, at byte {}", input.bytes));
    }
    let graph = match header[3] {
        0 => AnyGraph::U32(Graph::from_csr(offsets, targets, weights)?),
        1 => AnyGraph::F32(Graph::from_csr(offsets, targets, bytemuck::cast_vec(weights))?),
        other => return wrong(format!("its weights are of an unknown type, {other}")),
    };
    Ok((graph, labels))
}

struct Input<'a> {
    source: Source<'a>,
    sum: u64,
    bytes: u64,
}

impl Input<'_> {
    /// The header announces so many bytes in all.
    fn announced(&self, bytes: u64) -> Result<()> {
        match self.source.length() {
            Some(length) if length < bytes => {
                wrong(format!("it is truncated: its header announces {bytes} bytes, but it ends after {length} bytes"))
            }
            Some(length) if length > bytes => wrong(format!("it goes on after its end, at byte {bytes}")),
            _ => Ok(()),
        }
    }

    fn words(&mut self, count: u64) -> Result<Vec<u32>> {
        let count = memory::count::<u32>(count)?;
        let mut words = self.room(count)?;
        while words.len() < count {
            let start = words.len();
            let end = count.min(start + BLOCK);
            grow(&mut words, end, count)?;
            words.resize(end, 0);
            self.block(&mut words[start..])?;
        }
        Ok(words)
    }

    fn longs(&mut self, count: u64) -> Result<Vec<u64>> {
        let count = memory::count::<u64>(count)?;
        let mut longs = self.room(count)?;
        let mut words = memory::with_room(BLOCK.min(count.saturating_mul(2)))?;
        while longs.len() < count {
            let end = count.min(longs.len() + BLOCK / 2);
            grow(&mut longs, end, count)?;
            words.resize(2 * (end - longs.len()), 0);
            self.block(&mut words)?;
            let (pairs, _) = words.as_chunks::<2>();
            longs.extend(pairs.iter().map(|&[low, high]| u64::from(low) | u64::from(high) << 32));
        }
        Ok(longs)
    }

    /// Room for all of an array, if the file is known to hold it.
    fn room<T>(&self, count: usize) -> Result<Vec<T>> {
        memory::with_room(if self.source.length().is_some() { count } else { 0 })
    }

    fn block(&mut self, block: &mut [u32]) -> Result<()> {
        let bytes = bytemuck::cast_slice_mut(block);
        let filled = self.source.fill(bytes)?;
        self.bytes += filled as u64;
        if filled < bytes.len() {
            return wrong(format!("it is truncated: it ends after {} bytes", self.bytes));
        }
        for word in &mut *block {
            *word = u32::from_le(*word);
        }
        self.sum = checksum(self.sum, block);
        Ok(())
    }

    /// A checksum comes next.
    fn check(&mut self, what: &str) -> Result<()> {
        let sum = self.sum;
        if self.longs(1)? == [sum] { Ok(()) } else { wrong(format!("its {what} is damaged: the checksum differs")) }
    }
}

/// Makes room for `end` elements, and for twice as many as there were, but for no more than `count`.
fn grow<T>(all: &mut Vec<T>, end: usize, count: usize) -> Result<()> {
    if end <= all.capacity() {
        return Ok(());
    }
    let room = end.max(all.len().saturating_mul(2)).min(count);
    memory::reserve(all, room - all.len())
}

fn check_labels(labels: &Labels) -> Result<()> {
    if labels.fit() { Ok(()) } else { wrong(format!("its labels go beyond {}, the largest", u64::MAX)) }
}

fn wrong<T>(reason: impl Into<String>) -> Result<T> {
    Err(Error::InvalidBinary(reason.into()))
}
