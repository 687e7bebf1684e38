//! Sorts.

use crate::array::Array;
use crate::dtype::{DType, Element, with_key};
use crate::error::{Raise, type_error};
use crate::group::index_array;
use crate::held::{AnyBuffer, Columns, Held};
use crate::job::Stage;
use crate::memory::Owned;
use crate::ops::column;
use crate::results::Layout;
use crate::workspace::Kept;
use multisplit::{Key, Sort, Workspace};
use pyo3::prelude::*;

/// Sorts keys, stably: equal keys keep their order.
///
/// Returns the sorted keys; with `values` (as for `split`) a tuple of the keys and these, still with their keys; with
/// `return_index` the permutation too, last. Floats are in the total order of IEEE 754: -0 comes before +0, and NaN
/// behind infinity, or before minus infinity if its sign is set.
///
/// >>> import numpy as np, multisplit
/// >>> multisplit.sort(np.array([2.5, -1.0, 0.0]))
/// array([-1. ,  0. ,  2.5])
/// >>> multisplit.sort(np.array([3, 1, 2]), values=np.array([30, 10, 20]), descending=True)
/// (array([3, 2, 1]), array([30, 20, 10]))
#[pyfunction]
#[pyo3(signature = (keys, *, values=None, descending=false, return_index=false, device=None, workspace=None))]
pub fn sort<'py>(
    py: Python<'py>,
    keys: &Bound<'py, PyAny>,
    values: Option<&Bound<'py, PyAny>>,
    descending: bool,
    return_index: bool,
    device: Option<&str>,
    workspace: Option<&Bound<'py, Kept>>,
) -> PyResult<Py<PyAny>> {
    let keys = Array::new(keys, "keys")?;
    let (layout, objects) = Layout::of(values)?;
    let columns: Vec<Array> = objects.iter().map(|object| column(object, &keys)).collect::<PyResult<_>>()?;
    let sorted = run(py, &keys, &columns, descending, return_index, device, workspace)?;
    let rows = keys.rows();
    let mut results = vec![keys.like(py, sorted.keys, rows)?];
    let arrays = columns.iter().zip(sorted.values).map(|(column, owned)| column.like(py, owned, rows));
    let arrays = arrays.collect::<PyResult<Vec<_>>>()?;
    if values.is_some() {
        results.push(layout.together(py, arrays)?);
    }
    if let Some(index) = sorted.index.filter(|_| return_index) {
        results.push(index_array(py, &keys, index, rows)?);
    }
    if results.len() == 1 {
        return Ok(results.remove(0));
    }
    Ok(pyo3::types::PyTuple::new(py, results)?.into_any().unbind())
}

/// The permutation that sorts keys: `keys[argsort(keys)]` are sorted, and equal keys keep their order.
///
/// >>> import multisplit
/// >>> multisplit.argsort([30, 10, 20, 10])
/// array([1, 3, 2, 0], dtype=int32)
#[pyfunction]
#[pyo3(signature = (keys, *, descending=false, device=None, workspace=None))]
pub fn argsort<'py>(
    py: Python<'py>,
    keys: &Bound<'py, PyAny>,
    descending: bool,
    device: Option<&str>,
    workspace: Option<&Bound<'py, Kept>>,
) -> PyResult<Py<PyAny>> {
    let keys = Array::new(keys, "keys")?;
    let sorted = run(py, &keys, &[], descending, true, device, workspace)?;
    match sorted.index {
        Some(index) => index_array(py, &keys, index, keys.rows()),
        None => Ok(py.None()),
    }
}

/// What comes of a sort.
struct Sorted {
    keys: Owned,
    values: Vec<Owned>,
    index: Option<Owned>,
}

fn run(
    py: Python<'_>,
    keys: &Array,
    columns: &[Array],
    descending: bool,
    index: bool,
    device: Option<&str>,
    workspace: Option<&Bound<'_, Kept>>,
) -> PyResult<Sorted> {
    keys.expect_axes(1, "keys")?;
    let dtype = keys.key_type("keys")?;
    let mut all = vec![(keys, "keys")];
    all.extend(columns.iter().map(|column| (column, "values")));
    let stage = Stage::of(&all, device)?.keeping(workspace);
    let sort = if descending { Sort::new().descending() } else { Sort::new() };
    let values: Vec<&Array> = columns.iter().collect();
    stage.work(py, workspace.map(Bound::get), |workspace| {
        with_key!(dtype, K => sort_keys::<K>(&stage, sort, keys, &values, index, workspace), else Err(no_keys(dtype)))
    })
}

fn no_keys(dtype: DType) -> PyErr {
    type_error(format!("{dtype} are no keys"))
}

fn sort_keys<K: Key + Element>(
    stage: &Stage,
    sort: Sort,
    keys: &Array,
    values: &[&Array],
    index: bool,
    workspace: &mut Workspace,
) -> PyResult<Sorted> {
    let (device, n) = (&stage.device, keys.len());
    let held = Held::<K>::new(device, keys)?;
    let mut columns = Columns::new(stage, n, values, index)?;
    let (narrow, wide) = columns.widths();
    workspace.reserve(sort.workspace_bytes::<K>(device, n, narrow, wide).raise()?).raise()?;
    let mut sorted = stage.alloc::<K>(n)?;
    let done = sort.enqueue(held.slice(), &mut sorted, &mut columns.list(), workspace);
    // Before the arrays are given back.
    let ran = device.sync();
    done.and(ran).raise()?;
    let (values, index) = columns.take(n, stage)?;
    Ok(Sorted { keys: (Box::new(sorted) as Box<dyn AnyBuffer>).own(stage)?, values, index })
}
