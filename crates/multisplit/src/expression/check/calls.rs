//! Types of functions.

use super::{Checker, Known, Typed};
use crate::expression::error::ExpressionError;
use crate::expression::function::Function;
use crate::expression::literal::Literal;
use crate::expression::plan::{OnBits, OnReal, OnWhole, Operation, Register, Width};
use crate::expression::tree::{Binary, Id};
use crate::expression::values::Type;

impl Checker<'_> {
    pub(super) fn call(&mut self, function: Function, operands: &[Id]) -> Result<Typed, ExpressionError> {
        let (name, a) = (function.name(), operands[0]);
        let on_real = match function {
            Function::Min => return self.extreme(operands, OnWhole::Min, OnReal::Min),
            Function::Max => return self.extreme(operands, OnWhole::Max, OnReal::Max),
            Function::Clamp => return self.clamp(operands),
            Function::Abs => return self.abs(a),
            Function::Popcount => return self.count(a, name, OnBits::Popcount),
            Function::LeadingZeros => return self.count(a, name, OnBits::LeadingZeros),
            Function::TrailingZeros => return self.count(a, name, OnBits::TrailingZeros),
            Function::Bit => return self.bit(a, operands[1]),
            Function::Hash => return self.hash(operands),
            Function::Quot => return self.truncated([a, operands[1]], OnWhole::Quot, OnReal::Quot),
            Function::Rem => return self.truncated([a, operands[1]], OnWhole::Rest, OnReal::Rest),
            Function::U32 => return self.conversion(a, Type::U32),
            Function::I32 => return self.conversion(a, Type::I32),
            Function::U64 => return self.conversion(a, Type::U64),
            Function::I64 => return self.conversion(a, Type::I64),
            Function::F32 => return self.conversion(a, Type::F32),
            Function::F64 => return self.conversion(a, Type::F64),
            Function::Floor => OnReal::Floor,
            Function::Ceil => OnReal::Ceil,
            Function::Round => OnReal::Round,
            Function::Trunc => OnReal::Trunc,
            Function::Sqrt => OnReal::Sqrt,
            Function::Log2 => OnReal::Log2,
            Function::IsNan => OnReal::IsNan,
        };
        let (register, of) = self.number(a, name)?;
        let rounds = matches!(on_real, OnReal::Floor | OnReal::Ceil | OnReal::Round | OnReal::Trunc);
        if rounds && !of.is_real() {
            return Ok((register, of));
        }
        let (register, of) = self.real(a, name)?;
        let Err(real) = of.number() else { return Ok((register, of)) };
        let register = self.emit(Operation::Real(on_real, real), &[register]);
        Ok((register, if on_real == OnReal::IsNan { Type::Bool } else { of }))
    }

    /// Emits an operation that whole numbers and floats have.
    fn on_numbers(&mut self, on_whole: OnWhole, on_real: OnReal, of: Type, operands: &[Register]) -> Register {
        let operation = match of.number() {
            Ok(whole) => Operation::Whole(on_whole, whole),
            Err(real) => Operation::Real(on_real, real),
        };
        self.emit(operation, operands)
    }

    fn extreme(&mut self, ids: &[Id], on_whole: OnWhole, on_real: OnReal) -> Result<Typed, ExpressionError> {
        let of = self.common_type(ids, false)?;
        let mut result = None;
        for &id in ids {
            let register = match self.known[id] {
                Known::Literal(literal) => self.constant(literal, of),
                Known::Register(register, from) => self.convert(register, from, of),
            };
            result = Some(match result {
                None => register,
                Some(before) => self.on_numbers(on_whole, on_real, of, &[before, register]),
            });
        }
        Ok((result.unwrap_or(0), of))
    }

    fn clamp(&mut self, ids: &[Id]) -> Result<Typed, ExpressionError> {
        let ([x, low, high], of) = self.alike([ids[0], ids[1], ids[2]], false)?;
        let x = self.on_numbers(OnWhole::Max, OnReal::Max, of, &[x, low]);
        Ok((self.on_numbers(OnWhole::Min, OnReal::Min, of, &[x, high]), of))
    }

    fn abs(&mut self, id: Id) -> Result<Typed, ExpressionError> {
        let (register, of) = self.number(id, "abs")?;
        Ok((self.on_numbers(OnWhole::Abs, OnReal::Abs, of, &[register]), of))
    }

    fn count(&mut self, id: Id, name: &str, on: OnBits) -> Result<Typed, ExpressionError> {
        let (register, of) = self.whole(id, name)?;
        let counts = self.emit(Operation::Bits(on, Width::of(of)), &[register]);
        Ok((counts, Type::U32))
    }

    fn bit(&mut self, a: Id, i: Id) -> Result<Typed, ExpressionError> {
        self.whole(a, "bit")?;
        let (shifted, of) = self.shift(Binary::Shr, a, i)?;
        let one = self.constant(Literal::Whole(1), of);
        Ok((self.emit(Operation::Bits(OnBits::And, Width::of(of)), &[shifted, one]), of))
    }

    fn hash(&mut self, ids: &[Id]) -> Result<Typed, ExpressionError> {
        let seed = match ids.get(1).map(|&id| (id, self.known[id])) {
            None => 0,
            Some((_, Known::Literal(Literal::Whole(seed)))) if Type::U32.has(seed) => seed as u32,
            Some((id, _)) => return Err(self.tree.error(id, "the seed is a number from 0 to 4294967295")),
        };
        let (register, of) = self.typed(ids[0])?;
        Ok((self.emit(Operation::Hash(of, seed), &[register]), Type::U32))
    }

    fn truncated(&mut self, ids: [Id; 2], on_whole: OnWhole, on_real: OnReal) -> Result<Typed, ExpressionError> {
        let (operands, of) = self.alike(ids, false)?;
        Ok((self.on_numbers(on_whole, on_real, of, &operands), if of == Type::Bool { Type::U32 } else { of }))
    }

    fn conversion(&mut self, id: Id, to: Type) -> Result<Typed, ExpressionError> {
        if let Known::Literal(literal @ Literal::Whole(number)) = self.known[id]
            && (to.is_real() || to.has(number))
        {
            return Ok((self.constant(literal, to), to));
        }
        let (register, from) = self.number(id, "a conversion")?;
        Ok((self.convert(register, from, to), to))
    }
}
