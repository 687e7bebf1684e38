//! What `by` can be: a bucket function, an expression, or the ids themselves.

use crate::array::{Array, Place};
use crate::buckets::Buckets;
use crate::dtype::{DType, with_key};
use crate::error::{Raise, type_error, value_error};
use crate::function::{AnyFunction, of};
use multisplit::bucket::{Identity, Lookup};
use multisplit::expression::{Expression, Values};
use pyo3::intern;
use pyo3::prelude::*;
use pyo3::types::PyString;
use std::sync::Arc;

/// What names the buckets of keys.
pub struct By {
    /// The function.
    pub function: Arc<dyn AnyFunction>,
    /// What it is a function of, if that is not the keys: their ids.
    pub ids: Option<Array>,
}

/// How conditions are read: as ids of buckets, or so that what they hold for comes first.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Sense {
    /// 0 and 1 are buckets 0 and 1.
    Ids,
    /// What a condition holds for is in bucket 0.
    First,
}

impl By {
    /// Reads what a caller gave for these keys, with the number of buckets if that was said.
    pub fn new(by: &Bound<'_, PyAny>, keys: &Array, buckets: Option<u32>, sense: Sense) -> PyResult<Self> {
        if let Ok(rule) = by.cast::<Buckets>() {
            if buckets.is_some() {
                return Err(type_error("buckets is said by the bucket function already"));
            }
            return Self::of_rule(by.py(), rule.get(), keys);
        }
        if let Ok(text) = by.cast::<PyString>() {
            let text: String = text.extract()?;
            return match sense {
                Sense::Ids => Self::of_rule(by.py(), &Buckets::expression(&text, buckets)?, keys),
                // What no condition is says the expression itself.
                Sense::First => {
                    let text = format!("({text}) ? 0 : 1");
                    Self::of_rule(by.py(), &Buckets::expression(&text, Some(2))?, keys)
                }
            };
        }
        if by.is_none() {
            return Err(type_error("by must be a bucket function, an expression or an array of ids, not None"));
        }
        let mut ids = Array::new(by, "by")?;
        ids.expect_axes(1, "by")?;
        if ids.rows() != keys.rows() {
            let (got, needed) = (ids.rows(), keys.rows());
            return Err(value_error(format!("by has {got} ids, but there are {needed} keys; give one for each")));
        }
        if ids.dtype == Some(DType::Bool) {
            ids.dtype = Some(DType::U8);
            let table = if sense == Sense::First { [1, 0] } else { [0, 1] };
            let m = buckets.unwrap_or(2);
            return Ok(Self { function: of(Lookup::<u8>::new(m, table).raise()?), ids: Some(ids) });
        }
        if sense == Sense::First {
            return Err(type_error("an array of conditions has elements of type bool"));
        }
        Self::of_ids(by, ids, buckets)
    }

    /// Ids that were computed before.
    pub fn of_ids(object: &Bound<'_, PyAny>, ids: Array, buckets: Option<u32>) -> PyResult<Self> {
        let m = match buckets {
            Some(m) => m,
            None => largest(object, &ids)?,
        };
        Ok(Self { function: identity(&ids, m, "by")?, ids: Some(ids) })
    }

    fn of_rule(py: Python<'_>, rule: &Buckets, keys: &Array) -> PyResult<Self> {
        let dtype = keys.key_type("keys")?;
        let Some((expression, m)) = rule.as_expression() else {
            return Ok(Self { function: rule.function(dtype)?, ids: None });
        };
        let inline = m.is_some() && matches!(dtype, DType::U32 | DType::I32);
        if matches!(keys.place, Place::Cuda(..)) || inline {
            match rule.function(dtype) {
                // What kernels do not compute, the host does.
                Err(_) if !matches!(keys.place, Place::Cuda(..)) => {}
                function => return Ok(Self { function: function?, ids: None }),
            }
        }
        let (ids, m) = crate::error::work(py, || crate::fork::on_threads(|| compute(expression, keys, m)))?;
        Ok(Self { function: of(Identity::<u32>::new(m)), ids: Some(Array::of_ids(ids)) })
    }
}

/// The identity for ids of any type of integers.
pub fn identity(ids: &Array, m: u32, what: &str) -> PyResult<Arc<dyn AnyFunction>> {
    let refused = |dtype: &str| type_error(format!("{what} must have integers, not {dtype}"));
    let Some(dtype) = ids.dtype else { return Err(refused("other elements")) };
    with_key!(whole dtype, K => Ok(of(Identity::<K>::new(m))), else Err(refused(dtype.name())))
}

/// One more than the largest id, by the library that the array is of.
pub fn largest(object: &Bound<'_, PyAny>, ids: &Array) -> PyResult<u32> {
    let py = object.py();
    if ids.rows() == 0 {
        return Ok(1);
    }
    let unknown = || type_error("how many buckets are there? Say it: buckets=…");
    let max = match object.getattr_opt(intern!(py, "max"))? {
        Some(max) => max.call0()?,
        None if matches!(ids.place, Place::Host(_)) => {
            crate::numpy::module(py)?.call_method1(intern!(py, "max"), (object,))?
        }
        None => return Err(unknown()),
    };
    let max: i128 = max.call_method0(intern!(py, "__int__"))?.extract()?;
    u32::try_from(max + 1)
        .map_err(|_| value_error(format!("the largest id is {max}; ids are from 0 on, and fewer than 2^24")))
}

/// The ids of keys on the host, and how many buckets there are.
fn compute(expression: &Expression, keys: &Array, m: Option<u32>) -> PyResult<(Vec<u32>, u32)> {
    let dtype = keys.key_type("keys")?;
    let cpu = crate::device::open(None)?;
    with_key!(dtype, K => {
        let held = crate::held::Held::<K>::new(&cpu, keys)?;
        let slice = held.slice();
        let values = K::values(slice.as_slice().unwrap_or_default());
        let found = expression.ids(&[("key", values)], m).raise()?;
        Ok((found.ids, found.buckets))
    }, else Err(type_error(format!("{dtype} are no keys"))))
}

/// Elements as a column of an expression.
trait Column: Sized {
    fn values(elements: &[Self]) -> Values<'_>;
}

macro_rules! columns {
    ($($element:ty: $name:ident,)*) => {$(
        impl Column for $element {
            fn values(elements: &[Self]) -> Values<'_> {
                Values::$name(elements)
            }
        }
    )*};
}

columns! {
    u8: U8, u16: U16, u32: U32, u64: U64, i8: I8, i16: I16, i32: I32, i64: I64,
    multisplit::f16: F16, multisplit::bf16: Bf16, f32: F32, f64: F64,
}
