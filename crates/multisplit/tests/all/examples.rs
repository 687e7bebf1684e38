//! The examples run as tests, on every back end.

#[path = "../../examples/by_region.rs"]
mod by_region;
#[path = "../../examples/experts.rs"]
mod experts;
#[path = "../../examples/histogram.rs"]
mod histogram;
#[path = "../../examples/prime_or_composite.rs"]
mod prime_or_composite;
#[path = "../../examples/sort.rs"]
mod sort;

use crate::common::everywhere;

#[test]
fn example_prime_or_composite() {
    everywhere("example_prime_or_composite", |device| prime_or_composite::run(device).unwrap());
}

#[test]
fn example_histogram() {
    everywhere("example_histogram", |device| histogram::run(device).unwrap());
}

#[test]
fn example_sort() {
    everywhere("example_sort", |device| sort::run(device).unwrap());
}

#[test]
fn example_by_region() {
    everywhere("example_by_region", |device| by_region::run(device).unwrap());
}

#[test]
fn example_experts() {
    everywhere("example_experts", |device| experts::run(device).unwrap());
}
