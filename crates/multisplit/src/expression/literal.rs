//! Numbers in the text of an expression: computed exactly among themselves, and typed by what they meet.

use super::tree::Binary;
use super::values::Type;

/// A number without a type.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Literal {
    Whole(i128),
    Real(f64),
}

/// What an operator makes of numbers.
pub(super) enum Folded {
    Number(Literal),
    Truth(bool),
}

const BIG: &str = "the result is beyond all whole numbers: those of 64 bits end at 18446744073709551615";

impl Literal {
    fn real(self) -> f64 {
        match self {
            Self::Whole(number) => number as f64,
            Self::Real(number) => number,
        }
    }

    /// Returns the type that the number takes beside one of a type, and whether it stands for its bits there. None if
    /// no type has the numbers of both.
    pub fn type_beside(self, other: Type, of_bits: bool) -> Option<Type> {
        match self {
            Self::Real(number) if other == Type::F32 && number.abs() <= f32::MAX.into() => Some(Type::F32),
            Self::Real(_) => Some(Type::F64),
            Self::Whole(number) => match other {
                Type::F32 if number as f32 as i128 == number => Some(Type::F32),
                Type::F32 | Type::F64 => Some(Type::F64),
                _ if other.has(number) => Some(other),
                // ~15 is 0xfffffff0 beside a u32.
                Type::U32 if of_bits && Type::I32.has(number) => Some(other),
                Type::U64 if of_bits && Type::I64.has(number) => Some(other),
                Type::U32 if Type::U64.has(number) && !Type::I64.has(number) => Some(Type::U64),
                Type::U32 | Type::I32 if Type::I64.has(number) => Some(Type::I64),
                _ => None,
            },
        }
    }

    /// Returns the type of several numbers that meet nothing with a type.
    pub fn type_alone(all: &[Self]) -> Option<Type> {
        if all.iter().any(|literal| matches!(literal, Self::Real(_))) {
            return Some(Type::F64);
        }
        let fits = |candidate: &Type| all.iter().all(|literal| matches!(literal, Self::Whole(n) if candidate.has(*n)));
        [Type::U32, Type::I32, Type::I64, Type::U64].into_iter().find(fits)
    }

    /// Returns the bits of the number in a type that [`type_beside`](Self::type_beside) or
    /// [`type_alone`](Self::type_alone) returned.
    pub fn bits(self, of: Type) -> u64 {
        match (of, self) {
            (Type::F32, _) => (self.real() as f32).to_bits().into(),
            (Type::F64, _) => self.real().to_bits(),
            (Type::U32 | Type::I32 | Type::Bool, Self::Whole(number)) => u64::from(number as u32),
            (_, Self::Whole(number)) => number as u64,
            (_, Self::Real(number)) => number as u64,
        }
    }

    pub fn minus(self) -> Result<Self, &'static str> {
        match self {
            Self::Whole(number) => checked(Some(-number)),
            Self::Real(number) => Ok(Self::Real(-number)),
        }
    }

    pub fn complement(self) -> Result<Self, &'static str> {
        match self {
            Self::Whole(number) => checked(Some(!number)),
            Self::Real(_) => Err("~ takes whole numbers, not floats"),
        }
    }

    /// Computes with two numbers.
    pub fn fold(operator: Binary, a: Self, b: Self) -> Result<Folded, &'static str> {
        use Binary::*;
        let ordering = match (a, b) {
            (Self::Whole(a), Self::Whole(b)) => a.partial_cmp(&b),
            _ => a.real().partial_cmp(&b.real()),
        };
        let truth = |holds: bool| Ok(Folded::Truth(holds));
        match operator {
            Lt => truth(ordering.is_some_and(|ordering| ordering.is_lt())),
            Le => truth(ordering.is_some_and(|ordering| ordering.is_le())),
            Gt => truth(ordering.is_some_and(|ordering| ordering.is_gt())),
            Ge => truth(ordering.is_some_and(|ordering| ordering.is_ge())),
            Eq => truth(ordering.is_some_and(|ordering| ordering.is_eq())),
            Ne => truth(!ordering.is_some_and(|ordering| ordering.is_eq())),
            _ => match (a, b) {
                (Self::Whole(a), Self::Whole(b)) => fold_whole(operator, a, b).map(Folded::Number),
                _ => fold_real(operator, a.real(), b.real()).map(|number| Folded::Number(Self::Real(number))),
            },
        }
    }
}

fn checked(number: Option<i128>) -> Result<Literal, &'static str> {
    let fits = |number: &i128| Type::I64.has(*number) || Type::U64.has(*number);
    number.filter(fits).map(Literal::Whole).ok_or(BIG)
}

fn fold_whole(operator: Binary, a: i128, b: i128) -> Result<Literal, &'static str> {
    use Binary::*;
    checked(match operator {
        Add => a.checked_add(b),
        Sub => a.checked_sub(b),
        Mul => a.checked_mul(b),
        Div | Rem if b == 0 => return Err("division by 0"),
        Div => a.checked_div_euclid(b),
        Rem => a.checked_rem_euclid(b),
        And => Some(a & b),
        Or => Some(a | b),
        Xor => Some(a ^ b),
        Shl | Shr if b < 0 => return Err("bits cannot be shifted by a negative number"),
        Shl if a == 0 => Some(0),
        Shl if b <= 64 => a.checked_mul(1 << b),
        Shl => None,
        Shr => Some(a >> b.min(127)),
        _ => return Err("a condition is true or false, not a number; compare it, as in x != 0"),
    })
}

fn fold_real(operator: Binary, a: f64, b: f64) -> Result<f64, &'static str> {
    use Binary::*;
    Ok(match operator {
        Add => a + b,
        Sub => a - b,
        Mul => a * b,
        Div => a / b,
        Rem => a.rem_euclid(b),
        And | Or | Xor | Shl | Shr => return Err("bits are those of whole numbers, not of floats"),
        _ => return Err("a condition is true or false, not a number; compare it, as in x != 0"),
    })
}
