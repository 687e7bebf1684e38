//! Keys, and what goes with them, in order.

use super::bits;
use super::key::FileKey;
use super::moves::Moves;
use super::plan::SortPlan;
use anyhow::Result;
use std::time::{Duration, Instant};

/// Sorts, and tells how long that took.
pub fn run<K: FileKey>(plan: &SortPlan, moves: &mut Moves<K::Word>) -> Result<Duration> {
    let by = plan.bits.clone().unwrap_or(0..bits::width::<K>());
    bits::check::<K>(&by)?;
    let sort = plan.sort.bits(by);
    let (narrow, wide) = moves.widths();
    let mut workspace = sort.workspace::<K::Word>(&moves.device, moves.n(), narrow, wide)?;
    let (keys, mut columns) = moves.sides();
    let start = Instant::now();
    sort.enqueue(&keys.from, &mut keys.to, &mut columns, &mut workspace)?;
    keys.to.device().sync()?;
    Ok(start.elapsed())
}
