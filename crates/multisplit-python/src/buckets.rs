//! Bucket functions, as Python has them: made once, for keys of any type, and compiled for those that they meet.

use crate::dtype::{DType, with_key};
use crate::error::{Raise, type_error, value_error};
use crate::function::{AnyFunction, of};
use crate::number::{FromNumber, Number};
use multisplit::bucket::{BitWindow, Delta, EvenBins, Hash, Identity, Lookup, RangeBins, Splitters};
use multisplit::expression::Expression;
use pyo3::prelude::*;
use std::sync::{Arc, Mutex, PoisonError};

/// Which bucket a key belongs to.
///
/// Made by the functions of this class, and taken as `by` by all others. It can be used for keys of any type, again and
/// again: what it works out beforehand is kept.
///
/// >>> import multisplit
/// >>> from multisplit import Buckets
/// >>> multisplit.split([12, 3, 10, 7], Buckets.edges([5, 10])).keys
/// array([ 3,  7, 12, 10])
/// >>> len(Buckets.hash(16))
/// 16
#[pyclass(frozen, module = "multisplit")]
pub struct Buckets {
    rule: Rule,
    /// Those that were made of it, by the type of keys.
    made: Mutex<Vec<(DType, Arc<dyn AnyFunction>)>>,
}

/// What buckets are made of. Numbers become keys when the type of these is known.
enum Rule {
    Width { lo: Number, width: Number, m: u32 },
    Ranges { lo: Number, hi: Number, m: u32 },
    Even { lo: Number, hi: Number, m: u32 },
    Edges { edges: Vec<Number>, after: bool },
    Bins { levels: Vec<Number> },
    Identity { m: u32 },
    Hash { m: u32, seed: u32 },
    Bits { start: u32, end: u32 },
    Lookup { table: Arc<[u32]>, m: u32 },
    Expression { expression: Expression, m: Option<u32> },
}

impl Buckets {
    fn new(rule: Rule) -> Self {
        Self { rule, made: Mutex::default() }
    }

    /// The expression, if it is one, and the number of buckets, if that was said.
    pub fn as_expression(&self) -> Option<(&Expression, Option<u32>)> {
        match &self.rule {
            Rule::Expression { expression, m } => Some((expression, *m)),
            _ => None,
        }
    }

    /// The function for keys of a type.
    pub fn function(&self, dtype: DType) -> PyResult<Arc<dyn AnyFunction>> {
        let known = |made: &Vec<(DType, Arc<dyn AnyFunction>)>| {
            made.iter().find(|(known, _)| *known == dtype).map(|(_, function)| function.clone())
        };
        let lock = || self.made.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(function) = known(&lock()) {
            return Ok(function);
        }
        let function = self.make(dtype)?;
        lock().push((dtype, function.clone()));
        Ok(function)
    }

    fn make(&self, dtype: DType) -> PyResult<Arc<dyn AnyFunction>> {
        let no_keys = || type_error(format!("{dtype} are no keys"));
        let no_whole = || type_error(format!("keys must be integers to be taken for buckets themselves, not {dtype}"));
        match &self.rule {
            Rule::Identity { m } => with_key!(whole dtype, K => Ok(of(Identity::<K>::new(*m))), else Err(no_whole())),
            Rule::Lookup { table, m } => {
                with_key!(whole dtype, K => Ok(of(Lookup::<K>::new(*m, table.clone()).raise()?)), else Err(no_whole()))
            }
            Rule::Expression { expression, m } => {
                let m = m.ok_or_else(|| {
                    value_error("how many buckets does the expression name? A GPU must be told: buckets=…")
                })?;
                match dtype {
                    DType::I32 => Ok(of(expression.of_key::<i32>(m).raise()?)),
                    DType::U32 => Ok(of(expression.of_key::<u32>(m).raise()?)),
                    _ => Err(type_error(format!(
                        "GPUs compute expressions of uint32 and int32 keys, not of {dtype}; give the ids instead"
                    ))),
                }
            }
            rule => with_key!(dtype, K => rule.of_keys::<K>(), else Err(no_keys())),
        }
    }
}

impl Rule {
    /// What there is for keys of all types.
    fn of_keys<K: FromNumber>(&self) -> PyResult<Arc<dyn AnyFunction>> {
        let dtype = K::DTYPE;
        Ok(match self {
            &Self::Width { lo, width, m } => {
                let wide = K::distance(width).ok_or_else(|| value_error(format!("{dtype} keys have no such width")))?;
                of(Delta::<K>::new(K::key(lo, "lo")?, wide, m).raise()?)
            }
            &Self::Ranges { lo, hi, m } => of(Delta::over(K::key(lo, "lo")?..K::key(hi, "hi")?, m).raise()?),
            &Self::Even { lo, hi, m } => of(EvenBins::new(K::key(lo, "lo")?..K::key(hi, "hi")?, m).raise()?),
            Self::Edges { edges, after } => of(Splitters::new(&K::edges(edges, *after)?).raise()?),
            Self::Bins { levels } => of(RangeBins::new(&K::edges(levels, false)?).raise()?),
            &Self::Hash { m, seed } => of(Hash::<K>::new(m, seed)),
            &Self::Bits { start, end } => of(BitWindow::<K>::new(start..end).raise()?),
            Self::Identity { .. } | Self::Lookup { .. } | Self::Expression { .. } => {
                return Err(type_error(format!("{dtype} are no keys")));
            }
        })
    }
}

#[pymethods]
impl Buckets {
    /// Ranges of equal width that cover the keys from `lo` to `hi`, without `hi`. Keys below are in the first bucket,
    /// those above in the last.
    ///
    /// >>> multisplit.split([0.5, 9.5, -1.0], multisplit.Buckets.ranges(0, 10, 2)).offsets
    /// array([0, 2, 3])
    #[staticmethod]
    fn ranges(lo: &Bound<'_, PyAny>, hi: &Bound<'_, PyAny>, m: u32) -> PyResult<Self> {
        Ok(Self::new(Rule::Ranges { lo: Number::new(lo, "lo")?, hi: Number::new(hi, "hi")?, m }))
    }

    /// `m` ranges of this width, the first from `lo` on.
    #[staticmethod]
    fn width(lo: &Bound<'_, PyAny>, width: &Bound<'_, PyAny>, m: u32) -> PyResult<Self> {
        Ok(Self::new(Rule::Width { lo: Number::new(lo, "lo")?, width: Number::new(width, "width")?, m }))
    }

    /// The ranges between edges, as `numpy.digitize` has them: `len(edges) + 1` buckets, of which bucket `i` has the
    /// keys with `edges[i - 1] <= key < edges[i]`; with `right`, `edges[i - 1] < key <= edges[i]`.
    #[staticmethod]
    #[pyo3(signature = (edges, right=false))]
    fn edges(edges: &Bound<'_, PyAny>, right: bool) -> PyResult<Self> {
        Ok(Self::new(Rule::Edges { edges: Number::all(edges, "edges")?, after: right }))
    }

    /// Bins of equal width that cover the keys from `lo` to `hi`, without `hi`, for histograms: other keys are in none.
    #[staticmethod]
    fn even(lo: &Bound<'_, PyAny>, hi: &Bound<'_, PyAny>, m: u32) -> PyResult<Self> {
        Ok(Self::new(Rule::Even { lo: Number::new(lo, "lo")?, hi: Number::new(hi, "hi")?, m }))
    }

    /// The bins between levels, for histograms: `len(levels) - 1`, and keys below the first or from the last on are in
    /// none.
    #[staticmethod]
    fn bins(levels: &Bound<'_, PyAny>) -> PyResult<Self> {
        Ok(Self::new(Rule::Bins { levels: Number::all(levels, "levels")? }))
    }

    /// The key itself, an integer below `m`.
    #[staticmethod]
    fn identity(m: u32) -> Self {
        Self::new(Rule::Identity { m })
    }

    /// A hash of the key: for shuffles, joins and load balancing. Another `seed` is another function.
    #[staticmethod]
    #[pyo3(signature = (m, seed=0))]
    fn hash(m: u32, seed: u32) -> Self {
        Self::new(Rule::Hash { m, seed })
    }

    /// The bits from `start` to `end` of the key, without `end`, counted from the least significant.
    #[staticmethod]
    fn bits(start: u32, end: u32) -> Self {
        Self::new(Rule::Bits { start, end })
    }

    /// What a table says: `table[key]`, for keys that are small integers. There are as many buckets as the table names,
    /// or `buckets`.
    #[staticmethod]
    #[pyo3(signature = (table, buckets=None))]
    fn lookup(table: &Bound<'_, PyAny>, buckets: Option<u32>) -> PyResult<Self> {
        let id = |number| match number {
            Number::Whole(id) => u32::try_from(id).map_err(|_| value_error(format!("{id} is no number of a bucket"))),
            Number::Real(_) => Err(type_error("a table has integers")),
        };
        let table: Vec<u32> = Number::all(table, "table")?.into_iter().map(id).collect::<PyResult<_>>()?;
        let m = buckets.unwrap_or_else(|| table.iter().max().map_or(0, |largest| largest.saturating_add(1)));
        Ok(Self::new(Rule::Lookup { table: table.into(), m }))
    }

    /// An expression of the key, such as `"key % 7"` or `"key < 10 ? 0 : 1 + popcount(key) % 3"`. Arrays of the host
    /// find out by themselves how many buckets there are; GPUs must be told.
    #[staticmethod]
    #[pyo3(signature = (text, buckets=None))]
    pub fn expression(text: &str, buckets: Option<u32>) -> PyResult<Self> {
        Ok(Self::new(Rule::Expression { expression: Expression::parse(text).raise()?, m: buckets }))
    }

    fn __len__(&self) -> PyResult<usize> {
        Ok(match &self.rule {
            Rule::Width { m, .. } | Rule::Ranges { m, .. } | Rule::Even { m, .. } => *m,
            Rule::Identity { m } | Rule::Hash { m, .. } | Rule::Lookup { m, .. } => *m,
            Rule::Edges { edges, .. } => return Ok(edges.len() + 1),
            Rule::Bins { levels } => return Ok(levels.len().saturating_sub(1)),
            Rule::Bits { start, end } => 1u32.checked_shl(end.saturating_sub(*start)).unwrap_or(u32::MAX),
            Rule::Expression { m, .. } => m.ok_or_else(|| value_error("the number of buckets was not said"))?,
        } as usize)
    }

    fn __repr__(&self) -> String {
        match &self.rule {
            Rule::Expression { expression, .. } => format!("<multisplit.Buckets: {expression}>"),
            _ => {
                self.__len__().map_or_else(|_| "<multisplit.Buckets>".into(), |m| format!("<multisplit.Buckets: {m}>"))
            }
        }
    }
}
