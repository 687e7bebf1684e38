//! Memory for the other approaches.

use super::reduced_bit::{self, Shape};
use super::rounds::Rounds;
use super::{Approach, Way, scan_split};
use crate::bucket::Buckets;
use crate::device::Device;
use crate::error::Result;
use crate::key::Key;
use crate::multisplit::Multisplit;

/// Memory that an [`Approach`] needs besides its inputs and outputs. Made by [`Approach::workspace`]; can be used again for
/// any split of the same shape or smaller, the same way.
pub struct ApproachWorkspace<K> {
    pub(super) device: Device,
    pub(super) room: Room<K>,
}

pub(super) enum Room<K> {
    ReducedBit(Box<reduced_bit::Room>),
    Scan(Rounds, Box<scan_split::Room<K>>),
}

impl<K: Key> ApproachWorkspace<K> {
    /// Its size in bytes.
    pub fn bytes(&self) -> usize {
        match &self.room {
            Room::ReducedBit(room) => room.bytes(),
            Room::Scan(rounds, room) => room.bytes(&self.device, *rounds),
        }
    }
}

impl Way {
    /// The rounds, if it takes any.
    pub(super) fn rounds(self) -> Option<Rounds> {
        match self {
            Self::ReducedBitSort | Self::ReducedBitSortByIndex => None,
            Self::IteratedScanSplit => Some(Rounds::Iterated),
            Self::RecursiveScanSplit => Some(Rounds::Recursive),
        }
    }
}

impl<F: Buckets> Approach<'_, F> {
    /// A workspace for [`Approach::enqueue`], of up to `n` keys with up to `narrow` columns of 4 bytes (the permutation is
    /// one) and `wide` of 8 bytes.
    ///
    /// # Errors
    /// [`Error::OutOfMemory`](crate::Error::OutOfMemory); and what is wrong with the split itself.
    pub fn workspace(
        &self,
        device: &Device,
        n: usize,
        narrow: usize,
        wide: usize,
    ) -> Result<ApproachWorkspace<F::Key>> {
        Multisplit::by(self.f).check(n)?;
        let (m, key, columns) = (self.f.buckets(), size_of::<F::Key>(), (narrow, wide));
        let room = match self.way.rounds() {
            Some(rounds) => Room::Scan(rounds, Box::new(scan_split::Room::new(device, rounds, n, columns)?)),
            None => {
                let by_index = self.way == Way::ReducedBitSortByIndex;
                let shape = Shape::new(n, m, key, columns, by_index);
                Room::ReducedBit(Box::new(reduced_bit::Room::new(device, shape)?))
            }
        };
        Ok(ApproachWorkspace { device: device.clone(), room })
    }
}
