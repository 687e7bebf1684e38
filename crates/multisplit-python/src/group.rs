//! Permutations of splits, and groups of indices.

use crate::array::Array;
use crate::by::{By, Sense, identity, largest};
use crate::dtype::DType;
use crate::job::{Done, Job, Stage};
use crate::memory::Owned;
use crate::workspace::Kept;
use pyo3::prelude::*;

/// The permutation alone of a split: `index`, so that `keys[index]` are the split keys, and the offsets.
///
/// >>> import multisplit
/// >>> multisplit.argsplit([5, 2, 7, 4], "key % 2")
/// (array([1, 3, 0, 2], dtype=int32), array([0, 2, 4]))
#[pyfunction]
#[pyo3(signature = (keys, by, *, buckets=None, device=None, workspace=None))]
pub fn argsplit<'py>(
    py: Python<'py>,
    keys: &Bound<'py, PyAny>,
    by: &Bound<'py, PyAny>,
    buckets: Option<u32>,
    device: Option<&str>,
    workspace: Option<&Bound<'py, Kept>>,
) -> PyResult<(Py<PyAny>, Py<PyAny>)> {
    let keys = Array::new(keys, "keys")?;
    keys.expect_axes(1, "keys")?;
    let by = By::new(by, &keys, buckets, Sense::Ids)?;
    let stage = Stage::of(&[(&keys, "keys")], device)?.keeping(workspace);
    by.ids.as_ref().filter(|_| stage.stay).map(|ids| Stage::of(&[(&keys, "keys"), (ids, "by")], device)).transpose()?;
    index_of(py, &by, by.ids.as_ref().unwrap_or(&keys), &keys, &stage, workspace)
}

/// Groups the indices of ids: `index` has those of id 0 first, then those of id 1, and so on, each in order, and
/// `offsets` say where each group begins.
///
/// `ids` are integers below `m`; without, there are as many groups as the largest id asks for.
///
/// >>> import numpy as np, multisplit
/// >>> index, offsets = multisplit.group(np.array([2, 0, 1, 0]), 3)
/// >>> index, offsets
/// (array([1, 3, 2, 0], dtype=int32), array([0, 2, 3, 4]))
#[pyfunction]
#[pyo3(signature = (ids, m=None, *, device=None, workspace=None))]
pub fn group<'py>(
    py: Python<'py>,
    ids: &Bound<'py, PyAny>,
    m: Option<u32>,
    device: Option<&str>,
    workspace: Option<&Bound<'py, Kept>>,
) -> PyResult<(Py<PyAny>, Py<PyAny>)> {
    let array = Array::new(ids, "ids")?;
    array.expect_axes(1, "ids")?;
    let function = match m {
        Some(m) => identity(&array, m, "ids")?,
        None => {
            identity(&array, 1, "ids")?;
            return group(py, ids, Some(largest(ids, &array)?), device, workspace);
        }
    };
    let stage = Stage::of(&[(&array, "ids")], device)?.keeping(workspace);
    index_of(py, &By { function, ids: None }, &array, &array, &stage, workspace)
}

/// The permutation and the offsets of a split of ids, or of keys, for arrays like another.
fn index_of(
    py: Python<'_>,
    by: &By,
    ids: &Array,
    like: &Array,
    stage: &Stage,
    workspace: Option<&Bound<'_, Kept>>,
) -> PyResult<(Py<PyAny>, Py<PyAny>)> {
    let done = stage.work(py, workspace.map(Bound::get), |workspace| {
        by.function.split(&mut Job { keys_stay: true, index: true, ..Job::new(stage, ids, workspace) })
    })?;
    let Done { index, offsets, rows, .. } = done;
    let index = index.map(|index| index_array(py, like, index, rows)).transpose()?;
    let (offsets, len) = offsets;
    let offset_type = stage.offset_type();
    let offsets = like.style.with(py, offset_type)?.array(py, offsets, Some(offset_type), vec![len])?;
    Ok((index.unwrap_or_else(|| py.None()), offsets))
}

/// An array of indices of n rows: 32 bits hold them, which are signed where they can be, since all libraries take
/// those.
pub fn index_array(py: Python<'_>, like: &Array, index: Owned, n: usize) -> PyResult<Py<PyAny>> {
    let dtype = if i32::try_from(n).is_ok() { DType::I32 } else { DType::U32 };
    like.style.with(py, dtype)?.array(py, index, Some(dtype), vec![n])
}
