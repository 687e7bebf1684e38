//! Splits, and what is made of them.

use crate::array::Array;
use crate::by::{By, Sense};
use crate::dtype::DType;
use crate::error::{Raise, value_error};
use crate::group::index_array;
use crate::job::{Done, Job, Stage};
use crate::memory::Owned;
use crate::number::Number;
use crate::results::{Layout, Split};
use crate::workspace::Kept;
use pyo3::prelude::*;

/// Splits keys into buckets, stably: keys of a bucket keep their order.
///
/// `by` names the bucket of each key. It is a bucket function (see `Buckets`), an expression such as `"key % 7"`, or an
/// array of the ids themselves, of which there are `buckets`, or one more than the largest. `values` are an array that
/// is as long as the keys, of any type and with any further axes, or a tuple or a dict of such; they stay with their
/// keys.
///
/// Keys are integers of 8 to 64 bits or floats of 16 to 64 bits, in one dimension: an array of NumPy's, or of a library
/// that has DLPack or `__cuda_array_interface__`. Results are arrays of the same library, on the same device. Arrays of
/// the CPU are split there, or on the `device` of another name, and come back.
///
/// >>> import numpy as np, multisplit
/// >>> result = multisplit.split(np.array([5, 2, 7, 4]), "key % 2", values=np.array([0.5, 0.2, 0.7, 0.4]))
/// >>> result.keys, result.values, result.offsets
/// (array([2, 4, 5, 7]), array([0.2, 0.4, 0.5, 0.7]), array([0, 2, 4]))
/// >>> multisplit.split([30, 10, 20], by=[1, 0, 1], return_index=True).index
/// array([1, 0, 2], dtype=int32)
#[pyfunction]
#[pyo3(signature = (keys, by, *, values=None, return_index=false, return_inverse=false, buckets=None, device=None,
                    workspace=None))]
pub fn split<'py>(
    py: Python<'py>,
    keys: &Bound<'py, PyAny>,
    by: &Bound<'py, PyAny>,
    values: Option<&Bound<'py, PyAny>>,
    return_index: bool,
    return_inverse: bool,
    buckets: Option<u32>,
    device: Option<&str>,
    workspace: Option<&Bound<'py, Kept>>,
) -> PyResult<Split> {
    let asked = Asked { buckets, sense: Sense::Ids, index: return_index, inverse: return_inverse, ..Asked::default() };
    asked.run(py, keys, by, values, device, workspace)
}

/// Splits keys in two: first those for which a condition holds, then the others, both in their order.
///
/// `by` is an array of bools, an expression such as `"key < 10"`, or a bucket function of two buckets, of which the
/// first comes first. Where the second part begins is `offsets[1]`.
///
/// >>> import multisplit
/// >>> result = multisplit.partition([12, 3, 10, 7], "key < 10")
/// >>> result.keys, result.offsets
/// (array([ 3,  7, 12, 10]), array([0, 2, 4]))
#[pyfunction]
#[pyo3(signature = (keys, by, *, values=None, return_index=false, return_inverse=false, device=None, workspace=None))]
pub fn partition<'py>(
    py: Python<'py>,
    keys: &Bound<'py, PyAny>,
    by: &Bound<'py, PyAny>,
    values: Option<&Bound<'py, PyAny>>,
    return_index: bool,
    return_inverse: bool,
    device: Option<&str>,
    workspace: Option<&Bound<'py, Kept>>,
) -> PyResult<Split> {
    let asked = Asked { sense: Sense::First, index: return_index, inverse: return_inverse, ..Asked::default() };
    asked.run(py, keys, by, values, device, workspace)
}

/// Keeps the keys for which a condition holds, in their order, and leaves the others out.
///
/// `by` is as for `partition`; `offsets` of the result are of both parts.
///
/// >>> import multisplit
/// >>> multisplit.select([12, 3, 10, 7], "key < 10").keys
/// array([3, 7])
#[pyfunction]
#[pyo3(signature = (keys, by, *, values=None, return_index=false, device=None, workspace=None))]
pub fn select<'py>(
    py: Python<'py>,
    keys: &Bound<'py, PyAny>,
    by: &Bound<'py, PyAny>,
    values: Option<&Bound<'py, PyAny>>,
    return_index: bool,
    device: Option<&str>,
    workspace: Option<&Bound<'py, Kept>>,
) -> PyResult<Split> {
    let asked = Asked { sense: Sense::First, index: return_index, selects: true, ..Asked::default() };
    asked.run(py, keys, by, values, device, workspace)
}

/// Splits many segments of the keys, each by itself and in its own place.
///
/// Segment s is `keys[segments[s]:segments[s + 1]]`: the first of `segments` is 0, the last the number of keys. With m
/// buckets, bucket b of segment s is from `offsets[s * m + b]` to the next.
///
/// >>> import multisplit
/// >>> result = multisplit.split_segments([1, 0, 1, 1, 0], [0, 3, 5], multisplit.Buckets.identity(2))
/// >>> result.keys, result.offsets
/// (array([0, 1, 1, 0, 1]), array([0, 1, 3, 4, 5]))
#[pyfunction]
#[pyo3(signature = (keys, segments, by, *, values=None, return_index=false, return_inverse=false, buckets=None,
                    device=None, workspace=None))]
pub fn split_segments<'py>(
    py: Python<'py>,
    keys: &Bound<'py, PyAny>,
    segments: &Bound<'py, PyAny>,
    by: &Bound<'py, PyAny>,
    values: Option<&Bound<'py, PyAny>>,
    return_index: bool,
    return_inverse: bool,
    buckets: Option<u32>,
    device: Option<&str>,
    workspace: Option<&Bound<'py, Kept>>,
) -> PyResult<Split> {
    let offset = |number| match number {
        Number::Whole(offset) => {
            usize::try_from(offset).map_err(|_| value_error(format!("segments begin at {offset}")))
        }
        Number::Real(_) => Err(value_error("segments are integers")),
    };
    let segments: Vec<usize> = Number::all(segments, "segments")?.into_iter().map(offset).collect::<PyResult<_>>()?;
    let (index, inverse) = (return_index, return_inverse);
    let asked = Asked { buckets, index, inverse, segments: Some(&segments), ..Asked::default() };
    asked.run(py, keys, by, values, device, workspace)
}

/// Counts how many keys each bucket has, without moving any. `by` is as for `split`.
///
/// With `return_outside` it also tells how many keys are in no bucket, such as those outside of `Buckets.even`.
///
/// >>> import multisplit
/// >>> multisplit.histogram([0.5, 2.0, 7.5, 12.0], multisplit.Buckets.even(0, 10, 5), return_outside=True)
/// (array([1, 1, 0, 1, 0]), 1)
#[pyfunction]
#[pyo3(signature = (keys, by, *, buckets=None, return_outside=false, device=None))]
pub fn histogram<'py>(
    py: Python<'py>,
    keys: &Bound<'py, PyAny>,
    by: &Bound<'py, PyAny>,
    buckets: Option<u32>,
    return_outside: bool,
    device: Option<&str>,
) -> PyResult<Py<PyAny>> {
    let array = Array::new(keys, "keys")?;
    array.expect_axes(1, "keys")?;
    let by = By::new(by, &array, buckets, Sense::Ids)?;
    let ids = by.ids.as_ref().unwrap_or(&array);
    let stage = Stage::of(&[(&array, "keys"), (ids, "by")], device)?;
    let (counts, outside, m) = stage.work(py, None, |workspace| {
        let counts = by.function.count(&mut Job::new(&stage, ids, workspace))?;
        let m = by.function.buckets() as usize;
        let last = if return_outside { counts.slice(m..).raise()?.download().raise()?[0] } else { 0 };
        Ok((Owned::of_buffer(counts, &stage)?.part(0, 8 * m), last, m))
    })?;
    let counts = array.style.with(py, DType::I64)?.array(py, counts, Some(DType::I64), vec![m])?;
    if return_outside { Ok((counts, outside).into_pyobject(py)?.into_any().unbind()) } else { Ok(counts) }
}

/// What a split is asked for, whichever it is.
struct Asked<'a> {
    buckets: Option<u32>,
    sense: Sense,
    index: bool,
    inverse: bool,
    selects: bool,
    segments: Option<&'a [usize]>,
}

impl Default for Asked<'_> {
    fn default() -> Self {
        Self { buckets: None, sense: Sense::Ids, index: false, inverse: false, selects: false, segments: None }
    }
}

impl Asked<'_> {
    fn run<'py>(
        self,
        py: Python<'py>,
        keys: &Bound<'py, PyAny>,
        by: &Bound<'py, PyAny>,
        values: Option<&Bound<'py, PyAny>>,
        device: Option<&str>,
        workspace: Option<&Bound<'py, Kept>>,
    ) -> PyResult<Split> {
        let keys = Array::new(keys, "keys")?;
        keys.expect_axes(1, "keys")?;
        let (layout, objects) = Layout::of(values)?;
        let columns: Vec<Array> = objects.iter().map(|object| column(object, &keys)).collect::<PyResult<_>>()?;
        let by = By::new(by, &keys, self.buckets, self.sense)?;
        let m = by.function.buckets();
        if self.sense == Sense::First && m != 2 {
            return Err(value_error(format!("a condition makes two buckets, but by makes {m}")));
        }
        let mut all = vec![(&keys, "keys")];
        all.extend(columns.iter().map(|column| (column, "values")));
        let stage = Stage::of(&all, device)?.keeping(workspace);
        if let Some(ids) = by.ids.as_ref().filter(|ids| !ids.is_computed()) {
            Stage::of(&[(&keys, "keys"), (ids, "by")], device)?;
        }
        // Where the ids are given, the keys move with them, as values do.
        let mut moved: Vec<&Array> = by.ids.iter().map(|_| &keys).collect();
        moved.extend(&columns);
        let ids = by.ids.as_ref().unwrap_or(&keys);
        let done = stage.work(py, workspace.map(Bound::get), |workspace| {
            by.function.split(&mut Job {
                keys_stay: by.ids.is_some(),
                values: &moved,
                index: self.index || self.inverse,
                inverse: self.inverse,
                selects: self.selects,
                segments: self.segments,
                ..Job::new(&stage, ids, workspace)
            })
        })?;
        let Done { keys: sorted, values, index, inverse, offsets: (offsets, len), rows, .. } = done;
        let mut values = values.into_iter();
        let sorted = if by.ids.is_some() { values.next() } else { sorted };
        let Some(sorted) = sorted else { return Err(value_error("there are no keys")) };
        let arrays = columns.iter().zip(values).map(|(column, owned)| column.like(py, owned, rows));
        let arrays = arrays.collect::<PyResult<Vec<_>>>()?;
        let offset_type = stage.offset_type();
        let or_none = |array: Option<Py<PyAny>>| array.unwrap_or_else(|| py.None());
        let indices = |owned: Owned| index_array(py, &keys, owned, rows);
        Ok(Split {
            keys: keys.like(py, sorted, rows)?,
            values: layout.together(py, arrays)?,
            offsets: keys.style.with(py, offset_type)?.array(py, offsets, Some(offset_type), vec![len])?,
            index: or_none(index.filter(|_| self.index).map(indices).transpose()?),
            inverse: or_none(inverse.map(indices).transpose()?),
        })
    }
}

/// A value column of so many keys.
pub fn column(object: &Bound<'_, PyAny>, keys: &Array) -> PyResult<Array> {
    let column = Array::new(object, "values")?;
    if column.shape.is_empty() || column.rows() != keys.rows() {
        let (shape, n) = (&column.shape, keys.rows());
        return Err(value_error(format!("values have the shape {shape:?}, but there are {n} keys; give one for each")));
    }
    Ok(column)
}
