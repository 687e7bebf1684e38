//! Memory that other code has allocated, as kernels are given it.
//!
//! CubeCL takes no address: a kernel's argument is a handle of memory that CubeCL has allocated, and an offset. So
//! there is an *anchor*, a few bytes that CubeCL has allocated and whose address is known, and other memory is a handle
//! of these with the distance as its offset. CubeCL adds offsets to the address and to the size of the memory, and looks
//! at neither: sums wrap, so that memory below the anchor can be reached, too. Where CubeCL is compiled with checks of
//! overflow it would panic instead; that is tried beforehand ([`sums_wrap`]).

use super::allocation::Located;
use super::client::Gpu;
use super::memory::Memory;
use crate::error::Result;
use cubecl::prelude::*;
use cubecl::server::Handle;
use cubecl::stream_id::StreamId;
use std::panic::catch_unwind;
use std::sync::OnceLock;

/// A few bytes on a GPU, and their address.
pub(crate) struct Anchor {
    handle: Handle,
    address: u64,
}

/// What allocations begin at multiples of, for the alignment of what is reached from one.
const ALIGNMENT: u64 = 256;

impl<R: Runtime> Gpu<R>
where
    Self: Located,
{
    /// `bytes` bytes at an address of the GPU, to be used on this stream; nothing if CubeCL cannot be given them.
    ///
    /// # Safety
    /// They can be used in CubeCL's context for as long as the memory exists, and until what was submitted with it has
    /// run.
    pub unsafe fn foreign(&self, address: u64, bytes: usize) -> Result<Option<Memory>> {
        if !sums_wrap() {
            return Ok(None);
        }
        let anchor = match self.anchor.get() {
            Some(anchor) => anchor,
            None => {
                let handle = self.server.ask(|| self.client.empty(ALIGNMENT as usize))?;
                let address = self.locate(&handle)?.start;
                self.anchor.get_or_init(|| Anchor { handle, address })
            }
        };
        Ok(anchor.reach(address, bytes as u64).map(|handle| self.own(handle)))
    }
}

impl Anchor {
    /// A handle of so many bytes at an address.
    fn reach(&self, address: u64, bytes: u64) -> Option<Handle> {
        if !self.address.is_multiple_of(ALIGNMENT) {
            return None;
        }
        let offset = address.wrapping_sub(self.address);
        // Where the memory of the handle ends: with these bytes, or for an offset below 0 with the last that there can be.
        let size = offset.saturating_add(bytes);
        let behind = (size - offset).checked_sub(bytes)?;
        let mut handle = Handle::from_memory(self.handle.memory.clone(), self.handle.stream, size);
        (handle.offset_start, handle.offset_end) = (Some(offset), Some(behind));
        Some(handle)
    }
}

/// Whether sums of offsets wrap in CubeCL, as they do unless it is compiled with checks of overflow.
fn sums_wrap() -> bool {
    static WRAP: OnceLock<bool> = OnceLock::new();
    let add = || Handle::new(StreamId { value: 0 }, 1).offset_start(u64::MAX).offset_start(1).offset_start;
    *WRAP.get_or_init(|| catch_unwind(add).is_ok_and(|sum| sum == Some(0)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn above_and_below() {
        let handle = Handle::new(StreamId { value: 3 }, ALIGNMENT);
        let anchor = Anchor { handle, address: 1 << 20 };
        for address in [(1 << 20) + 4096, 1 << 20, 1 << 19, 16] {
            let handle = anchor.reach(address, 100).unwrap();
            let (start, end) = (handle.offset_start.unwrap(), handle.offset_end.unwrap());
            assert_eq!(start.wrapping_add(1 << 20), address);
            assert_eq!(handle.size() - start - end, 100);
        }
        assert!(anchor.reach((1 << 20) - 100, 100).is_none(), "there is no number for the end");
        assert!(anchor.reach((1 << 20) - 101, 100).is_some());
    }
}
