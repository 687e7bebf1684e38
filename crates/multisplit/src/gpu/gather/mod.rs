//! The launch of a gather.

pub(crate) mod kernel;

use crate::error::{Error, Result};
use crate::runtime::{FirstRun, Gpu, Slice, Span, launch, variant};
use bytemuck::Pod;
use cubecl::prelude::*;

/// Output row i = input row `permutation[i]`, for rows of `bytes` bytes.
pub(crate) struct Gather {
    pub from: Span,
    pub from_rows: u32,
    pub permutation: Slice<u32>,
    pub to: Span,
    pub rows: u32,
    pub bytes: usize,
}

/// What kernels move at once.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
enum Element {
    Word,
    Byte,
    /// Words of which each byte comes from another row, where kernels know no bytes.
    PackedWord,
}

impl Gather {
    /// Submits it. Before the first time, a small one is seen to work.
    pub fn launch<R: Runtime>(self, gpu: &Gpu<R>) -> Result<()> {
        if self.rows == 0 || self.from_rows == 0 || self.bytes == 0 {
            return Ok(());
        }
        let element = self.element(gpu);
        let variants = &[variant(("gather", self.shape(element), element))];
        FirstRun { kernel: "gather", variants }.rehearse(gpu, || {
            let bytes = self.bytes;
            let rows = |rows: &[u8]| rows.iter().flat_map(|&row| std::iter::repeat_n(row, bytes)).collect::<Vec<u8>>();
            let memory = [gpu.upload(&rows(&[7, 8, 9]))?, gpu.upload(&[2u32, 0, 1, 9])?, gpu.upload(&rows(&[1; 5]))?];
            let from = Span::new(gpu.writes(&memory[0])?, 0, 3 * bytes);
            let to = Span::new(gpu.writes(&memory[2])?, 0, 4 * bytes);
            let read = gpu.writes::<u8>(&memory[2])?;
            let permutation = gpu.writes(&memory[1])?;
            Self { from, from_rows: 3, permutation, to, rows: 4, bytes }.submit(gpu, element)?;
            // The row behind the last is not touched.
            Ok(gpu.read(&read)?[..5 * bytes] == rows(&[9, 7, 8, 9, 1]))
        })?;
        self.submit(gpu, element)
    }

    fn element(&self, gpu: &Gpu<impl Runtime>) -> Element {
        match () {
            () if self.bytes % 4 == 0 && self.from.is_aligned(4) && self.to.is_aligned(4) => Element::Word,
            () if gpu.facts.bytes => Element::Byte,
            () => Element::PackedWord,
        }
    }

    /// Units across a row, and rows, of a cube.
    fn shape(&self, element: Element) -> (u32, u32) {
        let across = match element {
            Element::Word => (self.bytes / 4).next_power_of_two().min(32),
            Element::Byte => self.bytes.next_power_of_two().min(32),
            Element::PackedWord => 128,
        };
        (across as u32, 128 / across as u32)
    }

    /// The kernels clamp what they read of the permutation, and write `rows` rows.
    fn submit<R: Runtime>(&self, gpu: &Gpu<R>, element: Element) -> Result<()> {
        match element {
            Element::Word => self.submit_rows::<R, u32>(gpu, element),
            Element::Byte => self.submit_rows::<R, u8>(gpu, element),
            Element::PackedWord => self.submit_packed(gpu, element),
        }
    }

    fn submit_rows<R: Runtime, E: Pod + Scalar>(&self, gpu: &Gpu<R>, element: Element) -> Result<()> {
        let (across, down) = self.shape(element);
        let cubes = CubeCount::new_1d(self.rows.div_ceil(down).min(gpu.facts.processors * 64));
        let ((from, from_start), (to, to_start)) = (self.from.elements::<E>(gpu)?, self.to.elements::<E>(gpu)?);
        launch!(
            *gpu, kernel::gather::Gather<E, R>, cubes, CubeDim::new_2d(across, down);
            from: &from,
            permutation: self.permutation.first(self.rows as usize)?,
            to: &to,
            from_start: from_start as u32,
            to_start: to_start as u32,
            len: (self.bytes / size_of::<E>()) as u32,
            from_rows: self.from_rows,
            rows: self.rows,
        )
    }

    fn submit_packed<R: Runtime>(&self, gpu: &Gpu<R>, element: Element) -> Result<()> {
        let (units, _) = self.shape(element);
        let total = self.rows as usize * self.bytes;
        let (source, target) = (self.from.words(gpu)?, self.to.first(total).words(gpu)?);
        // Such devices have 32-bit addresses.
        let count = |n: usize| u32::try_from(n).map_err(|_| Error::TooManyKeys { n });
        let words = (target.before + total).div_ceil(4);
        let cubes = CubeCount::new_1d(count(words.div_ceil(units as usize))?.min(gpu.facts.processors * 64));
        launch!(
            *gpu, kernel::gather_packed::GatherPacked<R>, cubes, CubeDim::new_1d(units);
            from: &source.words,
            permutation: self.permutation.first(self.rows as usize)?,
            to: &target.words,
            from_first: count(4 * source.start + source.before)?,
            to_start: count(target.start)?,
            to_before: target.before as u32,
            bytes: count(self.bytes)?,
            from_rows: self.from_rows,
            total: count(total)?,
        )
    }
}
