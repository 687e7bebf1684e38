//! Expressions of the key alone as bucket functions, which kernels inline.

mod arithmetic;
mod kernel;
mod scalar;

use super::check::check;
use super::error::ExpressionError;
use super::evaluate::{BLOCK, Registers};
use super::plan::{Operation, Plan, Whole, Width};
use super::values::{Type, Values};
use super::{Expression, Tree};
use crate::bucket::prelude::*;
use crate::cpu::{Loops, ManyKeys};
use crate::error::{Error, Result};
use crate::request::policy::MAX_BUCKETS;
use bytemuck::cast_slice;
use std::cell::RefCell;
use std::marker::PhantomData;
use std::sync::Arc;

/// The most steps that kernels take. Each is a number that a unit keeps, and is compiled.
const MOST_STEPS: usize = 64;
/// Steps that take longer than to read an id.
const COSTLY: usize = 8;

/// An expression of the key alone, as a bucket function for keys of type `u32` or `i32`. Made by
/// [`Expression::of_key`].
///
/// A key whose bucket is not below the number of buckets, or that has none because of a division by 0, is reported as
/// out of range.
#[derive(CubeType, CubeLaunch, Clone, Debug, PartialEq, Eq)]
pub struct KeyExpression<K: Key> {
    m: u32,
    #[cube(comptime)]
    plan: Arc<KeyPlan>,
    #[cube(comptime)]
    key: PhantomData<K>,
}

/// What is computed of a key, in words of 32 bits.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
struct KeyPlan {
    plan: Plan,
    /// What is flipped of the key's word in its order, so that it has the key's bits.
    flip: u32,
}

impl Expression {
    /// Returns the expression as a bucket function of the key, which kernels inline: for keys that are on a device
    /// already. It must name one column or none, and compute with `u32`, `i32` and conditions alone.
    ///
    /// Each expression takes kernels of its own, which are compiled when it is first used. On the CPU a split takes as
    /// long as [`ids`](Self::ids) and a split by them, or less; but to call [`bucket`](BucketFn::bucket) for one key
    /// after the other takes many times as long.
    ///
    /// ```
    /// use multisplit::{Device, expression::Expression, split};
    ///
    /// let by_ones = Expression::parse("popcount(key >> 4) % 3")?.of_key(3)?;
    /// assert_eq!(split(&Device::cpu(), &[0x31u32, 0x10, 0x7f], &by_ones)?.keys, [0x7f, 0x10, 0x31]);
    /// # Ok::<(), multisplit::Error>(())
    /// ```
    ///
    /// # Errors
    /// [`Error::InvalidExpression`] for anything else.
    pub fn of_key<K: Key>(&self, buckets: u32) -> Result<KeyExpression<K>> {
        let plan = key_plan::<K>(&self.tree).map_err(Error::InvalidExpression)?;
        if buckets > MAX_BUCKETS {
            let message = format!("{buckets} buckets are too many: there may be up to {MAX_BUCKETS}");
            return Err(Error::InvalidExpression(ExpressionError::new(message)));
        }
        Ok(KeyExpression { m: buckets, plan: Arc::new(plan), key: PhantomData })
    }
}

fn key_plan<K: Key>(tree: &Tree) -> Result<KeyPlan, ExpressionError> {
    let (column, flip) = match K::NAME {
        "u32" => (Values::U32(&[]), 0),
        "i32" => (Values::I32(&[]), 1 << 31),
        name => {
            let message = format!("kernels compute expressions of u32 and i32 keys, not of {name}; split by the ids");
            return Err(ExpressionError::new(message));
        }
    };
    if tree.columns.len() > 1 {
        let message = format!("kernels know the key alone, which '{}' is", tree.columns[0]);
        return Err(tree.error_at_column(1, message));
    }
    let plan = check(tree, &[column])?;
    if let Some(step) = plan.steps.iter().find(|step| !is_narrow(step.operation)) {
        return Err(tree.error(step.node, "kernels compute with u32 and i32 alone; split by the ids"));
    }
    if !matches!(plan.result_type, Type::Bool | Type::U32 | Type::I32) {
        return Err(tree.error(tree.nodes.len() - 1, "kernels compute with u32 and i32 alone; split by the ids"));
    }
    if plan.steps.len() > MOST_STEPS {
        let message = format!("kernels take {MOST_STEPS} steps, and this has {}; split by the ids", plan.steps.len());
        return Err(ExpressionError::new(message));
    }
    Ok(KeyPlan { plan, flip })
}

/// Returns whether an operation is one of 32-bit words.
fn is_narrow(operation: Operation) -> bool {
    match operation {
        Operation::Load(_) | Operation::Both | Operation::Either | Operation::Not => true,
        Operation::Constant(_, width) | Operation::Bits(_, width) | Operation::Choose(width) => width == Width::Narrow,
        Operation::Whole(_, whole) => matches!(whole, Whole::U32 | Whole::I32),
        Operation::Hash(of, _) => matches!(of, Type::Bool | Type::U32 | Type::I32),
        Operation::Real(..) | Operation::Convert(..) => false,
    }
}

/// Computes the bucket of a key, given by its word in the keys' order.
fn compute(word: u32, plan: &Arc<KeyPlan>) -> u32 {
    scalar::compute(word ^ plan.flip, &plan.plan)
}

/// Kernel side of [`compute`](compute()).
mod compute {
    use super::*;

    pub fn expand(scope: &mut Scope, word: NativeExpand<u32>, plan: &Arc<KeyPlan>) -> NativeExpand<u32> {
        let bits = if plan.flip == 0 { word } else { bitxor::expand(scope, word, plan.flip.into()) };
        kernel::compute(scope, bits, &plan.plan)
    }
}

#[cube]
impl<K: Key> BucketFn for KeyExpression<K> {
    type Key = K;
    fn bucket(&self, key: K) -> u32 {
        compute(K::Bits::index(K::ordered(key)), comptime!(&self.plan))
    }
}

impl<K: Key> Buckets for KeyExpression<K> {
    fn buckets(&self) -> u32 {
        self.m
    }

    fn is_costly(&self) -> bool {
        self.plan.plan.steps.len() > COSTLY
    }

    fn loops(&self) -> Loops<'_> {
        Loops::many(&*self.plan)
    }
    kernel_fields!(m, comptime plan, comptime key);
}

thread_local! {
    /// So that not every call allocates.
    static REGISTERS: RefCell<Registers> = RefCell::default();
}

impl ManyKeys for KeyPlan {
    fn ids(&self, keys: &[u8], ids: &mut [u32]) {
        let (plan, width) = (&self.plan, size_of::<u32>());
        REGISTERS.with_borrow_mut(|registers| {
            registers.prepare(plan, BLOCK.min(ids.len()));
            for (keys, ids) in keys.chunks(BLOCK * width).zip(ids.chunks_mut(BLOCK)) {
                let column = if self.flip == 0 { Values::U32(cast_slice(keys)) } else { Values::I32(cast_slice(keys)) };
                registers.block(plan, 0, ids.len(), &[column]);
                let (lanes, faults) = registers.result(plan);
                ids.copy_from_slice(lanes.lanes(ids.len()));
                faults.iter().for_each(|fault| ids[usize::from(fault.lane)] = u32::MAX);
            }
        });
    }
}
