//! More buckets than one pass tells apart: a pass for each digit of the bucket id, the lowest first.
//!
//! Each pass is a stable split, so all of them together are one. Keys and columns go back and forth between the outputs
//! and spare places of the workspace, and end in the outputs; the permutation is made by the first pass and a column
//! of the others. Nothing is waited for in between.

mod offsets;
pub(crate) mod pass_offsets;

use super::double_buffer::DoubleTable;
use super::offsets::parts;
use super::primitives::digit::DigitOf;
use super::request::{Request, plan};
use super::split::pass_fusion::Fusion;
use super::split::{Job, split};
use super::table::Carried;
use super::workspace::{Needs, Passes, Scratch};
use crate::bucket::key::Key;
use crate::error::Result;
use crate::memory::result::result_words;
use crate::method::Stage;
use crate::runtime::{Gpu, Slice};
use cubecl::prelude::Runtime;
use offsets::Made;

/// What passes need, and what is between them: results, parts of the offsets, and rows with so many columns of 4 and
/// of 8 bytes.
pub(super) fn with_passes<R: Runtime, K: Key>(
    needs: Needs,
    request: &Request<'_, R, K>,
    n: usize,
    (narrow, wide): (usize, usize),
) -> Needs {
    let results = request.digits().passes as usize;
    let passes = Passes { results, rows: n, key: size_of::<K>(), narrow, wide };
    Needs { parts: needs.parts.max(parts(request.m) as usize), passes, ..needs }
}

/// What a split with these columns needs.
pub(super) fn needs<R: Runtime, K: Key>(
    gpu: &Gpu<R>,
    request: &Request<'_, R, K>,
    n: usize,
    (narrow, wide, permutation): Carried,
) -> Result<Needs> {
    let digits = request.digits();
    let f = DigitOf { f: request.f, digits, pass: 0 };
    let first = plan(gpu, request, &f, n, digits.values(), (narrow, wide, permutation))?;
    // The permutation is a column of the others.
    let moved = narrow + usize::from(permutation);
    let later = plan(gpu, request, &f, n, digits.values(), (moved, wide, false))?;
    Ok(with_passes(first.needs().max(later.needs()), request, n, (moved, wide)))
}

/// Splits. `result` has the words of a result for m buckets.
pub(super) fn split_many<R: Runtime, K: Key>(
    gpu: &Gpu<R>,
    request: &Request<'_, R, K>,
    n: usize,
    job: &Job<'_>,
    result: &Slice<u32>,
    scratch: &Scratch,
) -> Result<()> {
    let digits = request.digits();
    let result = &result.first(result_words(request.m))?;
    if n == 0 {
        return gpu.fill(result, 0);
    }
    let double = DoubleTable::new(job.table, scratch);
    let count = digits.passes as usize;
    let mut second = None;
    for (i, result) in (0..count).zip(&scratch.results) {
        let table = double.pass(i, count);
        let f = DigitOf { f: request.f, digits, pass: i as u32 };
        let plan = plan(gpu, request, &f, n, digits.values(), table.carried())?;
        let pass = Job { table: &table, leaves_g: count == 2 && i == 1, ..*job };
        split(gpu, &plan, &f, &pass, &Fusion::NONE, result, scratch)?;
        if job.through != Stage::Postscan {
            return Ok(());
        }
        second = (count == 2 && i == 1).then_some((plan, table.keys));
    }
    let made = Made { n: n as u32, m: request.m, digits, passes: &scratch.results[..count], scratch };
    made.offsets(gpu, request.f, second, &job.table.keys_out, result)
}
