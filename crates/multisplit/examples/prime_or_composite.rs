//! A bucket function of your own: primes first, then the rest, as in the paper's first figure.
//!
//! `cargo run --example prime_or_composite`

use multisplit::bucket::prelude::*;
use multisplit::{Device, split};

/// Bucket 0 holds the primes, bucket 1 everything else. Plain Rust on the CPU, a kernel's inner loop on a GPU.
#[bucket_function(buckets = 2)]
fn prime_first(key: u32) -> u32 {
    let mut composite = 0u32;
    if key < 2 {
        composite = 1;
    }
    let mut divisor = 2u32;
    while divisor <= key / divisor {
        if key % divisor == 0 {
            composite = 1;
        }
        divisor += 1;
    }
    composite
}

/// Splits 2..=32 on a device and prints both buckets.
pub fn run(device: &Device) -> multisplit::Result<()> {
    let keys: Vec<u32> = (2..=32).rev().collect();
    let result = split(device, &keys, &PrimeFirst)?;
    println!("on {}:", device.info());
    println!("  primes:     {:?}", result.bucket(0));
    println!("  composites: {:?}", result.bucket(1));
    assert_eq!(result.bucket(0), [31, 29, 23, 19, 17, 13, 11, 7, 5, 3, 2]); // stable: still descending
    assert_eq!(result.bucket(1).len(), 20);
    Ok(())
}

#[allow(dead_code)] // the tests call `run`
fn main() -> multisplit::Result<()> {
    run(&Device::best())
}
