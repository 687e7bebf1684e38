//! Scan-based split (the paper's section 3.2): flags, a device-wide scan of them, a scatter.
//!
//! A round parts groups of buckets in two. Flags of elements that go to the first half become, by an exclusive prefix
//! sum, the number of such elements before each; that of the others is what is left. One scan serves all groups of a
//! round: what came before a group is taken off.
//!
//! The offsets come out on the way. Those of the groups are known before a round, those between their halves after it,
//! and when all buckets are apart, all are. So nothing is counted but by scans, and nothing is waited for.

use crate::gpu::function::AnyFn;
use crate::gpu::key::{AnyKey, KeyWidth};
use crate::gpu::primitives::device_scan::{part_of_cube, prefix_part, sum_part};
use crate::gpu::primitives::elements::Rows;
use crate::gpu::reduced_bit::kernels::{TILE, UNITS, first_of_unit};
use cubecl::prelude::*;

/// Elements in flight per unit.
const ITEMS: u32 = TILE / UNITS;

/// The run-time numbers of a round.
#[derive(CubeType, CubeLaunch)]
pub(crate) struct Round {
    /// Elements.
    pub n: u32,
    /// Buckets.
    pub m: u32,
    /// Elements go first if `(id >> shift) & mask` is `target`.
    pub shift: u32,
    pub mask: u32,
    pub target: u32,
    /// Groups are of 2^group buckets, from bucket `first` on. Those before are done.
    pub group: u32,
    pub first: u32,
    /// Buckets of the first half of a group.
    pub half: u32,
    /// Whether it is the first round, or the last: 0 or 1.
    pub opens: u32,
    pub closes: u32,
}

#[cube]
impl Round {
    /// Bucket ids beyond the last are counted in the first round.
    fn id(&self, f: &AnyFn, key: AnyKey) -> u32 {
        f.bucket(key).min(self.m - 1)
    }

    fn goes_first(&self, id: u32) -> bool {
        ((id >> self.shift) & self.mask) == self.target
    }

    /// The first bucket of the group of an id.
    fn group_of(&self, id: u32) -> u32 {
        self.first + ((id >> self.group) << self.group)
    }
}

/// What is known before the first round: where the first bucket begins, and that no id has been found out of range.
#[cube(launch_unchecked, address_type = "dynamic")]
pub(crate) fn open(result: &mut Array<u32>, m: u32) {
    if ABSOLUTE_POS == 0 {
        result[0] = 0;
        result[(m + 1) as usize] = 0;
    }
}

/// A flag for each element that is not done: 1 if it goes first.
#[cube(launch_unchecked, address_type = "dynamic")]
pub(crate) fn flag(
    _width: &KeyWidth,
    keys: &Array<AnyKey>,
    flags: &mut Array<u32>,
    result: &Array<Atomic<u32>>,
    f: &AnyFn,
    round: &Round,
) {
    let start = result[round.first as usize].load() as usize;
    let len = round.n as usize - start;
    let mut out_of_range = 0u32;
    let mut at = first_of_unit();
    while at < len {
        let mut items = Sequence::<AnyKey>::new();
        #[unroll]
        for j in 0..ITEMS {
            // Beyond the end the last key is read.
            items.push(keys[start + (at + comptime!((j * UNITS) as usize)).min(len - 1)]);
        }
        #[unroll]
        for j in 0..ITEMS {
            let i = at + comptime!((j * UNITS) as usize);
            if i < len {
                let id = f.bucket(items[comptime!(j as usize)]);
                out_of_range += select(id >= round.m, 1u32, 0u32);
                flags[i] = select(round.goes_first(id.min(round.m - 1)), 1u32, 0u32);
            }
        }
        at += CUBE_COUNT * comptime!(TILE as usize);
    }
    if round.opens == 1 {
        if out_of_range > 0 {
            result[(round.m + 1) as usize].fetch_add(out_of_range);
        }
        if ABSOLUTE_POS == 0 {
            result[(round.m + 2) as usize].store(0u32);
        }
    }
}

/// The sums of parts of the flags.
#[cube(launch_unchecked, address_type = "dynamic")]
pub(crate) fn sum_flags(
    flags: &Array<u32>,
    sums: &mut Array<u32>,
    result: &Array<u32>,
    round: &Round,
    part: u32,
    #[comptime] units: u32,
) {
    let len = round.n - result[round.first as usize];
    sum_part(flags, sums, part_of_cube(len, part), units);
}

/// Flags become their exclusive prefix sums, with the sum of all as one more at the end.
#[cube(launch_unchecked, address_type = "dynamic")]
pub(crate) fn scan_flags(
    flags: &mut Array<u32>,
    sums: &Array<u32>,
    result: &Array<u32>,
    round: &Round,
    part: u32,
    #[comptime] units: u32,
) {
    let len = round.n - result[round.first as usize];
    let sum = prefix_part(flags, sums, part_of_cube(len, part), units);
    // The cube that has the last element, or the first cube if there is none.
    if UNIT_POS_X == 0 && CUBE_POS_X == (len.max(1) - 1) / part {
        flags[len as usize] = sum;
    }
}

/// Where the second half of each group begins.
#[cube(launch_unchecked, address_type = "dynamic")]
pub(crate) fn middles(flags: &Array<u32>, result: &mut Array<u32>, round: &Round, groups: u32) {
    let base = result[round.first as usize];
    let mut g = CUBE_POS_X * CUBE_DIM_X + UNIT_POS_X;
    while g < groups {
        let bucket = round.first + (g << round.group);
        let middle = bucket + round.half;
        if middle < round.m {
            let start = result[bucket as usize];
            let next = bucket + (1 << round.group);
            // The end of the last group is that of the input.
            let end = select(next < round.m, result[next.min(round.m - 1) as usize], round.n);
            result[middle as usize] = start + flags[(end - base) as usize] - flags[(start - base) as usize];
        }
        g += CUBE_COUNT_X * CUBE_DIM_X;
    }
}

/// Moves elements to their half of their group: all into `to`, or those of second halves `apart`, into another output.
#[cube(launch_unchecked, address_type = "dynamic")]
pub(crate) fn scatter(
    _width: &KeyWidth,
    from: &Rows,
    flags: &Array<u32>,
    to: &mut Rows,
    others: &mut Sequence<Rows>,
    result: &mut Array<u32>,
    f: &AnyFn,
    round: &Round,
    #[comptime] apart: bool,
) {
    let base = result[round.first as usize];
    let len = (round.n - base) as usize;
    let mut at = first_of_unit();
    while at < len {
        let mut items = Sequence::<AnyKey>::new();
        let mut ranks = Sequence::<u32>::new();
        #[unroll]
        for j in 0..ITEMS {
            let i = (at + comptime!((j * UNITS) as usize)).min(len - 1);
            items.push(from.keys[base as usize + i]);
            ranks.push(flags[i]);
        }
        #[unroll]
        for j in 0..ITEMS {
            let i = at + comptime!((j * UNITS) as usize);
            if i < len {
                let key = items[comptime!(j as usize)];
                let source = base + i as u32;
                let id = round.id(f, key);
                let bucket = round.group_of(id);
                let start = result[bucket as usize];
                let rank = ranks[comptime!(j as usize)] - flags[(start - base) as usize];
                let goes_first = round.goes_first(id);
                // Only elements of a second half need where it begins; then there is one.
                let middle = result[(bucket + round.half).min(round.m - 1) as usize];
                let position = select(goes_first, start + rank, middle + (source - start - rank));
                if comptime!(apart) {
                    if goes_first {
                        put(key, from, to, source, position);
                    } else {
                        put(key, from, others.index_mut(0usize), source, position);
                    }
                } else {
                    put(key, from, to, source, position);
                }
            }
        }
        at += CUBE_COUNT * comptime!(TILE as usize);
    }
    if ABSOLUTE_POS == 0 && round.closes == 1 {
        result[round.m as usize] = round.n;
    }
}

/// Writes an element with its values.
#[cube]
fn put(key: AnyKey, from: &Rows, to: &mut Rows, source: u32, position: u32) {
    let (at, position) = (source as usize, position as usize);
    to.keys[position] = key;
    let (from, to) = (&from.columns, &mut to.columns);
    #[unroll]
    for c in 0..from.narrow.len() {
        let (from, to) = (from.narrow.index(c), to.narrow.index_mut(c));
        to[position] = from[at];
    }
    #[unroll]
    for c in 0..from.wide.len() {
        let (from, to) = (from.wide.index(c), to.wide.index_mut(c));
        to[position] = from[at];
    }
    #[unroll]
    for c in 0..to.permutation.len() {
        let to = to.permutation.index_mut(c);
        to[position] = source;
    }
}
