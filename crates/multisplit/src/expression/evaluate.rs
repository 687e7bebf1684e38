//! Runs a plan, block by block, on all threads.

use super::fault::{Failure, Fault, Reason, inherited, settle};
use super::kernels::{Frame, run};
use super::plan::{Operation, Plan, Width};
use super::values::{Type, Values};
use bytemuck::{Pod, cast_slice, cast_slice_mut};
use rayon::prelude::*;

/// Rows that a step computes at a time: those of few registers stay in the first cache.
pub(super) const BLOCK: usize = 1024;
/// Rows that a thread takes at a time.
const PART: usize = 64 * BLOCK;

/// A register: as many lanes of 4 or 8 bytes as a block has rows.
pub(super) struct Lanes(Vec<u64>);

impl Lanes {
    pub fn lanes<T: Pod>(&self, n: usize) -> &[T] {
        &cast_slice(&self.0)[..n]
    }

    pub fn lanes_mut<T: Pod>(&mut self, n: usize) -> &mut [T] {
        &mut cast_slice_mut(&mut self.0)[..n]
    }

    pub fn get<T: Pod>(&self, lane: usize) -> T {
        cast_slice(&self.0)[lane]
    }

    pub fn fill_from<A: Copy, T: Pod>(&mut self, from: &[A], convert: impl Fn(A) -> T) {
        for (to, &from) in self.lanes_mut(from.len()).iter_mut().zip(from) {
            *to = convert(from);
        }
    }

    /// Returns a lane as bits.
    fn bits(&self, lane: usize, width: Width) -> u64 {
        match width {
            Width::Narrow => self.get::<u32>(lane).into(),
            Width::Wide => self.get(lane),
        }
    }
}

/// Computes the id of each row, and returns the largest too.
pub(super) fn ids(plan: &Plan, columns: &[Values<'_>], rows: usize, limit: u32) -> Result<(Vec<u32>, u32), Failure> {
    let mut ids = vec![0; rows];
    let parts: Vec<Result<u32, Failure>> = ids
        .par_chunks_mut(PART)
        .enumerate()
        .map_init(|| Registers::new(plan), |registers, (p, part)| registers.part(plan, p * PART, part, columns, limit))
        .collect();
    // In the order of the rows, so that the first failure is reported.
    let largest = parts.into_iter().try_fold(0, |largest, part| part.map(|other| largest.max(other)))?;
    Ok((ids, largest))
}

/// The lanes of each register, and those of them that have no result.
#[derive(Default)]
pub(super) struct Registers(Vec<(Lanes, Vec<Fault>)>);

impl Registers {
    fn new(plan: &Plan) -> Self {
        let mut registers = Self::default();
        registers.prepare(plan, BLOCK);
        registers
    }

    /// Makes room for a plan, and puts the constants into so many lanes.
    pub fn prepare(&mut self, plan: &Plan, n: usize) {
        while self.0.len() < plan.steps.len() {
            self.0.push((Lanes(vec![0; BLOCK]), Vec::new()));
        }
        for (step, (lanes, faults)) in plan.steps.iter().zip(&mut self.0) {
            faults.clear();
            match step.operation {
                Operation::Constant(bits, Width::Narrow) => lanes.lanes_mut(n).fill(bits as u32),
                Operation::Constant(bits, Width::Wide) => lanes.lanes_mut(n).fill(bits),
                _ => {}
            }
        }
    }

    /// Computes some ids, of rows from `row` on, and returns the largest.
    fn part(
        &mut self,
        plan: &Plan,
        row: usize,
        ids: &mut [u32],
        columns: &[Values<'_>],
        limit: u32,
    ) -> Result<u32, Failure> {
        let mut largest = 0;
        for (b, ids) in ids.chunks_mut(BLOCK).enumerate() {
            let row = row + b * BLOCK;
            self.block(plan, row, ids.len(), columns);
            largest = largest.max(self.take_ids(plan, row, ids, limit)?);
        }
        Ok(largest)
    }

    /// Runs the plan on `n` rows from `row` on, at most those of a block.
    pub fn block(&mut self, plan: &Plan, row: usize, n: usize, columns: &[Values<'_>]) {
        // Without operands there is nothing to read.
        let none = Lanes(Vec::new());
        for (i, step) in plan.steps.iter().enumerate() {
            let (before, rest) = self.0.split_at_mut(i);
            let (Some((to, faults)), false) = (rest.first_mut(), matches!(step.operation, Operation::Constant(..)))
            else {
                continue;
            };
            *faults = inherited(step, before);
            let old = faults.len();
            let operands = step.operands.map(|register| before.get(register).map_or(&none, |(lanes, _)| lanes));
            run(step.operation, columns, row, &mut Frame { operands, to, n, step: i as u16, faults: &mut *faults });
            if old > 0 {
                settle(faults);
            }
        }
    }

    /// Returns the lanes of the result, and those that have none.
    pub fn result(&self, plan: &Plan) -> (&Lanes, &[Fault]) {
        let (lanes, faults) = &self.0[plan.result];
        (lanes, faults)
    }

    /// Turns results into ids. Fails with the first row that has none.
    fn take_ids(&self, plan: &Plan, row: usize, ids: &mut [u32], limit: u32) -> Result<u32, Failure> {
        let (lanes, faults) = self.result(plan);
        let n = ids.len();
        // What does not fit is beyond all ids.
        let real = |value: f64| if f64::from(value as u32) == value { value as u32 } else { u32::MAX };
        let wide = |value: u64| u32::try_from(value).unwrap_or(u32::MAX);
        match plan.result_type {
            Type::Bool | Type::U32 | Type::I32 => ids.copy_from_slice(lanes.lanes(n)),
            Type::U64 | Type::I64 | Type::Opaque => fill(ids, lanes.lanes(n), wide),
            Type::F32 => fill(ids, lanes.lanes(n), |value: f32| real(value.into())),
            Type::F64 => fill(ids, lanes.lanes(n), real),
        }
        let largest = ids.iter().fold(0, |largest: u32, &id| largest.max(id));
        if faults.is_empty() && largest < limit {
            return Ok(largest);
        }
        let beyond = ids.iter().position(|&id| id >= limit);
        let no_bucket = |lane: usize| Failure {
            row: row + lane,
            reason: Reason::NoBucket(lanes.bits(lane, Width::of(plan.result_type))),
        };
        match (faults.first(), beyond) {
            (Some(fault), lane) if lane.is_none_or(|lane| usize::from(fault.lane) <= lane) => {
                Err(self.fault(plan, row, *fault))
            }
            (_, Some(lane)) => Err(no_bucket(lane)),
            _ => Ok(largest),
        }
    }

    fn fault(&self, plan: &Plan, row: usize, fault: Fault) -> Failure {
        let (step, lane) = (usize::from(fault.step), usize::from(fault.lane));
        let width = match plan.steps[step].operation {
            Operation::Convert(from, _) => Width::of(from),
            Operation::Whole(_, whole) => Width::of(whole.into()),
            _ => Width::Wide,
        };
        let bits = self.0[plan.steps[step].operands[0]].0.bits(lane, width);
        Failure { row: row + lane, reason: Reason::Step(step, bits) }
    }
}

fn fill<A: Copy>(ids: &mut [u32], from: &[A], id: impl Fn(A) -> u32) {
    for (to, &from) in ids.iter_mut().zip(from) {
        *to = id(from);
    }
}
