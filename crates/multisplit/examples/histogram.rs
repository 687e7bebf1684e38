//! Histograms: of response times, in even bins, between levels, and by a function of your own.
//!
//! `cargo run --example histogram`

use multisplit::bucket::prelude::*;
use multisplit::{Device, histogram, histogram_even, histogram_range};

/// Bins of doubling width: bin b holds `2^b..2^(b + 1)`. Times below 1 have no bin.
#[bucket_function(buckets = bins)]
fn octaves(key: f32, bins: u32) -> u32 {
    // An id that is not below the number of bins is outside.
    let mut bin = 0xffff_ffffu32;
    let mut octave = 0u32;
    let mut start = 1.0f32;
    while octave < bins {
        if key >= start {
            bin = octave;
        }
        start *= 2.0;
        octave += 1;
    }
    if key >= start {
        bin = bins;
    }
    bin
}

/// Counts 100,000 response times, some of which are missing, in three ways.
pub fn run(device: &Device) -> multisplit::Result<()> {
    let time = |i: u32| 0.5 * f32::exp((i.wrapping_mul(2_654_435_761) >> 20) as f32 / 600.0);
    let times: Vec<f32> = (0..100_000).map(|i| if i % 1000 == 0 { f32::NAN } else { time(i) }).collect();
    println!("on {}:", device.info());

    let even = histogram_even(device, &times, 0.0..200.0, 4)?;
    println!("  50 ms each:              {:?}, outside {}", even.bins, even.outside);
    let range = histogram_range(device, &times, &[0.0, 1.0, 10.0, 100.0, f32::INFINITY])?;
    println!("  up to 1, 10, 100, ∞ ms:  {:?}, missing {}", range.bins, range.outside);
    let octaves = histogram(device, &times, &Octaves { bins: 8 })?;
    println!("  1, 2, 4, … ms:           {:?}, outside {}", octaves.bins, octaves.outside);

    assert_eq!(range.outside, 100); // NaN is in no bin, and not lost
    for counts in [even, range, octaves] {
        assert_eq!(counts.total(), 100_000);
    }
    Ok(())
}

#[allow(dead_code)] // the tests call `run`
fn main() -> multisplit::Result<()> {
    run(&Device::best())
}
