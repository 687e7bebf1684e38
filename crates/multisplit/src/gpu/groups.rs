//! Groups of whole blocks.
//!
//! The padded lengths of the buckets become starts by a prefix sum ([`starts`]), for which cubes have one part of the
//! buckets each. If there are several parts, another launch adds what is before them ([`add_parts`]). Then units look
//! for the group of each element in the starts ([`fill`]).

use super::primitives::device_scan::{part_of_cube, prefix_part, sum_part};
use super::primitives::sizes::Part;
use crate::error::Result;
use crate::memory::offsets::NO_GROUP;
use crate::runtime::{FirstRun, Gpu, Slice, launch, variant};
use cubecl::prelude::*;

/// Units of a cube.
const UNITS: u32 = 256;
/// Buckets of a part.
const PART: u32 = 1 << 14;

/// Groups to be made of m buckets of n elements.
pub(crate) struct PadGroups {
    pub m: u32,
    pub n: u32,
    /// Elements of a block.
    pub block: u32,
    /// What padding is in the index.
    pub padding: u32,
    /// m + 1 offsets.
    pub offsets: Slice<u32>,
    /// n indices.
    pub permutation: Slice<u32>,
    /// m + 1 starts.
    pub starts: Slice<u32>,
    pub group_of_block: Slice<u32>,
    /// Blocks that there is room for; no group needs more.
    pub blocks: u32,
    /// An index for each element of those blocks.
    pub index: Slice<u32>,
    /// A sum for each part.
    pub sums: Slice<u32>,
}

impl PadGroups {
    /// Parts of `m` buckets.
    pub fn parts(m: u32) -> u32 {
        m.div_ceil(PART).max(1)
    }

    /// Submits it. Before the first time, a small one is seen to work.
    pub fn launch<R: Runtime>(self, gpu: &Gpu<R>) -> Result<()> {
        let alone = Self::parts(self.m) == 1;
        FirstRun { kernel: "padded groups", variants: &[variant(("padded groups", alone))] }.rehearse(gpu, || {
            // Both launches work for one part, too.
            let up = |words: &[u32]| gpu.upload(words);
            let memory = [up(&[0, 1, 1, 4])?, up(&[1, 0, 2, 3])?, up(&[9; 4])?, up(&[9; 4])?, up(&[9; 8])?, up(&[9])?];
            let slice = |i: usize| gpu.writes::<u32>(&memory[i]);
            let small = Self {
                m: 3,
                n: 4,
                block: 2,
                padding: NO_GROUP,
                offsets: slice(0)?,
                permutation: slice(1)?,
                starts: slice(2)?,
                group_of_block: slice(3)?,
                blocks: 4,
                index: slice(4)?,
                sums: slice(5)?,
            };
            small.submit(gpu, alone)?;
            Ok(gpu.read(&small.starts.first(4)?)? == [0, 2, 2, 6]
                && gpu.read(&small.group_of_block.first(4)?)? == [0, 2, 2, NO_GROUP]
                && gpu.read(&small.index.first(6)?)? == [1, NO_GROUP, 0, 2, 3, NO_GROUP])
        })?;
        self.submit(gpu, alone)
    }

    /// The kernels read m + 1 offsets and n indices, and write m + 1 starts, a sum for each part, the blocks and their
    /// elements.
    fn submit<R: Runtime>(&self, gpu: &Gpu<R>, alone: bool) -> Result<()> {
        let units = UNITS.min(gpu.facts.max_units);
        let parts = Self::parts(self.m);
        let (m, block, dim) = (self.m, self.block, CubeDim::new_1d(units));
        let offsets = || self.offsets.first(m as usize + 1);
        let starts = || self.starts.first(m as usize + 1);
        launch!(
            *gpu, starts::Starts<R>, CubeCount::new_1d(parts), dim;
            offsets: offsets()?, starts: starts()?, sums: self.sums.first(parts as usize)?, m, block; alone, units,
        )?;
        if !alone {
            launch!(
                *gpu, add_parts::AddParts<R>, CubeCount::new_1d(parts), dim;
                starts: starts()?, sums: self.sums.first(parts as usize)?, m; units,
            )?;
        }
        let elements = self.blocks as usize * block as usize;
        if elements == 0 {
            return Ok(());
        }
        let cubes = elements.div_ceil(units as usize).min(gpu.facts.processors as usize * 64) as u32;
        launch!(
            *gpu, fill::Fill<R>, CubeCount::new_1d(cubes), dim;
            offsets: offsets()?,
            starts: starts()?,
            permutation: self.permutation.first(self.n as usize)?,
            group_of_block: self.group_of_block.first(self.blocks as usize)?,
            index: self.index.first(elements)?,
            m,
            block,
            n: self.n,
            elements: elements as u32,
            padding: self.padding,
        )
    }
}

/// The padded lengths of this cube's part of the buckets, and their sum. If it is `alone`, the starts.
#[cube(launch_unchecked, address_type = "dynamic")]
fn starts(
    offsets: &Array<u32>,
    starts: &mut Array<u32>,
    sums: &mut Array<u32>,
    m: u32,
    block: u32,
    #[comptime] alone: bool,
    #[comptime] units: u32,
) {
    let part = part_of_cube(m, PART);
    let mut i = UNIT_POS_X;
    while i < part.len {
        let bucket = (part.start + i) as usize;
        let len = offsets[bucket + 1] - offsets[bucket];
        // Not `div_ceil`: it adds first, and might wrap.
        starts[bucket] = (len / block + u32::cast_from(len % block > 0)) * block;
        i += units;
    }
    sync_storage();
    if comptime!(alone) {
        finish(starts, sums, part, m, units);
    } else {
        sum_part(starts, sums, part, units);
    }
}

/// Lengths become starts, where there are several parts.
#[cube(launch_unchecked, address_type = "dynamic")]
fn add_parts(starts: &mut Array<u32>, sums: &Array<u32>, m: u32, #[comptime] units: u32) {
    finish(starts, sums, part_of_cube(m, PART), m, units);
}

/// The lengths of this cube's part become starts. The last cube also writes where the last group ends.
#[cube]
fn finish(starts: &mut Array<u32>, sums: &Array<u32>, part: Part, m: u32, #[comptime] units: u32) {
    let end = prefix_part(starts, sums, part, units);
    if part.start + part.len == m && UNIT_POS_X == 0 {
        starts[m as usize] = end;
    }
}

/// The element at each place, and the group of each block.
#[cube(launch_unchecked, address_type = "dynamic")]
fn fill(
    offsets: &Array<u32>,
    starts: &Array<u32>,
    permutation: &Array<u32>,
    group_of_block: &mut Array<u32>,
    index: &mut Array<u32>,
    m: u32,
    block: u32,
    n: u32,
    elements: u32,
    padding: u32,
) {
    let mut place = ABSOLUTE_POS;
    while place < elements as usize {
        let at = place as u32;
        let mut group = NO_GROUP.runtime();
        let mut element = padding;
        if at < starts[m as usize] {
            group = group_of(starts, at, m);
            let i = offsets[group as usize] + at - starts[group as usize];
            if i < offsets[(group + 1) as usize].min(n) {
                element = permutation[i as usize];
            }
        }
        index[place] = element;
        if at % block == 0 {
            group_of_block[(at / block) as usize] = group;
        }
        place += CUBE_COUNT * CUBE_DIM as usize;
    }
}

/// The group that a place before the last end is in: the last one that begins there or before.
#[cube]
fn group_of(starts: &Array<u32>, place: u32, m: u32) -> u32 {
    let mut group = 0u32;
    let mut end = m;
    while end - group > 1 {
        let middle = group + (end - group) / 2;
        if starts[middle as usize] <= place {
            group = middle;
        } else {
            end = middle;
        }
    }
    group
}
