//! Sorts, splits, histograms and partitions of arrays in files.
//!
//! What was asked for ([`args`]) becomes a plan ([`plan`]). The file says of which type the keys are ([`kind`]), and
//! from there on all is of that type ([`key`]) and goes one way ([`work`]): keys and values are read ([`read`]),
//! brought to the device ([`moves`]), moved there ([`sort`], [`split`]) or counted ([`histogram`]), written
//! ([`write`]) and told about ([`report`]).

pub mod args;
mod bits;
mod extent;
mod histogram;
mod key;
mod kind;
mod moves;
pub mod plan;
mod read;
mod report;
mod sort;
mod split;
mod values;
mod work;
mod write;

use anyhow::{Context, Result};
use kind::KeyKind;
use plan::Plan;
use work::work;

pub fn run(plan: &Plan) -> Result<()> {
    let named = || plan.input.display().to_string();
    let (kind, source) = read::open_keys(&plan.input, plan.kind).with_context(named)?;
    match kind {
        KeyKind::U8 => work::<u8>(plan, source),
        KeyKind::U16 => work::<u16>(plan, source),
        KeyKind::U32 => work::<u32>(plan, source),
        KeyKind::U64 => work::<u64>(plan, source),
        KeyKind::I32 => work::<i32>(plan, source),
        KeyKind::I64 => work::<i64>(plan, source),
        KeyKind::F32 => work::<f32>(plan, source),
        KeyKind::F64 => work::<f64>(plan, source),
    }
}
