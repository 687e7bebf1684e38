//! The hash that strings are split by.

/// Hashes a string: FNV-1a, and a mix of its bits. The same in every version, so that equal strings of several files
/// are in the same bucket.
pub fn hash(text: &[u8]) -> u64 {
    let step = |hash: u64, &byte: &u8| (hash ^ u64::from(byte)).wrapping_mul(0x100_0000_01b3);
    let hash = text.iter().fold(0xcbf2_9ce4_8422_2325, step);
    let hash = (hash ^ (hash >> 32)).wrapping_mul(0xd6e8_feb8_6659_fd93);
    hash ^ (hash >> 32)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn hashes_stay() {
        assert_eq!(hash(b""), 0xfdbd_f6ac_4fc5_2e7f);
        assert_eq!(hash(b"apple"), 0x5cb7_2f4d_81af_24cc);
    }
}
