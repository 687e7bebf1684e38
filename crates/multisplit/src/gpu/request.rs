//! What a split is asked for, and the plan of one pass of it.

use super::function::Function;
use super::split::payload::{COLUMNS_PER_PASS, Payload};
use super::table::Carried;
use super::tuning::plan::SplitPlan;
use super::workspace::Needs;
use crate::bucket::key::Key;
use crate::error::Result;
use crate::method::{Method, Stage};
use crate::request::digits::Digits;
use crate::request::policy::Policy;
use crate::runtime::Gpu;
use cubecl::prelude::Runtime;

/// How a split into m buckets was asked for. m was read once, so that a function that changes it changes nothing.
pub(crate) struct Request<'f, R: Runtime, K: Key> {
    pub f: &'f dyn Function<R, K>,
    pub m: u32,
    pub method: Method,
    pub policy: Option<Policy>,
    pub through: Stage,
    /// Whether only the first of two buckets is wanted.
    pub selects: bool,
}

impl<'f, R: Runtime, K: Key> Request<'f, R, K> {
    /// A whole split by `f`, as is best on the device.
    pub fn by(f: &'f dyn Function<R, K>, m: u32) -> Self {
        Self { f, m, method: Method::Auto, policy: None, through: Stage::Postscan, selects: false }
    }

    /// The same by digits of the ids of this one.
    pub fn digits(&self) -> Digits {
        Digits::of(self.m)
    }
}

/// What a pass into m buckets needs, whatever columns come along.
pub(super) fn most_of_a_pass<R: Runtime, K: Key>(
    gpu: &Gpu<R>,
    request: &Request<'_, R, K>,
    f: &dyn Function<R, K>,
    n: usize,
    m: u32,
) -> Result<Needs> {
    let needs =
        |payload| SplitPlan::new(&gpu.facts, request.method, request.policy, n, m, payload).map(|plan| plan.needs());
    most_of_all(Payload::new(f, 0, 0, false), &needs)
}

/// The most that any columns need besides the keys, if the keys alone can be split.
pub(super) fn most_of_all(keys: Payload, needs: &dyn Fn(Payload) -> Result<Needs>) -> Result<Needs> {
    let keys_alone = needs(keys)?;
    // A policy of the user's may be too large for columns that will never come.
    Ok(keys.with_any_columns().filter_map(|payload| needs(payload).ok()).fold(keys_alone, Needs::max))
}

/// The plan of a pass into m buckets, if the device can do it at all.
pub(super) fn plan<R: Runtime, K: Key>(
    gpu: &Gpu<R>,
    request: &Request<'_, R, K>,
    f: &dyn Function<R, K>,
    n: usize,
    m: u32,
    (narrow, wide, permutation): Carried,
) -> Result<SplitPlan> {
    gpu.check_planes()?;
    // What the heaviest postscan may carry.
    let wide = (wide as u32).min(COLUMNS_PER_PASS);
    let narrow = (narrow as u32).min(COLUMNS_PER_PASS - wide);
    SplitPlan::new(&gpu.facts, request.method, request.policy, n, m, Payload::new(f, narrow, wide, permutation))
}
