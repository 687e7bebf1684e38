//! The other approaches between device buffers.

use super::workspace::{ApproachWorkspace, Room};
use super::{Approach, Way, reduced_bit, scan_split};
use crate::bucket::Buckets;
use crate::buffer::Buffer;
use crate::column::Column;
use crate::error::{Error, Result};
use crate::multisplit::Multisplit;
use crate::offsets::Offsets;

impl<F: Buckets> Approach<'_, F> {
    /// Splits from device buffers to device buffers, as [`Multisplit::enqueue`] does: on a GPU nothing is waited for (but
    /// the first time that a kernel runs).
    ///
    /// ```
    /// use multisplit::approach::{Approach, Way};
    /// use multisplit::{Column, Device, bucket::Identity};
    /// let device = Device::best();
    /// let f = Identity::new(3);
    /// let split = Approach::by(&f, Way::ReducedBitSort);
    /// let keys = device.upload(&[2u32, 0, 1, 0])?;
    /// let values = device.upload(&[20.0f32, 0.0, 10.0, 0.5])?;
    /// let (mut keys_out, mut values_out) = (device.alloc(4)?, device.alloc(4)?);
    /// let mut offsets = split.offsets(&device)?;
    /// let mut workspace = split.workspace(&device, 4, 1, 0)?;
    ///
    /// let columns = &mut [Column::new(&values, &mut values_out)];
    /// split.enqueue(&keys, &mut keys_out, columns, &mut offsets, &mut workspace)?;
    /// assert_eq!(offsets.read()?, [0, 2, 3, 4]);
    /// assert_eq!(values_out.download()?, [0.0, 0.5, 10.0, 20.0]);
    /// # Ok::<(), multisplit::Error>(())
    /// ```
    ///
    /// # Errors
    /// As [`Multisplit::enqueue`]; [`Error::WorkspaceTooSmall`] also if the workspace was made for another [`Way`].
    pub fn enqueue(
        &self,
        keys: &Buffer<F::Key>,
        keys_out: &mut Buffer<F::Key>,
        columns: &mut [Column<'_>],
        offsets: &mut Offsets,
        workspace: &mut ApproachWorkspace<F::Key>,
    ) -> Result<()> {
        let split = Multisplit::by(self.f);
        split.check(keys.len())?;
        split.check_buffers(keys, keys_out, columns, offsets, self.f.buckets() as usize, &workspace.device)?;
        let (n, by_index) = (keys.len(), self.way == Way::ReducedBitSortByIndex);
        // A workspace of another kind holds nothing of what is needed.
        let wrong_kind = |needed| Err(Error::WorkspaceTooSmall { got: 0, needed });
        match (&mut workspace.room, self.way.rounds()) {
            (Room::ReducedBit(room), None) => {
                reduced_bit::run(self.f, by_index, keys, keys_out, columns, offsets, room)
            }
            (Room::Scan(_, room), Some(rounds)) => {
                scan_split::run(self.f, rounds, keys, keys_out, columns, offsets, room)
            }
            (Room::Scan(..), None) => wrong_kind(reduced_bit::needed(self.f, by_index, n, columns)),
            (Room::ReducedBit(_), Some(rounds)) => {
                wrong_kind(scan_split::needed::<F::Key>(keys.device(), rounds, n, columns))
            }
        }
    }
}
