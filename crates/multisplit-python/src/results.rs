//! What calls return: arrays with names.

use crate::error::value_error;
use pyo3::prelude::*;
use pyo3::types::{PyDict, PySlice, PyTuple};

/// Keys that were split, and what came with them.
#[pyclass(frozen, module = "multisplit", get_all)]
pub struct Split {
    /// The keys, bucket by bucket; within a bucket in the order of the input.
    pub keys: Py<PyAny>,
    /// The values, each still with its key: an array, a tuple or a dict, as they were given; None without.
    pub values: Py<PyAny>,
    /// Bucket b is `keys[offsets[b]:offsets[b + 1]]`: one more than there are buckets.
    pub offsets: Py<PyAny>,
    /// Where each element of the result was in the input, if it was asked for.
    pub index: Py<PyAny>,
    /// Where each element of the input is in the result, if it was asked for.
    pub inverse: Py<PyAny>,
}

#[pymethods]
impl Split {
    /// The number of buckets; of segments, of all of them together.
    fn __len__(&self, py: Python<'_>) -> PyResult<usize> {
        Ok(self.offsets.bind(py).len()?.saturating_sub(1))
    }

    /// The keys of bucket b.
    fn bucket<'py>(&self, py: Python<'py>, b: usize) -> PyResult<Bound<'py, PyAny>> {
        if b >= self.__len__(py)? {
            return Err(value_error(format!("there is no bucket {b}: there are {}", self.__len__(py)?)));
        }
        let offset = |i: usize| self.offsets.bind(py).get_item(i)?.call_method0("__int__")?.extract::<isize>();
        self.keys.bind(py).get_item(PySlice::new(py, offset(b)?, offset(b + 1)?, 1))
    }

    fn __repr__(&self, py: Python<'_>) -> PyResult<String> {
        let (n, m) = (self.keys.bind(py).len()?, self.__len__(py)?);
        Ok(format!("<multisplit.Split of {n} keys into {m} buckets>"))
    }
}

/// Tokens that go to experts.
#[pyclass(frozen, module = "multisplit", get_all)]
pub struct Routing {
    /// Expert e has `index[offsets[e]:offsets[e + 1]]`.
    pub offsets: Py<PyAny>,
    /// For each place in the order of the experts, the place in `topk_ids.ravel()`: divided by k, the token.
    pub index: Py<PyAny>,
    /// For each place in `topk_ids.ravel()`, that in the order of the experts.
    pub inverse: Py<PyAny>,
}

/// Tokens that go to experts, in whole blocks.
#[pyclass(frozen, module = "multisplit", get_all)]
pub struct Alignment {
    /// As in a `Routing`, without padding.
    pub offsets: Py<PyAny>,
    /// As in a `Routing`.
    pub index: Py<PyAny>,
    /// As in a `Routing`.
    pub inverse: Py<PyAny>,
    /// Where each expert begins in `sorted_token_ids`, and where the last one ends: multiples of the block.
    pub padded_offsets: Py<PyAny>,
    /// `index` with padding, which is `topk_ids.size`: block by block.
    pub sorted_token_ids: Py<PyAny>,
    /// The expert of each block; -1 for blocks beyond the last.
    pub expert_ids: Py<PyAny>,
    /// How many of `sorted_token_ids` there are: one number.
    pub num_tokens_post_pad: Py<PyAny>,
}

/// How a caller gave value columns, and is given them back.
pub enum Layout<'py> {
    /// None.
    None,
    /// An array.
    One,
    /// A tuple of arrays.
    Tuple,
    /// Arrays by their names.
    Dict(Vec<Bound<'py, PyAny>>),
}

impl<'py> Layout<'py> {
    /// Takes value columns apart.
    pub fn of(values: Option<&Bound<'py, PyAny>>) -> PyResult<(Self, Vec<Bound<'py, PyAny>>)> {
        let Some(values) = values else { return Ok((Self::None, Vec::new())) };
        if let Ok(tuple) = values.cast::<PyTuple>() {
            return Ok((Self::Tuple, tuple.iter().collect()));
        }
        if let Ok(dict) = values.cast::<PyDict>() {
            let (names, columns) = dict.iter().unzip();
            return Ok((Self::Dict(names), columns));
        }
        Ok((Self::One, vec![values.clone()]))
    }

    /// Puts them together again.
    pub fn together(self, py: Python<'py>, mut columns: Vec<Py<PyAny>>) -> PyResult<Py<PyAny>> {
        Ok(match self {
            Self::None => py.None(),
            Self::One => columns.pop().unwrap_or_else(|| py.None()),
            Self::Tuple => PyTuple::new(py, columns)?.into_any().unbind(),
            Self::Dict(names) => {
                let dict = PyDict::new(py);
                names.into_iter().zip(columns).try_for_each(|(name, column)| dict.set_item(name, column))?;
                dict.into_any().unbind()
            }
        })
    }
}
