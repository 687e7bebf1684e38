//! Shortest paths in graphs that are given as sparse matrices.

use crate::array::{Array, Place};
use crate::dtype::DType;
use crate::error::{Raise, type_error};
use crate::memory::Owned;
use crate::style::Style;
use multisplit_graph::{Graph, NO_PREDECESSOR, Paths, Sssp, Weight};
use pyo3::prelude::*;

/// What SciPy has for a vertex without a predecessor.
const NONE: i32 = -9999;

/// Distances and predecessors from the three arrays of a matrix in compressed sparse rows.
#[pyfunction]
#[pyo3(signature = (offsets, targets, weights, source, *, delta=None, return_predecessors=false, device=None))]
pub fn shortest_paths<'py>(
    py: Python<'py>,
    offsets: &Bound<'py, PyAny>,
    targets: &Bound<'py, PyAny>,
    weights: &Bound<'py, PyAny>,
    source: u32,
    delta: Option<f64>,
    return_predecessors: bool,
    device: Option<&str>,
) -> PyResult<(Py<PyAny>, Option<Py<PyAny>>)> {
    let array = |object: &Bound<'py, PyAny>, what: &str, dtype: DType| {
        let array = Array::new(object, what)?;
        array.expect_axes(1, what)?;
        match (array.dtype == Some(dtype), array.place) {
            (true, Place::Host(_)) => Ok(array),
            _ => Err(type_error(format!("{what} must be an array of NumPy's of type {dtype}"))),
        }
    };
    let offsets = array(offsets, "indptr", DType::U32)?;
    let targets = array(targets, "indices", DType::U32)?;
    let whole = Array::new(weights, "data")?.dtype == Some(DType::U32);
    let weights = array(weights, "data", if whole { DType::U32 } else { DType::F32 })?;
    let sssp = Sssp::from(source);
    let sssp = delta.map_or(sssp, |delta| sssp.delta(delta));
    let sssp = if return_predecessors { sssp.predecessors() } else { sssp };
    let device = crate::device::open(device)?;
    let (distances, predecessors) = crate::error::work(py, || {
        crate::fork::on_threads(|| {
            let arrays = [&offsets, &targets, &weights];
            if whole { search::<u32>(arrays, sssp, &device) } else { search::<f32>(arrays, sssp, &device) }
        })
    })?;
    let numpy = |owned, dtype, len| {
        Style::Numpy(crate::numpy::dtype(py, dtype)?.unbind()).array(py, owned, Some(dtype), vec![len])
    };
    let n = offsets.len() - 1;
    let predecessors = predecessors.map(|owned| numpy(owned, DType::I32, n)).transpose()?;
    Ok((numpy(distances, DType::F64, n)?, predecessors))
}

fn search<W: Weight + crate::dtype::Element>(
    [offsets, targets, weights]: [&Array; 3],
    sssp: Sssp,
    device: &multisplit::Device,
) -> PyResult<(Owned, Option<Owned>)> {
    let cpu = crate::device::open(None)?;
    let offsets = of_host::<u32>(&cpu, offsets)?;
    let graph = Graph::from_csr(offsets, of_host(&cpu, targets)?, of_host::<W>(&cpu, weights)?).raise()?;
    let Paths { distances, predecessors, .. } = run(&graph, sssp, device)?;
    let far = |distance: W| if distance == W::UNREACHABLE { f64::INFINITY } else { distance.to_f64() };
    let distances: Vec<f64> = distances.into_iter().map(far).collect();
    let before = |vertex: u32| if vertex == NO_PREDECESSOR { NONE } else { vertex as i32 };
    let predecessors = predecessors.map(|vertices| vertices.into_iter().map(before).collect::<Vec<i32>>());
    Ok((Owned::of_vec(distances), predecessors.map(Owned::of_vec)))
}

/// A copy of the elements, which the graph keeps.
fn of_host<T: crate::dtype::Element>(cpu: &multisplit::Device, array: &Array) -> PyResult<Vec<T>> {
    let held = crate::held::Held::<T>::new(cpu, array)?;
    let elements = held.slice().as_slice().unwrap_or_default();
    let mut copy = Vec::new();
    copy.try_reserve_exact(elements.len())
        .map_err(|_| pyo3::exceptions::PyMemoryError::new_err("the graph is too large"))?;
    copy.extend_from_slice(elements);
    Ok(copy)
}

fn run<W: Weight>(graph: &Graph<W>, sssp: Sssp, device: &multisplit::Device) -> PyResult<Paths<W>> {
    if device.name() == "cpu" {
        return sssp.run(graph).raise();
    }
    #[cfg(feature = "gpu")]
    {
        let graph = multisplit_graph::DeviceGraph::new(device, graph).raise()?;
        sssp.strategy(multisplit_graph::Strategy::Multisplit).run_on(&graph).raise()
    }
    #[cfg(not(feature = "gpu"))]
    Err(crate::error::value_error("this build has no GPUs"))
}
