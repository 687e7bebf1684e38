//! Arrays as the library takes them, and the buffers that results are in.

use crate::array::{Array, Place};
use crate::dtype::Element;
use crate::error::{Raise, value_error};
use crate::job::Stage;
use crate::memory::Owned;
#[cfg(feature = "cuda")]
use multisplit::CudaView;
use multisplit::{Buffer, BufferSlice, Column, Device};
use pyo3::PyResult;

/// The elements of an array, for operations on a device.
pub enum Held<'a, T> {
    /// Where they are, on the host.
    Host(BufferSlice<'a, T>),
    /// Where they are, on the CUDA device.
    #[cfg(feature = "cuda")]
    Cuda(CudaView<T>),
    /// Copied to a GPU.
    Copied(Buffer<T>),
}

impl<'a, T: Element> Held<'a, T> {
    /// The elements of an array as those of this type: its own, or another one of the same size or smaller.
    pub fn new(device: &'a Device, array: &'a Array) -> PyResult<Self> {
        let len = array.len() * array.item / size_of::<T>();
        match array.place {
            Place::Host(address) => {
                let pointer = std::ptr::with_exposed_provenance::<T>(address);
                let elements = if len == 0 || !pointer.is_aligned() {
                    &[]
                } else {
                    // SAFETY: the array keeps its memory, which has so many items of so many bytes, for as long as it
                    // is borrowed. Any bits are an element. Another thread of Python may write there meanwhile, as it
                    // may while NumPy itself works on an array: results are then of no use, but nothing else comes of
                    // it, since the library's safety rests on nothing that is in its inputs.
                    unsafe { std::slice::from_raw_parts(pointer, len) }
                };
                if elements.len() < len {
                    return Err(value_error("an array begins where its elements must not; copy it"));
                }
                if device.name() == "cpu" {
                    return Ok(Self::Host(device.slice_of(elements).raise()?));
                }
                Ok(Self::Copied(device.upload(elements).raise()?))
            }
            #[cfg(feature = "cuda")]
            Place::Cuda(_, address) => {
                if let Some(stream) = array.stream {
                    // SAFETY: it is ours, the one that the interface of the array tells, or PyTorch's current one.
                    unsafe { device.wait_for_cuda_stream(stream) }.raise()?;
                }
                // SAFETY: the array keeps its memory for as long as it is borrowed, which is until all has run: a job
                // waits for that. What wrote it was just waited for, and it is not written here.
                Ok(Self::Cuda(unsafe { device.view_cuda(address, len) }.raise()?))
            }
            #[cfg(not(feature = "cuda"))]
            Place::Cuda(..) => Err(value_error("this build knows no CUDA devices")),
        }
    }

    /// The elements, for a call.
    pub fn slice(&self) -> BufferSlice<'_, T> {
        match self {
            Self::Host(slice) => *slice,
            #[cfg(feature = "cuda")]
            Self::Cuda(view) => view.into(),
            Self::Copied(buffer) => buffer.into(),
        }
    }
}

/// A buffer of a forgotten type.
pub trait AnyBuffer {
    /// Asks where it is, so that [`AnyBuffer::own`] need not wait for an answer.
    fn locate(&self) -> PyResult<()>;

    /// Leaves all but the first elements out.
    fn cut(&mut self, len: usize) -> PyResult<()>;

    /// What results are made of; see [`Owned::of_buffer`].
    fn own(self: Box<Self>, stage: &Stage) -> PyResult<Owned>;
}

impl<T: Element> AnyBuffer for Buffer<T> {
    fn locate(&self) -> PyResult<()> {
        #[cfg(feature = "cuda")]
        self.cuda_address().raise()?;
        Ok(())
    }

    fn cut(&mut self, len: usize) -> PyResult<()> {
        self.set_len(len).raise()
    }

    fn own(self: Box<Self>, stage: &Stage) -> PyResult<Owned> {
        Owned::of_buffer(*self, stage)
    }
}

/// Value columns on their way, and the permutation.
pub struct Columns<'a> {
    columns: Vec<AnyColumn<'a>>,
    index: Option<Buffer<u32>>,
}

/// A column by the size of its rows.
enum AnyColumn<'a> {
    Narrow(Held<'a, u32>, Buffer<u32>),
    Wide(Held<'a, u64>, Buffer<u64>),
    Rows(Held<'a, u8>, Buffer<u8>, usize),
    /// Rows without elements.
    Empty,
}

impl<'a> Columns<'a> {
    /// Room for these columns of n rows, and for the permutation if it is asked for or needed.
    pub fn new(stage: &'a Stage, n: usize, values: &'a [&'a Array], index: bool) -> PyResult<Self> {
        let columns: Vec<AnyColumn<'_>> =
            values.iter().map(|array| AnyColumn::new(stage, array)).collect::<PyResult<_>>()?;
        let gathered = columns.iter().any(|column| matches!(column, AnyColumn::Rows(..)));
        let index = if index || gathered { Some(stage.alloc(n)?) } else { None };
        Ok(Self { columns, index })
    }

    /// Columns that a workspace must have room for: of 4 bytes, the permutation among them, and of 8.
    pub fn widths(&self) -> (usize, usize) {
        let count = |of: fn(&AnyColumn<'_>) -> bool| self.columns.iter().filter(|column| of(column)).count();
        let narrow = count(|column| matches!(column, AnyColumn::Narrow(..)));
        (narrow + usize::from(self.index.is_some()), count(|column| matches!(column, AnyColumn::Wide(..))))
    }

    /// What a call is given.
    pub fn list(&mut self) -> Vec<Column<'_>> {
        let columns = self.columns.iter_mut().filter_map(AnyColumn::column);
        columns.chain(self.index.as_mut().map(Column::permutation)).collect()
    }

    /// The permutation, once it is made.
    pub fn index(&self) -> Option<&Buffer<u32>> {
        self.index.as_ref()
    }

    /// Asks where the columns that are made will be; see [`AnyBuffer::locate`].
    pub fn locate(&self) -> PyResult<()> {
        self.columns.iter().try_for_each(|column| match column {
            AnyColumn::Narrow(_, to) => to.locate(),
            AnyColumn::Wide(_, to) => to.locate(),
            AnyColumn::Rows(_, to, _) => to.locate(),
            AnyColumn::Empty => Ok(()),
        })?;
        self.index.as_ref().map_or(Ok(()), AnyBuffer::locate)
    }

    /// The columns that were made, cut to so many rows, and the permutation.
    pub fn take(&mut self, rows: usize, stage: &Stage) -> PyResult<(Vec<Owned>, Option<Owned>)> {
        let own = |mut buffer: Box<dyn AnyBuffer>, len| buffer.cut(len).and_then(|()| buffer.own(stage));
        let columns = self.columns.drain(..).map(|column| match column {
            AnyColumn::Narrow(_, to) => own(Box::new(to), rows),
            AnyColumn::Wide(_, to) => own(Box::new(to), rows),
            AnyColumn::Rows(_, to, bytes) => own(Box::new(to), rows * bytes),
            AnyColumn::Empty => Ok(Owned::of_vec(Vec::<u8>::new())),
        });
        let columns = columns.collect::<PyResult<_>>()?;
        Ok((columns, self.index.take().map(|index| own(Box::new(index), rows)).transpose()?))
    }
}

impl<'a> AnyColumn<'a> {
    fn new(stage: &'a Stage, array: &'a Array) -> PyResult<Self> {
        let device = &stage.device;
        let (address, bytes) = (array.place.address(), array.row_bytes());
        let size = array.rows() * bytes;
        Ok(match bytes {
            0 => Self::Empty,
            4 if address.is_multiple_of(4) => Self::Narrow(Held::new(device, array)?, stage.alloc(size / 4)?),
            8 if address.is_multiple_of(8) => Self::Wide(Held::new(device, array)?, stage.alloc(size / 8)?),
            _ => Self::Rows(Held::new(device, array)?, stage.alloc(size)?, bytes),
        })
    }

    fn column(&mut self) -> Option<Column<'_>> {
        Some(match self {
            Self::Narrow(from, to) => Column::new(from.slice(), to),
            Self::Wide(from, to) => Column::new(from.slice(), to),
            Self::Rows(from, to, bytes) => Column::rows(from.slice(), to, *bytes),
            Self::Empty => return None,
        })
    }
}
