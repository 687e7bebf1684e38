//! Read-only data for bucket functions: a slice on the CPU, a buffer (or its copy in shared memory) in kernels.

use super::fields::{KernelField, Place, Upload};
use crate::error::{Error, Result};
use crate::runtime::Slice;
use bytemuck::Pod;
use cubecl::{ir::Scope, prelude::*};
use std::fmt;
use std::sync::{Arc, Mutex, PoisonError};

/// A table that a bucket function can read: `table.get(i)`.
///
/// It is uploaded to a device once, on first use there. Cloning is cheap and shares the upload.
pub struct Table<T> {
    data: Arc<[T]>,
    /// Capacity in shared memory, where the table is copied when a kernel starts.
    shared: Option<u32>,
    /// The same for kernels that have room for a large table.
    large: Option<u32>,
    uploads: Uploads<T>,
}

/// Capacities of large tables are multiples of this, so that kernels are compiled for few.
const LARGE_UNIT: usize = 256;

/// Where it has been uploaded to.
type Uploads<T> = Arc<Mutex<Vec<(Place, Slice<T>)>>>;

impl<T: Scalar + Pod> Table<T> {
    /// A table in device memory.
    ///
    /// # Errors
    /// [`Error::InvalidBuckets`] if `data` is empty or has 2^32 elements or more.
    pub fn new(data: impl Into<Arc<[T]>>) -> Result<Self> {
        let data = data.into();
        if data.is_empty() {
            return Err(Error::InvalidBuckets("a table needs at least one element".into()));
        }
        if u32::try_from(data.len()).is_err() {
            let reason = format!("a table holds fewer than 2^32 elements, not {}", data.len());
            return Err(Error::InvalidBuckets(reason));
        }
        Ok(Self { data, shared: None, large: None, uploads: Arc::default() })
    }

    /// Copies the table into shared memory when a kernel starts: for small tables that are read often per key.
    /// The next power of two of the length is reserved; tables of over 8 KiB stay in device memory.
    #[must_use]
    pub fn in_shared_memory(mut self) -> Self {
        let capacity = self.data.len().next_power_of_two();
        self.shared = (capacity * size_of::<T>() <= 8192).then_some(capacity as u32);
        self
    }

    /// Copies the table into shared memory where a kernel has room for it. No kernel has room for 2^32 bytes.
    #[must_use]
    pub(crate) fn in_large_shared_memory(mut self) -> Self {
        let capacity = self.data.len().next_multiple_of(LARGE_UNIT);
        let fits = u32::try_from(capacity.saturating_mul(size_of::<T>())).is_ok();
        self.large = fits.then_some(capacity as u32);
        self
    }

    /// The element at `index`; the last one if `index` lies beyond the end.
    pub fn get(&self, index: u32) -> T {
        self.data[(index as usize).min(self.data.len() - 1)]
    }

    /// The element at `index`, which must lie within the table: kernels do not look.
    pub(crate) fn get_within(&self, index: u32) -> T {
        self.data[index as usize]
    }

    /// The number of elements. Fewer than 2^32 and never 0.
    #[allow(clippy::len_without_is_empty)]
    pub fn len(&self) -> u32 {
        self.data.len() as u32
    }

    fn slice<R: Runtime>(&self, upload: &Upload<'_, R>) -> Slice<T> {
        let mut uploads = self.uploads.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some((_, slice)) = uploads.iter().find(|(place, _)| *place == upload.place) {
            return slice.clone();
        }
        let handle = upload.client.create_from_slice(bytemuck::cast_slice(&self.data));
        let slice = Slice::of_allocation(handle);
        uploads.push((upload.place, slice.clone()));
        slice
    }
}

impl<T> Clone for Table<T> {
    fn clone(&self) -> Self {
        Self { data: self.data.clone(), uploads: self.uploads.clone(), ..*self }
    }
}

impl<T: fmt::Debug> fmt::Debug for Table<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Table").field(&self.data).finish()
    }
}

impl<T: Scalar + Pod> KernelField for Table<T> {
    fn variant(&self) -> u64 {
        self.shared.map_or(0, u64::from) | self.large.map_or(0, u64::from) << 32
    }

    fn large_tables(&self) -> u32 {
        self.large.map_or(0, |capacity| capacity * size_of::<T>() as u32)
    }

    fn arg<R: Runtime>(&self, upload: &Upload<'_, R>) -> TableArg<R> {
        let shared = self.shared.or(self.large.filter(|_| upload.room));
        TableArg { array: self.slice(upload).arg(), len: self.len(), shared }
    }
}

/// A [`Table`] on its way into a kernel launch.
#[doc(hidden)]
pub struct TableArg<R: Runtime> {
    array: ArrayArg<R>,
    len: u32,
    shared: Option<u32>,
}

/// A [`Table`] inside a kernel.
#[doc(hidden)]
pub struct TableExpand<T: Scalar> {
    array: NativeExpand<Array<T>>,
    staged: Option<NativeExpand<SharedMemory<T>>>,
    len: NativeExpand<u32>,
}

impl<T: Scalar> Clone for TableExpand<T> {
    fn clone(&self) -> Self {
        Self { array: self.array.clone(), staged: self.staged.clone(), len: self.len.clone() }
    }
}

impl<T: Scalar> IntoMut for TableExpand<T> {
    fn into_mut(self, _scope: &mut Scope) -> Self {
        self
    }
}

impl<T: Scalar> CubeDebug for TableExpand<T> {}

impl<T: Scalar> CubeType for Table<T> {
    type ExpandType = TableExpand<T>;
}

impl<T: Scalar + Pod> LaunchArg for Table<T> {
    type RuntimeArg<R: Runtime> = TableArg<R>;
    type CompilationArg = Option<u32>;

    fn register<R: Runtime>(arg: TableArg<R>, launcher: &mut KernelLauncher<R>) -> Option<u32> {
        Array::<T>::register(arg.array, launcher);
        <u32 as LaunchArg>::register(arg.len, launcher);
        arg.shared
    }

    // Arguments are expanded before the kernel's body, so the copy into shared memory becomes the first thing that the
    // kernel does: no kernel needs to know about tables.
    fn expand(shared: &Option<u32>, builder: &mut KernelBuilder) -> TableExpand<T> {
        let array = Array::<T>::expand(&ArrayCompilationArg { inplace: None }, builder);
        let len = <u32 as LaunchArg>::expand(&(), builder);
        let staged =
            shared.map(|capacity| stage::expand::<T>(&mut builder.scope, array.clone(), len.clone(), capacity));
        TableExpand { array, staged, len }
    }
}

/// Copies a table into shared memory, repeating its last element up to the capacity.
#[cube]
fn stage<T: Scalar>(array: &Array<T>, len: u32, #[comptime] capacity: u32) -> SharedMemory<T> {
    let mut staged = SharedMemory::<T>::new(comptime!(capacity as usize));
    let mut i = UNIT_POS_X;
    while i < capacity {
        staged[i as usize] = array[i.min(len - 1) as usize];
        i += CUBE_DIM_X;
    }
    sync_cube();
    staged
}

#[cube]
fn read_array<T: Scalar>(array: &Array<T>, index: u32) -> T {
    array[index as usize]
}

#[cube]
fn read_shared<T: Scalar>(staged: &SharedMemory<T>, index: u32) -> T {
    staged[index as usize]
}

#[cube]
fn last_valid(index: u32, len: u32) -> u32 {
    index.min(len - 1)
}

impl<T: Scalar + Pod> TableExpand<T> {
    /// Kernel side of [`Table::get`].
    pub fn __expand_get_method(self, scope: &mut Scope, index: NativeExpand<u32>) -> NativeExpand<T> {
        let index = last_valid::expand(scope, index, self.len.clone());
        self.__expand_get_within_method(scope, index)
    }

    /// Kernel side of [`Table::get_within`].
    pub(crate) fn __expand_get_within_method(self, scope: &mut Scope, index: NativeExpand<u32>) -> NativeExpand<T> {
        match self.staged {
            Some(staged) => read_shared::expand::<T>(scope, staged, index),
            None => read_array::expand::<T>(scope, self.array, index),
        }
    }

    /// Kernel side of [`Table::len`].
    pub fn __expand_len_method(self, _scope: &mut Scope) -> NativeExpand<u32> {
        self.len
    }
}
