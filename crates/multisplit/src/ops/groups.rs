//! Groups of whole blocks.

use crate::cpu;
use crate::device::{Device, dispatch};
use crate::error::{Error, Result};
#[cfg(feature = "gpu")]
use crate::gpu::PadGroups;
use crate::memory::aliasing::{Part, Role, check_apart};
use crate::memory::buffer::Buffer;
use crate::memory::offsets::{NO_GROUP, Offsets};
use crate::memory::slice::BufferSlice;
use crate::memory::slice_mut::BufferSliceMut;

/// The buckets of a split as groups that begin at multiples of a block, on a device.
///
/// Kernels that work block by block, such as those of a mixture of experts, want every block to be of one group. The
/// start of each bucket is rounded up to a multiple of the block's size, and what is between the end of a bucket and
/// the start of the next is padding:
///
/// ```
/// use multisplit::{Column, Device, Multisplit, PaddedGroups, bucket::Identity};
/// const NONE: u32 = PaddedGroups::NONE;
/// let device = Device::best();
/// let f = Identity::new(3);
/// let split = Multisplit::by(&f);
/// let expert_of_token = device.upload(&[2u32, 0, 2, 2])?;
/// let (mut sorted, mut permutation) = (device.alloc(4)?, device.alloc(4)?);
/// let mut offsets = split.offsets(&device)?;
/// let mut workspace = split.workspace(&device, 4, 1)?;
/// let columns = &mut [Column::permutation(&mut permutation)];
/// split.enqueue(&expert_of_token, &mut sorted, columns, &mut offsets, &mut workspace)?;
///
/// let mut groups = PaddedGroups::new(&device, 4, 3, 2)?; // up to 4 elements, 3 groups, blocks of 2
/// groups.enqueue(&offsets, &permutation)?;
/// assert_eq!(groups.starts().download()?, [0, 2, 2, 6]);
/// assert_eq!(groups.group_of_block().download()?[..3], [0, 2, 2]);
/// assert_eq!(groups.index().download()?[..6], [1, NONE, 0, 2, 3, NONE]);
/// # Ok::<(), multisplit::Error>(())
/// ```
///
/// Nothing is copied to the host, or waited for. How many blocks there are is known on the device alone: their number
/// is the last of the starts, divided by the size of a block. There are at most [`PaddedGroups::blocks`].
#[derive(Debug)]
pub struct PaddedGroups {
    /// Elements that there is room for.
    n: usize,
    /// Elements of a block.
    block: u32,
    /// What padding is in the index.
    padding: u32,
    starts: Buffer<u32>,
    group_of_block: Buffer<u32>,
    index: Buffer<u32>,
    /// For sums of parts of the starts.
    #[cfg(feature = "gpu")]
    sums: Buffer<u32>,
}

impl PaddedGroups {
    /// The element of padding by default, and the group of a block beyond the last.
    pub const NONE: u32 = NO_GROUP;

    /// Reserves memory for groups of splits of up to `n` elements into up to `m` buckets (of all segments together), in
    /// blocks of `block` elements.
    ///
    /// # Errors
    /// [`Error::InvalidBlock`] if `block` is 0; [`Error::TooManyKeys`] if there could be 2^32 - 1 or more elements with
    /// padding; [`Error::OutOfMemory`].
    pub fn new(device: &Device, n: usize, m: usize, block: u32) -> Result<Self> {
        if block == 0 {
            return Err(Error::InvalidBlock);
        }
        // Each bucket that has elements has at most one block that is not full.
        let blocks = (n / block as usize).saturating_add(m.min(n));
        let padded = blocks.saturating_mul(block as usize);
        if padded >= u32::MAX as usize || m >= u32::MAX as usize {
            return Err(Error::TooManyKeys { n: padded.max(m) });
        }
        let mut starts = device.alloc(m + 1)?;
        starts.set_len(1)?;
        Ok(Self {
            n,
            block,
            padding: Self::NONE,
            starts,
            group_of_block: device.alloc(blocks)?,
            index: device.alloc(padded)?,
            #[cfg(feature = "gpu")]
            sums: dispatch!(device, _gpu => device.alloc(PadGroups::parts(m as u32) as usize)?, cpu => device.alloc(0)?),
        })
    }

    /// Has padding be another number in the [index](Self::index) than [`PaddedGroups::NONE`], such as the number of
    /// elements, which kernels of a mixture of experts compare with.
    ///
    /// ```
    /// use multisplit::{Column, Device, Multisplit, PaddedGroups, bucket::Identity};
    /// let (device, f) = (Device::best(), Identity::new(2));
    /// let split = Multisplit::by(&f);
    /// let expert_of_token = device.upload(&[1u32, 0, 1])?;
    /// let mut permutation = device.alloc(3)?;
    /// let (mut offsets, mut workspace) = (split.offsets(&device)?, split.workspace(&device, 3, 1)?);
    /// let columns = &mut [Column::permutation(&mut permutation)];
    /// split.enqueue_columns(&expert_of_token, columns, &mut offsets, &mut workspace)?;
    /// let mut groups = PaddedGroups::new(&device, 3, 2, 2)?.with_padding(3);
    /// groups.enqueue(&offsets, &permutation)?;
    /// assert_eq!(groups.index().download()?[..4], [1, 3, 0, 2]);
    /// # Ok::<(), multisplit::Error>(())
    /// ```
    #[must_use]
    pub fn with_padding(self, padding: u32) -> Self {
        Self { padding, ..self }
    }

    /// Makes groups of the buckets of a split, on the stream of these groups. `permutation` is that of the split.
    ///
    /// # Errors
    /// [`Error::WrongDevice`]; [`Error::OutputTooSmall`] if the split has more elements or buckets than there is room
    /// for; [`Error::LengthMismatch`] if the permutation has fewer elements than the split.
    pub fn enqueue<'a>(&mut self, offsets: &Offsets, permutation: impl Into<BufferSlice<'a, u32>>) -> Result<()> {
        let permutation = permutation.into();
        let device = self.starts.device().clone();
        device.check_same("the offsets", offsets.device())?;
        device.check_same("the permutation", permutation.device())?;
        let (n, m) = (offsets.keys(), offsets.buckets());
        if n > self.n {
            return Err(Error::OutputTooSmall { what: "the groups' index".into(), got: self.n, needed: n });
        }
        if permutation.len() < n {
            let what = "the permutation".into();
            return Err(Error::LengthMismatch { what, got: permutation.len(), keys: n });
        }
        // After this they hold starts of m groups.
        self.starts.set_len(m + 1)?;
        let blocks = self.group_of_block.len() as u32;
        #[cfg(feature = "gpu")]
        let sums = BufferSliceMut::from(&mut self.sums);
        let mut starts = BufferSliceMut::from(&mut self.starts);
        let mut group_of_block = BufferSliceMut::from(&mut self.group_of_block);
        let mut index = BufferSliceMut::from(&mut self.index);
        let outputs = [starts.region(), group_of_block.region(), index.region()];
        let outputs = outputs.into_iter().map(|region| (Role::Out(Part::Groups), region));
        check_apart(std::iter::once((Role::In(Part::Permutation), permutation.region())).chain(outputs))?;
        dispatch!(device,
        gpu => PadGroups {
            m: m as u32,
            n: n as u32,
            block: self.block,
            padding: self.padding,
            offsets: offsets.read_on(gpu)?,
            permutation: permutation.region().reads(gpu)?,
            starts: starts.region().writes(gpu)?,
            group_of_block: group_of_block.region().writes(gpu)?,
            blocks,
            index: index.region().writes(gpu)?,
            sums: sums.region().writes(gpu)?,
        }
        .launch(gpu),
        cpu => {
            let permutation = &permutation.as_slice().unwrap_or_default()[..n];
            let starts = starts.as_mut_slice().unwrap_or_default();
            let group_of_block = group_of_block.as_mut_slice().unwrap_or_default();
            let index = index.as_mut_slice().unwrap_or_default();
            let _ = blocks;
            let (block, padding) = (self.block as usize, self.padding);
            cpu::pad_groups(offsets.on_cpu()?, permutation, block, padding, starts, group_of_block, index);
            Ok(())
        })
    }

    /// Where each group begins, and where the last one ends: m + 1 multiples of the block's size.
    pub fn starts(&self) -> &Buffer<u32> {
        &self.starts
    }

    /// The group of each block; [`PaddedGroups::NONE`] for blocks beyond the last.
    pub fn group_of_block(&self) -> &Buffer<u32> {
        &self.group_of_block
    }

    /// The index of each element in the input of the split; [`PaddedGroups::NONE`] for padding, or
    /// what [`with_padding`](Self::with_padding) says.
    pub fn index(&self) -> &Buffer<u32> {
        &self.index
    }

    /// The three buffers, for good: [`starts`](Self::starts), [`group_of_block`](Self::group_of_block) and
    /// [`index`](Self::index).
    pub fn into_buffers(self) -> [Buffer<u32>; 3] {
        [self.starts, self.group_of_block, self.index]
    }

    /// The number of blocks that there is room for.
    pub fn blocks(&self) -> usize {
        self.group_of_block.len()
    }

    /// The number of elements of a block.
    pub fn block(&self) -> u32 {
        self.block
    }
}
