//! Where elements are, whatever their type.

use crate::device::Device;
#[cfg(feature = "gpu")]
use crate::device::dispatch;
#[cfg(feature = "gpu")]
use crate::error::{Error, Result};
#[cfg(feature = "gpu")]
use crate::runtime::{Access, Gpu, Located, Memory, Place, Slice, Span};
#[cfg(feature = "gpu")]
use bytemuck::Pod;
#[cfg(feature = "gpu")]
use cubecl::prelude::Runtime;
use std::fmt;
use std::ops::Range;
#[cfg(feature = "gpu")]
use std::sync::OnceLock;

/// Where the elements of a buffer are, or of a slice of one. Whoever has it has borrowed them.
#[derive(Clone, Copy)]
pub(crate) struct Region<'a> {
    pub device: &'a Device,
    /// The number of elements.
    pub len: usize,
    /// Nothing in host memory.
    #[cfg(feature = "gpu")]
    pub part: Option<Part<'a>>,
}

/// The memory of a buffer on a GPU.
#[cfg(feature = "gpu")]
pub(crate) struct Allocation {
    pub memory: Memory,
    /// Whether others may have its memory too.
    pub adopted: bool,
    /// Where that is, once it was asked for.
    place: OnceLock<Place>,
}

/// Bytes of a buffer on a GPU.
#[cfg(feature = "gpu")]
#[derive(Clone, Copy)]
pub(crate) struct Part<'a> {
    of: &'a Allocation,
    start: usize,
    len: usize,
    /// How far kernels may go where they read or write 16 bytes at a time: nobody else writes there, or reads what they
    /// write.
    limit: usize,
}

#[cfg(feature = "gpu")]
impl Allocation {
    pub fn new(memory: Memory, adopted: bool) -> Self {
        Self { memory, adopted, place: OnceLock::new() }
    }

    /// Where it is. The first time, the device is asked.
    pub fn place(&self, device: &Device) -> Result<Option<Place>> {
        if let Some(place) = self.place.get() {
            return Ok(Some(*place));
        }
        dispatch!(device,
            gpu => {
                let place = gpu.locate(&self.memory.unordered_handle())?;
                Ok(Some(*self.place.get_or_init(|| place)))
            },
            cpu => Ok(None))
    }
}

#[cfg(feature = "gpu")]
impl fmt::Debug for Allocation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.memory.fmt(f)
    }
}

impl<'a> Region<'a> {
    /// Elements in host memory.
    pub fn on_host(device: &'a Device, len: usize) -> Self {
        Self {
            device,
            len,
            #[cfg(feature = "gpu")]
            part: None,
        }
    }

    /// The first elements of an allocation, `len` of `size` bytes each.
    #[cfg(feature = "gpu")]
    pub fn on_gpu(device: &'a Device, len: usize, size: usize, of: &'a Allocation) -> Self {
        Self { device, len, part: Some(Part { of, start: 0, len: len * size, limit: of.memory.len() }) }
    }

    /// Some of the elements, of `size` bytes each, which are there. If they are borrowed for writing, others may have
    /// those behind them.
    pub fn cut(self, elements: &Range<usize>, size: usize, for_writing: bool) -> Self {
        #[cfg(not(feature = "gpu"))]
        let _ = (size, for_writing);
        Self {
            len: elements.len(),
            #[cfg(feature = "gpu")]
            part: self.part.map(|part| {
                let (start, len) = (part.start + elements.start * size, elements.len() * size);
                let alone = elements.end == self.len || !(for_writing || part.of.adopted);
                Part { start, len, limit: if alone { part.limit } else { start + len }, ..part }
            }),
            ..self
        }
    }
}

impl fmt::Display for Region<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} elements on {}", self.len, self.device.name())
    }
}

#[cfg(feature = "gpu")]
impl<'a> Region<'a> {
    /// The elements, and perhaps a few more, to be read on a GPU's stream.
    pub fn reads<T: Pod>(&self, gpu: &Gpu<impl Runtime>) -> Result<Slice<T>> {
        self.part()?.elements(gpu, Access::Read)
    }

    /// The elements, and perhaps a few more, to be written, and perhaps read, on a GPU's stream. Those beyond the last
    /// must stay as they are.
    pub fn writes<T: Pod>(&self, gpu: &Gpu<impl Runtime>) -> Result<Slice<T>> {
        self.part()?.elements(gpu, Access::Write)
    }

    /// The bytes, to be copied on a GPU's stream.
    pub fn span(&self, gpu: &Gpu<impl Runtime>, access: Access) -> Result<Span> {
        let Part { of, start, len, .. } = self.part()?;
        let all = of.memory.slice_for(gpu.stream(), access, start..start + len)?;
        Ok(Span::new(all, start, len))
    }

    /// Waits for what wrote the bytes, and copies them to host memory.
    pub fn read_into(&self, gpu: &Gpu<impl Runtime>, to: &mut [u8]) -> Result<()> {
        let Part { of, start, len, .. } = self.part()?;
        let all = of.memory.slice_for(gpu.stream(), Access::Read, start..start + len)?;
        // Devices copy whole words.
        let before = start % 4;
        gpu.read_bytes(&all.part(start - before, before + len)?, before, to)
    }

    /// Whether others may have its memory too.
    pub fn is_adopted(&self) -> bool {
        self.part.is_some_and(|part| part.of.adopted)
    }

    /// Whether both are of one buffer.
    pub fn is_of_same_memory(&self, other: &Self) -> bool {
        self.part.zip(other.part).is_some_and(|(part, other)| std::ptr::eq(part.of, other.of))
    }

    /// Where it is on a GPU.
    pub fn place(&self) -> Result<Option<Place>> {
        let Some(Part { of, start, len, .. }) = self.part else { return Ok(None) };
        let at = |place: Place| {
            let (start, len) = (place.start + start as u64, len as u64);
            Place { start, end: (start + len).min(place.end.max(start)), ..place }
        };
        Ok(of.place(self.device)?.map(at))
    }

    fn part(&self) -> Result<Part<'a>> {
        self.part.ok_or_else(|| {
            let (what, got) = ("a buffer".into(), self.device.name().into());
            Error::WrongDevice { what, got, expected: "a GPU".into() }
        })
    }
}

#[cfg(feature = "gpu")]
impl Part<'_> {
    fn elements<T: Pod>(&self, gpu: &Gpu<impl Runtime>, access: Access) -> Result<Slice<T>> {
        // Without elements it does not matter where they are.
        let Self { of, start, len, limit } = if self.len == 0 { Self { start: 0, ..*self } } else { *self };
        let end = if len == 0 { 0 } else { (start + len).next_multiple_of(16).min(limit) };
        let all = of.memory.slice_for(gpu.stream(), access, start..end)?;
        let all = if len == 0 { all } else { all.up_to(end) };
        let elements = all.part(start, (end - start) / size_of::<T>().max(1))?;
        elements.check_alignment(gpu.offset_alignment())?;
        Ok(elements)
    }
}
