//! What the memory of the device allows, measured in the same run.

use super::options::Options;
use super::provenance::Provenance;
use super::row::Row;
use crate::shared::random;
use crate::shared::timing::{Quartiles, per_call};
use anyhow::{Context, Result};
use multisplit::Buffer;
use multisplit::measure::bandwidth;

/// Entries of a read's sink: one for each of the most cubes that read.
const SINK: usize = 1 << 13;

/// Bytes per second.
#[derive(Clone, Copy)]
pub struct Bandwidths {
    /// Of a copy, which reads and writes.
    pub copy: f64,
    /// Of a read.
    pub read: f64,
}

impl Bandwidths {
    /// Computes the bandwidths from the rows of a copy and of a read of 4-byte words.
    pub fn of(copy: &Row, read: &Row) -> Self {
        let words = |row: &Row| row.n as f64 / (1e-3 * row.ms);
        Self { copy: 8.0 * words(copy), read: 4.0 * words(read) }
    }

    /// Returns the fraction that a split reaches: keys are read twice and written once, values read and written once.
    pub fn fraction_of_split(self, row: &Row) -> Option<f64> {
        let key = bytes_of(row.key.as_deref()?)?;
        let value = row.value.as_deref().map_or(Some(0), bytes_of)?;
        Some(fraction(least_bytes(row.n, key, value), self.copy, row))
    }

    /// Returns the fraction that an operation reaches that only reads its keys.
    pub fn fraction_of_read(self, row: &Row) -> Option<f64> {
        Some(fraction(row.n * bytes_of(row.key.as_deref()?)?, self.read, row))
    }
}

fn fraction(bytes: u64, bandwidth: f64, row: &Row) -> f64 {
    bytes as f64 / bandwidth / (1e-3 * row.ms)
}

/// Returns the bytes that a split must move at least: keys are read twice and written once, values read and written
/// once.
pub fn least_bytes(n: u64, key: u64, value: u64) -> u64 {
    n * (3 * key + 2 * value)
}

/// Times a plain copy of `n` words and a plain read of them, and returns their rows.
pub fn measure(options: &Options, n: usize, provenance: &Provenance) -> Result<[Row; 2]> {
    let device = &options.device;
    let words = random::uniform(n, 1);
    let (from, mut to) = (device.upload(&words)?, device.upload(&vec![0u32; n])?);
    let mut sink = device.upload(&vec![0u32; SINK])?;
    let (mut copies, mut reads) = (Vec::new(), Vec::new());
    // Once more than counts: the first compiles kernels and touches memory.
    for _ in 0..=options.runs {
        copies.push(per_call(device, &mut || bandwidth::copy(&from, &mut to))?);
        reads.push(per_call(device, &mut || bandwidth::read(&from, &mut sink))?);
    }
    let timed = |op, mut times: Vec<f64>| {
        times.remove(0);
        row(n, provenance.row(op, "multisplit")).timed(Quartiles::of(times))
    };
    let sum = words.iter().fold(0u32, |sum, &word| sum.wrapping_add(word));
    Ok([
        Row { verified: to.download()? == words, ..timed("copy", copies) },
        Row { verified: sum_of(&sink)? == sum, ..timed("read", reads) },
    ])
}

/// Returns a row that is about `n` words.
pub fn row(n: usize, row: Row) -> Row {
    Row { n: n as u64, key: Some("u32".into()), ..row }
}

fn sum_of(sink: &Buffer<u32>) -> Result<u32> {
    let parts = sink.download().context("the sink of a read")?;
    Ok(parts.iter().fold(0u32, |sum, &part| sum.wrapping_add(part)))
}

fn bytes_of(name: &str) -> Option<u64> {
    match name {
        "u32" | "f32" => Some(4),
        "u64" => Some(8),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fractions() {
        let measured = Row { n: 1 << 20, ms: 2.0, ..Row::default() };
        let bandwidths = Bandwidths::of(&measured, &measured);
        let row = |key: &str, value: Option<&str>, ms| Row {
            n: 1 << 20,
            key: Some(key.into()),
            value: value.map(Into::into),
            ms,
            ..Row::default()
        };
        // The copy moves 2 words per key in 2 ms, so that n words take 1 ms.
        for (row, expected) in [
            (row("u32", None, 3.0), 1.0),
            (row("u32", Some("u32"), 5.0), 1.0),
            (row("u32", Some("u64"), 14.0), 0.5),
            (row("u64", None, 6.0), 1.0),
            (row("u64", Some("u64"), 10.0), 1.0),
        ] {
            let got = bandwidths.fraction_of_split(&row).unwrap();
            assert!((got - expected).abs() < 1e-9, "{row:?}: {got}");
        }
        for (row, expected) in [(row("f32", None, 4.0), 0.5), (row("u64", None, 4.0), 1.0)] {
            assert_eq!(bandwidths.fraction_of_read(&row), Some(expected));
        }
        assert_eq!(bandwidths.fraction_of_split(&row("u128", None, 1.0)), None);
        assert_eq!(bandwidths.fraction_of_split(&Row::default()), None);
    }
}
