//! The table being permuted, on the device.

use crate::bucket::key::Key;
use crate::error::Result;
use crate::memory::column::MovedColumn;
use crate::memory::region::Region;
use crate::memory::value::Width;
use crate::request::outputs::Outputs;
use crate::runtime::{Gpu, Memory, Slice};
use cubecl::prelude::Runtime;

/// A value column on the device.
#[derive(Clone)]
pub(crate) struct GpuColumn {
    pub width: Width,
    pub from: Slice,
    pub to: Slice,
}

/// What moves besides the keys: narrow columns, wide ones, and whether the permutation is made.
pub(super) type Carried = (usize, usize, bool);

/// Keys, value columns and the permutation: where they are, and where they go.
pub(crate) struct Table {
    pub keys: Slice,
    pub keys_out: Slice,
    pub columns: Vec<GpuColumn>,
    pub permutation: Option<Slice>,
    /// Memory that was allocated for it.
    _owned: Vec<Memory>,
}

impl Table {
    /// A table of these slices.
    pub fn new(keys: Slice, keys_out: Slice, columns: Vec<GpuColumn>, permutation: Option<Slice>) -> Self {
        Self { keys, keys_out, columns, permutation, _owned: Vec::new() }
    }

    /// A table of buffers of this device.
    pub fn between(
        gpu: &Gpu<impl Runtime>,
        keys: Region<'_>,
        keys_out: Region<'_>,
        columns: &[MovedColumn<'_>],
    ) -> Result<Self> {
        let (mut moved, mut permutation) = (Vec::new(), None);
        for column in columns {
            match column {
                MovedColumn::Values { width, from, to } => {
                    let (from, to) = (from.region.reads(gpu)?, to.region.writes(gpu)?);
                    moved.push(GpuColumn { width: *width, from, to });
                }
                MovedColumn::Permutation { to } => permutation = Some(to.region().writes(gpu)?),
            }
        }
        let (keys, keys_out) = (keys.reads(gpu)?, keys_out.writes(gpu)?);
        Ok(Self::new(keys, keys_out, moved, permutation))
    }

    /// Host slices, uploaded, and room for the outputs.
    pub fn upload<K: Key>(gpu: &Gpu<impl Runtime>, keys: &[K], to: &Outputs<'_, '_, K>) -> Result<Self> {
        let mut owned = Vec::new();
        let mut own = |memory: Memory| {
            let slice = gpu.writes::<u8>(&memory);
            owned.push(memory);
            slice
        };
        let mut columns = Vec::new();
        for column in to.columns.iter() {
            let (from, to) = (own(gpu.upload(column.from)?)?, own(gpu.allocate(column.to.len())?)?);
            columns.push(GpuColumn { width: column.width, from, to });
        }
        let permutation = match &to.permutation {
            Some(_) => Some(own(gpu.allocate(4 * keys.len())?)?),
            None => None,
        };
        let (keys, keys_out) = (own(gpu.upload(keys)?)?, own(gpu.allocate(size_of_val(keys))?)?);
        Ok(Self { keys, keys_out, columns, permutation, _owned: owned })
    }

    /// How many columns of 4 and of 8 bytes there are.
    pub fn widths(&self) -> (usize, usize) {
        let narrow = self.columns.iter().filter(|column| column.width == Width::Narrow).count();
        (narrow, self.columns.len() - narrow)
    }

    pub fn carried(&self) -> Carried {
        let (narrow, wide) = self.widths();
        (narrow, wide, self.permutation.is_some())
    }

    /// Waits, and copies the outputs to host slices.
    pub fn download<K: Key>(&self, gpu: &Gpu<impl Runtime>, to: Outputs<'_, '_, K>) -> Result<()> {
        gpu.read_into(&self.keys_out, bytemuck::cast_slice_mut(to.keys))?;
        for (from, to) in self.columns.iter().zip(to.columns) {
            gpu.read_into(&from.to, to.to)?;
        }
        if let (Some(from), Some(to)) = (&self.permutation, to.permutation) {
            gpu.read_into(from, bytemuck::cast_slice_mut(to))?;
        }
        Ok(())
    }
}
