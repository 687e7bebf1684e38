//! The offsets of keys that lie in order of their buckets, where whatever ordered them does not know: they are looked
//! for ([`starts`]).

pub(crate) mod kernels;

use super::function::Function;
use super::tuning::plan::MOST_CUBES;
use super::tuning::room;
use crate::bucket::Upload;
use crate::bucket::key::Key;
use crate::error::Result;
use crate::gpu::key::KeyWidth;
use crate::memory::result::result_words;
use crate::runtime::Facts;
use crate::runtime::{Fault, FirstRun, Gpu, Slice, UNWRITTEN, launch, sequence, variant};
use cubecl::prelude::*;
use kernels::{PART, UNROLL};

/// Units where a device has as many.
const UNITS: u32 = 256;

/// Units of kernels that go through keys or counts one by one.
pub(crate) fn units(facts: &Facts) -> u32 {
    UNITS.min(room::most_units(facts))
}

/// Parts of the offsets that are gone through apart.
pub(crate) fn parts(m: u32) -> u32 {
    m.div_ceil(PART)
}

/// What the offsets are made from.
pub(crate) struct Ordered<'a> {
    pub n: u32,
    pub m: u32,
    /// Buckets of a pass.
    pub digits: u32,
    /// What the passes left that ordered the keys: the flags in it go into the result.
    pub passes: &'a [Slice<u32>],
    /// Room for a word for each part.
    pub least: &'a Slice<u32>,
}

impl Ordered<'_> {
    /// Looks for them. `result` has the words of a result for m buckets.
    pub fn offsets<R: Runtime, K: Key>(
        &self,
        gpu: &Gpu<R>,
        f: &dyn Function<R, K>,
        keys: &Slice,
        result: &Slice<u32>,
    ) -> Result<()> {
        let keys = keys.cast::<K>()?;
        let per_load = keys.per_load(self.n as usize);
        let variants = &[variant(("starts", f.variant(), per_load, self.passes.len()))];
        let launches = || self.search(gpu, f, &keys, per_load, result);
        let ran = |words: &[u32]| offsets_ran(words, self.n, self.m);
        FirstRun { kernel: "offsets", variants }.watch(gpu, result, launches, ran)
    }

    /// The kernels read keys below n in whole loads, a word for each part and the words of the passes' results, and
    /// write starts of buckets below m.
    fn search<R: Runtime, K: Key>(
        &self,
        gpu: &Gpu<R>,
        f: &dyn Function<R, K>,
        keys: &Slice<K>,
        per_load: usize,
        result: &Slice<u32>,
    ) -> Result<()> {
        let Self { n, m, digits, passes, least } = *self;
        let units = units(&gpu.facts);
        let (parts, dim) = (parts(m), CubeDim::new_1d(units));
        let cubes =
            |items: u32, per_unit: u32| CubeCount::new_1d(items.div_ceil(units * per_unit).clamp(1, MOST_CUBES));
        let loads = n.div_ceil(per_load as u32);
        let least = least.first(parts as usize)?;
        launch!(*gpu, kernels::no_starts::NoStarts<R>, cubes(m, 8), dim; result, n, m)?;
        launch!(
            *gpu, kernels::mark_starts::MarkStarts<R>, cubes(loads, UNROLL), dim;
            width: KeyWidth::of::<K>(),
            keys: keys.loads(n as usize, per_load)?, result, f: f.arg(&Upload::new(gpu)), n, m;
            per_load, units,
        )?;
        let cubes = || CubeCount::new_1d(parts);
        if parts > 1 {
            launch!(
                *gpu, kernels::least_of_parts::LeastOfParts<R>, cubes(), dim;
                result, least: &least, n, m; units,
            )?;
        }
        let passes = passes.iter().map(|pass| pass.first(result_words(digits))).collect::<Result<Vec<_>>>()?;
        launch!(
            *gpu, kernels::fill_gaps::FillGaps<R>, cubes(), dim;
            result, least: &least, passes: sequence(passes), n, m, digits; units,
        )
    }
}

/// Whether kernels that make offsets of n keys have run.
pub(crate) fn offsets_ran(words: &[u32], n: u32, m: u32) -> Result<(), Fault> {
    let m = m as usize;
    match words[m + 2] {
        UNWRITTEN => Err(Fault::Lost("offsets")),
        flag if flag != 0 => Err(Fault::Planes),
        _ if words[m] != n || words[0] != 0 || !words[..=m].is_sorted() => Err(Fault::Lost("offsets")),
        _ => Ok(()),
    }
}
