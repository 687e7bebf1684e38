//! A GPU and one of its streams: launches, and kernels that have been seen to run.

use super::argument::Launch;
use super::error_lock::Exclusive;
use super::facts::Facts;
#[cfg(feature = "cuda")]
use super::foreign::Anchor;
use super::known_kernels::AnyKernel;
use super::server::Server;
use crate::error::{Error, Result};
use cubecl::prelude::*;
use cubecl::server::ServerError;
use cubecl::stream_id::StreamId;
#[cfg(feature = "cuda")]
use std::sync::OnceLock;
use std::sync::{Arc, PoisonError};

/// One GPU, on one of its streams.
pub(crate) struct Gpu<R: Runtime> {
    /// The device's name, for messages.
    pub name: String,
    pub facts: Facts,
    pub(super) server: Arc<Server<R>>,
    pub(super) stream: StreamId,
    pub(super) client: ComputeClient<R>,
    /// See [`Gpu::foreign`].
    #[cfg(feature = "cuda")]
    pub(super) anchor: OnceLock<Anchor>,
}

impl<R: Runtime> Gpu<R> {
    pub fn new(name: String, server: Arc<Server<R>>, facts: Facts, stream: StreamId) -> Self {
        Self {
            name,
            facts,
            client: server.on(stream),
            server,
            stream,
            #[cfg(feature = "cuda")]
            anchor: OnceLock::new(),
        }
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

    /// Waits until everything submitted to this stream has run.
    pub fn sync(&self) -> Result<()> {
        self.ask_and_wait(|client| client.sync())
    }

    /// Keeps other threads from asking the device what went wrong.
    pub(super) fn lock_errors(&self) -> Exclusive<'_> {
        self.server.errors.exclusive()
    }

    /// Submits a launch. For [`launch!`](super::launch) alone.
    ///
    /// # Safety
    /// The kernel stays within its arrays, and ends.
    pub unsafe fn submit(
        &self,
        cubes: CubeCount,
        units: CubeDim,
        kernel: impl FnOnce(&mut Launch<'_, R>) -> Result<AnyKernel>,
    ) -> Result<()> {
        let mut kernel = Some(kernel);
        // SAFETY: as the caller says.
        unsafe { self.submit_any(cubes, units, &mut |launch| kernel.take().map(|kernel| kernel(launch)).transpose()) }
    }

    /// What all launches have in common, compiled once. `kernel` is called once.
    ///
    /// # Safety
    /// As for [`Gpu::submit`].
    unsafe fn submit_any(
        &self,
        cubes: CubeCount,
        units: CubeDim,
        kernel: &mut dyn FnMut(&mut Launch<'_, R>) -> Result<Option<AnyKernel>>,
    ) -> Result<()> {
        self.server.ask(|| {
            let Server { kernels, wide, .. } = &*self.server;
            let mut launch = Launch::new(&self.client, kernels, self.facts.dialect, units, *wide);
            if let Some(kernel) = kernel(&mut launch)? {
                // SAFETY: as the caller says.
                unsafe { launch.submit(cubes, kernel) };
            }
            Ok(())
        })?
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
