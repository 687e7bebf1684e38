//! What each operation does to a block of lanes: one loop each.

use super::evaluate::Lanes;
use super::fault::Fault;
use super::plan::{OnBits, OnReal, OnWhole, Operation, Real, Whole, Width};
use super::values::{Type, Values};
use crate::bucket::arith::{widen_bf16, widen_f16};
use crate::bucket::key::KeyOps;
use crate::bucket::word::Word;
use bytemuck::Pod;

/// A step that runs on a block.
pub(super) struct Frame<'a> {
    pub operands: [&'a Lanes; 3],
    pub to: &'a mut Lanes,
    /// The lanes that are in use.
    pub n: usize,
    pub step: u16,
    pub faults: &'a mut Vec<Fault>,
}

impl Frame<'_> {
    fn unary<A: Pod, D: Pod>(&mut self, f: impl Fn(A) -> D) {
        let a = self.operands[0].lanes::<A>(self.n);
        for (to, &a) in self.to.lanes_mut(self.n).iter_mut().zip(a) {
            *to = f(a);
        }
    }

    fn binary<A: Pod, D: Pod>(&mut self, f: impl Fn(A, A) -> D) {
        let (a, b) = (self.operands[0].lanes::<A>(self.n), self.operands[1].lanes::<A>(self.n));
        for ((to, &a), &b) in self.to.lanes_mut(self.n).iter_mut().zip(a).zip(b) {
            *to = f(a, b);
        }
    }

    fn choose<A: Pod>(&mut self) {
        let [c, a, b] = self.operands;
        let (c, a, b) = (c.lanes::<u32>(self.n), a.lanes::<A>(self.n), b.lanes::<A>(self.n));
        for (((to, &c), &a), &b) in self.to.lanes_mut(self.n).iter_mut().zip(c).zip(a).zip(b) {
            *to = if c != 0 { a } else { b };
        }
    }

    /// Marks the lanes of an operand that the operation has no result for.
    fn refuse<A: Pod>(&mut self, operand: usize, bad: impl Fn(A) -> bool) {
        let lanes = self.operands[operand].lanes::<A>(self.n);
        // Nearly always there is none.
        if lanes.iter().fold(false, |any, &a| any | bad(a)) {
            let bad = lanes.iter().enumerate().filter(|&(_, &a)| bad(a));
            self.faults.extend(bad.map(|(lane, _)| Fault { lane: lane as u16, step: self.step }));
        }
    }

    /// Divides lanes by those that are not 0.
    fn divide<A: Pod + PartialEq>(&mut self, f: impl Fn(A, A) -> A) {
        self.binary(|a: A, b: A| if b == A::zeroed() { a } else { f(a, b) });
        self.refuse(1, |b: A| b == A::zeroed());
    }
}

/// Runs an operation. Constants are in place.
pub(super) fn run(operation: Operation, columns: &[Values<'_>], row: usize, frame: &mut Frame<'_>) {
    match operation {
        Operation::Load(column) => load(&columns[column], row, frame),
        Operation::Constant(..) => {}
        Operation::Bits(on, Width::Narrow) => bits_of_32(on, frame),
        Operation::Bits(on, Width::Wide) => bits_of_64(on, frame),
        Operation::Whole(on, Whole::U32) => whole_u32(on, frame),
        Operation::Whole(on, Whole::I32) => whole_i32(on, frame),
        Operation::Whole(on, Whole::U64) => whole_u64(on, frame),
        Operation::Whole(on, Whole::I64) => whole_i64(on, frame),
        Operation::Real(on, Real::F32) => real_f32(on, frame),
        Operation::Real(on, Real::F64) => real_f64(on, frame),
        Operation::Convert(from, to) => convert(from, to, frame),
        Operation::Hash(of, seed) => hash(of, seed, frame),
        Operation::Choose(Width::Narrow) => frame.choose::<u32>(),
        Operation::Choose(Width::Wide) => frame.choose::<u64>(),
        Operation::Both => frame.binary(|a: u32, b: u32| a & b),
        Operation::Either => frame.binary(|a: u32, b: u32| a | b),
        Operation::Not => frame.unary(|a: u32| a ^ 1),
    }
}

macro_rules! on_bits {
    ($name:ident $T:ident) => {
        fn $name(on: OnBits, frame: &mut Frame<'_>) {
            match on {
                OnBits::Add => frame.binary($T::wrapping_add),
                OnBits::Sub => frame.binary($T::wrapping_sub),
                OnBits::Mul => frame.binary($T::wrapping_mul),
                OnBits::Minus => frame.unary($T::wrapping_neg),
                OnBits::And => frame.binary(|a: $T, b: $T| a & b),
                OnBits::Or => frame.binary(|a: $T, b: $T| a | b),
                OnBits::Xor => frame.binary(|a: $T, b: $T| a ^ b),
                OnBits::Complement => frame.unary(|a: $T| !a),
                OnBits::Shl => frame.binary(|a: $T, b: $T| if b < $T::BITS.into() { a << b } else { 0 }),
                OnBits::Eq => frame.binary(|a: $T, b: $T| u32::from(a == b)),
                OnBits::Popcount => frame.unary($T::count_ones),
                OnBits::LeadingZeros => frame.unary($T::leading_zeros),
                OnBits::TrailingZeros => frame.unary($T::trailing_zeros),
            }
        }
    };
}

on_bits!(bits_of_32 u32);
on_bits!(bits_of_64 u64);

macro_rules! on_whole {
    ($name:ident $T:ident $abs:expr, $is_negative:expr) => {
        fn $name(on: OnWhole, frame: &mut Frame<'_>) {
            match on {
                OnWhole::Div => frame.divide($T::wrapping_div_euclid),
                OnWhole::Rem => frame.divide($T::wrapping_rem_euclid),
                OnWhole::Quot => frame.divide($T::wrapping_div),
                OnWhole::Rest => frame.divide($T::wrapping_rem),
                // Behind the last bit there are more like it.
                OnWhole::Shr => frame.binary(|a: $T, b: $T| {
                    let last = ($T::BITS - 1) as $T;
                    if b <= last { a >> b } else { a >> last >> 1 }
                }),
                OnWhole::Lt => frame.binary(|a: $T, b: $T| u32::from(a < b)),
                OnWhole::Le => frame.binary(|a: $T, b: $T| u32::from(a <= b)),
                OnWhole::Min => frame.binary(|a: $T, b: $T| a.min(b)),
                OnWhole::Max => frame.binary(|a: $T, b: $T| a.max(b)),
                OnWhole::Abs => frame.unary($abs),
                OnWhole::Amount(to) => {
                    match to {
                        Width::Narrow => frame.unary(|a: $T| a.clamp(0, 64) as u32),
                        Width::Wide => frame.unary(|a: $T| a.clamp(0, 64) as u64),
                    }
                    frame.refuse(0, $is_negative);
                }
            }
        }
    };
}

on_whole!(whole_u32 u32 |a: u32| a, |_: u32| false);
on_whole!(whole_i32 i32 i32::wrapping_abs, i32::is_negative);
on_whole!(whole_u64 u64 |a: u64| a, |_: u64| false);
on_whole!(whole_i64 i64 i64::wrapping_abs, i64::is_negative);

macro_rules! on_real {
    ($name:ident $T:ident) => {
        fn $name(on: OnReal, frame: &mut Frame<'_>) {
            match on {
                OnReal::Add => frame.binary(|a: $T, b: $T| a + b),
                OnReal::Sub => frame.binary(|a: $T, b: $T| a - b),
                OnReal::Mul => frame.binary(|a: $T, b: $T| a * b),
                OnReal::Div => frame.binary(|a: $T, b: $T| a / b),
                OnReal::Rem => frame.binary($T::rem_euclid),
                OnReal::Quot => frame.binary(|a: $T, b: $T| (a / b).trunc()),
                OnReal::Rest => frame.binary(|a: $T, b: $T| a % b),
                OnReal::Minus => frame.unary(|a: $T| -a),
                OnReal::Lt => frame.binary(|a: $T, b: $T| u32::from(a < b)),
                OnReal::Le => frame.binary(|a: $T, b: $T| u32::from(a <= b)),
                OnReal::Eq => frame.binary(|a: $T, b: $T| u32::from(a == b)),
                OnReal::Min => frame.binary($T::min),
                OnReal::Max => frame.binary($T::max),
                OnReal::Abs => frame.unary($T::abs),
                OnReal::Floor => frame.unary($T::floor),
                OnReal::Ceil => frame.unary($T::ceil),
                OnReal::Round => frame.unary($T::round),
                OnReal::Trunc => frame.unary($T::trunc),
                OnReal::Sqrt => frame.unary($T::sqrt),
                OnReal::Log2 => frame.unary($T::log2),
                OnReal::IsNan => frame.unary(|a: $T| u32::from(a.is_nan())),
            }
        }
    };
}

on_real!(real_f32 f32);
on_real!(real_f64 f64);

fn load(column: &Values<'_>, row: usize, frame: &mut Frame<'_>) {
    let n = frame.n;
    let rows = row..row + n;
    match column {
        Values::Bool(values) => frame.to.fill_from(&values[rows], u32::from),
        Values::U8(values) => frame.to.fill_from(&values[rows], u32::from),
        Values::U16(values) => frame.to.fill_from(&values[rows], u32::from),
        Values::I8(values) => frame.to.fill_from(&values[rows], i32::from),
        Values::I16(values) => frame.to.fill_from(&values[rows], i32::from),
        Values::F16(values) => frame.to.fill_from(&values[rows], widen_f16),
        Values::Bf16(values) => frame.to.fill_from(&values[rows], widen_bf16),
        Values::U32(values) => frame.to.lanes_mut(n).copy_from_slice(&values[rows]),
        Values::I32(values) => frame.to.lanes_mut(n).copy_from_slice(&values[rows]),
        Values::F32(values) => frame.to.lanes_mut(n).copy_from_slice(&values[rows]),
        Values::U64(values) | Values::Opaque(values) => frame.to.lanes_mut(n).copy_from_slice(&values[rows]),
        Values::I64(values) => frame.to.lanes_mut(n).copy_from_slice(&values[rows]),
        Values::F64(values) => frame.to.lanes_mut(n).copy_from_slice(&values[rows]),
    }
}

fn convert(from: Type, to: Type, frame: &mut Frame<'_>) {
    match (from.number(), to) {
        (Ok(Whole::U32), Type::F32) => frame.unary(|a: u32| a as f32),
        (Ok(Whole::U32), Type::F64) => frame.unary(|a: u32| f64::from(a)),
        (Ok(Whole::U32), _) => frame.unary(|a: u32| u64::from(a)),
        (Ok(Whole::I32), Type::F32) => frame.unary(|a: i32| a as f32),
        (Ok(Whole::I32), Type::F64) => frame.unary(|a: i32| f64::from(a)),
        (Ok(Whole::I32), _) => frame.unary(|a: i32| i64::from(a)),
        (Ok(Whole::U64), Type::F32) => frame.unary(|a: u64| a as f32),
        (Ok(Whole::U64), Type::F64) => frame.unary(|a: u64| a as f64),
        (Ok(Whole::I64), Type::F32) => frame.unary(|a: i64| a as f32),
        (Ok(Whole::I64), Type::F64) => frame.unary(|a: i64| a as f64),
        (Ok(_), _) => frame.unary(|a: u64| a as u32),
        (Err(Real::F32), Type::F64) => frame.unary(|a: f32| f64::from(a)),
        (Err(Real::F64), Type::F32) => frame.unary(|a: f64| a as f32),
        (Err(Real::F32), _) => {
            cut_off_f32(to, frame);
            let (least, beyond) = bounds(to);
            frame.refuse(0, |a: f32| !(least..beyond).contains(&f64::from(a.trunc())));
        }
        (Err(Real::F64), _) => {
            cut_off_f64(to, frame);
            let (least, beyond) = bounds(to);
            frame.refuse(0, |a: f64| !(least..beyond).contains(&a.trunc()));
        }
    }
}

/// Returns the least number of a type, and the first beyond the last. Both are exact.
fn bounds(whole: Type) -> (f64, f64) {
    let (least, greatest) = whole.range();
    (least as f64, (greatest + 1) as f64)
}

macro_rules! cut_off {
    ($name:ident $T:ident) => {
        fn $name(to: Type, frame: &mut Frame<'_>) {
            match to {
                Type::I32 => frame.unary(|a: $T| a as i32),
                Type::U64 => frame.unary(|a: $T| a as u64),
                Type::I64 => frame.unary(|a: $T| a as i64),
                _ => frame.unary(|a: $T| a as u32),
            }
        }
    };
}

cut_off!(cut_off_f32 f32);
cut_off!(cut_off_f64 f64);

/// Hashes as the library's bucket function for keys of the type.
fn hash(of: Type, seed: u32, frame: &mut Frame<'_>) {
    match of {
        Type::Bool | Type::U32 => frame.unary(|a: u32| u32::hash(u32::ordered(a), seed)),
        Type::I32 => frame.unary(|a: i32| u32::hash(i32::ordered(a), seed)),
        Type::U64 | Type::Opaque => frame.unary(|a: u64| u64::hash(u64::ordered(a), seed)),
        Type::I64 => frame.unary(|a: i64| u64::hash(i64::ordered(a), seed)),
        Type::F32 => frame.unary(|a: f32| u32::hash(f32::ordered(a), seed)),
        Type::F64 => frame.unary(|a: f64| u64::hash(f64::ordered(a), seed)),
    }
}
