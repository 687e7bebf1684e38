//! Ranges of a key's bits.

use super::key::FileKey;
use anyhow::{Result, ensure};
use std::ops::Range;

/// Refuses bits that keys of this type do not have. What they are moved as may have more.
pub fn check<K: FileKey>(bits: &Range<u32>) -> Result<()> {
    let width = width::<K>();
    ensure!(bits.start <= bits.end, "--bits {bits:?} end before they begin");
    ensure!(bits.end <= width, "--bits {bits:?} do not lie within the {width} bits of {} keys", K::KIND);
    Ok(())
}

pub fn width<K: FileKey>() -> u32 {
    8 * size_of::<K>() as u32
}
