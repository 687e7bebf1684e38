//! Numbers of Python as keys.

use crate::error::{type_error, value_error};
use crate::numpy;
use multisplit::bucket::prelude::KeyOps;
use multisplit::bucket::{DeltaKey, EvenKey};
use multisplit::{bf16, f16};
use pyo3::intern;
use pyo3::prelude::*;
use pyo3::types::{PyFloat, PyInt};

/// A number, as Python has it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Number {
    /// A whole number.
    Whole(i128),
    /// A float.
    Real(f64),
}

impl Number {
    /// A number of Python's, or one of NumPy's.
    pub fn new(object: &Bound<'_, PyAny>, what: &str) -> PyResult<Self> {
        if object.is_instance_of::<PyInt>() || object.hasattr(intern!(object.py(), "__index__"))? {
            let whole = object.extract().map_err(|_| value_error(format!("{what} is too large: {object}")))?;
            return Ok(Self::Whole(whole));
        }
        if object.is_instance_of::<PyFloat>() || object.hasattr(intern!(object.py(), "__float__"))? {
            return Ok(Self::Real(object.extract()?));
        }
        Err(type_error(format!("{what} must be a number, not {}", object.get_type())))
    }

    /// The numbers of a list, or of an array.
    pub fn all(object: &Bound<'_, PyAny>, what: &str) -> PyResult<Vec<Self>> {
        let py = object.py();
        // Arrays of CUDA devices and of other libraries have this; they are small.
        let object = match object.getattr_opt(intern!(py, "tolist"))? {
            Some(tolist) if !numpy::is_array(object)? => tolist.call0()?,
            _ => object.clone(),
        };
        let array = numpy::module(py)?.call_method1(intern!(py, "asarray"), (object,))?;
        if array.getattr(intern!(py, "ndim"))?.extract::<usize>()? != 1 {
            return Err(value_error(format!("{what} must be a list of numbers")));
        }
        array.call_method0(intern!(py, "tolist"))?.try_iter()?.map(|number| Self::new(&number?, what)).collect()
    }

    fn real(self) -> f64 {
        match self {
            Self::Whole(whole) => whole as f64,
            Self::Real(real) => real,
        }
    }

    /// For messages.
    fn show(self) -> String {
        match self {
            Self::Whole(whole) => whole.to_string(),
            Self::Real(real) => real.to_string(),
        }
    }
}

/// A type of keys that numbers of Python are converted to.
pub trait FromNumber: DeltaKey + EvenKey + crate::dtype::Element {
    /// The number itself.
    fn exactly(number: Number) -> Option<Self>;

    /// The least key that is not below the number; if it is `after`, the least above it.
    fn least_from(number: Number, after: bool) -> Option<Self>;

    /// A distance between keys.
    fn distance(number: Number) -> Option<<Self as KeyOps>::Width>;

    /// The number itself, or an exception.
    fn key(number: Number, what: &str) -> PyResult<Self> {
        let dtype = Self::DTYPE;
        Self::exactly(number)
            .ok_or_else(|| value_error(format!("{what} is {}, which no {dtype} key is", number.show())))
    }

    /// Numbers between keys, as keys: those from one on are not below the number, or are above it if it is `after`.
    fn edges(numbers: &[Number], after: bool) -> PyResult<Vec<Self>> {
        let dtype = Self::DTYPE;
        let edge = |&number: &Number| {
            let refused = || value_error(format!("edge {} lies beyond all {dtype} keys; leave it out", number.show()));
            Self::least_from(number, after).ok_or_else(refused)
        };
        numbers.iter().map(edge).collect()
    }
}

macro_rules! whole_keys {
    ($($key:ty: $width:ty),*) => {$(
        impl FromNumber for $key {
            fn exactly(number: Number) -> Option<Self> {
                match number {
                    Number::Whole(whole) => whole.try_into().ok(),
                    Number::Real(real) if real.fract() == 0.0 && real.abs() < 1e30 => (real as i128).try_into().ok(),
                    Number::Real(_) => None,
                }
            }

            fn least_from(number: Number, after: bool) -> Option<Self> {
                let least = match number {
                    Number::Whole(whole) => whole.checked_add(after.into())?,
                    Number::Real(real) if !real.is_finite() || real.abs() >= 1e30 => return None,
                    Number::Real(real) if after => real.floor() as i128 + 1,
                    Number::Real(real) => real.ceil() as i128,
                };
                // All keys are above numbers that are below the least of them.
                least.max(<$key>::MIN.into()).try_into().ok()
            }

            fn distance(number: Number) -> Option<$width> {
                match number {
                    Number::Whole(whole) => whole.try_into().ok(),
                    Number::Real(real) if real.fract() == 0.0 && real.abs() < 1e30 => (real as i128).try_into().ok(),
                    Number::Real(_) => None,
                }
            }
        }
    )*};
}

whole_keys!(u8: u32, u16: u32, u32: u32, i8: u32, i16: u32, i32: u32, u64: u64, i64: u64);

macro_rules! real_keys {
    ($($key:ty: $width:ty, $narrow:expr, $bits:ty),*) => {$(
        impl FromNumber for $key {
            fn exactly(number: Number) -> Option<Self> {
                Some($narrow(number.real()))
            }

            fn least_from(number: Number, after: bool) -> Option<Self> {
                let real = number.real();
                let near = $narrow(real);
                // Both compare as 64-bit floats, which have all keys.
                let is_enough = |key: Self| if after { f64::from(key) > real } else { f64::from(key) >= real };
                if real.is_nan() || is_enough(near) {
                    return Some(near);
                }
                // The next one up, by its bits. Both zeros are 0, and infinity has none.
                let bits = near.to_bits();
                let up = match f64::from(near) {
                    zero if zero == 0.0 => 1,
                    above if above > 0.0 => bits + 1,
                    _ => bits - 1,
                };
                let next = <$key>::from_bits(up);
                is_enough(next).then_some(next)
            }

            fn distance(number: Number) -> Option<$width> {
                Some(number.real() as $width)
            }
        }
    )*};
}

real_keys!(
    f32: f32, |real| real as f32, u32,
    f64: f64, |real: f64| real, u64,
    f16: f32, f16::from_f64, u16,
    bf16: f32, bf16::from_f64, u16
);
