//! Files of tests: where they are, and what is in them.
#![allow(dead_code)] // Every test program uses a part of it.

use std::io::Write;
use std::path::{Path, PathBuf};

/// A file of a test's own.
pub fn file(name: &str) -> PathBuf {
    Path::new(env!("CARGO_TARGET_TMPDIR")).join(name)
}

/// Writes a file of a test's own.
pub fn write(name: &str, bytes: impl AsRef<[u8]>) -> PathBuf {
    let path = file(name);
    std::fs::write(&path, bytes).unwrap();
    path
}

/// Compresses as well as gzip can.
pub fn gzip(bytes: &[u8]) -> Vec<u8> {
    let mut encoder = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::best());
    encoder.write_all(bytes).unwrap();
    encoder.finish().unwrap()
}

/// Compresses as xz does.
pub fn xz(bytes: &[u8]) -> Vec<u8> {
    let mut encoder = lzma_rust2::XzWriter::new(Vec::new(), lzma_rust2::XzOptions::with_preset(3)).unwrap();
    encoder.write_all(bytes).unwrap();
    encoder.finish().unwrap()
}

/// The checksum of a part of a binary graph.
pub fn checksum(bytes: &[u8]) -> [u8; 8] {
    let add = |sum: u64, word: &[u8; 4]| {
        (sum.rotate_left(23) ^ u64::from(u32::from_le_bytes(*word))).wrapping_mul(0x9e37_79b9_7f4a_7c15)
    };
    bytes.as_chunks::<4>().0.iter().fold(1, add).to_le_bytes()
}
