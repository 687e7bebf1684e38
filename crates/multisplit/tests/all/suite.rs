//! One suite, instantiated for every back end and method.

use crate::common::{Way, all_cases, cases, check, check_keys, gpu, is_slow, plane_size};
use multisplit::bucket::{Delta, Identity};
use multisplit::{Device, DeviceKind, Method, Policy};
use test_support::{distributions, uniform};

const BUCKETS: [u32; 16] = [1, 2, 3, 5, 7, 8, 31, 32, 33, 63, 64, 65, 100, 128, 255, 256];

/// Those between and beside others of as many bits.
const OTHERS: [u32; 8] = [2, 5, 7, 31, 63, 65, 128, 255];

macro_rules! suite {
    ($name:ident, $way:expr) => {
        mod $name {
            use super::*;

            #[test]
            fn every_size_up_to_a_few_small_tiles() {
                let Some(way) = $way(concat!(stringify!($name), "::every_size_up_to_a_few_small_tiles")) else {
                    return;
                };
                super::every_size(way);
            }

            #[test]
            fn every_bucket_count_and_distribution() {
                let Some(way) = $way(concat!(stringify!($name), "::every_bucket_count_and_distribution")) else {
                    return;
                };
                super::every_distribution(way);
            }

            #[test]
            fn large_tiles() {
                let Some(way) = $way(concat!(stringify!($name), "::large_tiles")) else { return };
                super::large_tiles(way);
            }

            #[test]
            fn sizes_around_powers_of_two() {
                let Some(way) = $way(concat!(stringify!($name), "::sizes_around_powers_of_two")) else { return };
                super::powers_of_two(way);
            }
        }
    };
}

fn cpu(_: &str) -> Option<Way<'static>> {
    static CPU: std::sync::OnceLock<Device> = std::sync::OnceLock::new();
    Some(Way::new(CPU.get_or_init(Device::cpu), Method::Auto))
}

suite!(cpu_back_end, cpu);
suite!(gpu_auto, |test| gpu(test).map(|device| Way::new(device, Method::Auto)));
suite!(gpu_direct, |test| gpu(test).map(|device| Way::new(device, Method::Direct)));
suite!(gpu_warp_level, |test| gpu(test).map(|device| Way::new(device, Method::WarpLevel)));
suite!(gpu_block_level, |test| gpu(test).map(|device| Way::new(device, Method::BlockLevel)));

/// Exhaustive around tile boundaries, where a tile is small enough to cross several.
fn every_size(way: Way<'_>) {
    let keys = uniform(600, 1);
    for (planes, items) in [(1, 1), (2, 3)] {
        // Some devices take their time: with them, every size of a few tiles, and later those around whole planes, and
        // some.
        let (first, step) = match way.device.info().kind {
            _ if all_cases() => (keys.len(), 1),
            DeviceKind::Software => ((planes * items * plane_size(way.device)) as usize * 5 / 2, 31),
            _ if is_slow(way.device) => (20, 41),
            _ => (keys.len(), 1),
        };
        let way = way.shaped(Policy::new(planes, items, 1));
        for m in [2, 5] {
            for n in (0..=keys.len()).filter(|&n| n <= first || n % step == 0 || (n + 1) % 32 < 3) {
                check_keys(&way, &keys[..n], &Delta::whole(m.min(way.max_buckets())).unwrap());
            }
        }
    }
}

fn every_distribution(way: Way<'_>) {
    // Emulated CUDA takes as long to split as others to compile; software Vulkan has all numbers of buckets.
    let emulated = is_slow(way.device) && way.device.info().kind == DeviceKind::Cuda && !all_cases();
    let some = BUCKETS.into_iter().filter(|&m| m <= way.max_buckets() && !(emulated && OTHERS.contains(&m)));
    for m in some {
        for (name, ids) in distributions(10_007, m, u64::from(m)) {
            println!("{name}, m = {m}");
            check_keys(&way, &ids, &Identity::new(m));
        }
    }
}

/// The shapes that real GPUs use, with odd numbers of keys per unit among them.
fn large_tiles(way: Way<'_>) {
    let keys = uniform(50_021, 3);
    // A software device has 32 KiB of shared memory, for the keys of each unit and the counters of each plane.
    let planes = match way.device.info().kind {
        DeviceKind::Software => (32 / plane_size(way.device)).min(4),
        _ => 8,
    };
    // What is unrolled takes software devices long to compile; emulated CUDA has the shapes of real GPUs.
    let (even, odd) = match way.device.info().kind {
        DeviceKind::Software if !all_cases() => (4, 3),
        _ => (16, 11),
    };
    for (planes, items) in [(planes, even), (planes.div_ceil(2), odd)] {
        for m in [3, 256].into_iter().filter(|&m| m <= way.max_buckets()) {
            check(&way.shaped(Policy::new(planes, items, 3)), &keys, &Delta::whole(m).unwrap());
        }
    }
}

fn powers_of_two(way: Way<'_>) {
    let keys = uniform((1 << 18) + 1, 2);
    for &log in cases(way.device, &[5, 8, 10, 12, 14, 16, 18], &[5, 8, 10, 12, 14, 17]) {
        for n in [(1 << log) - 1, 1 << log, (1 << log) + 1] {
            for m in [2, 8, 256].into_iter().filter(|&m| m <= way.max_buckets()) {
                check(&way, &keys[..n], &Delta::whole(m).unwrap());
            }
        }
    }
}
