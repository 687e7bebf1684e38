//! Sorts: readings by value, the permutation, and a few bits of a key alone.
//!
//! `cargo run --example sort`

use multisplit::{Device, Sort, argsort, sort, sort_pairs};

/// Sorts 100,000 readings, some of which are missing.
pub fn run(device: &Device) -> multisplit::Result<()> {
    let reading = |i: u32| (i.wrapping_mul(2_654_435_761) >> 8) as f32 / 1e5 - 80.0;
    let readings: Vec<f32> = (0..100_000).map(|i| if i % 1000 == 0 { f32::NAN } else { reading(i) }).collect();
    let times: Vec<u32> = (0..100_000).collect();
    println!("on {}:", device.info());

    // NaN comes last: the order is that of `total_cmp`.
    let sorted = sort(device, &readings)?;
    let missing = sorted.iter().rev().take_while(|reading| reading.is_nan()).count();
    println!("  from {} to {}, {missing} missing", sorted[0], sorted[sorted.len() - missing - 1]);
    assert!(missing == 100 && sorted.is_sorted_by(|a, b| a.total_cmp(b).is_le()));

    let by_value = sort_pairs(device, &readings, &times)?;
    println!("  the lowest was read at {}, the second lowest at {}", by_value.values[0], by_value.values[1]);
    assert_eq!(by_value.values, argsort(device, &readings)?);

    // Stable: what was sorted by time stays so within an hour.
    let hours: Vec<u32> = times.iter().map(|time| time / 3600 % 24).collect();
    let by_hour = Sort::new().descending().bits(0..5).sort_with(device, &hours, &times)?;
    println!("  the last hour, {}, began at {}", by_hour.keys[0], by_hour.values[0]);
    assert_eq!((by_hour.keys[0], by_hour.values[0]), (23, 23 * 3600));
    Ok(())
}

#[allow(dead_code)] // the tests call `run`
fn main() -> multisplit::Result<()> {
    run(&Device::best())
}
