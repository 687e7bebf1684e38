//! Segmented splits of slices.

use crate::bucket::Buckets;
use crate::cpu;
use crate::device::{Device, dispatch};
use crate::error::{Result, check_out_of_range};
use crate::memory::buffer::zeroed;
use crate::memory::columns::Columns;
use crate::ops::split::Multisplit;
use crate::request::outputs::{Moved, Outputs, moved};
use crate::request::segments::Segments;
use std::ops::Range;

/// Splits many segments of the keys in one call, each by itself and in its own place. Segment s is
/// `segments[s]..segments[s + 1]`: the first number is 0, the last the number of keys, and none is smaller than the one
/// before; empty segments are welcome.
///
/// ```
/// use multisplit::{Device, bucket::Identity, split_segments};
/// let (keys, segments) = ([1u32, 0, 1, 1, 0], [0, 3, 3, 5]);
/// let result = split_segments(&Device::best(), &keys, &segments, &Identity::new(2))?;
/// assert_eq!(result.keys, [0, 1, 1, 0, 1]); // the first three, and the last two
/// assert_eq!(result.offsets, [0, 1, 3, 3, 3, 4, 5]); // two numbers for each of three segments, and the end
/// assert_eq!(result.bucket(0, 1), [1, 1]);
/// # Ok::<(), multisplit::Error>(())
/// ```
///
/// # Errors
/// [`Error::NoSegments`](crate::Error::NoSegments), [`Error::SegmentsDoNotCover`](crate::Error::SegmentsDoNotCover),
/// [`Error::SegmentsDecrease`](crate::Error::SegmentsDecrease) and
/// [`Error::TooManySegments`](crate::Error::TooManySegments); else as [`split`](crate::split()).
pub fn split_segments<F: Buckets>(
    device: &Device,
    keys: &[F::Key],
    segments: &[usize],
    f: &F,
) -> Result<SplitSegments<F::Key>> {
    Multisplit::by(f).split_segments(device, keys, segments)
}

/// Keys whose segments were split, their values, and where the buckets are.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SplitSegments<K, V = ()> {
    /// The keys: segment by segment as they were, in each bucket by bucket, and within a bucket in input order.
    pub keys: Vec<K>,
    /// The values, each still with its key.
    pub values: V,
    /// Bucket b of segment s is `offsets[s * m + b]..offsets[s * m + b + 1]`: S·m + 1 numbers, the first 0 and the
    /// last n.
    pub offsets: Vec<usize>,
    /// The number of buckets of a segment, m.
    pub buckets: usize,
    /// If asked for ([`Multisplit::with_permutation`]): `permutation[i]` is the index in the input of output element i.
    pub permutation: Option<Vec<u32>>,
}

impl<K, V> SplitSegments<K, V> {
    /// The number of segments.
    pub fn segments(&self) -> usize {
        self.offsets.len().saturating_sub(1) / self.buckets.max(1)
    }

    /// Where bucket `b` of segment `s` lies in the output. One that there is not is empty.
    pub fn range(&self, s: usize, b: usize) -> Range<usize> {
        let inside = s < self.segments() && b < self.buckets;
        let at = |i: usize| self.offsets.get(i).copied().unwrap_or(self.keys.len());
        if inside { at(s * self.buckets + b)..at(s * self.buckets + b + 1) } else { self.keys.len()..self.keys.len() }
    }

    /// The keys of bucket `b` of segment `s`. One that there is not is empty.
    pub fn bucket(&self, s: usize, b: usize) -> &[K] {
        self.keys.get(self.range(s, b)).unwrap_or_default()
    }
}

impl<F: Buckets> Multisplit<'_, F> {
    /// Splits segments of keys; see [`split_segments`].
    ///
    /// # Errors
    /// As [`split_segments`].
    pub fn split_segments(
        &self,
        device: &Device,
        keys: &[F::Key],
        segments: &[usize],
    ) -> Result<SplitSegments<F::Key>> {
        self.split_segments_with(device, keys, (), segments)
    }

    /// Splits segments of keys with one or more value columns: `&[V]`, or a tuple of up to eight such. See
    /// [`split_segments`].
    ///
    /// On a GPU segments are split block-level, whatever their size.
    ///
    /// ```
    /// use multisplit::{Device, Multisplit, bucket::Identity};
    /// let f = Identity::new(2);
    /// let by = Multisplit::by(&f).with_permutation();
    /// let split = by.split_segments_with(&Device::best(), &[1u32, 0, 1, 0], &[0.5f32, 1.5, 2.5, 3.5], &[0, 2, 4])?;
    /// assert_eq!((split.keys, split.values), (vec![0, 1, 0, 1], vec![1.5, 0.5, 3.5, 2.5]));
    /// assert_eq!(split.permutation, Some(vec![1, 0, 3, 2]));
    /// # Ok::<(), multisplit::Error>(())
    /// ```
    ///
    /// # Errors
    /// As [`split_segments`].
    pub fn split_segments_with<V: Columns>(
        &self,
        device: &Device,
        keys: &[F::Key],
        values: V,
        segments: &[usize],
    ) -> Result<SplitSegments<F::Key, V::Output>> {
        let n = keys.len();
        let m = self.check(n)?;
        let segments = Segments::new(segments, n, m)?;
        let mut offsets = Vec::new();
        let Moved { keys, values, permutation } = moved(device, n, values, self.permutation, &mut |to| {
            offsets = self.split_segments_to(device, m, keys, segments, to)?;
            Ok(())
        })?;
        Ok(SplitSegments { keys, values, offsets, buckets: m as usize, permutation })
    }

    fn split_segments_to(
        &self,
        device: &Device,
        m: u32,
        keys: &[F::Key],
        segments: Segments<'_>,
        to: Outputs<'_, '_, F::Key>,
    ) -> Result<Vec<usize>> {
        dispatch!(device,
            gpu => {
                let (request, keys) = (self.request(m), bytemuck::cast_slice(keys));
                (gpu.on::<F::Key>()?.segment_slices)(gpu, &request, keys, segments, to.unsigned())
            },
            cpu => self.split_segments_on_cpu(device, m, keys, segments, to))
    }

    fn split_segments_on_cpu(
        &self,
        device: &Device,
        m: u32,
        keys: &[F::Key],
        segments: Segments<'_>,
        to: Outputs<'_, '_, F::Key>,
    ) -> Result<Vec<usize>> {
        let mut columns = cpu::Column::all(keys, to);
        let mut offsets = zeroed(device, (m * segments.count()) as usize + 1)?;
        let mut scratch = cpu::Scratch::default();
        let (keys, f) = (cpu::Keys::of(keys), self.f.loops());
        let (out, scratch) = (&mut offsets, &mut scratch);
        let out_of_range = cpu::split_segments(device, keys, &mut columns, segments, m, &f, out, scratch)?;
        check_out_of_range(out_of_range, m)?;
        Ok(offsets)
    }
}
