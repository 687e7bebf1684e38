//! Device memory that a split needs besides its inputs and outputs.

use super::client::Gpu;
use super::kernels::segments::STATUS;
use super::split::result_words;
use crate::error::{Error, Result};
use crate::policy::ONE_PASS;
use cubecl::prelude::Runtime;
use cubecl::server::Handle;

/// How much of it: all but the last in 4-byte words.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Needs {
    pub h: usize,
    pub totals: usize,
    pub labels: usize,
    /// What kernels of a segmented split report to.
    pub status: usize,
    pub spare: Spare,
}

/// What more than one pass needs, and segments that are longer than a tile.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Spare {
    /// Passes that leave a result.
    pub passes: usize,
    /// Parts of the offsets.
    pub parts: usize,
    /// Bytes of all keys.
    pub keys: usize,
    /// Value columns, the permutation among them.
    pub columns: usize,
    /// Bytes of the largest.
    pub column: usize,
}

/// Words of what a pass leaves.
const PASS_RESULT: usize = result_words(ONE_PASS);

impl Spare {
    fn max(self, other: Self) -> Self {
        Self {
            passes: self.passes.max(other.passes),
            parts: self.parts.max(other.parts),
            keys: self.keys.max(other.keys),
            columns: self.columns.max(other.columns),
            column: self.column.max(other.column),
        }
    }

    fn bytes(&self) -> usize {
        4 * (self.passes * PASS_RESULT + self.parts) + self.keys + self.columns * self.column
    }
}

impl Needs {
    /// What is enough for both.
    pub fn max(self, other: Self) -> Self {
        Self {
            h: self.h.max(other.h),
            totals: self.totals.max(other.totals),
            labels: self.labels.max(other.labels),
            status: self.status.max(other.status),
            spare: self.spare.max(other.spare),
        }
    }

    pub fn bytes(&self) -> usize {
        4 * (self.h + self.totals + self.labels + self.status) + self.spare.bytes()
    }
}

pub(crate) struct GpuWorkspace {
    has: Needs,
    /// Counters, a row per bucket.
    pub(super) h: Handle,
    /// Sums of the rows, and the numbers that cubes draw.
    pub(super) totals: Handle,
    /// Bucket ids, where they are kept.
    pub(super) labels: Option<Handle>,
    /// What went wrong in a segmented split. It is 0 before each, and kernels see to that.
    status: Option<Handle>,
    /// For more than one pass.
    pub(super) spare: Option<SpareBuffers>,
}

/// Where things are between passes.
pub(super) struct SpareBuffers {
    /// What each pass leaves: its own offsets, and whether it ran as it should.
    pub results: Vec<Handle>,
    /// A word for each part.
    pub parts: Handle,
    pub keys: Handle,
    pub columns: Vec<Handle>,
}

impl GpuWorkspace {
    pub fn new(gpu: &Gpu<impl Runtime>, has: Needs) -> Result<Self> {
        let labels = if has.labels > 0 { Some(gpu.allocate(4 * has.labels)?) } else { None };
        let status = if has.status > 0 { Some(gpu.upload(&vec![0; 4 * has.status])?) } else { None };
        let spare = if has.spare != Spare::default() { Some(SpareBuffers::new(gpu, has.spare)?) } else { None };
        Ok(Self { has, h: gpu.allocate(4 * has.h)?, totals: gpu.allocate(4 * has.totals)?, labels, status, spare })
    }

    pub fn bytes(&self) -> usize {
        self.has.bytes()
    }

    /// What kernels of a segmented split report to.
    pub(super) fn status(&self) -> Result<&Handle> {
        let needed = self.bytes() + 4 * STATUS;
        self.status.as_ref().ok_or(Error::WorkspaceTooSmall { got: self.bytes(), needed })
    }

    pub(super) fn check(&self, needs: Needs) -> Result<()> {
        if self.has.max(needs) == self.has {
            return Ok(());
        }
        Err(Error::WorkspaceTooSmall { got: self.bytes(), needed: needs.bytes() })
    }
}

impl SpareBuffers {
    fn new(gpu: &Gpu<impl Runtime>, has: Spare) -> Result<Self> {
        let several = |count: usize, bytes: usize| (0..count).map(|_| gpu.allocate(bytes)).collect::<Result<_>>();
        Ok(Self {
            results: several(has.passes, 4 * PASS_RESULT)?,
            parts: gpu.allocate(4 * has.parts)?,
            keys: gpu.allocate(has.keys)?,
            columns: several(has.columns, has.column)?,
        })
    }
}
