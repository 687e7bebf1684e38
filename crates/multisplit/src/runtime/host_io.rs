//! Copies between host memory and a GPU's.

use super::allocation::padded;
use super::client::Gpu;
use super::memory::{Memory, Order};
use super::slice::Slice;
use crate::error::{Error, Result};
use bytemuck::Pod;
use cubecl::bytes::Bytes;
use cubecl::prelude::*;
use cubecl::server::Handle;

impl<R: Runtime> Gpu<R> {
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

    /// Copies words to the device that nobody needs afterwards, which saves a copy.
    pub fn upload_words(&self, mut words: Vec<u32>) -> Result<Memory> {
        let padded = padded(4 * words.len());
        self.check_memory(padded)?;
        let fails = |error| self.no_host_memory(padded, &error);
        words.try_reserve_exact(padded / 4 - words.len()).map_err(fails)?;
        // For CubeCL's copy, as above.
        Vec::<u8>::new().try_reserve_exact(padded).map_err(fails)?;
        words.resize(padded / 4, 0);
        Ok(self.own(self.server.ask(|| self.client.create(Bytes::from_elems(words)))?))
    }

    /// Waits for the device and copies a slice back.
    pub fn read<T: Pod>(&self, slice: &Slice<T>) -> Result<Vec<T>> {
        self.elements(slice.len(), &self.read_all(slice)?)
    }

    /// Has a slice copied back after what was submitted, and goes on. Call what it returns to wait for it.
    pub fn read_later<T: Pod>(&self, slice: &Slice<T>) -> Result<impl FnOnce() -> Result<Vec<T>> + use<'_, R, T>> {
        let (len, (handle, bytes)) = (slice.len(), self.to_read(slice)?);
        let answer = {
            let _lock = self.server.errors.shared();
            self.server.ask(|| self.client.read_async(vec![handle]))?
        };
        Ok(move || self.elements(len, &self.check_read(self.wait(answer)?, bytes)?))
    }

    /// A copy of what was read. Copied, not cast: nobody promises that the bytes are aligned.
    fn elements<T: Pod>(&self, len: usize, data: &[u8]) -> Result<Vec<T>> {
        let bytes = len * size_of::<T>();
        let mut out = Vec::new();
        out.try_reserve_exact(len).map_err(|error| self.no_host_memory(bytes, &error))?;
        out.resize(len, T::zeroed());
        bytemuck::cast_slice_mut::<T, u8>(&mut out).copy_from_slice(&data[..bytes]);
        Ok(out)
    }

    /// Waits for the device and copies a slice to host memory of the same length.
    pub fn read_into<T: Pod>(&self, slice: &Slice<T>, to: &mut [T]) -> Result<()> {
        self.read_bytes(&slice.first(to.len())?.bytes(), 0, bytemuck::cast_slice_mut(to))
    }

    /// The same for the bytes from `skipped` on.
    pub fn read_bytes(&self, slice: &Slice, skipped: usize, to: &mut [u8]) -> Result<()> {
        let slice = slice.first(skipped.saturating_add(to.len()))?;
        if !to.is_empty() {
            to.copy_from_slice(&self.read_all(&slice)?[skipped..][..to.len()]);
        }
        Ok(())
    }

    fn read_all<T>(&self, slice: &Slice<T>) -> Result<Bytes> {
        let (handle, bytes) = self.to_read(slice)?;
        self.check_read(self.ask_and_wait(|client| client.read_async(vec![handle]))?, bytes)
    }

    /// A handle of a slice, to be read after what was submitted, and how many bytes there are to come.
    fn to_read<T>(&self, slice: &Slice<T>) -> Result<(Handle, usize)> {
        let mut handle = slice.handle();
        // CubeCL copies on the stream that the memory is of.
        if handle.stream != self.stream {
            self.server.order(self.stream, handle.stream)?;
        }
        let bytes = slice.len() * size_of::<T>();
        let kept = handle.size() - handle.offset_start.unwrap_or(0);
        handle.offset_end = Some(kept.saturating_sub(bytes.next_multiple_of(4) as u64));
        Ok((handle, bytes))
    }

    fn check_read(&self, mut answer: Vec<Bytes>, bytes: usize) -> Result<Bytes> {
        let data = answer.remove(0);
        if data.len() < bytes {
            let reason = format!("{} bytes came back instead of {bytes}", data.len());
            return Err(Error::DeviceFailed { device: self.name.clone(), reason });
        }
        Ok(data)
    }

    fn no_host_memory(&self, bytes: usize, error: &std::collections::TryReserveError) -> Error {
        Error::OutOfMemory { device: "cpu".into(), bytes: bytes as u64, reason: error.to_string() }
    }
}
