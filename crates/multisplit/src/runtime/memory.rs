//! Device memory that knows which streams have used it.

use super::slice::Slice;
use crate::error::Result;
use cubecl::server::Handle;
use cubecl::stream_id::StreamId;
use std::fmt;
use std::mem::ManuallyDrop;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// What a call does with memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Access {
    Read,
    Write,
}

/// Makes one stream wait for another.
pub(crate) trait Order: Send + Sync {
    /// All that is submitted to `then` from now on runs after all that was submitted to `first`.
    fn order(&self, first: StreamId, then: StreamId) -> Result<()>;
}

/// Memory on a GPU. It belongs to the stream that it was allocated on, and any stream of that GPU may use it: each
/// use is ordered after the last write and, if it writes, after all reads since. When it is dropped its own stream
/// waits for all other uses before the memory is used again.
pub(crate) struct Memory {
    /// Dropped only when its stream has been made to wait.
    handle: ManuallyDrop<Arc<Handle>>,
    gpu: Arc<dyn Order>,
    uses: Mutex<Uses>,
}

struct Uses {
    /// The stream that wrote last; at first the one that the memory was allocated on.
    writer: StreamId,
    /// Other streams that have read since. Each waits for the writer already.
    readers: Vec<StreamId>,
}

impl Memory {
    /// What `handle` has, which was written last on the stream `writer`.
    pub(super) fn new(handle: Handle, writer: StreamId, gpu: Arc<dyn Order>) -> Self {
        let uses = Mutex::new(Uses { writer, readers: Vec::new() });
        Self { handle: ManuallyDrop::new(Arc::new(handle)), gpu, uses }
    }

    /// All of it, for use on `stream`.
    pub fn slice(&self, stream: StreamId, access: Access) -> Result<Slice> {
        let mut uses = self.uses();
        match access {
            Access::Read => self.order_read(&mut uses, stream)?,
            Access::Write => self.order_write(&mut uses, stream)?,
        }
        Ok(Slice::measure(&self.handle))
    }

    fn order_read(&self, uses: &mut Uses, stream: StreamId) -> Result<()> {
        if uses.writer != stream && !uses.readers.contains(&stream) {
            self.gpu.order(uses.writer, stream)?;
            uses.readers.push(stream);
        }
        Ok(())
    }

    fn order_write(&self, uses: &mut Uses, stream: StreamId) -> Result<()> {
        uses.all().filter(|&other| other != stream).try_for_each(|other| self.gpu.order(other, stream))?;
        *uses = Uses { writer: stream, readers: Vec::new() };
        Ok(())
    }

    /// Its bytes.
    pub fn len(&self) -> usize {
        Slice::measure(&self.handle).len()
    }

    /// The CubeCL handle, for use on `stream`.
    pub fn handle(&self, stream: StreamId) -> Result<Handle> {
        self.slice(stream, Access::Read)?;
        Ok(Handle::clone(&self.handle))
    }

    fn uses(&self) -> MutexGuard<'_, Uses> {
        self.uses.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Uses {
    fn all(&self) -> impl Iterator<Item = StreamId> {
        std::iter::once(self.writer).chain(self.readers.iter().copied())
    }
}

impl Drop for Memory {
    fn drop(&mut self) {
        let home = self.handle.stream;
        let uses = self.uses.get_mut().unwrap_or_else(PoisonError::into_inner);
        let waits = uses.all().filter(|&other| other != home).try_for_each(|other| self.gpu.order(other, home));
        if waits.is_ok() {
            // SAFETY: it is not used again. If its stream could not be made to wait, it is never given back.
            unsafe { ManuallyDrop::drop(&mut self.handle) }
        }
    }
}

impl fmt::Debug for Memory {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Memory({} bytes)", self.len())
    }
}
