//! Histograms of device buffers: nothing is copied to or from the host, nothing is waited for.

use super::{Count, Histogram};
use crate::bucket::Buckets;
use crate::bucket::key::Key;
use crate::cpu;
use crate::device::dispatch;
use crate::error::{Error, Result};
use crate::memory::aliasing::{Part, Role, check_apart};
use crate::memory::slice::BufferSlice;
use crate::memory::slice_mut::BufferSliceMut;

impl<F: Buckets> Histogram<'_, F> {
    /// Counts the keys of a device buffer into another, on the stream of that one: `counts[b]` becomes the number of
    /// keys in bin b, and `counts[m]`, one more than there are bins, that of keys outside. Counts are `u64`, or `u32`
    /// for fewer than 2^32 keys. What lies behind them in the buffer stays as it is.
    ///
    /// On a GPU this returns when the work is submitted; nothing is copied to the host and nothing is waited for.
    /// (Except once: the first time that a kernel runs on a device it is compiled, and seen to run.) On the CPU it
    /// returns when the work is done.
    ///
    /// ```
    /// use multisplit::{Device, Histogram, bucket::EvenBins};
    /// let device = Device::best();
    /// let f = EvenBins::new(0.0f32..1.0, 4)?;
    /// let keys = device.upload(&[0.1f32, 0.9, 0.95, 3.0])?;
    /// let mut counts = device.alloc::<u32>(4 + 1)?;
    /// Histogram::by(&f).enqueue(&keys, &mut counts)?;
    /// assert_eq!(counts.download()?, [1, 0, 0, 2, 1]);
    /// # Ok::<(), multisplit::Error>(())
    /// ```
    ///
    /// # Errors
    /// [`Error::NoBuckets`], [`Error::TooManyBins`], [`Error::WrongDevice`], [`Error::OutputTooSmall`] if `counts`
    /// does not hold m + 1, [`Error::CountsTooNarrow`] if they might overflow; and what can go wrong on a device.
    /// Then nothing is written.
    pub fn enqueue<'a, 'b, C: Count>(
        &self,
        keys: impl Into<BufferSlice<'a, F::Key>>,
        counts: impl Into<BufferSliceMut<'b, C>>,
    ) -> Result<()> {
        self.enqueue_slices(keys.into(), counts.into())
    }

    fn enqueue_slices<C: Count>(&self, keys: BufferSlice<'_, F::Key>, mut counts: BufferSliceMut<'_, C>) -> Result<()> {
        let m = self.check()?;
        check_buffers(m, &keys, &counts)?;
        let device = counts.device();
        dispatch!(device,
        gpu => {
            let (from, to) = (keys.region().reads(gpu)?, counts.region().writes(gpu)?);
            let words = size_of::<C>() as u32 / 4;
            (gpu.on::<F::Key>()?.histogram)(gpu, &self.request(m), &from, keys.len(), &to, words)
        },
        cpu => {
            let keys = keys.as_slice().unwrap_or_default();
            let all = cpu::histogram(device, cpu::Keys::of(keys), m, &self.f.loops(), self.block)?;
            narrow(all, counts.as_mut_slice().unwrap_or_default());
            Ok(())
        })
    }
}

/// What does not depend on the bucket function.
fn check_buffers<K: Key, C: Count>(m: u32, keys: &BufferSlice<'_, K>, counts: &BufferSliceMut<'_, C>) -> Result<()> {
    keys.device().check_same("the buffer of counts", counts.device())?;
    let (got, needed) = (counts.len(), m as usize + 1);
    if got < needed {
        return Err(Error::OutputTooSmall { what: "the buffer of counts".into(), got, needed });
    }
    check_apart([(Role::In(Part::Keys), keys.region()), (Role::Out(Part::Counts), counts.region())].into_iter())?;
    if keys.len() as u64 > C::LIMIT {
        return Err(Error::CountsTooNarrow { n: keys.len(), limit: C::LIMIT });
    }
    Ok(())
}

fn narrow<C: Count>(all: Vec<u64>, to: &mut [C]) {
    to.iter_mut().zip(all).for_each(|(to, count)| *to = C::narrow(count));
}
