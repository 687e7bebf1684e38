//! The program, run from Python.

use pyo3::prelude::*;
use std::ffi::OsString;
use std::path::PathBuf;

/// Runs the program, and returns its exit code. `code` is the file that has its code, and `command` starts it again.
#[pyfunction]
pub fn program(py: Python<'_>, arguments: Vec<OsString>, code: PathBuf, command: Vec<OsString>) -> PyResult<u8> {
    let program = multisplit_cli::Program { code, command };
    let name = std::iter::once(OsString::from("multisplit"));
    crate::error::work(py, || Ok(multisplit_cli::run(name.chain(arguments), program)))
}
