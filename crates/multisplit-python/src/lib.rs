//! Multisplit from Python: the module `multisplit._multisplit`, of which the package `multisplit` is made.
//!
//! A call goes down one way: [`ops`] and [`group`] read what Python gives ([`array`], [`by`], [`buckets`]) and choose
//! where to work ([`job`]); [`function`] and [`sort`] call the library with elements of known types ([`held`]); and
//! results ([`memory`]) become arrays of the caller's library ([`style`]).

mod array;
mod buckets;
mod by;
mod device;
mod dlpack;
mod dtype;
mod error;
mod fork;
mod freed;
mod function;
mod group;
mod held;
mod job;
mod memory;
mod number;
mod numpy;
mod ops;
mod paths;
mod program;
mod results;
mod routing;
mod sort;
mod style;
mod workspace;

use pyo3::prelude::*;

#[pymodule(gil_used = false)]
fn _multisplit(module: &Bound<'_, PyModule>) -> PyResult<()> {
    module.add("__version__", env!("CARGO_PKG_VERSION"))?;
    module.add("Error", module.py().get_type::<error::Error>())?;
    module.add_class::<buckets::Buckets>()?;
    module.add_class::<memory::Memory>()?;
    module.add_class::<results::Split>()?;
    module.add_class::<results::Routing>()?;
    module.add_class::<results::Alignment>()?;
    module.add_class::<workspace::Kept>()?;
    let functions = [
        wrap_pyfunction!(ops::split, module)?,
        wrap_pyfunction!(group::argsplit, module)?,
        wrap_pyfunction!(group::group, module)?,
        wrap_pyfunction!(ops::partition, module)?,
        wrap_pyfunction!(ops::select, module)?,
        wrap_pyfunction!(ops::split_segments, module)?,
        wrap_pyfunction!(ops::histogram, module)?,
        wrap_pyfunction!(sort::sort, module)?,
        wrap_pyfunction!(sort::argsort, module)?,
        wrap_pyfunction!(routing::moe_permute, module)?,
        wrap_pyfunction!(routing::moe_align, module)?,
        wrap_pyfunction!(paths::shortest_paths, module)?,
        wrap_pyfunction!(device::devices, module)?,
        wrap_pyfunction!(program::program, module)?,
    ];
    functions.into_iter().try_for_each(|function| module.add_function(function))
}
