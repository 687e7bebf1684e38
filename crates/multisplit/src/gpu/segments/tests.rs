//! Segments dealt out on the device, against the host.

use super::launch::launch_deal;
use super::plan::SegmentPlan;
use super::{Arena, OnceCell, Payload, Scratch, SegmentScratch, Segments};
use crate::Policy;
use crate::gpu::tests::lying;
use crate::gpu::tuning::segment_shapes::HOST_DEALS;
use test_support::Random;

/// Offsets of so many segments, of lengths by their number.
fn offsets(count: usize, len: impl FnMut(usize) -> usize) -> Vec<usize> {
    let lengths = (0..count).map(len);
    [0].into_iter().chain(lengths.scan(0, |sum, len| Some((*sum += len, *sum).1))).collect()
}

/// The table is the same word by word, wherever parts of the segments end, and whatever classes there are in each.
#[test]
fn tables_are_those_of_the_host() {
    let Some(gpu) = lying(|_| ()) else { return };
    let mut random = Random::new(1);
    let least = HOST_DEALS + 1;
    let payload = Payload { key_bytes: 4, ..Payload::default() };
    let cases = [
        offsets(least, |_| 3),
        offsets(least, |_| 1000),
        offsets(3000, |_| 0),
        offsets(3001, |s| usize::from(s > 2000)),
        offsets(2500, |s| if s < 2499 { 300 } else { 301 }),
        offsets(5003, |_| random.below(400) as usize),
        offsets(4096, |s| if s == 2000 { 1 << 20 } else { s % 50 }),
        offsets(4097, |s| [0, 1, 30, 5000][s % 4]),
        offsets(20_000, |s| if s / 512 % 2 == 0 { 7 } else { 700 }),
    ];
    for (case, offsets) in cases.iter().enumerate() {
        for (m, policy) in [(1, None), (256, None), (7, Some(Policy::new(1, 2, 1)))] {
            let segments = Segments::new(offsets, *offsets.last().unwrap(), m).unwrap();
            let plan = SegmentPlan::new(&gpu.facts, policy, segments, m, payload).unwrap();
            let (needs, mut arena) = (plan.needs(), Arena::EMPTY);
            arena.reserve(&gpu, needs.bytes(&gpu)).unwrap();
            let mut cutter = arena.cut(&gpu, needs.bytes(&gpu)).unwrap();
            let status = arena.status(&gpu, &cutter).unwrap();
            let scratch = Scratch::cut(&mut cutter, &needs).unwrap();
            let scratch = SegmentScratch { scratch, status, offsets: OnceCell::new() };
            launch_deal(&gpu, &plan, &scratch).unwrap();
            let table = gpu.read(&scratch.tiles.first(plan.deal.words()).unwrap()).unwrap();
            assert!(table == plan.deal.table(segments, m), "case {case}, m = {m}, {policy:?}");
        }
    }
}
