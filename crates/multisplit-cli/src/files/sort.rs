//! Keys, and what goes with them, in order.

use super::key::FileKey;
use super::moves::Moves;
use super::plan::SortPlan;
use anyhow::{Context, Result};
use std::time::{Duration, Instant};

/// Sorts, and tells how long that took.
pub fn run<K: FileKey>(plan: &SortPlan, moves: &mut Moves<K>) -> Result<Duration> {
    let (narrow, wide) = moves.widths();
    let asked = plan.bits.as_ref().map_or("the sort".into(), |bits| format!("--bits {bits:?}"));
    let mut workspace = plan.sort.workspace::<K>(&moves.device, moves.n(), narrow, wide).context(asked)?;
    let (keys, mut columns) = moves.sides();
    let start = Instant::now();
    plan.sort.enqueue(&keys.from, &mut keys.to, &mut columns, &mut workspace)?;
    workspace.check()?;
    Ok(start.elapsed())
}
