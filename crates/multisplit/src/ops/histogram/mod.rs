//! Histograms: how many keys each bucket gets, without moving any.
//!
//! This is the paper's section 6.3: the prescan alone, whose counts are added up for the whole input. It takes any
//! bucket function, and many buckets cost little more than few, since nothing is ranked.

mod counts;
mod enqueue;
pub(crate) mod functions;

pub use counts::{Count, Counts};
pub use functions::{histogram, histogram_even, histogram_range};

use crate::bucket::Buckets;
use crate::cpu;
use crate::device::{Device, dispatch};
use crate::error::{Error, Result};
#[cfg(feature = "gpu")]
use crate::gpu;

/// The most bins that one histogram can have.
pub const MAX_BINS: u32 = 1 << 24;

/// Keys that are counted with 32-bit counters before these are added to the result.
const BLOCK: usize = 1 << 31;

/// A histogram by the function `f`, configured. The call on slices is here; [`enqueue`](Histogram::enqueue) works on
/// device buffers.
///
/// ```
/// use multisplit::{Device, Histogram, bucket::Identity};
/// let f = Identity::new(3);
/// let counts = Histogram::by(&f).count(&Device::best(), &[2u32, 0, 2, 7, 2])?;
/// assert_eq!(counts.bins, [1, 0, 3]);
/// assert_eq!(counts.outside, 1); // the 7: its id is not below 3
/// # Ok::<(), multisplit::Error>(())
/// ```
#[derive(Debug)]
pub struct Histogram<'f, F> {
    pub(crate) f: &'f F,
    /// See [`BLOCK`].
    pub(crate) block: usize,
}

impl<F> Clone for Histogram<'_, F> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<F> Copy for Histogram<'_, F> {}

impl<'f, F: Buckets> Histogram<'f, F> {
    /// A histogram of the buckets that `f` names. A key whose id is not below [`Buckets::buckets`] is outside: it is
    /// counted apart, and no error.
    pub fn by(f: &'f F) -> Self {
        Self { f, block: BLOCK }
    }

    /// Counts at most so many keys at a time (rounded up to a multiple of 256). For tests: the result stays the same.
    #[doc(hidden)]
    #[must_use]
    pub fn block(mut self, keys: usize) -> Self {
        self.block = keys.clamp(1, BLOCK).next_multiple_of(256);
        self
    }

    /// Counts keys, of which there may be more than 2^32.
    ///
    /// # Errors
    /// [`Error::NoBuckets`], [`Error::TooManyBins`]; [`Error::OutOfMemory`], [`Error::MissingCapability`] and what else
    /// can go wrong on a device.
    pub fn count(&self, device: &Device, keys: &[F::Key]) -> Result<Counts> {
        let m = self.check()?;
        let all = dispatch!(device,
            gpu => (gpu.on::<F::Key>()?.histogram_slice)(gpu, &self.request(m), bytemuck::cast_slice(keys))?,
            cpu => cpu::histogram(device, cpu::Keys::of(keys), m, &self.f.loops(), self.block)?);
        Ok(Counts::new(all))
    }

    #[cfg(feature = "gpu")]
    fn request<R: cubecl::prelude::Runtime>(
        &self,
        m: u32,
    ) -> gpu::histogram::Request<'f, R, <F::Key as crate::Key>::Unsigned> {
        gpu::histogram::Request { f: self.f, m, block: self.block }
    }

    /// The number of bins, if there can be so many on any device. A call asks for it once.
    fn check(&self) -> Result<u32> {
        match self.f.buckets() {
            0 => Err(Error::NoBuckets),
            m if m > MAX_BINS => Err(Error::TooManyBins { m, limit: MAX_BINS }),
            m => Ok(m),
        }
    }
}
