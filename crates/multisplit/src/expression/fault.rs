//! Rows without a result.

use super::error::ExpressionError;
use super::evaluate::Lanes;
use super::plan::{OnWhole, Operation, Plan, Register, Step};
use super::tree::Tree;
use super::values::{Type, Values};
use crate::request::policy::MAX_BUCKETS;

/// A lane of a block that an operation has no result for. It counts only if nobody looks away: a choice takes the
/// faults of the branch that it takes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Fault {
    pub lane: u16,
    pub step: u16,
}

/// Why there are no ids.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Failure {
    /// The first row without a bucket.
    pub row: usize,
    pub reason: Reason,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Reason {
    /// A step has no result for its first operand, which has these bits.
    Step(usize, u64),
    /// The result, which has these bits, is no bucket.
    NoBucket(u64),
}

/// Values of a row that a message shows at most.
const SHOWN: usize = 4;

/// Returns the faults of a step's operands that the step does not look away from, by lane.
pub(super) fn inherited(step: &Step, before: &[(Lanes, Vec<Fault>)]) -> Vec<Fault> {
    let [a, b, c] = step.operands;
    if before.is_empty() || [a, b, c].iter().all(|&register| before[register].1.is_empty()) {
        return Vec::new();
    }
    let all = |register: Register| before[register].1.iter().copied();
    let holds = |fault: &Fault| before[a].0.get::<u32>(fault.lane.into()) != 0;
    let mut faults: Vec<Fault> = match step.operation {
        Operation::Load(_) | Operation::Constant(..) => Vec::new(),
        Operation::Both => all(a).chain(all(b).filter(holds)).collect(),
        Operation::Either => all(a).chain(all(b).filter(|fault| !holds(fault))).collect(),
        Operation::Choose(_) => {
            all(a).chain(all(b).filter(holds)).chain(all(c).filter(|fault| !holds(fault))).collect()
        }
        _ => all(a).chain(all(b)).chain(all(c)).collect(),
    };
    settle(&mut faults);
    faults
}

/// Keeps the first fault of each lane.
pub(super) fn settle(faults: &mut Vec<Fault>) {
    faults.sort_by_key(|fault| fault.lane);
    faults.dedup_by_key(|fault| fault.lane);
}

impl Failure {
    /// Returns the error for people.
    pub fn explain(self, tree: &Tree, plan: &Plan, columns: &[Values<'_>], buckets: Option<u32>) -> ExpressionError {
        let error = match self.reason {
            Reason::Step(step, bits) => {
                let Step { operation, node, .. } = plan.steps[step];
                let what = match operation {
                    Operation::Convert(from, to) => format!("{} is no {to}", from.show(bits)),
                    Operation::Whole(OnWhole::Amount(_), whole) => {
                        format!("bits cannot be shifted by {}", Type::from(whole).show(bits))
                    }
                    _ => "division by 0".into(),
                };
                tree.error(node, what)
            }
            Reason::NoBucket(bits) => {
                let last = buckets.unwrap_or(MAX_BUCKETS).saturating_sub(1);
                let id = plan.result_type.show(bits);
                ExpressionError::new(format!("the bucket is {id}, but buckets are whole numbers from 0 to {last}"))
            }
        };
        error.in_row(self.row, self.values(tree, columns))
    }

    /// Shows the values of the row that the expression names.
    fn values(self, tree: &Tree, columns: &[Values<'_>]) -> String {
        let named = tree.columns.iter().zip(columns);
        let shown = named.filter_map(|(name, column)| Some(format!("{name} = {}", column.show(self.row)?)));
        let shown: Vec<String> = shown.take(SHOWN).collect();
        if shown.is_empty() { String::new() } else { format!(" ({})", shown.join(", ")) }
    }
}
