//! What is computed, in steps that each write a register.

use super::tree::Id;
use super::values::Type;

/// Steps in the order in which they run. Step i writes register i, of the registers of earlier steps.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(super) struct Plan {
    pub steps: Vec<Step>,
    /// The register of the result.
    pub result: Register,
    pub result_type: Type,
}

pub(super) type Register = usize;

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) struct Step {
    pub operation: Operation,
    /// As many as the operation takes, and the first again for the others.
    pub operands: [Register; 3],
    /// The node that messages point at.
    pub node: Id,
}

/// An operation on lanes. Conditions are lanes of 32 bits, 0 or 1.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) enum Operation {
    /// Copies a column.
    Load(usize),
    /// Is done once.
    Constant(u64, Width),
    Bits(OnBits, Width),
    Whole(OnWhole, Whole),
    Real(OnReal, Real),
    Convert(Type, Type),
    /// Of lanes as the library's keys of the type.
    Hash(Type, u32),
    Choose(Width),
    Both,
    Either,
    Not,
}

/// The width of a lane.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) enum Width {
    Narrow,
    Wide,
}

/// What is the same for signed and unsigned numbers.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) enum OnBits {
    Add,
    Sub,
    Mul,
    Minus,
    And,
    Or,
    Xor,
    Complement,
    /// By a number of bits that [`OnWhole::Amount`] made.
    Shl,
    Eq,
    Popcount,
    LeadingZeros,
    TrailingZeros,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) enum Whole {
    U32,
    I32,
    U64,
    I64,
}

/// What differs between signed and unsigned numbers.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) enum OnWhole {
    Div,
    Rem,
    /// Rounded towards 0.
    Quot,
    /// What is left by [`Quot`](Self::Quot).
    Rest,
    Shr,
    Lt,
    Le,
    Min,
    Max,
    Abs,
    /// A number of bits to shift lanes of this width by. Negative ones are faults.
    Amount(Width),
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) enum Real {
    F32,
    F64,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) enum OnReal {
    Add,
    Sub,
    Mul,
    Div,
    Rem,
    Quot,
    Rest,
    Minus,
    Lt,
    Le,
    Eq,
    Min,
    Max,
    Abs,
    Floor,
    Ceil,
    Round,
    Trunc,
    Sqrt,
    Log2,
    IsNan,
}

impl Width {
    pub fn of(lane: Type) -> Self {
        if lane.is_wide() { Self::Wide } else { Self::Narrow }
    }
}

impl Type {
    /// Returns what kind of number it is.
    pub fn number(self) -> Result<Whole, Real> {
        match self {
            Self::Bool | Self::U32 => Ok(Whole::U32),
            Self::I32 => Ok(Whole::I32),
            Self::U64 | Self::Opaque => Ok(Whole::U64),
            Self::I64 => Ok(Whole::I64),
            Self::F32 => Err(Real::F32),
            Self::F64 => Err(Real::F64),
        }
    }
}

impl From<Whole> for Type {
    fn from(whole: Whole) -> Self {
        match whole {
            Whole::U32 => Self::U32,
            Whole::I32 => Self::I32,
            Whole::U64 => Self::U64,
            Whole::I64 => Self::I64,
        }
    }
}
