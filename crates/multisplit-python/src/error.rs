//! Errors of the library as exceptions of Python.

use multisplit::Error as Failure;
use pyo3::exceptions::{PyException, PyMemoryError, PyTypeError, PyValueError};
use pyo3::prelude::*;
use std::any::Any;
use std::panic::{AssertUnwindSafe, catch_unwind};

pyo3::create_exception!(
    multisplit,
    Error,
    PyException,
    "What went wrong on a device, or with one, and what to do about it."
);

/// Results of the library whose errors become exceptions.
pub trait Raise<T> {
    /// The same with an exception, of the message of the error.
    fn raise(self) -> PyResult<T>;
}

impl<T> Raise<T> for multisplit::Result<T> {
    fn raise(self) -> PyResult<T> {
        self.map_err(|failure| match failure {
            Failure::OutOfMemory { .. } => PyMemoryError::new_err(failure.to_string()),
            Failure::MissingCapability { .. }
            | Failure::KernelFailed { .. }
            | Failure::DeviceFailed { .. }
            | Failure::KernelCache(_) => Error::new_err(failure.to_string()),
            // All others are about what a call was given.
            _ => value_error(failure),
        })
    }
}

impl<T> Raise<T> for multisplit_graph::Result<T> {
    fn raise(self) -> PyResult<T> {
        use multisplit_graph::Error as Graph;
        self.map_err(|failure| match failure {
            Graph::OutOfMemory { .. } => PyMemoryError::new_err(failure.to_string()),
            #[cfg(feature = "gpu")]
            Graph::Device(failure) => Err::<(), _>(failure).raise().unwrap_err(),
            Graph::Io { .. } => Error::new_err(failure.to_string()),
            _ => value_error(failure),
        })
    }
}

/// A `ValueError`.
pub fn value_error(message: impl ToString) -> PyErr {
    PyValueError::new_err(message.to_string())
}

/// A `TypeError`.
pub fn type_error(message: impl ToString) -> PyErr {
    PyTypeError::new_err(message.to_string())
}

/// Does work without the interpreter, which serves other threads meanwhile. Before and after it, Python sees to
/// signals: a Ctrl-C that came is raised. A panic, which would be a mistake of this library, becomes an [`Error`].
pub fn work<T: Send>(py: Python<'_>, work: impl FnOnce() -> PyResult<T> + Send) -> PyResult<T> {
    py.check_signals()?;
    let done = py.detach(|| catch_unwind(AssertUnwindSafe(work)));
    py.check_signals()?;
    done.unwrap_or_else(|panic| Err(Error::new_err(format!("multisplit is mistaken: {}", said(&*panic)))))
}

fn said(panic: &(dyn Any + Send)) -> &str {
    let text = panic.downcast_ref::<String>().map(String::as_str);
    text.or(panic.downcast_ref::<&str>().copied()).unwrap_or("it does not say how")
}
