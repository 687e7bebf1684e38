//! The bucket of one key, on the host.

use super::MOST_STEPS;
use crate::bucket::key::KeyOps;
use crate::bucket::word::Word;
use crate::expression::plan::{OnBits, OnWhole, Operation, Plan, Whole};
use crate::expression::values::Type;

/// Computes the bucket of a key of these bits. None is `u32::MAX`.
pub(super) fn compute(key: u32, plan: &Plan) -> u32 {
    let mut registers = [0; MOST_STEPS];
    // A bit for each register without a result.
    let mut faults = 0u64;
    for (i, step) in plan.steps.iter().enumerate() {
        let operands = step.operands.map(|register| registers[register]);
        let [a, b, c] = step.operands.map(|register| faults >> register & 1 != 0);
        let (value, own) = apply(step.operation, operands, key);
        registers[i] = value;
        if faults != 0 || own {
            let holds = operands[0] != 0;
            let inherited = match step.operation {
                Operation::Load(_) | Operation::Constant(..) => false,
                Operation::Both => a || holds && b,
                Operation::Either => a || !holds && b,
                Operation::Choose(_) => a || if holds { b } else { c },
                _ => a || b || c,
            };
            faults |= u64::from(inherited || own) << i;
        }
    }
    if faults >> plan.result & 1 != 0 { u32::MAX } else { registers[plan.result] }
}

/// Returns what an operation makes of 32-bit words, and whether there is no result.
pub(super) fn apply(operation: Operation, [a, b, c]: [u32; 3], key: u32) -> (u32, bool) {
    let value = match operation {
        Operation::Load(_) => key,
        Operation::Constant(bits, _) => bits as u32,
        Operation::Bits(on, _) => bits(on, a, b),
        Operation::Whole(on, Whole::I32 | Whole::I64) => return signed(on, a as i32, b as i32),
        Operation::Whole(on, _) => return unsigned(on, a, b),
        Operation::Hash(Type::I32, seed) => u32::hash(i32::ordered(a as i32), seed),
        Operation::Hash(_, seed) => u32::hash(a, seed),
        Operation::Choose(_) => {
            if a != 0 {
                b
            } else {
                c
            }
        }
        Operation::Both => a & b,
        Operation::Either => a | b,
        Operation::Not => a ^ 1,
        // Plans of keys have none of these.
        Operation::Real(..) | Operation::Convert(..) => return (0, true),
    };
    (value, false)
}

fn bits(on: OnBits, a: u32, b: u32) -> u32 {
    match on {
        OnBits::Add => a.wrapping_add(b),
        OnBits::Sub => a.wrapping_sub(b),
        OnBits::Mul => a.wrapping_mul(b),
        OnBits::Minus => a.wrapping_neg(),
        OnBits::And => a & b,
        OnBits::Or => a | b,
        OnBits::Xor => a ^ b,
        OnBits::Complement => !a,
        OnBits::Shl => a.checked_shl(b).unwrap_or(0),
        OnBits::Eq => u32::from(a == b),
        OnBits::Popcount => a.count_ones(),
        OnBits::LeadingZeros => a.leading_zeros(),
        OnBits::TrailingZeros => a.trailing_zeros(),
    }
}

fn unsigned(on: OnWhole, a: u32, b: u32) -> (u32, bool) {
    let value = match on {
        OnWhole::Div | OnWhole::Quot => return (a.checked_div(b).unwrap_or(0), b == 0),
        OnWhole::Rem | OnWhole::Rest => return (a.checked_rem(b).unwrap_or(0), b == 0),
        OnWhole::Shr => a.checked_shr(b).unwrap_or(0),
        OnWhole::Lt => u32::from(a < b),
        OnWhole::Le => u32::from(a <= b),
        OnWhole::Min => a.min(b),
        OnWhole::Max => a.max(b),
        OnWhole::Abs => a,
        OnWhole::Amount(_) => a.min(64),
    };
    (value, false)
}

fn signed(on: OnWhole, a: i32, b: i32) -> (u32, bool) {
    let divisor = if b == 0 { 1 } else { b };
    let value = match on {
        OnWhole::Div => return (a.wrapping_div_euclid(divisor) as u32, b == 0),
        OnWhole::Rem => return (a.wrapping_rem_euclid(divisor) as u32, b == 0),
        OnWhole::Quot => return (a.wrapping_div(divisor) as u32, b == 0),
        OnWhole::Rest => return (a.wrapping_rem(divisor) as u32, b == 0),
        OnWhole::Lt => return (u32::from(a < b), false),
        OnWhole::Le => return (u32::from(a <= b), false),
        OnWhole::Amount(_) => return (a.clamp(0, 64) as u32, a < 0),
        OnWhole::Shr => a >> (b as u32).min(31),
        OnWhole::Min => a.min(b),
        OnWhole::Max => a.max(b),
        OnWhole::Abs => a.wrapping_abs(),
    };
    (value as u32, false)
}
