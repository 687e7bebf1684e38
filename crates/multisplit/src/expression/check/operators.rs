//! Types of operators.

use super::{Checker, Known, Typed};
use crate::expression::error::ExpressionError;
use crate::expression::literal::{Folded, Literal};
use crate::expression::plan::{OnBits, OnReal, OnWhole, Operation, Register, Width};
use crate::expression::tree::{Binary, Id, Unary};
use crate::expression::values::Type;

impl Checker<'_> {
    pub(super) fn unary(&mut self, operator: Unary, a: Id) -> Result<Known, ExpressionError> {
        if let (Known::Literal(literal), Unary::Minus | Unary::Complement) = (self.known[a], operator) {
            let folded = if operator == Unary::Minus { literal.minus() } else { literal.complement() };
            return folded.map(Known::Literal).map_err(|message| self.error(message));
        }
        let is_condition = matches!(self.known[a], Known::Register(_, Type::Bool));
        let (register, of) = match operator {
            Unary::Not => (self.condition(a)?, Type::Bool),
            Unary::Complement if is_condition => (self.condition(a)?, Type::Bool),
            Unary::Complement => self.whole(a, "~")?,
            Unary::Minus => self.number(a, "-")?,
        };
        let operation = match (operator, of.number()) {
            (_, _) if of == Type::Bool => Operation::Not,
            (Unary::Minus, Err(real)) => Operation::Real(OnReal::Minus, real),
            (Unary::Minus, Ok(_)) => Operation::Bits(OnBits::Minus, Width::of(of)),
            _ => Operation::Bits(OnBits::Complement, Width::of(of)),
        };
        Ok(Known::Register(self.emit(operation, &[register]), of))
    }

    pub(super) fn binary(&mut self, operator: Binary, a: Id, b: Id) -> Result<Known, ExpressionError> {
        if let (Known::Literal(x), Known::Literal(y)) = (self.known[a], self.known[b]) {
            return match Literal::fold(operator, x, y) {
                Ok(Folded::Number(literal)) => Ok(Known::Literal(literal)),
                Ok(Folded::Truth(holds)) => Ok(self.truth(holds)),
                Err(message) => Err(self.error(message)),
            };
        }
        let (register, of) = match operator {
            Binary::Both => (self.on_conditions(Operation::Both, a, b)?, Type::Bool),
            Binary::Either => (self.on_conditions(Operation::Either, a, b)?, Type::Bool),
            Binary::Shl | Binary::Shr => self.shift(operator, a, b)?,
            Binary::And | Binary::Or | Binary::Xor => self.on_bits(operator, a, b)?,
            _ if operator.is_comparison() => (self.comparison(operator, a, b)?, Type::Bool),
            _ => self.arithmetic(operator, a, b)?,
        };
        Ok(Known::Register(register, of))
    }

    fn on_conditions(&mut self, operation: Operation, a: Id, b: Id) -> Result<Register, ExpressionError> {
        let operands = [self.condition(a)?, self.condition(b)?];
        Ok(self.emit(operation, &operands))
    }

    fn arithmetic(&mut self, operator: Binary, a: Id, b: Id) -> Result<Typed, ExpressionError> {
        let (operands, of) = self.alike([a, b], false)?;
        let width = Width::of(of);
        if let (Known::Literal(Literal::Whole(divisor)), Ok(whole)) = (self.known[b], of.number())
            && let (Binary::Div | Binary::Rem, Some(bits)) = (operator, exact_log2(divisor))
        {
            // Processors divide slowly. What is rounded down is a shift, of negative numbers too.
            let (operation, constant) = match operator {
                Binary::Div => (Operation::Whole(OnWhole::Shr, whole), Literal::Whole(bits.into())),
                _ => (Operation::Bits(OnBits::And, width), Literal::Whole(divisor - 1)),
            };
            let constant = self.constant(constant, of);
            return Ok((self.emit(operation, &[operands[0], constant]), of));
        }
        let operation = match (operator, of.number()) {
            (Binary::Add, Ok(_)) => Operation::Bits(OnBits::Add, width),
            (Binary::Sub, Ok(_)) => Operation::Bits(OnBits::Sub, width),
            (Binary::Mul, Ok(_)) => Operation::Bits(OnBits::Mul, width),
            (Binary::Div, Ok(whole)) => Operation::Whole(OnWhole::Div, whole),
            (_, Ok(whole)) => Operation::Whole(OnWhole::Rem, whole),
            (Binary::Add, Err(real)) => Operation::Real(OnReal::Add, real),
            (Binary::Sub, Err(real)) => Operation::Real(OnReal::Sub, real),
            (Binary::Mul, Err(real)) => Operation::Real(OnReal::Mul, real),
            (Binary::Div, Err(real)) => Operation::Real(OnReal::Div, real),
            (_, Err(real)) => Operation::Real(OnReal::Rem, real),
        };
        // Conditions are added as the numbers 0 and 1.
        let of = if of == Type::Bool { Type::U32 } else { of };
        Ok((self.emit(operation, &operands), of))
    }

    fn on_bits(&mut self, operator: Binary, a: Id, b: Id) -> Result<Typed, ExpressionError> {
        for id in [a, b] {
            if matches!(self.known[id], Known::Literal(Literal::Real(_))) {
                return Err(self.tree.error(id, "bits are those of whole numbers, not of floats"));
            }
            if let Known::Register(_, of) = self.known[id]
                && of.is_real()
            {
                self.whole(id, operator.symbol())?;
            }
        }
        let (operands, of) = self.alike([a, b], true)?;
        let on = match operator {
            Binary::And => OnBits::And,
            Binary::Or => OnBits::Or,
            _ => OnBits::Xor,
        };
        Ok((self.emit(Operation::Bits(on, Width::of(of)), &operands), of))
    }

    fn comparison(&mut self, operator: Binary, a: Id, b: Id) -> Result<Register, ExpressionError> {
        let ([a, b], of) = self.alike([a, b], false)?;
        let (operands, on_whole, on_real) = match operator {
            Binary::Lt => ([a, b], Some(OnWhole::Lt), OnReal::Lt),
            Binary::Le => ([a, b], Some(OnWhole::Le), OnReal::Le),
            Binary::Gt => ([b, a], Some(OnWhole::Lt), OnReal::Lt),
            Binary::Ge => ([b, a], Some(OnWhole::Le), OnReal::Le),
            _ => ([a, b], None, OnReal::Eq),
        };
        let operation = match (of.number(), on_whole) {
            (Ok(whole), Some(on)) => Operation::Whole(on, whole),
            (Ok(_), None) => Operation::Bits(OnBits::Eq, Width::of(of)),
            (Err(real), _) => Operation::Real(on_real, real),
        };
        let register = self.emit(operation, &operands);
        Ok(if operator == Binary::Ne { self.emit(Operation::Not, &[register]) } else { register })
    }

    /// The result has the type of what is shifted.
    pub(super) fn shift(&mut self, operator: Binary, a: Id, b: Id) -> Result<Typed, ExpressionError> {
        let what = operator.symbol();
        let (bits, of) = match (self.known[a], self.known[b]) {
            // A number takes the type of the number of bits.
            (Known::Literal(_), Known::Register(..)) => {
                self.whole(b, what)?;
                let ([bits, _], of) = self.alike([a, b], true)?;
                if of.is_real() {
                    return Err(self.tree.error(a, "bits are those of whole numbers, not of floats"));
                }
                (bits, of)
            }
            _ => self.whole(a, what)?,
        };
        let width = Width::of(of);
        let amount = match self.known[b] {
            Known::Literal(Literal::Whole(number)) if number >= 0 => {
                let number = Literal::Whole(number.min(64));
                self.emit(Operation::Constant(number.bits(Type::U64), width), &[])
            }
            Known::Literal(_) => {
                return Err(self.tree.error(b, "bits are shifted by a whole number that is not negative"));
            }
            Known::Register(..) => {
                let (amount, from) = self.whole(b, what)?;
                match from.number() {
                    Ok(whole) => self.emit(Operation::Whole(OnWhole::Amount(width), whole), &[amount]),
                    Err(_) => amount,
                }
            }
        };
        Ok((self.shifted(operator, bits, of, amount), of))
    }

    fn shifted(&mut self, operator: Binary, bits: Register, of: Type, amount: Register) -> Register {
        let operation = match of.number() {
            Ok(whole) if operator == Binary::Shr => Operation::Whole(OnWhole::Shr, whole),
            _ => Operation::Bits(OnBits::Shl, Width::of(of)),
        };
        self.emit(operation, &[bits, amount])
    }
}

/// Returns the logarithm of a power of two.
fn exact_log2(number: i128) -> Option<u32> {
    (number.count_ones() == 1 && number > 0).then(|| number.trailing_zeros())
}
