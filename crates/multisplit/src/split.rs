//! The calls on slices.

use crate::Method;
use crate::bucket::Buckets;
use crate::cpu;
use crate::device::{Device, dispatch};
use crate::error::{Error, Result};
use crate::policy::Policy;
#[cfg(feature = "gpu")]
use crate::resident;
use crate::value::{Columns, HostColumn, Width};
use std::ops::Range;

/// A split keys, their values, and where the buckets are.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Split<K, V = ()> {
    /// The keys, bucket by bucket; within a bucket in input order.
    pub keys: Vec<K>,
    /// The values, each still with its key.
    pub values: V,
    /// Bucket b is `offsets[b]..offsets[b + 1]`: m + 1 numbers, the first 0 and the last n.
    pub offsets: Vec<usize>,
    /// If asked for ([`Multisplit::with_permutation`]): `permutation[i]` is the index in the input of output element i.
    pub permutation: Option<Vec<u32>>,
}

impl<K, V> Split<K, V> {
    /// The number of buckets, m.
    pub fn buckets(&self) -> usize {
        self.offsets.len() - 1
    }

    /// Where bucket `b` lies in the output.
    ///
    /// # Panics
    /// If there is no such bucket.
    pub fn range(&self, b: usize) -> Range<usize> {
        self.offsets[b]..self.offsets[b + 1]
    }

    /// The keys of bucket `b`.
    ///
    /// # Panics
    /// If there is no such bucket.
    pub fn bucket(&self, b: usize) -> &[K] {
        &self.keys[self.range(b)]
    }
}

/// A split by the function `f`, configured. The calls on slices are here; [`enqueue`](Multisplit::enqueue) works between
/// device buffers.
///
/// ```
/// use multisplit::{Device, Method, Multisplit, bucket::Delta};
/// let f = Delta::over(0..100u32, 4)?;
/// let (ids, weights) = (&[0u32, 1, 2][..], &[0.5f64, 1.5, 2.5][..]);
/// let split = Multisplit::by(&f)
///     .method(Method::BlockLevel)
///     .with_permutation()
///     .split_with(&Device::best(), &[80, 10, 30], (ids, weights))?;
/// assert_eq!(split.keys, [10, 30, 80]);
/// assert_eq!(split.values, (vec![1, 2, 0], vec![1.5, 2.5, 0.5]));
/// assert_eq!(split.permutation, Some(vec![1, 2, 0]));
/// assert_eq!(split.offsets, [0, 1, 2, 2, 3]);
/// # Ok::<(), multisplit::Error>(())
/// ```
#[derive(Debug)]
pub struct Multisplit<'f, F> {
    pub(crate) f: &'f F,
    pub(crate) method: Method,
    pub(crate) policy: Option<Policy>,
    permutation: bool,
}

impl<F> Clone for Multisplit<'_, F> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<F> Copy for Multisplit<'_, F> {}

impl<'f, F: Buckets> Multisplit<'f, F> {
    /// A split by `f`, with [`Method::Auto`].
    pub fn by(f: &'f F) -> Self {
        Self { f, method: Method::Auto, policy: None, permutation: false }
    }

    /// Chooses the method.
    #[must_use]
    pub fn method(mut self, method: Method) -> Self {
        self.method = method;
        self
    }

    /// Chooses the shape of the kernels. For tuning; the result stays the same.
    #[must_use]
    pub fn policy(mut self, policy: Policy) -> Self {
        self.policy = Some(policy);
        self
    }

    /// Asks the calls on slices for the permutation too.
    #[must_use]
    pub fn with_permutation(mut self) -> Self {
        self.permutation = true;
        self
    }

    /// Splits keys.
    ///
    /// # Errors
    /// Each of [`Error`]'s, as their descriptions say. The input is never touched.
    pub fn split(&self, device: &Device, keys: &[F::Key]) -> Result<Split<F::Key>> {
        self.split_with(device, keys, ())
    }

    /// Splits keys with one or more value columns: `&[V]`, or a tuple of up to eight such.
    ///
    /// # Errors
    /// Each of [`Error`]'s, as their descriptions say. The input is never touched.
    pub fn split_with<V: Columns>(
        &self,
        device: &Device,
        keys: &[F::Key],
        values: V,
    ) -> Result<Split<F::Key, V::Output>> {
        let n = keys.len();
        self.check(n)?;
        let mut keys_out = vec![bytemuck::Zeroable::zeroed(); n];
        let mut permutation = self.permutation.then(|| vec![0; n]);
        let mut offsets = Vec::new();
        let values = values.permute(n, |columns| {
            let to = Outputs { keys: &mut keys_out, columns, permutation: permutation.as_deref_mut() };
            offsets = dispatch!(device,
                gpu => resident::split_slices(gpu, self, keys, to),
                cpu => self.split_on_cpu(keys, to))?;
            Ok(())
        })?;
        Ok(Split { keys: keys_out, values, offsets, permutation })
    }

    fn split_on_cpu(&self, keys: &[F::Key], to: Outputs<'_, '_, F::Key>) -> Result<Vec<usize>> {
        let mut columns = vec![cpu_keys(keys, to.keys)];
        columns.extend(to.columns.iter_mut().map(|c| cpu_column(c.width, c.from, c.to)));
        columns.extend(to.permutation.map(|to| cpu::Column::Index { to }));
        let m = self.f.buckets();
        let mut offsets = vec![0; m as usize + 1];
        let mut scratch = cpu::Scratch::default();
        let astray = cpu::split(keys, &mut columns, m, |key| self.f.bucket(key), &mut offsets, &mut scratch);
        check_astray(astray, m)?;
        Ok(offsets)
    }

    /// What does not depend on the device.
    pub(crate) fn check(&self, n: usize) -> Result<()> {
        let (m, limit, method) = (self.f.buckets(), crate::MAX_BUCKETS, self.method);
        if m == 0 {
            return Err(Error::NoBuckets);
        }
        if m > limit {
            return Err(Error::TooManyBuckets { m, method, limit, advice: "use fewer buckets" });
        }
        if u32::try_from(n).is_err() {
            return Err(Error::TooManyKeys { n });
        }
        Ok(())
    }
}

/// Where a split on slices puts its results.
pub(crate) struct Outputs<'a, 'c, K> {
    pub keys: &'a mut [K],
    pub columns: &'a mut [HostColumn<'c>],
    pub permutation: Option<&'a mut [u32]>,
}

pub(crate) fn check_astray(count: u64, m: u32) -> Result<()> {
    if count == 0 { Ok(()) } else { Err(Error::BucketOutOfRange { count, m }) }
}

/// Keys as the CPU back end moves them: bytes of their width.
pub(crate) fn cpu_keys<'a, K: bytemuck::Pod>(from: &'a [K], to: &'a mut [K]) -> cpu::Column<'a> {
    match size_of::<K>() {
        1 => cpu::Column::W1 { from: bytemuck::cast_slice(from), to: bytemuck::cast_slice_mut(to) },
        2 => cpu::Column::W2 { from: bytemuck::cast_slice(from), to: bytemuck::cast_slice_mut(to) },
        4 => cpu::Column::W4 { from: bytemuck::cast_slice(from), to: bytemuck::cast_slice_mut(to) },
        _ => cpu::Column::W8 { from: bytemuck::cast_slice(from), to: bytemuck::cast_slice_mut(to) },
    }
}

/// Values as the CPU back end moves them.
pub(crate) fn cpu_column<'a>(width: Width, from: &'a [u8], to: &'a mut [u8]) -> cpu::Column<'a> {
    match width {
        Width::Narrow => cpu::Column::W4 { from: bytemuck::cast_slice(from), to: bytemuck::cast_slice_mut(to) },
        Width::Wide => cpu::Column::W8 { from: bytemuck::cast_slice(from), to: bytemuck::cast_slice_mut(to) },
    }
}
