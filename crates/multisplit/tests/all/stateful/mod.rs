//! Random sequences of calls against a model in plain vectors.
//!
//! Workers share a device and its streams. Each has buffers, offsets and workspaces that it uses again and again:
//! uploads, allocations, splits, sorts, histograms, selections, segments, gathers, copies, writes to parts of them and
//! drops, on any stream, handed from thread to thread, with calls in between that must fail. After every step, or after
//! a few of them so that much is in flight, all that is known of the device's memory is compared with the model, and
//! buffers that nobody writes to must be untouched.
//!
//! `MULTISPLIT_STATEFUL_SECONDS` says how long to go on for each device (10 by default), `MULTISPLIT_STATEFUL_SEED`
//! with which seed to begin.

mod parts;
mod steps;
mod world;

use crate::common::gpu;
use multisplit::{Device, DeviceKind};
use std::time::{Duration, Instant};
use world::{Counts, World};

/// Steps of one world; then another begins with an empty one.
const STEPS: u32 = 120;

fn number(variable: &str, default: u64) -> u64 {
    std::env::var(variable).ok().map_or(default, |text| text.parse().unwrap_or_else(|_| panic!("{variable}: {text}")))
}

fn run(device: &Device) {
    let seconds = Duration::from_secs(number("MULTISPLIT_STATEFUL_SECONDS", 10));
    let first_seed = number("MULTISPLIT_STATEFUL_SEED", 1);
    let workers = if device.info().kind == DeviceKind::Software { 2 } else { 4 };
    let begin = Instant::now();
    let work = |worker: u64| {
        let mut counts = Counts::default();
        let mut seed = first_seed + worker * 1_000_000;
        while begin.elapsed() < seconds {
            let mut world = World::new(device, seed);
            (0..STEPS).take_while(|_| begin.elapsed() < seconds).for_each(|_| world.step());
            world.compare();
            counts.add(&world.counts);
            seed += 1;
        }
        (counts, seed)
    };
    let (mut total, mut ends) = (Counts::default(), Vec::new());
    std::thread::scope(|scope| {
        let handles: Vec<_> = (0..workers).map(|worker| scope.spawn(move || work(worker))).collect();
        for handle in handles {
            let (counts, end) = handle.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic));
            total.add(&counts);
            ends.push(end);
        }
    });
    println!(
        "{}: {:.0} s, {workers} workers, seeds {first_seed} to {ends:?}: {total}",
        device.info(),
        begin.elapsed().as_secs_f64()
    );
    assert!(total.steps() > 0);
}

#[test]
fn on_the_cpu() {
    run(&Device::cpu());
}

#[test]
fn on_a_gpu() {
    if let Some(device) = gpu("stateful") {
        run(device);
    }
}
