//! Memory of a GPU: allocated, or adopted from others, and never more than there is.

use super::client::Gpu;
use super::facts::Dialect;
use super::memory::{Access, Memory, Order};
use super::slice::{Slice, alignment};
use crate::error::{Error, Result};
use bytemuck::Pod;
use cubecl::prelude::*;
use cubecl::server::Handle;
use cubecl::stream_id::StreamId;
use std::sync::Arc;
use std::sync::atomic::Ordering::Relaxed;

/// A part of the free memory that is allocated without asking how much is left: a 64th.
const SHARE: u64 = 64;

impl<R: Runtime> Gpu<R> {
    /// Reserves memory on the device; its content is undefined.
    pub fn allocate(&self, bytes: usize) -> Result<Memory> {
        let padded = padded(bytes);
        self.check_memory(padded)?;
        Ok(self.own(self.server.ask(|| self.client.empty(padded))?))
    }

    pub(super) fn own(&self, handle: Handle) -> Memory {
        Memory::new(handle, self.stream, self.server.clone())
    }

    /// Memory of someone else's handle, if it holds `len` elements of type T and is aligned for them. What the handle
    /// claims is compared with what the device has.
    pub fn adopt<T: Pod>(&self, handle: Handle, len: usize) -> Result<Memory>
    where
        Self: Located,
    {
        let (offset, needed) = (handle.offset_start.unwrap_or(0), alignment::<T>().max(self.offset_alignment()));
        if !offset.is_multiple_of(needed as u64) {
            return Err(Error::Misaligned { offset, needed });
        }
        // Of the memory as a whole: CubeCL does not look whether offsets are within it.
        let mut whole = handle.clone();
        (whole.offset_start, whole.offset_end) = (None, None);
        let place = self.locate(&whole)?;
        let there = (place.end - place.start).saturating_sub(offset).saturating_sub(handle.offset_end.unwrap_or(0));
        let handle = Arc::new(handle);
        let claimed = Slice::measure(&handle).len();
        let got = claimed.min(usize::try_from(there).unwrap_or(usize::MAX)) / size_of::<T>().max(1);
        if got < len {
            return Err(Error::OutputTooSmall { what: "the handle".into(), got, needed: len });
        }
        // What the caller's thread has submitted so far, and the stream that the memory is of, come before all uses
        // here.
        for stream in [handle.stream, StreamId::current()] {
            if stream != self.stream {
                self.server.order(stream, self.stream)?;
            }
        }
        Ok(self.own(Handle::clone(&handle)))
    }

    /// All of a memory's elements, to be read on this stream.
    pub fn reads<T: Pod>(&self, memory: &Memory) -> Result<Slice<T>> {
        memory.slice(self.stream, Access::Read)?.cast()
    }

    /// All of a memory's elements, to be written, and perhaps read, on this stream.
    pub fn writes<T: Pod>(&self, memory: &Memory) -> Result<Slice<T>> {
        memory.slice(self.stream, Access::Write)?.cast()
    }

    /// The most bytes that one buffer can have.
    pub fn largest_allocation(&self) -> usize {
        usize::try_from(self.client.properties().memory.max_page_size).unwrap_or(usize::MAX)
    }

    /// What the beginning of a kernel's argument within an allocation must be a multiple of, whatever its type.
    pub fn offset_alignment(&self) -> usize {
        match self.facts.dialect {
            Dialect::Cuda => 1,
            Dialect::Wgsl => usize::try_from(self.client.properties().memory.alignment).unwrap_or(1).max(1),
        }
    }

    /// What the beginnings of parts of an allocation are multiples of.
    pub fn part_alignment(&self) -> usize {
        usize::try_from(self.client.properties().memory.alignment).unwrap_or(1).max(256)
    }

    /// CubeCL would only find out on its own thread, too late for an answer.
    pub(super) fn check_memory(&self, bytes: usize) -> Result<()> {
        let largest = self.client.properties().memory.max_page_size;
        if bytes as u64 > largest {
            let reason = format!("one allocation holds up to {largest} bytes there; split the input in parts");
            return Err(self.no_memory(bytes, reason));
        }
        let Some(ask) = &self.server.free_memory else { return Ok(()) };
        // To ask takes as long as a launch or two, so allocations share a question while they are little of what is free.
        let (bytes, unasked) = (bytes as u64, &self.server.unasked);
        if unasked.fetch_update(Relaxed, Relaxed, |left| left.checked_sub(bytes)).is_ok() {
            return Ok(());
        }
        let Some(free) = ask() else { return Ok(()) };
        let pool = {
            let _lock = self.server.errors.shared();
            self.server.answer(|| self.client.memory_usage())?
        };
        let available = free + pool.bytes_reserved.saturating_sub(pool.bytes_in_use);
        let Some(left) = available.checked_sub(bytes) else {
            let reason = format!("{available} bytes are free; drop buffers or split the input in parts");
            return Err(self.no_memory(bytes as usize, reason));
        };
        unasked.store(left / SHARE, Relaxed);
        Ok(())
    }

    fn no_memory(&self, bytes: usize, reason: String) -> Error {
        Error::OutOfMemory { device: self.name.clone(), bytes: bytes as u64, reason }
    }
}

/// Where the memory of a buffer is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Place {
    /// Tells apart memories that have addresses of their own.
    pub space: u64,
    pub start: u64,
    pub end: u64,
}

/// A GPU whose back end tells where memory is.
pub(crate) trait Located {
    /// Where the memory of a handle is, as the device has it.
    fn locate(&self, handle: &Handle) -> Result<Place>;
}

/// The bytes that are allocated for `bytes`: whole 16-byte loads, and never none.
pub(super) fn padded(bytes: usize) -> usize {
    bytes.max(1).checked_next_multiple_of(16).unwrap_or(usize::MAX)
}
