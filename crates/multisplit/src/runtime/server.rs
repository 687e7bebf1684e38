//! A GPU, by way of a CubeCL client that answers with errors instead of panics.

use super::error_lock::ErrorLock;
use super::known_kernels::KnownKernels;
use super::memory::Order;
use super::wait::Turns;
use crate::error::{Error, Result};
use cubecl::prelude::*;
use cubecl::server::ServerError;
use cubecl::stream_id::StreamId;
use rustc_hash::FxHashSet;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Mutex;
use std::sync::atomic::AtomicU64;

/// A GPU, whichever stream is used.
pub(crate) struct Server<R: Runtime> {
    /// The device's name, for messages.
    pub(super) name: String,
    /// On no stream in particular.
    pub(super) client: ComputeClient<R>,
    /// Bytes that the driver could still allocate, where it can be asked.
    pub(super) free_memory: Option<Box<dyn Fn() -> Option<u64> + Send + Sync>>,
    /// Bytes that may be allocated before it is asked again.
    pub(super) unasked: AtomicU64,
    /// 64-bit addresses where the device has them: fewer instructions there, and buffers of over 4 GiB.
    pub(super) wide: bool,
    /// Kernels that have been launched.
    pub(super) kernels: KnownKernels,
    /// Kernels that have been seen to run.
    pub(super) proven: Mutex<FxHashSet<u64>>,
    pub(super) errors: ErrorLock,
    pub(super) turns: Turns,
}

impl<R: Runtime> Server<R> {
    pub fn new(name: &str, client: ComputeClient<R>) -> Self {
        let (name, unasked) = (name.into(), AtomicU64::new(0));
        let wide = client.properties().supports_address(AddressType::U64);
        let (kernels, proven, errors) = (KnownKernels::default(), Mutex::default(), ErrorLock::default());
        Self { name, client, free_memory: None, unasked, wide, kernels, proven, errors, turns: Turns::default() }
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
    pub(super) fn on(&self, stream: StreamId) -> ComputeClient<R> {
        let mut client = self.client.clone();
        // SAFETY: CubeCL asks for care since it orders streams only up to where a handle was created. `Memory` orders
        // every use of this crate's memory itself.
        unsafe { client.set_stream(stream) };
        client
    }

    /// Runs `call`, which talks to the device, and turns a panic in CubeCL into an error.
    pub(super) fn ask<T>(&self, call: impl FnOnce() -> T) -> Result<T> {
        self.turns.take();
        catch_unwind(AssertUnwindSafe(call)).map_err(|panic| {
            let said = panic.downcast_ref::<String>().map(String::as_str);
            let said = said.or(panic.downcast_ref::<&str>().copied()).unwrap_or("it stopped answering");
            Error::DeviceFailed { device: self.name.clone(), reason: said.into() }
        })
    }

    /// The same for a call that may fail.
    pub(super) fn answer<T>(&self, call: impl FnOnce() -> std::result::Result<T, ServerError>) -> Result<T> {
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

/// Drivers answer with whole kernels and backtraces; the first lines say what happened.
fn shorten(message: &str) -> String {
    let lines: Vec<&str> = message.lines().map(str::trim).filter(|line| !line.is_empty()).take(12).collect();
    lines.join(" | ").chars().take(1000).collect()
}
