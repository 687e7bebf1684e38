//! A CubeCL client that answers with errors instead of panics.

use super::selector::Facts;
use crate::error::{Error, Result};
use crate::key::Key;
use cubecl::bytes::Bytes;
use cubecl::future::block_on;
use cubecl::prelude::*;
use cubecl::server::{Handle, ServerError};
use std::collections::HashSet;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::{Mutex, PoisonError};

/// One GPU.
pub(crate) struct Gpu<R: Runtime> {
    /// Identifies the device within this process.
    pub id: u64,
    /// The device's name, for messages.
    pub name: String,
    pub client: ComputeClient<R>,
    pub facts: Facts,
    /// Bytes that the driver could still allocate, where it can be asked.
    free_memory: Option<Box<dyn Fn() -> Option<u64> + Send + Sync>>,
    /// Kernels that have been seen to run.
    proven: Mutex<HashSet<u64>>,
}

impl<R: Runtime> Gpu<R> {
    pub fn new(id: u64, name: String, client: ComputeClient<R>, facts: Facts) -> Self {
        Self { id, name, client, facts, free_memory: None, proven: Mutex::default() }
    }

    #[cfg(feature = "cuda")]
    pub fn with_free_memory(mut self, ask: impl Fn() -> Option<u64> + Send + Sync + 'static) -> Self {
        self.free_memory = Some(Box::new(ask));
        self
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
    pub fn answer<T>(&self, call: impl FnOnce() -> std::result::Result<T, ServerError>) -> Result<T> {
        let failed =
            |error: ServerError| Error::DeviceFailed { device: self.name.clone(), reason: shorten(&error.to_string()) };
        self.ask(call)?.map_err(failed)
    }

    /// Copies bytes to the device. Allocations are whole 16-byte loads, so that kernels can read that many at once.
    pub fn upload(&self, bytes: &[u8]) -> Result<Handle> {
        let padded = padded(bytes.len());
        self.check_memory(padded)?;
        if padded == bytes.len() {
            return self.ask(|| self.client.create_from_slice(bytes));
        }
        let mut whole = Vec::with_capacity(padded);
        whole.extend_from_slice(bytes);
        whole.resize(padded, 0);
        self.ask(|| self.client.create_from_slice(&whole))
    }

    /// Reserves memory on the device; its content is undefined.
    pub fn allocate(&self, bytes: usize) -> Result<Handle> {
        let padded = padded(bytes);
        self.check_memory(padded)?;
        self.ask(|| self.client.empty(padded))
    }

    /// The most bytes that one buffer can have.
    pub fn largest_allocation(&self) -> usize {
        usize::try_from(self.client.properties().memory.max_page_size).unwrap_or(usize::MAX)
    }

    /// CubeCL would only find out on its own thread, too late for an answer.
    fn check_memory(&self, bytes: usize) -> Result<()> {
        let refuse =
            |reason: String| Err(Error::OutOfMemory { device: self.name.clone(), bytes: bytes as u64, reason });
        let largest = self.client.properties().memory.max_page_size;
        if bytes as u64 > largest {
            return refuse(format!("one allocation holds up to {largest} bytes there; split the input in parts"));
        }
        const WORTH_ASKING: usize = 1 << 24;
        let Some(free) = self.free_memory.as_ref().filter(|_| bytes >= WORTH_ASKING).and_then(|ask| ask()) else {
            return Ok(());
        };
        let pool = self.answer(|| self.client.memory_usage())?;
        let available = free + pool.bytes_reserved.saturating_sub(pool.bytes_in_use);
        if bytes as u64 > available {
            return refuse(format!("{available} bytes are free; drop buffers or split the input in parts"));
        }
        Ok(())
    }

    /// Waits for the device and copies `bytes` bytes back.
    pub fn read(&self, handle: &Handle, bytes: usize) -> Result<Bytes> {
        self.read_later(handle, bytes)?()
    }

    /// Has `bytes` bytes copied back after what was submitted, and goes on. Call what it returns to wait for them.
    pub fn read_later(&self, handle: &Handle, bytes: usize) -> Result<impl FnOnce() -> Result<Bytes> + use<'_, R>> {
        let pending = self.ask(|| self.client.read_async(vec![handle.clone()]))?;
        Ok(move || {
            let data = self.answer(|| block_on(pending).map(|mut buffers| buffers.remove(0)))?;
            self.check_length(data, bytes)
        })
    }

    fn check_length(&self, data: Bytes, bytes: usize) -> Result<Bytes> {
        if data.len() < bytes {
            let reason = format!("{} bytes came back instead of {bytes}", data.len());
            return Err(Error::DeviceFailed { device: self.name.clone(), reason });
        }
        Ok(data)
    }

    /// Waits until everything submitted has run.
    pub fn sync(&self) -> Result<()> {
        self.answer(|| block_on(self.client.sync()))
    }

    /// Launches kernels.
    pub fn launch(&self, launches: impl FnOnce()) -> Result<()> {
        self.ask(launches)
    }

    /// 64-bit addresses where the device has them: fewer instructions there, and buffers of over 4 GiB.
    pub fn address(&self) -> AddressType {
        let wide = self.client.properties().supports_address(AddressType::U64);
        if wide { AddressType::U64 } else { AddressType::U32 }
    }

    /// Whether the device can compute with this key type.
    pub fn check_key<K: Key>(&self) -> Result<()> {
        let supported = K::as_type_native().is_some_and(|ty| self.client.properties().supports_type(ty));
        if supported { Ok(()) } else { Err(self.lacks(format!("{} keys", K::NAME))) }
    }

    /// Whether its planes can vote.
    pub fn check_planes(&self) -> Result<()> {
        let plane = self.facts.plane;
        if plane.is_power_of_two() && (4..=64).contains(&plane) {
            return Ok(());
        }
        Err(self.lacks(format!("planes (subgroups) of 4 to 64 lanes that can vote: it has {plane}")))
    }

    pub fn lacks(&self, capability: String) -> Error {
        Error::MissingCapability { device: self.name.clone(), capability }
    }

    /// Whether the kernel has been seen to run on this device.
    pub fn is_proven(&self, kernel: u64) -> bool {
        self.proven.lock().unwrap_or_else(PoisonError::into_inner).contains(&kernel)
    }

    /// Remembers that it has.
    pub fn set_proven(&self, kernel: u64) {
        self.proven.lock().unwrap_or_else(PoisonError::into_inner).insert(kernel);
    }
}

/// A number for kernels, by all that makes them differ: what [`Gpu::is_proven`] is asked about.
pub(super) fn variant(of: impl Hash) -> u64 {
    let mut hasher = DefaultHasher::new();
    of.hash(&mut hasher);
    hasher.finish()
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
