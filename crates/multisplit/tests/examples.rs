//! The examples run as tests, on every back end.

mod common;

#[path = "../examples/by_region.rs"]
mod by_region;
#[path = "../examples/prime_or_composite.rs"]
mod prime_or_composite;

use multisplit::{Device, Result};

fn everywhere(test: &str, run: impl Fn(&Device) -> Result<()>) {
    run(&Device::cpu()).unwrap();
    if let Some(device) = common::gpu(test) {
        run(device).unwrap();
    }
}

#[test]
fn example_prime_or_composite() {
    everywhere("example_prime_or_composite", prime_or_composite::run);
}

#[test]
fn example_by_region() {
    everywhere("example_by_region", by_region::run);
}
