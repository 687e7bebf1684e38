//! The bucket of a key inside kernels: what is compiled for each step. The results are those of the host.

use super::arithmetic::{
    absolute, quotient, quotient_euclid, rest, rest_euclid, shifted_down, shifted_down_signed, shifted_up,
    trailing_zeros,
};
use super::scalar;
use crate::bucket::prelude::*;
use crate::expression::plan::{OnBits, OnWhole, Operation, Plan, Register, Step, Whole};
use crate::expression::values::Type;

/// The highest bit, which is the sign.
const SIGN: u32 = 1 << 31;

type Word32 = NativeExpand<u32>;

struct Kernel<'a> {
    scope: &'a mut Scope,
    key: Word32,
    registers: Vec<Value>,
}

/// What is known of a register while a kernel is compiled.
#[derive(Clone)]
struct Value {
    word: Word32,
    /// Its number, if that does not depend on the key.
    known: Option<u32>,
    /// 1 where there is no result. None if there always is one.
    fault: Option<Word32>,
}

/// Compiles the steps.
pub(super) fn compute(scope: &mut Scope, key: Word32, plan: &Plan) -> Word32 {
    let mut kernel = Kernel { scope, key, registers: Vec::new() };
    for step in &plan.steps {
        let value = kernel.step(step);
        kernel.registers.push(value);
    }
    let Value { word, fault, .. } = kernel.registers[plan.result].clone();
    match fault {
        None => word,
        Some(fault) => {
            let is_fault = ne::expand(kernel.scope, fault, 0u32.into());
            select::expand(kernel.scope, is_fault, u32::MAX.into(), word)
        }
    }
}

impl Kernel<'_> {
    fn step(&mut self, step: &Step) -> Value {
        let known = |register: Register| self.registers.get(register).and_then(|value| value.known);
        let all = match step.operation {
            Operation::Load(_) => None,
            Operation::Constant(..) => Some([0; 3]),
            _ => match step.operands.map(known) {
                [Some(a), Some(b), Some(c)] => Some([a, b, c]),
                _ => None,
            },
        };
        // What does not depend on the key is computed here. CubeCL would not take all of it.
        if let Some((value, false)) = all.map(|all| scalar::apply(step.operation, all, 0)) {
            return Value { word: value.into(), known: Some(value), fault: None };
        }
        if let Operation::Load(_) = step.operation {
            return Value { word: self.key.clone(), known: None, fault: None };
        }
        let operands = step.operands.map(|register| self.registers[register].clone());
        let inherited = self.inherited(step.operation, &operands);
        let [a, b, c] = operands.clone().map(|value| value.word);
        let (word, own) = self.operation(step.operation, a, b, c, operands[1].known);
        Value { word, known: None, fault: self.either(inherited, own) }
    }

    fn inherited(&mut self, operation: Operation, [a, b, c]: &[Value; 3]) -> Option<Word32> {
        let (first, second, third) = (a.fault.clone(), b.fault.clone(), c.fault.clone());
        match operation {
            Operation::Both => {
                let second = second.map(|fault| bitand::expand(self.scope, fault, a.word.clone()));
                self.either(first, second)
            }
            Operation::Either => {
                let second = second.map(|fault| self.unless(a.word.clone(), fault));
                self.either(first, second)
            }
            Operation::Choose(_) => {
                let second = second.map(|fault| bitand::expand(self.scope, fault, a.word.clone()));
                let third = third.map(|fault| self.unless(a.word.clone(), fault));
                let branches = self.either(second, third);
                self.either(first, branches)
            }
            _ => {
                let others = self.either(second, third);
                self.either(first, others)
            }
        }
    }

    /// Returns a fault where the condition does not hold.
    fn unless(&mut self, condition: Word32, fault: Word32) -> Word32 {
        let not = bitxor::expand(self.scope, condition, 1u32.into());
        bitand::expand(self.scope, fault, not)
    }

    fn either(&mut self, a: Option<Word32>, b: Option<Word32>) -> Option<Word32> {
        match (a, b) {
            (Some(a), Some(b)) => Some(bitor::expand(self.scope, a, b)),
            (a, b) => a.or(b),
        }
    }

    fn number_of(&mut self, condition: NativeExpand<bool>) -> Word32 {
        select::expand(self.scope, condition, 1u32.into(), 0u32.into())
    }

    /// Compiles an operation. `known` is the second operand, if that does not depend on the key.
    fn operation(
        &mut self,
        operation: Operation,
        a: Word32,
        b: Word32,
        c: Word32,
        known: Option<u32>,
    ) -> (Word32, Option<Word32>) {
        let word = match operation {
            Operation::Bits(on, _) => self.bits(on, a, b),
            Operation::Whole(on, whole) => {
                let is_signed = matches!(whole, Whole::I32 | Whole::I64);
                return self.whole(on, is_signed, a, b, known);
            }
            Operation::Hash(of, seed) => {
                let ordered = if of == Type::I32 { bitxor::expand(self.scope, a, SIGN.into()) } else { a };
                u32::__expand_hash(self.scope, ordered, seed.into())
            }
            Operation::Choose(_) => {
                let holds = ne::expand(self.scope, a, 0u32.into());
                select::expand(self.scope, holds, b, c)
            }
            Operation::Both => bitand::expand(self.scope, a, b),
            Operation::Either => bitor::expand(self.scope, a, b),
            Operation::Not => bitxor::expand(self.scope, a, 1u32.into()),
            // Loads and constants were taken before, and plans of keys have none of the others.
            Operation::Load(_) | Operation::Constant(..) | Operation::Real(..) | Operation::Convert(..) => a,
        };
        (word, None)
    }

    fn bits(&mut self, on: OnBits, a: Word32, b: Word32) -> Word32 {
        let scope = &mut *self.scope;
        match on {
            OnBits::Add => add::expand(scope, a, b),
            OnBits::Sub => sub::expand(scope, a, b),
            OnBits::Mul => mul::expand(scope, a, b),
            OnBits::Minus => sub::expand(scope, 0u32.into(), a),
            OnBits::And => bitand::expand(scope, a, b),
            OnBits::Or => bitor::expand(scope, a, b),
            OnBits::Xor => bitxor::expand(scope, a, b),
            OnBits::Complement => bitxor::expand(scope, a, u32::MAX.into()),
            OnBits::Shl => shifted_up::expand(scope, a, b),
            OnBits::Eq => {
                let equal = eq::expand(scope, a, b);
                self.number_of(equal)
            }
            OnBits::Popcount => u32::__expand_count_ones(scope, a),
            OnBits::LeadingZeros => u32::__expand_leading_zeros(scope, a),
            OnBits::TrailingZeros => trailing_zeros::expand(scope, a),
        }
    }

    fn whole(
        &mut self,
        on: OnWhole,
        is_signed: bool,
        a: Word32,
        b: Word32,
        known: Option<u32>,
    ) -> (Word32, Option<Word32>) {
        match on {
            OnWhole::Div | OnWhole::Rem | OnWhole::Quot | OnWhole::Rest => {
                return self.divide(on, is_signed, a, b, known);
            }
            OnWhole::Amount(_) if is_signed => {
                let fault = shr::expand(self.scope, a.clone(), 31u32.into());
                return (min::expand(self.scope, a, 64u32.into()), Some(fault));
            }
            _ => {}
        }
        // In their order, words are compared as unsigned ones.
        let order = |kernel: &mut Self, word: Word32| match is_signed {
            true => bitxor::expand(kernel.scope, word, SIGN.into()),
            false => word,
        };
        let word = match on {
            OnWhole::Shr if is_signed => shifted_down_signed::expand(self.scope, a, b),
            OnWhole::Shr => shifted_down::expand(self.scope, a, b),
            OnWhole::Abs if is_signed => absolute::expand(self.scope, a),
            OnWhole::Abs => a,
            OnWhole::Amount(_) => min::expand(self.scope, a, 64u32.into()),
            _ => {
                let (x, y) = (order(self, a), order(self, b));
                match on {
                    OnWhole::Lt => {
                        let less = lt::expand(self.scope, x, y);
                        self.number_of(less)
                    }
                    OnWhole::Le => {
                        let not_greater = le::expand(self.scope, x, y);
                        self.number_of(not_greater)
                    }
                    OnWhole::Min => {
                        let least = min::expand(self.scope, x, y);
                        order(self, least)
                    }
                    _ => {
                        let greatest = max::expand(self.scope, x, y);
                        order(self, greatest)
                    }
                }
            }
        };
        (word, None)
    }

    fn divide(
        &mut self,
        on: OnWhole,
        is_signed: bool,
        a: Word32,
        b: Word32,
        known: Option<u32>,
    ) -> (Word32, Option<Word32>) {
        // What machines do with 0 is not the same everywhere.
        let (divisor, fault) = match known {
            Some(1..) => (b, None),
            _ => {
                let is_zero = eq::expand(self.scope, b.clone(), 0u32.into());
                let fault = self.number_of(is_zero.clone());
                (select::expand(self.scope, is_zero, 1u32.into(), b), Some(fault))
            }
        };
        let scope = &mut *self.scope;
        // CubeCL subtracts constants from each other while it compiles, and does not wrap.
        let (a, divisor) = if is_signed { (a.into_mut(scope), divisor.into_mut(scope)) } else { (a, divisor) };
        let word = match (on, is_signed) {
            (OnWhole::Div | OnWhole::Quot, false) => div::expand(scope, a, divisor),
            (_, false) => rem::expand(scope, a, divisor),
            (OnWhole::Quot, true) => quotient::expand(scope, a, divisor),
            (OnWhole::Rest, true) => rest::expand(scope, a, divisor),
            (OnWhole::Div, true) => quotient_euclid::expand(scope, a, divisor),
            (_, true) => rest_euclid::expand(scope, a, divisor),
        };
        (word, fault)
    }
}
