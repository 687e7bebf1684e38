//! Device memory that a split needs besides its inputs and outputs.

use super::client::Gpu;
use crate::error::{Error, Result};
use cubecl::prelude::Runtime;
use cubecl::server::Handle;

/// How much of it, in 4-byte words.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Needs {
    pub h: usize,
    pub totals: usize,
    pub labels: usize,
}

impl Needs {
    /// What is enough for both.
    pub fn max(self, other: Self) -> Self {
        Self { h: self.h.max(other.h), totals: self.totals.max(other.totals), labels: self.labels.max(other.labels) }
    }

    pub fn bytes(&self) -> usize {
        4 * (self.h + self.totals + self.labels)
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
}

impl GpuWorkspace {
    pub fn new(gpu: &Gpu<impl Runtime>, has: Needs) -> Result<Self> {
        let labels = if has.labels > 0 { Some(gpu.allocate(4 * has.labels)?) } else { None };
        Ok(Self { has, h: gpu.allocate(4 * has.h)?, totals: gpu.allocate(4 * has.totals)?, labels })
    }

    pub fn bytes(&self) -> usize {
        self.has.bytes()
    }

    pub(super) fn check(&self, needs: Needs) -> Result<()> {
        if self.has.max(needs) == self.has {
            return Ok(());
        }
        Err(Error::WorkspaceTooSmall { got: self.bytes(), needed: needs.bytes() })
    }
}
