//! The primary context of a GPU, which other CUDA code of this process works in, too.

use super::{Backend, Device};
use crate::error::{Error, Result};
use cudarc::driver::{DriverError, result, sys};
use std::collections::HashMap;
use std::sync::{Mutex, PoisonError};

/// Calls the driver in a GPU's primary context. The calling thread's own context is current again afterwards.
pub(super) fn in_primary<T>(
    ordinal: i32,
    call: impl FnOnce(sys::CUcontext) -> Result<T, DriverError>,
) -> Result<T, DriverError> {
    let context = primary(ordinal)?;
    // SAFETY: the context is retained for good. It is pushed, and popped whatever the answer.
    unsafe {
        sys::cuCtxPushCurrent_v2(context).result()?;
        let answer = call(context);
        let mut popped = std::ptr::null_mut();
        let _ = sys::cuCtxPopCurrent_v2(&mut popped).result();
        answer
    }
}

/// The primary context of a GPU. It is retained once, and never released: CubeCL keeps it alive until the process ends,
/// too.
fn primary(ordinal: i32) -> Result<sys::CUcontext, DriverError> {
    static RETAINED: Mutex<Vec<(i32, usize)>> = Mutex::new(Vec::new());
    let mut retained = RETAINED.lock().unwrap_or_else(PoisonError::into_inner);
    if let Some((_, context)) = retained.iter().find(|(of, _)| *of == ordinal) {
        return Ok(std::ptr::with_exposed_provenance_mut(*context));
    }
    // SAFETY: the device is valid.
    let context = unsafe { result::primary_ctx::retain(result::device::get(ordinal)?)? };
    retained.push((ordinal, context.expose_provenance()));
    Ok(context)
}

/// The streams that other code can have wait for its work, by the GPU that they are of. They are there until the process
/// ends, as the contexts are.
static JOINS: Mutex<Option<HashMap<i32, u64>>> = Mutex::new(None);

impl Device {
    /// A CUDA stream of this GPU's primary context on which nothing runs, for other CUDA code in this process: it has
    /// the stream wait for its own work (`cuStreamWaitEvent`), and [`Device::wait_for_cuda_stream`] waits for that. In
    /// DLPack it is the consumer's stream. Nothing for other devices.
    ///
    /// # Errors
    /// [`Error::DeviceFailed`].
    pub fn cuda_join_stream(&self) -> Result<Option<u64>> {
        let Some(ordinal) = self.cuda_ordinal() else { return Ok(None) };
        let mut joins = JOINS.lock().unwrap_or_else(PoisonError::into_inner);
        let joins = joins.get_or_insert_default();
        if let Some(&stream) = joins.get(&ordinal) {
            return Ok(Some(stream));
        }
        let create = |_| result::stream::create(result::stream::StreamKind::NonBlocking);
        let stream = in_primary(ordinal, create).map_err(|error| self.cuda_failed(error))? as u64;
        joins.insert(ordinal, stream);
        Ok(Some(stream))
    }

    /// Waits until a CUDA stream of other code has done all that it was given: what that wrote can be read here. 1 and 2
    /// are CUDA's own streams, the legacy one and that of the calling thread. Elsewhere than on a CUDA device it does
    /// nothing.
    ///
    /// # Errors
    /// [`Error::DeviceFailed`] if something on the stream failed.
    ///
    /// # Safety
    /// It is a stream of this GPU, and is not destroyed meanwhile.
    pub unsafe fn wait_for_cuda_stream(&self, stream: u64) -> Result<()> {
        let Some(ordinal) = self.cuda_ordinal() else { return Ok(()) };
        // SAFETY: the caller says that it is one; 0, 1 and 2 always are.
        let wait = |_| unsafe { result::stream::synchronize(stream as sys::CUstream) };
        in_primary(ordinal, wait).map_err(|error| self.cuda_failed(error))
    }

    /// Waits for all that any code of this process has submitted to the GPU's primary context, on whichever stream.
    /// Elsewhere than on a CUDA device it does nothing.
    ///
    /// # Errors
    /// [`Error::DeviceFailed`] if something there failed.
    pub fn wait_for_cuda_context(&self) -> Result<()> {
        let Some(ordinal) = self.cuda_ordinal() else { return Ok(()) };
        in_primary(ordinal, |_| result::ctx::synchronize()).map_err(|error| self.cuda_failed(error))
    }

    /// The driver's number of a CUDA device that was opened by its name; nothing for others.
    pub(crate) fn cuda_ordinal(&self) -> Option<i32> {
        let Backend::Cuda(_) = self.backend() else { return None };
        let name = self.name().strip_prefix("cuda:")?;
        name.split('/').next()?.parse().ok()
    }

    pub(crate) fn cuda_failed(&self, error: DriverError) -> Error {
        Error::DeviceFailed { device: self.name().into(), reason: error.to_string() }
    }

    /// Calls the driver in the primary context of a CUDA device; see [`in_primary`].
    pub(crate) fn in_cuda<T>(&self, call: impl FnOnce(sys::CUcontext) -> Result<T, DriverError>) -> Result<Option<T>> {
        let Some(ordinal) = self.cuda_ordinal() else { return Ok(None) };
        in_primary(ordinal, call).map(Some).map_err(|error| self.cuda_failed(error))
    }
}
