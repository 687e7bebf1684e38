//! The speed of light: what the memory of the device allows, measured in the same run.

use super::cases::least_bytes;
use super::provenance::Provenance;
use super::row::Row;
use super::setting::Setting;
use crate::shared::random;
use crate::shared::timing::{median, per_call};
use anyhow::{Context, Result};
use multisplit::Buffer;
use multisplit::measure::bandwidth;

/// Entries of a read's sink: as many cubes can read.
const SINK: usize = 1 << 13;

/// A plain copy of n words and a plain read of them, as rows.
pub struct Light {
    pub copy: Row,
    pub read: Row,
}

impl Light {
    pub fn measure(setting: &Setting, n: usize, provenance: &Provenance) -> Result<Self> {
        let device = &setting.device;
        let words = random::uniform(n, 1);
        let (from, mut to) = (device.upload(&words)?, device.upload(&vec![0u32; n])?);
        let mut sink = device.upload(&vec![0u32; SINK])?;
        let (mut copies, mut reads) = (Vec::new(), Vec::new());
        // Once more than counts: the first compiles kernels and touches memory.
        for _ in 0..=setting.runs {
            copies.push(per_call(device, &mut || bandwidth::copy(&from, &mut to))?);
            reads.push(per_call(device, &mut || bandwidth::read(&from, &mut sink))?);
        }
        let row = |op, mut times: Vec<f64>| {
            times.remove(0);
            Row { n: n as u64, key: Some("u32".into()), ..provenance.row(op, "multisplit") }.timed(median(times))
        };
        let sum = words.iter().fold(0u32, |sum, &word| sum.wrapping_add(word));
        Ok(Self {
            copy: Row { verified: to.download()? == words, ..row("copy", copies) },
            read: Row { verified: sum_of(&sink)? == sum, ..row("read", reads) },
        })
    }

    /// Bytes per second that a copy moves: it reads and writes.
    pub fn bandwidth(&self) -> f64 {
        8.0 * self.copy.n as f64 / (1e-3 * self.copy.ms)
    }

    /// Bytes per second that a read reads.
    pub fn read_bandwidth(&self) -> f64 {
        4.0 * self.read.n as f64 / (1e-3 * self.read.ms)
    }
}

fn sum_of(sink: &Buffer<u32>) -> Result<u32> {
    let parts = sink.download().context("the sink of a read")?;
    Ok(parts.iter().fold(0u32, |sum, &part| sum.wrapping_add(part)))
}

/// How close `seconds` come to what `bandwidth` (bytes per second) allows for the `bytes` that must move.
pub fn fraction(bytes: u64, bandwidth: f64, seconds: f64) -> f64 {
    bytes as f64 / bandwidth / seconds
}

/// The same for a row that says itself what it moved.
pub fn fraction_of(row: &Row, bandwidth: f64) -> Option<f64> {
    let key = bytes_of(row.key.as_deref()?)?;
    let value = row.value.as_deref().map_or(Some(0), bytes_of)?;
    Some(fraction(least_bytes(row.n, key, value), bandwidth, 1e-3 * row.ms))
}

/// The same for a row of something that only reads its keys; `bandwidth` is that of a read.
pub fn fraction_of_read(row: &Row, bandwidth: f64) -> Option<f64> {
    Some(fraction(row.n * bytes_of(row.key.as_deref()?)?, bandwidth, 1e-3 * row.ms))
}

fn bytes_of(kind: &str) -> Option<u64> {
    match kind {
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
        let light = Light { copy: Row { n: 1 << 20, ms: 2.0, ..Row::default() }, read: Row::default() };
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
            let got = fraction_of(&row, light.bandwidth()).unwrap();
            assert!((got - expected).abs() < 1e-9, "{row:?}: {got}");
        }
        let light = Light { read: Row { n: 1 << 20, ms: 2.0, ..Row::default() }, ..light };
        for (row, expected) in [(row("f32", None, 4.0), 0.5), (row("u64", None, 4.0), 1.0)] {
            assert_eq!(fraction_of_read(&row, light.read_bandwidth()), Some(expected));
        }
        assert_eq!(fraction_of(&row("u128", None, 1.0), light.bandwidth()), None);
        assert_eq!(fraction_of(&Row::default(), light.bandwidth()), None);
    }
}
