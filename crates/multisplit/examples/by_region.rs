//! A bucket function that reads a buffer: customers go to the region that a table names, big spenders apart.
//!
//! `cargo run --example by_region`

use multisplit::bucket::prelude::*;
use multisplit::{Device, Multisplit};

/// Keys are customer numbers. Each region has two buckets: customers below `vip_from`, and the others.
#[bucket_function(buckets = 2 * regions)]
fn by_region(key: u32, regions: u32, vip_from: u32, region_of: &Table<u32>) -> u32 {
    let mut bucket = region_of.get(key);
    if key >= vip_from {
        bucket += regions;
    }
    bucket
}

/// Splits orders, with what was paid, by the region of their customers.
pub fn run(device: &Device) -> multisplit::Result<()> {
    let region_of: Vec<u32> = (0..1000).map(|customer| customer * 7 % 3).collect();
    let f = ByRegion { regions: 3, vip_from: 900, region_of: Table::new(region_of)? };
    let customers: Vec<u32> = (0..100_000u32).map(|i| i.wrapping_mul(2_654_435_761) % 1000).collect();
    let paid: Vec<f64> = customers.iter().map(|&customer| f64::from(customer) / 4.0).collect();

    let orders = Multisplit::by(&f).split_with(device, &customers, &paid)?;
    println!("on {}:", device.info());
    for bucket in 0..orders.buckets() {
        let total: f64 = orders.values[orders.range(bucket)].iter().sum();
        let who = if bucket < 3 { "customers" } else { "big spenders" };
        println!("  region {}, {who}: {} orders, {total:.2}", bucket % 3, orders.range(bucket).len());
        assert!(orders.bucket(bucket).iter().all(|&customer| f.bucket(customer) == bucket as u32));
    }
    assert!(orders.keys.iter().zip(&orders.values).all(|(&customer, &paid)| paid == f64::from(customer) / 4.0));
    Ok(())
}

#[allow(dead_code)] // the tests call `run`
fn main() -> multisplit::Result<()> {
    run(&Device::best())
}
