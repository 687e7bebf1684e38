//! A GPU and one of its streams, by way of a CubeCL client that answers with errors instead of panics.

use super::argument::Launch;
use super::error_lock::{ErrorLock, Exclusive};
use super::facts::{Dialect, Facts};
use super::memory::{Access, Memory, Order};
use super::slice::{Slice, alignment};
use crate::error::{Error, Result};
use bytemuck::Pod;
use cubecl::bytes::Bytes;
use cubecl::future::block_on;
use cubecl::prelude::*;
use cubecl::server::{Handle, ServerError};
use cubecl::stream_id::StreamId;
use rustc_hash::FxHashSet;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

/// Bytes that are allocated between two questions to the driver about how much memory is left.
const ASK_EVERY: u64 = 1 << 24;

/// A GPU, whichever stream is used.
pub(crate) struct Server<R: Runtime> {
    /// The device's name, for messages.
    name: String,
    /// On no stream in particular.
    client: ComputeClient<R>,
    /// Bytes that the driver could still allocate, where it can be asked.
    free_memory: Option<Box<dyn Fn() -> Option<u64> + Send + Sync>>,
    /// Bytes allocated since it was asked.
    allocated: AtomicU64,
    /// Kernels that have been seen to run.
    proven: Mutex<FxHashSet<u64>>,
    errors: ErrorLock,
}

impl<R: Runtime> Server<R> {
    pub fn new(name: &str, client: ComputeClient<R>) -> Self {
        let (name, allocated) = (name.into(), AtomicU64::new(ASK_EVERY));
        Self { name, client, free_memory: None, allocated, proven: Mutex::default(), errors: ErrorLock::default() }
    }

    #[cfg(feature = "cuda")]
    pub fn with_free_memory(mut self, ask: impl Fn() -> Option<u64> + Send + Sync + 'static) -> Self {
        self.free_memory = Some(Box::new(ask));
        self
    }

    /// Tells GPUs of this process apart: clients of one GPU share what they know of it.
    pub fn id(&self) -> usize {
        server_id(&self.client)
    }

    /// The client on a stream: whichever thread calls it, all goes there, in the order of the calls.
    fn on(&self, stream: StreamId) -> ComputeClient<R> {
        let mut client = self.client.clone();
        // SAFETY: CubeCL asks for care since it orders streams only up to where a handle was created. `Memory` orders
        // every use of this crate's memory itself.
        unsafe { client.set_stream(stream) };
        client
    }

    /// Runs `call`, which talks to the device, and turns a panic in CubeCL into an error.
    fn ask<T>(&self, call: impl FnOnce() -> T) -> Result<T> {
        catch_unwind(AssertUnwindSafe(call)).map_err(|panic| {
            let said = panic.downcast_ref::<String>().map(String::as_str);
            let said = said.or(panic.downcast_ref::<&str>().copied()).unwrap_or("it stopped answering");
            Error::DeviceFailed { device: self.name.clone(), reason: said.into() }
        })
    }

    /// The same for a call that may fail.
    fn answer<T>(&self, call: impl FnOnce() -> std::result::Result<T, ServerError>) -> Result<T> {
        let failed =
            |error: ServerError| Error::DeviceFailed { device: self.name.clone(), reason: shorten(&error.to_string()) };
        self.ask(call)?.map_err(failed)
    }
}

impl<R: Runtime> Order for Server<R> {
    /// CubeCL has one stream wait for another, up to now, when it is given memory that was allocated there since it
    /// last did. So some is, and is looked up.
    fn order(&self, first: StreamId, then: StreamId) -> Result<()> {
        let mark = self.ask(|| self.on(first).empty(16))?;
        self.answer(|| self.on(then).get_resource(mark))?;
        Ok(())
    }
}

/// See [`Server::id`].
pub(super) fn server_id<R: Runtime>(client: &ComputeClient<R>) -> usize {
    std::ptr::from_ref(client.properties()).addr()
}

/// One GPU, on one of its streams.
pub(crate) struct Gpu<R: Runtime> {
    /// The device's name, for messages.
    pub name: String,
    pub facts: Facts,
    server: Arc<Server<R>>,
    stream: StreamId,
    client: ComputeClient<R>,
}

impl<R: Runtime> Gpu<R> {
    pub fn new(name: String, server: Arc<Server<R>>, facts: Facts, stream: StreamId) -> Self {
        Self { name, facts, client: server.on(stream), server, stream }
    }

    /// The same GPU on another stream.
    pub fn on_stream(&self, name: String, stream: StreamId) -> Self {
        Self::new(name, self.server.clone(), self.facts.clone(), stream)
    }

    /// See [`Server::id`].
    pub fn server_id(&self) -> usize {
        self.server.id()
    }

    /// The stream that all goes to.
    pub fn stream(&self) -> StreamId {
        self.stream
    }

    /// What CubeCL knows of the device.
    pub fn client(&self) -> &ComputeClient<R> {
        &self.client
    }

    /// Copies elements to the device. Allocations are whole 16-byte loads, so that kernels can read that many at once.
    pub fn upload<T: Pod>(&self, data: &[T]) -> Result<Memory> {
        let bytes: &[u8] = bytemuck::cast_slice(data);
        let padded = padded(bytes.len());
        self.check_memory(padded)?;
        let reserve =
            |whole: &mut Vec<u8>| whole.try_reserve_exact(padded).map_err(|error| self.no_host_memory(padded, &error));
        let mut whole = Vec::new();
        reserve(&mut whole)?;
        // CubeCL takes a copy of its own, and would abort where there is no memory for it.
        reserve(&mut Vec::new())?;
        whole.extend_from_slice(bytes);
        whole.resize(padded, 0);
        Ok(self.own(self.server.ask(|| self.client.create(Bytes::from_bytes_vec(whole)))?))
    }

    /// Reserves memory on the device; its content is undefined.
    pub fn allocate(&self, bytes: usize) -> Result<Memory> {
        let padded = padded(bytes);
        self.check_memory(padded)?;
        Ok(self.own(self.server.ask(|| self.client.empty(padded))?))
    }

    fn own(&self, handle: Handle) -> Memory {
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
        let handle = Arc::new(handle);
        let claimed = Slice::measure(&handle).len();
        let found = self.locate(&handle)?;
        let got = claimed.min((found.end - found.start) as usize) / size_of::<T>().max(1);
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
    fn check_memory(&self, bytes: usize) -> Result<()> {
        let largest = self.client.properties().memory.max_page_size;
        if bytes as u64 > largest {
            let reason = format!("one allocation holds up to {largest} bytes there; split the input in parts");
            return Err(self.no_memory(bytes, reason));
        }
        let Some(ask) = &self.server.free_memory else { return Ok(()) };
        // To ask takes a while, so small allocations share a question.
        let since = self.server.allocated.fetch_add(bytes as u64, Ordering::Relaxed) + bytes as u64;
        if since < ASK_EVERY {
            return Ok(());
        }
        self.server.allocated.store(0, Ordering::Relaxed);
        let Some(free) = ask() else { return Ok(()) };
        let pool = {
            let _lock = self.server.errors.shared();
            self.server.answer(|| self.client.memory_usage())?
        };
        let available = free + pool.bytes_reserved.saturating_sub(pool.bytes_in_use);
        // Until the next question as much again may be allocated without one.
        if bytes as u64 + ASK_EVERY > available {
            let reason = format!("{available} bytes are free; drop buffers or split the input in parts");
            return Err(self.no_memory(bytes, reason));
        }
        Ok(())
    }

    fn no_memory(&self, bytes: usize, reason: String) -> Error {
        Error::OutOfMemory { device: self.name.clone(), bytes: bytes as u64, reason }
    }

    fn no_host_memory(&self, bytes: usize, error: &std::collections::TryReserveError) -> Error {
        Error::OutOfMemory { device: "cpu".into(), bytes: bytes as u64, reason: error.to_string() }
    }

    /// Waits for the device and copies a slice back.
    pub fn read<T: Pod>(&self, slice: &Slice<T>) -> Result<Vec<T>> {
        self.read_later(slice)?()
    }

    /// Has a slice copied back after what was submitted, and goes on. Call what it returns to wait for it.
    pub fn read_later<T: Pod>(&self, slice: &Slice<T>) -> Result<impl FnOnce() -> Result<Vec<T>> + use<'_, R, T>> {
        let len = slice.len();
        let bytes = len * size_of::<T>();
        let pending = self.submit_read(slice)?;
        Ok(move || {
            let data = pending()?;
            let mut out = Vec::new();
            out.try_reserve_exact(len).map_err(|error| self.no_host_memory(bytes, &error))?;
            out.resize(len, T::zeroed());
            // Copied, not cast: nobody promises that the bytes are aligned.
            bytemuck::cast_slice_mut::<T, u8>(&mut out).copy_from_slice(&data[..bytes]);
            Ok(out)
        })
    }

    /// Waits for the device and copies a slice to host memory of the same length.
    pub fn read_into<T: Pod>(&self, slice: &Slice<T>, to: &mut [T]) -> Result<()> {
        self.read_bytes(&slice.first(to.len())?.bytes(), 0, bytemuck::cast_slice_mut(to))
    }

    /// The same for the bytes from `skipped` on.
    pub fn read_bytes(&self, slice: &Slice, skipped: usize, to: &mut [u8]) -> Result<()> {
        let slice = slice.first(skipped.saturating_add(to.len()))?;
        if !to.is_empty() {
            to.copy_from_slice(&self.submit_read(&slice)?()?[skipped..][..to.len()]);
        }
        Ok(())
    }

    fn submit_read<T>(&self, slice: &Slice<T>) -> Result<impl FnOnce() -> Result<Bytes> + use<'_, R, T>> {
        let mut handle = slice.handle();
        // CubeCL copies on the stream that the memory is of.
        if handle.stream != self.stream {
            self.server.order(self.stream, handle.stream)?;
        }
        let bytes = (slice.len() * size_of::<T>()) as u64;
        let kept = handle.size() - handle.offset_start.unwrap_or(0);
        handle.offset_end = Some(kept.saturating_sub(bytes.next_multiple_of(4)));
        let pending = {
            let _lock = self.server.errors.shared();
            self.server.ask(|| self.client.read_async(vec![handle]))?
        };
        Ok(move || {
            let data = self.server.answer(|| block_on(pending).map(|mut buffers| buffers.remove(0)))?;
            if (data.len() as u64) < bytes {
                let reason = format!("{} bytes came back instead of {bytes}", data.len());
                return Err(Error::DeviceFailed { device: self.name.clone(), reason });
            }
            Ok(data)
        })
    }

    /// Waits until everything submitted to this stream has run.
    pub fn sync(&self) -> Result<()> {
        let pending = {
            let _lock = self.server.errors.shared();
            self.server.ask(|| self.client.sync())?
        };
        self.server.answer(|| block_on(pending))
    }

    /// Keeps other threads from asking the device what went wrong.
    pub(super) fn lock_errors(&self) -> Exclusive<'_> {
        self.server.errors.exclusive()
    }

    /// Submits a launch. For [`launch!`](super::launch) alone.
    pub fn submit(
        &self,
        cubes: CubeCount,
        units: CubeDim,
        launch: impl FnOnce(Launch<'_, R>) -> Result<()>,
    ) -> Result<()> {
        let mut launch = Some(launch);
        self.submit_once(cubes, units, &mut |made| launch.take().map_or(Ok(()), |launch| launch(made)))
    }

    /// What all launches have in common, compiled once. `launch` is called once.
    fn submit_once(
        &self,
        cubes: CubeCount,
        units: CubeDim,
        launch: &mut dyn FnMut(Launch<'_, R>) -> Result<()>,
    ) -> Result<()> {
        self.server.ask(|| launch(Launch::new(&self.client, cubes, units, self.address())))?
    }

    /// 64-bit addresses where the device has them: fewer instructions there, and buffers of over 4 GiB.
    fn address(&self) -> AddressType {
        let wide = self.client.properties().supports_address(AddressType::U64);
        if wide { AddressType::U64 } else { AddressType::U32 }
    }

    /// Asks the client something that it may fail to answer.
    pub fn ask<T>(&self, call: impl FnOnce(&ComputeClient<R>) -> std::result::Result<T, ServerError>) -> Result<T> {
        self.server.answer(|| call(&self.client))
    }

    /// Whether its planes can vote.
    pub fn check_planes(&self) -> Result<()> {
        let plane = self.facts.plane;
        if plane.is_power_of_two() && (4..=64).contains(&plane) {
            return Ok(());
        }
        Err(self.lacks(format!("planes (subgroups) of 4 to 64 lanes that can vote: it has {plane}")))
    }

    /// The error of kernels that ran on planes of another size than they were made for.
    pub fn wrong_planes(&self) -> Error {
        let plane = self.facts.plane;
        self.lacks(format!("a fixed plane size: a kernel made for {plane} lanes ran with another number"))
    }

    pub fn lacks(&self, capability: String) -> Error {
        Error::MissingCapability { device: self.name.clone(), capability }
    }

    /// Whether these kernels have been seen to run on this device.
    pub(super) fn are_proven(&self, variants: &[u64]) -> bool {
        let proven = self.server.proven.lock().unwrap_or_else(PoisonError::into_inner);
        variants.iter().all(|variant| proven.contains(variant))
    }

    /// How many kernels have been seen to run.
    #[cfg(all(test, feature = "wgpu"))]
    pub fn proven(&self) -> usize {
        self.server.proven.lock().unwrap_or_else(PoisonError::into_inner).len()
    }

    /// Remembers that they have.
    pub(super) fn set_proven(&self, variants: &[u64]) {
        self.server.proven.lock().unwrap_or_else(PoisonError::into_inner).extend(variants);
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
fn padded(bytes: usize) -> usize {
    bytes.max(1).checked_next_multiple_of(16).unwrap_or(usize::MAX)
}

/// Drivers answer with whole kernels and backtraces; the first lines say what happened.
fn shorten(message: &str) -> String {
    let lines: Vec<&str> = message.lines().map(str::trim).filter(|line| !line.is_empty()).take(12).collect();
    lines.join(" | ").chars().take(1000).collect()
}
