//! Copies between host memory and devices, within a device, and between devices.

use super::aliasing::{Part, Role, check_apart};
use super::buffer::{Buffer, copied, zeroed};
use super::slice::BufferSlice;
use super::slice_mut::BufferSliceMut;
use crate::device::{Device, dispatch};
use crate::error::{Error, Result};
#[cfg(feature = "gpu")]
use crate::runtime::Access;
use bytemuck::Pod;

/// See [`Buffer::download`].
pub(super) fn download<T: Pod>(from: BufferSlice<'_, T>) -> Result<Vec<T>> {
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
pub(super) fn download_into<T: Pod>(from: BufferSlice<'_, T>, to: &mut [T]) -> Result<()> {
    check_len("the slice to download into", to.len(), from.len())?;
    dispatch!(from.device(),
    gpu => from.region().read_into(gpu, bytemuck::cast_slice_mut(to)),
    cpu => {
        to.copy_from_slice(from.as_slice().unwrap_or_default());
        Ok(())
    })
}

/// See [`Buffer::write`].
pub(super) fn write<T: Pod>(to: &mut BufferSliceMut<'_, T>, data: &[T]) -> Result<()> {
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
pub(super) fn fill<T: Pod>(to: &mut BufferSliceMut<'_, T>, value: T) -> Result<()> {
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
pub(super) fn copy<T: Pod>(from: BufferSlice<'_, T>, to: &mut BufferSliceMut<'_, T>) -> Result<()> {
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
pub(super) fn to_device<T: Pod>(from: BufferSlice<'_, T>, device: &Device) -> Result<Buffer<T>> {
    if let Some(data) = from.as_slice() {
        return device.upload(data);
    }
    if from.device().is_same(device) {
        let mut to = device.alloc(from.len())?;
        to.copy_from(from)?;
        return Ok(to);
    }
    let data = download(from)?;
    dispatch!(device, _gpu => device.upload(&data), cpu => Ok(Buffer::on_host(device, data)))
}

fn check_len(what: &'static str, got: usize, needed: usize) -> Result<()> {
    if got == needed { Ok(()) } else { Err(Error::WrongLength { what, got, needed }) }
}
