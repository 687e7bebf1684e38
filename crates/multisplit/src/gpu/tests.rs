//! What cannot be provoked from outside: a device that lies about itself.

use super::Request;
use super::primitives::plane;
use super::split::payload::Payload;
use super::tuning::blueprint::Blueprint;
use super::tuning::course::Course;
use super::tuning::plan::SplitPlan;
use super::tuning::{room, segment_shapes, selector};
use crate::bucket::Identity;
use crate::device::{Backend, Device};
use crate::request::outputs::Outputs;
use crate::request::segments::Segments;
use crate::runtime::{Dialect, Facts, Gpu, Server, Slice, Span};
use crate::{DeviceKind, Error, Method, Policy};
use cubecl::prelude::Runtime;
use cubecl::stream_id::StreamId;
use std::sync::Arc;
use std::sync::atomic::{AtomicU32, AtomicU64, Ordering};

/// The software device. `./test` sets `MULTISPLIT_REQUIRE_GPU` and sees that there is one, except on macOS, which has
/// none.
fn software() -> Option<Device> {
    let found = Device::list().into_iter().find(|info| info.kind == DeviceKind::Software);
    let required = std::env::var_os("MULTISPLIT_REQUIRE_GPU").is_some() && !cfg!(target_os = "macos");
    assert!(found.is_some() || !required, "there is no software Vulkan device, and MULTISPLIT_REQUIRE_GPU is set");
    Device::open(&found?.name).ok()
}

fn split_on<R: Runtime>(gpu: &Gpu<R>, policy: Policy, method: Method) -> Result<Vec<usize>, Error> {
    let f = Identity::<u32>::new(4);
    let keys: Vec<u32> = (0..1000).map(|i| i % 4).collect();
    let mut out = vec![0; keys.len()];
    let to = Outputs { keys: &mut out, columns: &mut [], permutation: None };
    super::split::enqueue::split_slices(gpu, &Request { method, policy: Some(policy), ..Request::by(&f, 4) }, &keys, to)
}

/// The software device with other facts than the true ones, and no kernel seen to run.
pub(super) fn lying(change: impl Fn(&mut Facts)) -> Option<Gpu<cubecl::wgpu::WgpuRuntime>> {
    let device = software()?;
    let Backend::Wgpu(gpu) = device.backend() else { return None };
    let mut facts = gpu.facts.clone();
    change(&mut facts);
    let server = Server::new("liar", gpu.client().clone());
    // On a stream of its own, so that what fails there is nobody else's error.
    static STREAMS: AtomicU64 = AtomicU64::new(1 << 41);
    let stream = StreamId { value: STREAMS.fetch_add(1, Ordering::Relaxed) };
    Some(Gpu::new("liar".into(), Arc::new(server), facts, stream))
}

/// A driver that runs a kernel with another plane size than it was compiled for is caught, and nothing is written.
#[test]
fn planes_of_another_size_are_caught() {
    let Some(gpu) = lying(|facts| facts.plane = if facts.plane == 16 { 32 } else { 16 }) else { return };
    for method in Method::ALL {
        let error = split_on(&gpu, Policy::new(1, 1, 1), method).unwrap_err();
        let capability = match &error {
            Error::MissingCapability { capability, .. } => capability,
            other => panic!("{other}"),
        };
        assert!(capability.contains("a fixed plane size"), "{error}");
    }
}

/// So is one that splits segments, whether they are cut or not.
#[test]
fn planes_of_another_size_are_caught_in_segments() {
    let Some(gpu) = lying(|facts| facts.plane = if facts.plane == 16 { 32 } else { 16 }) else { return };
    let keys: Vec<u32> = (0..1000).map(|i| i % 4).collect();
    for (m, offsets) in [(4, [0, 500, 1000]), (4, [0, 10, 1000]), (300, [0, 500, 1000])] {
        let f = Identity::<u32>::new(m);
        let mut out = vec![0; keys.len()];
        let to = Outputs { keys: &mut out, columns: &mut [], permutation: None };
        let segments = Segments::new(&offsets, keys.len(), m).unwrap();
        let request = Request { policy: Some(Policy::new(2, 16, 1)), ..Request::by(&f, m) };
        let error = super::segments::split_slices(&gpu, &request, &keys, segments, to).unwrap_err();
        assert!(error.to_string().contains("a fixed plane size"), "{error}");
    }
}

/// A kernel that cannot be launched is an error, not a result full of zeros.
#[test]
fn a_launch_that_fails_is_reported() {
    let Some(gpu) = lying(|facts| facts.shared_memory = 1 << 20) else { return };
    let error = split_on(&gpu, Policy::new(4, 64, 1), Method::BlockLevel);
    assert!(error.is_ok(), "this one still fits: {error:?}");
    let error = split_on(&gpu, Policy::new(16, 64, 1), Method::BlockLevel).unwrap_err();
    assert!(matches!(error, Error::KernelFailed { .. }), "{error}");
    assert!(error.to_string().contains("shared memory"), "{error}");
    // The device works on.
    assert!(split_on(&gpu, Policy::new(1, 1, 1), Method::BlockLevel).is_ok());
}

/// A launch that leaves no trace is an error, every time; one that does is not looked at again.
#[test]
fn launches_that_are_lost() {
    use crate::memory::result::split_ran;
    use crate::runtime::{FirstRun, LOST};
    let Some(gpu) = lying(|_| ()) else { return };
    let memory = gpu.upload(&[0u32; 8]).unwrap();
    let result = gpu.writes::<u32>(&memory).unwrap();
    let first_run = FirstRun { kernel: "nothing", variants: &[1, 2] };
    for _ in 0..2 {
        let lost = first_run.watch(&gpu, &result, || Ok(()), |words| split_ran(words, 3, 5)).unwrap_err();
        assert!(
            matches!(&lost, Error::KernelFailed { kernel, reason, .. } if kernel == "prescan (nothing)" && reason == LOST)
        );
        let lost = first_run.rehearse(&gpu, || Ok(false)).unwrap_err();
        assert!(matches!(&lost, Error::KernelFailed { kernel, .. } if kernel == "nothing"), "{lost}");
        assert!(!first_run.is_over(&gpu));
    }
    first_run.rehearse(&gpu, || Ok(true)).unwrap();
    assert!(first_run.is_over(&gpu));
    first_run.rehearse(&gpu, || panic!("it is trusted")).unwrap();
}

/// Launches are counted from 1 again when words cannot carry a larger number, and nothing is left of those before.
#[test]
fn launch_numbers_start_over() {
    use super::published::Published;
    use super::split::published_sums::LAUNCHES;
    let Some(gpu) = lying(|_| ()) else { return };
    for (last, left) in [(0, 0), (LAUNCHES - 1, 7), (LAUNCHES, 0)] {
        let memory = gpu.upload(&[7u32; 4]).unwrap();
        let words = gpu.writes::<u32>(&memory).unwrap();
        let published = Published::new(words.clone(), Arc::new(AtomicU32::new(last)));
        assert_eq!(published.next_launch(&gpu).unwrap(), if left == 0 { 1 } else { LAUNCHES });
        assert_eq!(gpu.read(&words).unwrap(), [left; 4]);
        assert_eq!(published.next_launch(&gpu).unwrap(), if left == 0 { 2 } else { 1 });
        assert_eq!(gpu.read(&words).unwrap(), [0; 4]);
    }
}

/// Cubes find what others have published. Where they run one after the other, the first one gives up; but a launch with
/// the number of the one before finds its words: its counts the second time, and its sums the third.
#[test]
fn sums_of_other_cubes() {
    use super::request::plan;
    use super::split::published_sums::{SUM_BITS, words};
    use super::split::{Job, pass_fusion::Fusion, split};
    use super::table::Table;
    use super::workspace::{Arena, Scratch};
    use crate::memory::result::{read_result, result_words};
    use crate::method::Stage;
    let Some(gpu) = lying(|facts| (facts.software, facts.processors) = (false, 60)) else { return };
    for (n, m) in [(20_011u32, 3u32), (20_011, 256), (17_000, 200)] {
        let keys: Vec<u32> = (0..n).map(|i| (i.wrapping_mul(0x9e37_79b9) >> 16) % m).collect();
        let mut expected = keys.clone();
        expected.sort();
        let f = Identity::<u32>::new(m);
        let plan = plan(&gpu, &Request::by(&f, m), &f, keys.len(), m, (0, 0, false)).unwrap();
        assert_eq!(plan.course, Course::Published);
        let arena = Arena::new(&gpu, plan.needs().bytes(&gpu)).unwrap();
        let scratch = Scratch::cut(&mut arena.cut(&gpu, usize::MIN).unwrap(), &plan.needs()).unwrap();
        let result = gpu.writes(&gpu.allocate(4 * result_words(m)).unwrap()).unwrap();
        // The first clears the words.
        let number = 1 + scratch.published.next_launch(&gpu).unwrap();
        for _ in 0..3 {
            let mut out = vec![0; keys.len()];
            let to = Outputs { keys: &mut out, columns: &mut [], permutation: None };
            let table = Table::upload(&gpu, &keys, &to).unwrap();
            let job = Job { table: &table, through: Stage::Postscan, leaves_g: false };
            split(&gpu, &plan, &f, &job, &Fusion::NONE, &result, &scratch).unwrap();
            let offsets = read_result(&gpu, &result, m, 1).unwrap();
            table.download(&gpu, to).unwrap();
            assert!(out == expected, "{n} keys, {m} buckets");
            assert!((0..m).all(|b| offsets[b as usize] == expected.partition_point(|&key| key < b)));
            scratch.published.repeat();
        }
        let published = gpu.read(&scratch.published.words).unwrap();
        let totals = &published[words(plan.chunks, m) as usize - m as usize - 1..][..m as usize];
        let counts = (0..m).map(|b| keys.iter().filter(|&&key| key == b).count() as u32);
        assert!(totals.iter().copied().eq(counts.map(|count| (number << SUM_BITS) | count)));
    }
}

/// Gathers and the plain copy and read are seen to work before they are used.
#[test]
fn every_kernel_has_a_first_run() {
    let Some(gpu) = lying(|_| ()) else { return };
    let memory = [gpu.upload(&[1u32, 2, 3, 4]).unwrap(), gpu.upload(&[0u32; 4]).unwrap()];
    let [from, to] = [gpu.writes::<u32>(&memory[0]).unwrap(), gpu.writes::<u32>(&memory[1]).unwrap()];
    let inverted = to.clone();
    let mut seen = gpu.proven();
    let mut grows = |what: &str| {
        let now = gpu.proven();
        assert!(now > seen, "{what}");
        seen = now;
    };
    super::bandwidth::copy(&gpu, &from, &to, 4).unwrap();
    grows("copy");
    super::bandwidth::read(&gpu, &from, 4, &to).unwrap();
    grows("read");
    let span = |slice: &Slice<u32>| Span::new(slice.bytes(), 0, 16);
    let gather =
        super::Gather { from: span(&from), from_rows: 4, permutation: to.clone(), to: span(&to), rows: 4, bytes: 4 };
    gather.launch(&gpu).unwrap();
    grows("gather");
    super::Invert { permutation: from.clone(), inverse: inverted, n: 4 }.launch(&gpu).unwrap();
    grows("invert");
}

/// Whatever the device, what is chosen for it fits it.
#[test]
fn chosen_policies_fit() {
    let h200 = Facts::h200();
    let old = Facts { shared_memory: 49_152, copies: false, ..h200.clone() };
    let browser = Facts {
        shared_memory: 16_384,
        max_units: 256,
        max_bindings: 8,
        bytes: false,
        dialect: Dialect::Wgsl,
        ..old.clone()
    };
    let wide = Facts { plane: 64, ..browser.clone() };
    let narrow = Facts { plane: 4, ..browser.clone() };
    let software = Facts { plane: 8, software: true, ..browser.clone() };
    let keys = |key_bytes| Payload { key_bytes, ..Payload::default() };
    let payloads = [
        keys(1),
        keys(4),
        keys(8),
        Payload { narrow: 1, ..keys(4) },
        Payload { narrow: 1, permutation: true, ..keys(4) },
        Payload { wide: 4, permutation: true, ..keys(8) },
        Payload { ids_per_word: 4, ..keys(4) },
        Payload { ids_per_word: 2, wide: 4, permutation: true, ..keys(8) },
    ];
    for facts in [h200, old, browser, wide, narrow, software] {
        // A cube for segments has nothing to copy ahead.
        let alone = Facts { copies: false, ..facts.clone() };
        for (payload, m) in payloads.into_iter().flat_map(|payload| (1..=256).map(move |m| (payload, m))) {
            let shapes = [false, true].map(|few| segment_shapes::choose_segment_shapes(&facts, m, payload, few));
            for policy in shapes.iter().flat_map(|shapes| shapes.whole.iter().chain([&shapes.cut])) {
                let fits = room::check_policy(&alone, Method::BlockLevel, policy, m, payload);
                assert!(fits.is_ok(), "segments, m = {m}, {payload:?}, {facts:?}: {policy:?}: {fits:?}");
            }
            for method in Method::ALL.into_iter().filter(|&method| m <= selector::bucket_limit(&facts, method)) {
                let method =
                    if method == Method::Auto { selector::choose_method(&facts, 1 << 20, m, payload) } else { method };
                let policy = selector::choose_policy(&facts, method, m, payload);
                let fits = room::check_policy(&facts, method, &policy, m, payload);
                assert!(fits.is_ok(), "{method}, m = {m}, {payload:?}, {facts:?}: {policy:?}: {fits:?}");
                let policy = selector::balanced(&facts, policy, 1 << 24, m, payload);
                let fits = room::check_policy(&facts, method, &policy, m, payload);
                assert!(
                    method != Method::BlockLevel || fits.is_ok(),
                    "of many keys, m = {m}, {payload:?}, {facts:?}: {policy:?}: {fits:?}"
                );
            }
        }
    }
}

/// Inputs of a few tiles per cube get tiles that leave few processors idle, and never need more room than larger ones.
#[test]
fn tiles_are_balanced() {
    let facts = Facts::h200();
    let alone = Payload { key_bytes: 4, ..Payload::default() };
    let items = |log: u32, policy| selector::balanced(&facts, policy, 1 << log, 8, alone).items;
    let (keys, pairs, many_pairs) = (Policy::new(8, 37, 2), Policy::new(8, 31, 1), Policy::new(8, 39, 1));
    assert_eq!([21, 22, 23, 24, 25].map(|log| items(log, keys)), [33, 33, 33, 37, 37]);
    assert_eq!([21, 22, 23, 24, 25].map(|log| items(log, pairs)), [25, 25, 25, 31, 31]);
    assert_eq!([21, 22, 23, 24, 25].map(|log| items(log, many_pairs)), [33, 33, 39, 39, 39]);
    let of_pairs = Payload { narrow: 1, ..alone };
    let shape = |log: u32, m: u32| {
        let policy = selector::choose_policy(&facts, Method::BlockLevel, m, of_pairs);
        let Policy { planes, items, cubes_per_processor, .. } =
            selector::balanced(&facts, policy, 1 << log, m, of_pairs);
        (planes, items, cubes_per_processor)
    };
    assert_eq!(
        [21, 22, 23, 24, 25].map(|log| shape(log, 16)),
        [(4, 21, 3), (4, 21, 3), (4, 21, 3), (8, 19, 2), (8, 19, 2)]
    );
    assert_eq!([22, 24].map(|log| shape(log, 17)), [(8, 25, 1), (8, 31, 1)]);
    // With many keys, tiles of a software device are larger; those of 16 MiB keys find room in 128 MiB.
    let software = Facts {
        plane: 8,
        processors: 2,
        shared_memory: 32_768,
        copies: false,
        dialect: Dialect::Wgsl,
        software: true,
        ..facts.clone()
    };
    let plan = SplitPlan::new(&software, Method::Auto, None, 1 << 24, 256, alone).unwrap();
    assert!(4 * plan.needs().h <= 1 << 27, "{} words", plan.needs().h);
    let cases = [(0, 0, 8), (1, 0, 64), (1, 0, 256), (1, 1, 200), (0, 4, 256)];
    for ((narrow, wide, m), facts) in cases.into_iter().flat_map(|case| [(case, &facts), (case, &software)]) {
        let payload = Payload { key_bytes: 4, narrow, wide, ..Payload::default() };
        let room = |n: usize| SplitPlan::new(facts, Method::Auto, None, n, m, payload).unwrap().needs().h;
        let sizes: Vec<usize> = (0..200).map(|i| 9973 + i * i * 811).collect();
        assert!(sizes.windows(2).all(|pair| room(pair[0]) <= room(pair[1])), "{payload:?}, m = {m}");
    }
}

/// One prescan counts up to 64 buckets, another up to 256.
#[test]
fn prescans_serve_many_numbers_of_buckets() {
    let shape = |m| Blueprint::prescan(32, Dialect::Cuda, &Policy::new(8, 9, 1), m);
    assert!((1..=64).all(|m| shape(m) == shape(64)));
    assert!((65..=256).all(|m| shape(m) == shape(256)));
    assert!([1, 64, 100, 256, 1000].into_iter().all(|m| shape(m).capacity() >= m));
}

/// Sets of 64 lanes, which no device of the test machines has. Kernel code is plain Rust too.
#[test]
fn sets_of_64_lanes() {
    let bp = |plane| Blueprint::of_keys(plane, Dialect::Cuda, &Policy::new(1, 1, 1), 2);
    for set in [1u64, 2, 1 << 31, 1 << 32, 1 << 63, 0xffff_0000_ffff_0000, 0x8000_0001_0000_0000, u64::MAX] {
        let mut lanes = plane::Lanes::new();
        lanes.push(set as u32);
        lanes.push((set >> 32) as u32);
        assert_eq!(plane::count(&lanes, bp(64)), set.count_ones());
        assert_eq!(plane::first(&lanes, bp(64)), set.trailing_zeros());
        for lane in 0..64 {
            let below = (set & ((1 << lane) - 1)).count_ones();
            assert_eq!(plane::count_below(&lanes, lane, bp(64)), below, "{set:x}, lane {lane}");
        }
    }
    for set in [1u32, 0x80, 0xf0f0_0f0f, u32::MAX] {
        let mut lanes = plane::Lanes::new();
        lanes.push(set);
        assert_eq!(plane::first(&lanes, bp(32)), set.trailing_zeros());
        for lane in 0..32 {
            assert_eq!(plane::count_below(&lanes, lane, bp(32)), (set & ((1 << lane) - 1)).count_ones());
        }
    }
}
