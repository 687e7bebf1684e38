//! The launch of a gather.

pub(crate) mod kernel;

use crate::error::Result;
use crate::runtime::{FirstRun, Gpu, Slice, launch, variant};
use cubecl::prelude::*;

/// Output row i = input row `permutation[i]`, for rows of `words` words.
pub(crate) struct Gather {
    pub from: Slice<u32>,
    pub from_rows: u32,
    pub permutation: Slice<u32>,
    pub to: Slice<u32>,
    pub rows: u32,
    pub words: u32,
}

impl Gather {
    /// Submits it. Before the first time, a small one is seen to work.
    pub fn launch<R: Runtime>(self, gpu: &Gpu<R>) -> Result<()> {
        if self.rows == 0 || self.from_rows == 0 || self.words == 0 {
            return Ok(());
        }
        let variants = &[variant(("gather", self.shape()))];
        FirstRun { kernel: "gather", variants }.rehearse(gpu, || {
            let rows = |rows: &[u32]| {
                let words = self.words as usize;
                rows.iter().flat_map(|row| std::iter::repeat_n(*row, words)).collect::<Vec<u32>>()
            };
            let memory = [gpu.upload(&rows(&[7, 8, 9]))?, gpu.upload(&[2u32, 0, 1, 9])?, gpu.upload(&rows(&[0; 4]))?];
            let [from, permutation, to] = [gpu.writes(&memory[0])?, gpu.writes(&memory[1])?, gpu.writes(&memory[2])?];
            let expected = rows(&[9, 7, 8, 9]);
            let read = to.first(expected.len())?;
            Self { from, from_rows: 3, permutation, to, rows: 4, words: self.words }.submit(gpu)?;
            Ok(gpu.read(&read)? == expected)
        })?;
        self.submit(gpu)
    }

    /// Units across a row, and rows, of a cube.
    fn shape(&self) -> (u32, u32) {
        let across = self.words.next_power_of_two().min(32);
        (across, 128 / across)
    }

    /// The kernel clamps what it reads of the permutation, and writes `rows` rows.
    fn submit<R: Runtime>(&self, gpu: &Gpu<R>) -> Result<()> {
        let (across, down) = self.shape();
        let cubes = CubeCount::new_1d(self.rows.div_ceil(down).min(gpu.facts.processors * 64));
        let rows = |slice: &Slice<u32>, rows: u32| slice.first(rows as usize * self.words as usize);
        launch!(
            *gpu, kernel::gather::Gather<R>, cubes, CubeDim::new_2d(across, down);
            from: rows(&self.from, self.from_rows)?,
            permutation: self.permutation.first(self.rows as usize)?,
            to: rows(&self.to, self.rows)?,
            words: self.words,
            from_rows: self.from_rows,
            rows: self.rows,
        )
    }
}
