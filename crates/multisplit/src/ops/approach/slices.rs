//! The other approaches on slices, by way of device buffers.

use super::Approach;
use crate::bucket::Buckets;
use crate::device::Device;
use crate::error::Result;
use crate::memory::buffer::{Buffer, zeroed};
use crate::memory::column::Column;
use crate::memory::columns::{Columns, HostColumn};
use crate::memory::value::Width;
use crate::ops::split::Multisplit;
use crate::ops::split::slices::Split;
use bytemuck::{Pod, cast_slice, pod_collect_to_vec};

/// A value column on the device, and where it goes there.
enum Uploaded {
    Narrow(Buffer<u32>, Buffer<u32>),
    Wide(Buffer<u64>, Buffer<u64>),
}

impl Uploaded {
    fn new(device: &Device, column: &HostColumn<'_>) -> Result<Self> {
        /// Collected, not cast: plain types need not be aligned as words are.
        fn upload<W: Pod>(device: &Device, from: &[u8]) -> Result<(Buffer<W>, Buffer<W>)> {
            let words: Vec<W> = pod_collect_to_vec(from);
            Ok((device.upload(&words)?, device.alloc(words.len())?))
        }
        Ok(match column.width {
            Width::Narrow => upload(device, column.from).map(|(from, to)| Self::Narrow(from, to))?,
            Width::Wide => upload(device, column.from).map(|(from, to)| Self::Wide(from, to))?,
        })
    }

    fn column(&mut self) -> Column<'_> {
        match self {
            Self::Narrow(from, to) => Column::new(&*from, to),
            Self::Wide(from, to) => Column::new(&*from, to),
        }
    }

    fn download(&self, column: &mut HostColumn<'_>) -> Result<()> {
        match self {
            Self::Narrow(_, to) => column.to.copy_from_slice(cast_slice(&to.download()?)),
            Self::Wide(_, to) => column.to.copy_from_slice(cast_slice(&to.download()?)),
        }
        Ok(())
    }
}

impl<F: Buckets> Approach<'_, F> {
    /// Splits keys.
    ///
    /// # Errors
    /// As [`Multisplit::split`].
    pub fn split(&self, device: &Device, keys: &[F::Key]) -> Result<Split<F::Key>> {
        self.split_with(device, keys, ())
    }

    /// Splits keys with one or more value columns: `&[V]`, or a tuple of up to eight such.
    ///
    /// # Errors
    /// As [`Multisplit::split_with`].
    pub fn split_with<V: Columns>(
        &self,
        device: &Device,
        keys: &[F::Key],
        values: V,
    ) -> Result<Split<F::Key, V::Output>> {
        let n = keys.len();
        Multisplit::by(self.f).check(n)?;
        let mut permutation = self.permutation.then(|| zeroed(device, n)).transpose()?;
        let mut result = (Vec::new(), Vec::new());
        let values = values.permute(n, permutation.as_deref_mut(), &mut |columns, permutation| {
            result = self.by_device(device, keys, columns, permutation)?;
            Ok(())
        })?;
        let (keys, offsets) = result;
        Ok(Split { keys, values, offsets, permutation })
    }

    /// Up, split, down: keys and offsets.
    fn by_device(
        &self,
        device: &Device,
        keys: &[F::Key],
        columns: &mut [HostColumn<'_>],
        to: Option<&mut [u32]>,
    ) -> Result<(Vec<F::Key>, Vec<usize>)> {
        let n = keys.len();
        let wide = columns.iter().filter(|column| column.width == Width::Wide).count();
        let narrow = columns.len() - wide + usize::from(to.is_some());
        let mut workspace = self.workspace(device, n, narrow, wide)?;
        let mut offsets = self.offsets(device)?;
        let (input, mut output) = (device.upload(keys)?, device.alloc(n)?);
        let mut uploaded = columns.iter().map(|c| Uploaded::new(device, c)).collect::<Result<Vec<_>>>()?;
        let mut permutation = to.is_some().then(|| device.alloc(n)).transpose()?;
        let mut moved: Vec<Column<'_>> = uploaded.iter_mut().map(Uploaded::column).collect();
        moved.extend(permutation.as_mut().map(Column::permutation));
        self.enqueue(&input, &mut output, &mut moved, &mut offsets, &mut workspace)?;
        drop(moved);

        let offsets = offsets.read()?;
        uploaded.iter().zip(columns).try_for_each(|(from, to)| from.download(to))?;
        if let (Some(permutation), Some(to)) = (permutation, to) {
            to.copy_from_slice(&permutation.download()?);
        }
        let keys = if n > 0 { output.download()? } else { zeroed(device, 0)? };
        Ok((keys, offsets))
    }
}
