//! The functions that an expression can call.

use std::ops::RangeInclusive;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Function {
    Min,
    Max,
    Clamp,
    Abs,
    Popcount,
    LeadingZeros,
    TrailingZeros,
    Bit,
    Hash,
    Floor,
    Ceil,
    Round,
    Trunc,
    Sqrt,
    Log2,
    IsNan,
    Quot,
    Rem,
    U32,
    I32,
    U64,
    I64,
    F32,
    F64,
}

/// The most operands of those functions that take any number.
const MANY: usize = 16;

/// The names, and how many operands each takes.
const FUNCTIONS: [(&str, Function, RangeInclusive<usize>); 24] = [
    ("min", Function::Min, 2..=MANY),
    ("max", Function::Max, 2..=MANY),
    ("clamp", Function::Clamp, 3..=3),
    ("abs", Function::Abs, 1..=1),
    ("popcount", Function::Popcount, 1..=1),
    ("clz", Function::LeadingZeros, 1..=1),
    ("ctz", Function::TrailingZeros, 1..=1),
    ("bit", Function::Bit, 2..=2),
    ("hash", Function::Hash, 1..=2),
    ("floor", Function::Floor, 1..=1),
    ("ceil", Function::Ceil, 1..=1),
    ("round", Function::Round, 1..=1),
    ("trunc", Function::Trunc, 1..=1),
    ("sqrt", Function::Sqrt, 1..=1),
    ("log2", Function::Log2, 1..=1),
    ("is_nan", Function::IsNan, 1..=1),
    ("quot", Function::Quot, 2..=2),
    ("rem", Function::Rem, 2..=2),
    ("u32", Function::U32, 1..=1),
    ("i32", Function::I32, 1..=1),
    ("u64", Function::U64, 1..=1),
    ("i64", Function::I64, 1..=1),
    ("f32", Function::F32, 1..=1),
    ("f64", Function::F64, 1..=1),
];

impl Function {
    pub fn named(name: &str) -> Option<Self> {
        FUNCTIONS.iter().find(|(each, ..)| *each == name).map(|(_, function, _)| *function)
    }

    pub fn names() -> impl Iterator<Item = &'static str> {
        FUNCTIONS.iter().map(|(name, ..)| *name)
    }

    pub fn name(self) -> &'static str {
        FUNCTIONS.iter().find(|(_, each, _)| *each == self).map_or("", |(name, ..)| name)
    }

    /// Returns how many operands it takes.
    pub fn operands(self) -> RangeInclusive<usize> {
        FUNCTIONS.iter().find(|(_, each, _)| *each == self).map_or(0..=0, |(.., operands)| operands.clone())
    }
}
