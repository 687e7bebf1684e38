//! Copies between host memory and devices, within a device, and between devices.

use super::aliasing::{Part, Role, check_apart};
use super::buffer::{Buffer, Storage, copied, zeroed};
use super::slice::BufferSlice;
use super::slice_mut::BufferSliceMut;
use crate::device::{Device, dispatch};
use crate::error::{Error, Result};
#[cfg(feature = "gpu")]
use crate::runtime::Access;
use bytemuck::Pod;

impl<T: Pod> Buffer<T> {
    /// Copies the elements to host memory. Waits for everything that wrote them, on whichever stream.
    ///
    /// # Errors
    /// [`Error::DeviceFailed`] if something submitted before failed, or the device does not answer;
    /// [`Error::OutOfMemory`] if the host has no room for them.
    pub fn download(&self) -> Result<Vec<T>> {
        self.whole().download()
    }

    /// Moves the elements to host memory, as [`Buffer::download`] does. Nothing is copied if they are there already.
    ///
    /// # Errors
    /// As [`Buffer::download`].
    pub fn into_vec(self) -> Result<Vec<T>> {
        match self.storage {
            Storage::Host(data) => Ok(data),
            #[cfg(feature = "gpu")]
            Storage::Gpu(_) => self.download(),
        }
    }

    /// Copies the elements to host memory that is there already, and of as many. Waits as [`Buffer::download`] does.
    ///
    /// ```
    /// use multisplit::Device;
    /// let buffer = Device::best().upload(&[3u32, 1, 2])?;
    /// let mut words = [0; 3];
    /// buffer.download_into(&mut words)?;
    /// assert_eq!(words, [3, 1, 2]);
    /// # Ok::<(), multisplit::Error>(())
    /// ```
    ///
    /// # Errors
    /// [`Error::WrongLength`] if `to` is not as long; else as [`Buffer::download`].
    pub fn download_into(&self, to: &mut [T]) -> Result<()> {
        self.whole().download_into(to)
    }

    /// Copies `data` from host memory to the elements from number `at` on, on the stream of this buffer. Like any write
    /// it comes after what reads them now, and before what reads them next. It does not wait.
    ///
    /// # Errors
    /// [`Error::OutOfBounds`] if they do not lie within the buffer; [`Error::OutOfMemory`] if the device has no room
    /// for a copy on the way; [`Error::OutputTooSmall`] if kernels of the device know no single bytes, the last word is
    /// to be written in part, and adopted memory has only a part of it; [`Error::DeviceFailed`] if the device does not
    /// answer.
    pub fn write(&mut self, at: usize, data: &[T]) -> Result<()> {
        // A range that wraps is out of bounds, whatever its end is said to be.
        self.slice_mut(at..at.saturating_add(data.len()))?.write(data)
    }

    /// Writes `value` to all elements, on the stream of this buffer.
    ///
    /// # Errors
    /// As [`Buffer::write`].
    pub fn fill(&mut self, value: T) -> Result<()> {
        self.whole_mut().fill(value)
    }

    /// Copies the elements of another buffer, or a slice of one, which are as many. On one GPU the copy is made there,
    /// on the stream of this buffer, and nothing is waited for; between devices it goes through host memory.
    ///
    /// ```
    /// use multisplit::Device;
    /// let device = Device::best();
    /// let from = device.upload(&[1u32, 2, 3, 4])?;
    /// let mut to = device.alloc(2)?;
    /// to.copy_from(from.slice(1..3)?)?;
    /// assert_eq!(to.download()?, [2, 3]);
    /// # Ok::<(), multisplit::Error>(())
    /// ```
    ///
    /// # Errors
    /// [`Error::WrongLength`]; [`Error::SharedMemory`] if both are of handles of the same memory; else as
    /// [`Buffer::download`] and [`Buffer::write`].
    pub fn copy_from<'a>(&mut self, from: impl Into<BufferSlice<'a, T>>) -> Result<()>
    where
        T: 'a,
    {
        self.whole_mut().copy_from(from)
    }

    /// Copies the elements to a new buffer on `device`, which may be this one, another stream of it, or another device.
    ///
    /// # Errors
    /// As [`Buffer::copy_from`] and [`Device::alloc`].
    pub fn to_device(&self, device: &Device) -> Result<Self> {
        self.whole().to_device(device)
    }
}

impl<T: Pod> BufferSlice<'_, T> {
    /// Copies the elements to host memory, as [`Buffer::download`] does.
    ///
    /// # Errors
    /// As [`Buffer::download`].
    pub fn download(&self) -> Result<Vec<T>> {
        download(*self)
    }

    /// Copies the elements to host memory, as [`Buffer::download_into`] does.
    ///
    /// # Errors
    /// As [`Buffer::download_into`].
    pub fn download_into(&self, to: &mut [T]) -> Result<()> {
        download_into(*self, to)
    }

    /// Copies the elements to a new buffer, as [`Buffer::to_device`] does.
    ///
    /// # Errors
    /// As [`Buffer::to_device`].
    pub fn to_device(&self, device: &Device) -> Result<Buffer<T>> {
        to_device(*self, device)
    }
}

impl<T: Pod> BufferSliceMut<'_, T> {
    /// Copies the elements to host memory, as [`Buffer::download`] does.
    ///
    /// # Errors
    /// As [`Buffer::download`].
    pub fn download(&self) -> Result<Vec<T>> {
        BufferSlice::from(self).download()
    }

    /// Copies `data`, which has as many elements, from host memory, as [`Buffer::write`] does.
    ///
    /// # Errors
    /// [`Error::WrongLength`](crate::Error::WrongLength) if it has not; else as [`Buffer::write`].
    pub fn write(&mut self, data: &[T]) -> Result<()> {
        write(self, data)
    }

    /// Writes `value` to all elements, as [`Buffer::fill`] does.
    ///
    /// # Errors
    /// As [`Buffer::fill`].
    pub fn fill(&mut self, value: T) -> Result<()> {
        fill(self, value)
    }

    /// Copies elements of a buffer, as [`Buffer::copy_from`] does.
    ///
    /// # Errors
    /// As [`Buffer::copy_from`].
    pub fn copy_from<'b>(&mut self, from: impl Into<BufferSlice<'b, T>>) -> Result<()>
    where
        T: 'b,
    {
        copy(from.into(), self)
    }
}

/// See [`Buffer::download`].
fn download<T: Pod>(from: BufferSlice<'_, T>) -> Result<Vec<T>> {
    match from.as_slice() {
        Some(data) => copied(from.device(), data),
        None => {
            let mut out = zeroed(from.device(), from.len())?;
            download_into(from, &mut out)?;
            Ok(out)
        }
    }
}

/// See [`Buffer::download_into`].
fn download_into<T: Pod>(from: BufferSlice<'_, T>, to: &mut [T]) -> Result<()> {
    check_len("the slice to download into", to.len(), from.len())?;
    dispatch!(from.device(),
    gpu => from.region().read_into(gpu, bytemuck::cast_slice_mut(to)),
    cpu => {
        to.copy_from_slice(from.as_slice().unwrap_or_default());
        Ok(())
    })
}

/// See [`Buffer::write`].
fn write<T: Pod>(to: &mut BufferSliceMut<'_, T>, data: &[T]) -> Result<()> {
    check_len("the slice to write to", to.len(), data.len())?;
    dispatch!(to.device(),
    gpu => {
        if size_of_val(data) == 0 {
            return Ok(());
        }
        let memory = gpu.upload(data)?;
        let from = crate::runtime::Span::new(gpu.reads(&memory)?, 0, size_of_val(data));
        gpu.copy(from, to.region().span(gpu, Access::Write)?)
    },
    cpu => {
        to.as_mut_slice().unwrap_or_default().copy_from_slice(data);
        Ok(())
    })
}

/// See [`Buffer::fill`].
fn fill<T: Pod>(to: &mut BufferSliceMut<'_, T>, value: T) -> Result<()> {
    dispatch!(to.device(),
    gpu => {
        let bytes = bytemuck::bytes_of(&value);
        if to.is_empty() || bytes.is_empty() {
            return Ok(());
        }
        gpu.fill_span(to.region().span(gpu, Access::Write)?, bytes)
    },
    cpu => {
        to.as_mut_slice().unwrap_or_default().fill(value);
        Ok(())
    })
}

/// See [`Buffer::copy_from`].
fn copy<T: Pod>(from: BufferSlice<'_, T>, to: &mut BufferSliceMut<'_, T>) -> Result<()> {
    check_len("the slice to copy to", to.len(), from.len())?;
    if let Some(data) = from.as_slice() {
        return write(to, data);
    }
    if let Some(to) = to.as_mut_slice() {
        return download_into(from, to);
    }
    if !from.device().is_same(to.device()) {
        return write(to, &download(from)?);
    }
    check_apart([(Role::In(Part::Copied), from.region()), (Role::Out(Part::Copied), to.region())].into_iter())?;
    dispatch!(to.device(),
    gpu => {
        let is_same = from.region().is_of_same_memory(&to.region());
        let (from, to) = (from.region().span(gpu, Access::Read)?, to.region().span(gpu, Access::Write)?);
        if is_same { gpu.copy_within(from, to) } else { gpu.copy(from, to) }
    },
    cpu => Ok(()))
}

/// See [`Buffer::to_device`].
fn to_device<T: Pod>(from: BufferSlice<'_, T>, device: &Device) -> Result<Buffer<T>> {
    if let Some(data) = from.as_slice() {
        return device.upload(data);
    }
    if from.device().is_same(device) {
        let mut to = device.alloc(from.len())?;
        to.copy_from(from)?;
        return Ok(to);
    }
    device.upload_vec(download(from)?)
}

fn check_len(what: &'static str, got: usize, needed: usize) -> Result<()> {
    if got == needed { Ok(()) } else { Err(Error::WrongLength { what, got, needed }) }
}
