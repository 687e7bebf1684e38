//! Copies within a device, and values written to all elements: of any bytes, wherever they begin.
//!
//! A kernel's argument can begin only at some bytes of an allocation. So kernels are given memory from such a byte on,
//! and the number of the first element. Bytes are copied 16 at a time where both sides are aligned for it, or 4, or one
//! by one. Devices whose kernels know no bytes have those in words that others may write a part of at the same time.

use super::client::Gpu;
use super::first_run::{FirstRun, UNWRITTEN, variant};
use super::kernels;
use super::launch::launch;
use super::slice::Slice;
use crate::error::{Error, Result};
use bytemuck::Pod;
use cubecl::prelude::*;

/// Units of a cube.
const UNITS: u32 = 256;
/// Elements that one launch copies.
const MOST: usize = 1 << 31;
/// Bytes that are copied by way of other memory at a time.
const DETOUR: usize = 1 << 26;

/// Some bytes of device memory.
#[derive(Clone)]
pub(crate) struct Span {
    /// All of the memory.
    all: Slice,
    start: usize,
    len: usize,
}

impl Span {
    pub fn new(all: Slice, start: usize, len: usize) -> Self {
        Self { all, start, len }
    }

    /// Cuts off the first bytes, and returns them.
    fn take(&mut self, len: usize) -> Self {
        let first = Self { len, ..self.clone() };
        (self.start, self.len) = (self.start + len, self.len - len);
        first
    }

    /// The first bytes.
    pub fn first(&self, len: usize) -> Self {
        Self { len: len.min(self.len), ..self.clone() }
    }

    pub fn is_aligned(&self, to: usize) -> bool {
        self.misaligned_by(to) == 0
    }

    fn misaligned_by(&self, alignment: usize) -> usize {
        ((self.all.offset() + self.start as u64) % alignment as u64) as usize
    }

    /// The elements that it has, among others before them that a kernel's argument may begin with, and the number of
    /// those.
    pub fn elements<T: Pod>(&self, gpu: &Gpu<impl Runtime>) -> Result<(Slice<T>, usize)> {
        let size = size_of::<T>();
        let before = self.misaligned_by(gpu.offset_alignment().max(16)).min(self.start - self.start % size);
        let elements = self.all.part(self.start - before, (before + self.len) / size)?;
        Ok((elements, before / size))
    }

    /// The words that have its bytes, among others before them.
    pub fn words(&self, gpu: &Gpu<impl Runtime>) -> Result<Words> {
        let before = self.misaligned_by(4);
        let len = (before + self.len).next_multiple_of(4);
        let (words, start) = Self { start: self.start - before, len, ..self.clone() }.elements(gpu)?;
        Ok(Words { words, start, before })
    }
}

/// Words that have some bytes.
pub(crate) struct Words {
    pub words: Slice<u32>,
    /// The first of them.
    pub start: usize,
    /// Bytes of the first that are before the others.
    pub before: usize,
}

impl<R: Runtime> Gpu<R> {
    /// Writes `value` to all words.
    pub fn fill(&self, words: &Slice<u32>, value: u32) -> Result<()> {
        self.fill_from(words, 0, value)
    }

    /// Writes `value` to the words from `start` on.
    pub(super) fn fill_from(&self, words: &Slice<u32>, start: usize, value: u32) -> Result<()> {
        FirstRun { kernel: "fill", variants: &[variant("fill")] }.rehearse(self, || {
            let probe = self.upload(&[0u32; 4])?;
            let words = self.writes(&probe)?;
            self.submit_fill(&words, 0, UNWRITTEN)?;
            Ok(self.read(&words)?.iter().all(|&word| word == UNWRITTEN))
        })?;
        self.submit_fill(words, start, value)
    }

    fn submit_fill(&self, words: &Slice<u32>, start: usize, value: u32) -> Result<()> {
        if words.len() <= start {
            return Ok(());
        }
        let end = u32::try_from(words.len()).map_err(|_| Error::TooManyKeys { n: words.len() })?;
        let (cubes, units) = self.cubes_for(words.len() - start);
        launch!(*self, kernels::fill::Fill<R>, cubes, units; words, start: start as u32, end, value)
    }

    /// Writes a value, which has these bytes, to all elements. The span is of whole values; the value is not empty, and
    /// has fewer bytes than one launch writes.
    pub fn fill_span(&self, mut to: Span, value: &[u8]) -> Result<()> {
        // As many values as have whole words.
        let period = value.len() * [1, 4, 2, 4][value.len() % 4];
        let mut pattern: Vec<u8> = value.iter().copied().cycle().take(period).collect();
        let head = to.misaligned_by(4).wrapping_neg() % 4;
        let head = to.take(head.min(to.len));
        if head.len > 0 {
            let skipped = head.len % period;
            self.repeat_bytes(&pattern, head)?;
            pattern.rotate_left(skipped);
        }
        while to.len >= period {
            let whole = to.len.min(4 * MOST) / period * period;
            self.repeat_words(&pattern, &to.take(whole))?;
        }
        self.repeat_bytes(&pattern, to)
    }

    /// Writes a pattern of whole words to as many words again and again.
    fn repeat_words(&self, pattern: &[u8], to: &Span) -> Result<()> {
        if let Ok(word) = <[u8; 4]>::try_from(pattern) {
            let (words, start) = to.elements(self)?;
            return self.fill_from(&words, start, u32::from_ne_bytes(word));
        }
        let memory = self.upload(pattern)?;
        let from = Span::new(self.writes(&memory)?, 0, pattern.len());
        self.move_elements::<u32>(&from, to, 1, true)
    }

    /// Writes a pattern to bytes again and again.
    fn repeat_bytes(&self, pattern: &[u8], to: Span) -> Result<()> {
        if to.len == 0 {
            return Ok(());
        }
        if self.facts.bytes {
            let memory = self.upload(pattern)?;
            let from = Span::new(self.writes(&memory)?, 0, pattern.len());
            return self.move_elements::<u8>(&from, &to, 1, true);
        }
        // There are only a few, so they are written out.
        let bytes: Vec<u8> = pattern.iter().copied().cycle().take(to.len).collect();
        let memory = self.upload(&bytes)?;
        self.move_bytes(&Span::new(self.writes(&memory)?, 0, bytes.len()), &to)
    }

    /// Copies bytes to as many others, of which they share none. Bytes of one memory take a detour, so that no kernel
    /// has two arguments of the same bytes.
    pub fn copy_within(&self, mut from: Span, mut to: Span) -> Result<()> {
        let detour = self.allocate(from.len.min(DETOUR))?;
        while from.len > 0 {
            let len = from.len.min(DETOUR);
            let between = Span::new(self.writes(&detour)?, 0, len);
            self.copy(from.take(len), between.clone())?;
            self.copy(between, to.take(len))?;
        }
        Ok(())
    }

    /// Copies bytes to as many others, of another memory.
    pub fn copy(&self, mut from: Span, mut to: Span) -> Result<()> {
        for width in [4, 1] {
            let load = 4 * width;
            if from.is_aligned(load) && to.is_aligned(load) {
                let whole = from.len - from.len % load;
                self.copy_elements::<u32>(from.take(whole), to.take(whole), width)?;
            }
        }
        if self.facts.bytes {
            return self.copy_elements::<u8>(from, to, 1);
        }
        while from.len > 0 {
            let len = from.len.min(MOST);
            self.move_bytes(&from.take(len), &to.take(len))?;
        }
        Ok(())
    }

    fn copy_elements<T: Pod + Scalar>(&self, mut from: Span, mut to: Span, width: usize) -> Result<()> {
        while from.len > 0 {
            let len = from.len.min(MOST * width * size_of::<T>());
            self.move_elements::<T>(&from.take(len), &to.take(len), width, false)?;
        }
        Ok(())
    }

    /// Copies elements, `width` at a time. Before the first time, a few are seen to be.
    fn move_elements<T: Pod + Scalar>(&self, from: &Span, to: &Span, width: usize, repeats: bool) -> Result<()> {
        let variants = &[variant(("copy elements", size_of::<T>(), width, repeats))];
        FirstRun { kernel: "copy", variants }.rehearse(self, || {
            let (bytes, load) = (std::array::from_fn::<u8, 32, _>(|i| i as u8 + 1), width * size_of::<T>());
            let memory = [self.upload(&bytes)?, self.upload(&[0u8; 48])?];
            let from = Span::new(self.writes(&memory[0])?, 0, if repeats { load } else { 32 });
            let to = Span::new(self.writes(&memory[1])?, 16, 32);
            self.submit_move::<T>(&from, &to, width, repeats)?;
            let expected = bytes.iter().take(from.len).cycle().take(32);
            Ok(self.read(&to.all)?[16..48].iter().eq(expected))
        })?;
        self.submit_move::<T>(from, to, width, repeats)
    }

    /// The kernel reads the loads of `from`, and writes those of `to`.
    fn submit_move<T: Pod + Scalar>(&self, from: &Span, to: &Span, width: usize, repeats: bool) -> Result<()> {
        let ((source, from_start), (target, to_start)) = (from.elements::<T>(self)?, to.elements::<T>(self)?);
        let load = size_of::<T>() * width;
        let (len, period) = (to.len / load, from.len / load);
        let (cubes, units) = self.cubes_for(len);
        launch!(
            *self, kernels::copy::Copy<T, R>, cubes, units;
            from: source.loads(source.len(), width)?,
            to: target.loads(target.len(), width)?,
            from_start: (from_start / width) as u32,
            to_start: (to_start / width) as u32,
            len: len as u32,
            period: period as u32;
            width, repeats,
        )
    }

    /// Copies bytes, where kernels have only words. Before the first time, a few are seen to be.
    fn move_bytes(&self, from: &Span, to: &Span) -> Result<()> {
        FirstRun { kernel: "copy of bytes", variants: &[variant("copy of bytes")] }.rehearse(self, || {
            let memory = [self.upload(&[1u8, 2, 3, 4, 5, 6, 7, 8])?, self.upload(&[9u8; 16])?];
            let from = Span::new(self.writes(&memory[0])?, 1, 7);
            let to = Span::new(self.writes(&memory[1])?, 2, 7);
            self.submit_bytes(&from, &to)?;
            Ok(self.read(&to.all)?[..12] == [9, 9, 2, 3, 4, 5, 6, 7, 8, 9, 9, 9])
        })?;
        self.submit_bytes(from, to)
    }

    /// The kernel reads words of `from`, whose numbers it clamps, and writes those that have a byte of `to`.
    fn submit_bytes(&self, from: &Span, to: &Span) -> Result<()> {
        let Words { words: source, start: from_start, before: from_before } = from.words(self)?;
        let Words { words: target, start: to_start, before: to_before } = to.words(self)?;
        let words = target.len() - to_start;
        // A word that is written begins so many bytes after one of the source does, which may be the one before.
        let ahead = 4 + from_before - to_before;
        let (from_start, shift) = (from_start + ahead / 4, 8 * ((4 - ahead % 4) % 4));
        let end = (to_before + to.len) % 4;
        let (cubes, units) = self.cubes_for(words);
        launch!(
            *self, kernels::copy_bytes::CopyBytes<R>, cubes, units;
            from: &source,
            to: &target,
            from_start: from_start as u32,
            from_len: source.len() as u32,
            shift: shift as u32,
            to_start: to_start as u32,
            words: words as u32,
            head: u32::MAX << (8 * to_before),
            tail: if end == 0 { u32::MAX } else { u32::MAX >> (32 - 8 * end) },
        )
    }

    /// Enough cubes for so many elements, and their units.
    fn cubes_for(&self, elements: usize) -> (CubeCount, CubeDim) {
        let units = UNITS.min(self.facts.max_units);
        let cubes = elements.div_ceil(units as usize).clamp(1, self.facts.processors as usize * 64);
        (CubeCount::new_1d(cubes as u32), CubeDim::new_1d(units))
    }
}
