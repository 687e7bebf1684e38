//! A split, worked out: method, chunks, and the shapes of its kernels.

use super::blueprint::Blueprint;
use super::course::Course;
use super::{room, selector, small_inputs};
use crate::error::{Error, Result};
use crate::gpu::split::payload::Payload;
use crate::gpu::split::{prescan, scan};
use crate::gpu::workspace::Needs;
use crate::method::Method;
use crate::request::policy::Policy;
use crate::runtime::{Dialect, Facts};

/// Planes per cube of the scan; it has few cubes, so they are large.
const SCAN_PLANES: u32 = 16;

/// The most cubes of a launch that every device takes.
pub(crate) const MOST_CUBES: u32 = 65535;

/// Keys per lane and chunk, at least, for another plane to share it: all its loads can be in flight at once.
const SHARE: u32 = 4 * prescan::UNROLL;

/// Buckets above which, and chunks per processor from which on, planes count chunks alone. Measured on an H200: of 2^25
/// keys, alone takes 0.90 of the time of eight planes together at 128 and 0.88 at 256 buckets, 1.0 at 64.
const ALONE: (u32, u32) = (64, 8);

/// Tiles that a cube, or a plane that works for itself, takes on a software device, at least and at most. Mesa's ends
/// the loops of a kernel, silently, after 65535 rounds in all, and a tile takes up to some 800.
const SOFTWARE_TURNS: (u32, u32) = (4, 64);

/// All numbers of one split, validated; or of one pass, where there are more buckets than one tells apart.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct SplitPlan {
    pub method: Method,
    pub course: Course,
    pub n: u32,
    pub m: u32,
    /// Chunks that hold keys.
    pub chunks: u32,
    /// Keys per chunk; the last may hold fewer.
    pub chunk_size: u32,
    /// Planes that count a chunk together.
    sharers: u32,
    pub prescan_cubes: u32,
    pub postscan_cubes: u32,
    /// The most tiles that a cube of the block-level postscan takes.
    pub scheduler: u32,
    /// The most tiles that so many keys, or fewer, may be dealt out in.
    most_tiles: u32,
    /// Whether bucket ids are known to be valid.
    in_range: bool,
    /// Bucket ids in a word, if they are stored; else 0.
    ids_per_word: u32,
    /// Whether tiles can be copied to shared memory by the device.
    copies: bool,
    policy: Policy,
    scan_planes: u32,
    plane: u32,
    dialect: Dialect,
}

impl SplitPlan {
    pub fn new(
        facts: &Facts,
        method: Method,
        policy: Option<Policy>,
        n: usize,
        m: u32,
        payload: Payload,
    ) -> Result<Self> {
        let n = u32::try_from(n).map_err(|_| Error::TooManyKeys { n })?;
        if m == 0 {
            return Err(Error::NoBuckets);
        }
        selector::check_buckets(facts, method, m)?;
        let method = if method == Method::Auto { selector::choose_method(facts, n, m, payload) } else { method };
        let mut most_tiles = small_inputs::most_tiles(facts, n);
        let (policy, course) = match (policy, method) {
            (Some(policy), _) => {
                room::check_policy(facts, method, &policy, m, payload)?;
                (policy, Course::Stages)
            }
            (None, Method::BlockLevel) => {
                let large = selector::choose_policy(facts, method, m, payload);
                most_tiles = most_tiles.max(selector::most_balanced_tiles(facts, &large, n));
                small_inputs::choose_one_launch(facts, n, m, payload)
                    .unwrap_or_else(|| (selector::balanced(facts, large, n, m, payload), Course::Stages))
            }
            (None, _) => (selector::choose_policy(facts, method, m, payload), Course::Stages),
        };

        let Deal { chunk_size, postscan_cubes, scheduler } = deal(facts, method, &policy, n, m)?;
        let chunks = n.div_ceil(chunk_size);
        // Whatever is in one tile.
        let course = if method == Method::BlockLevel && chunks == 1 { Course::Counted } else { course };
        let sharers = sharers(facts, &policy, chunks, chunk_size, m, payload.ids_per_word > 0);
        let prescan_cubes = chunks.div_ceil(policy.prescan_planes / sharers).clamp(1, MOST_CUBES);
        let Facts { plane, dialect, copies, .. } = *facts;
        let ids_per_word = if method == Method::BlockLevel { payload.ids_per_word } else { 0 };
        let scan_planes = SCAN_PLANES.min(room::most_units(facts) / plane).max(1);
        Ok(Self {
            method,
            course,
            n,
            m,
            chunks,
            chunk_size,
            sharers,
            prescan_cubes,
            postscan_cubes,
            scheduler,
            most_tiles,
            in_range: payload.in_range,
            ids_per_word,
            copies,
            policy,
            scan_planes,
            plane,
            dialect,
        })
    }

    /// Bucket ids in a word, if they are stored, for keys that are loaded so many at a time; else 0.
    pub fn ids_per_word(&self, keys_per_load: usize) -> u32 {
        if keys_per_load == self.ids_per_word as usize && !self.is_one_launch() { self.ids_per_word } else { 0 }
    }

    pub fn prescan(&self, ids_per_word: u32) -> Blueprint {
        Blueprint {
            sharers: self.sharers,
            in_range: self.in_range,
            ids_per_word,
            ..Blueprint::prescan(self.plane, self.dialect, &self.policy, self.m)
        }
    }

    pub fn scan(&self) -> Blueprint {
        // The same for every m, so that it is compiled once.
        Blueprint::of_keys(self.plane, self.dialect, &Policy::new(self.scan_planes, 1, 1), 1)
    }

    /// `aligned`: whether the buffers are such that the device could copy tiles.
    pub fn postscan(&self, payload: Payload, aligned: bool) -> Blueprint {
        let copies = self.copies && aligned && self.method == Method::BlockLevel;
        Blueprint::postscan(self.plane, self.dialect, copies, &self.policy, self.m, payload)
    }

    /// Whether one launch does it all.
    pub fn is_one_launch(&self) -> bool {
        self.course != Course::Stages
    }

    /// Entries in a row of H: the scan reads several at once.
    pub fn columns(&self) -> u32 {
        self.chunks.next_multiple_of(scan::LOAD)
    }

    /// H has a row per bucket, and one for keys without a valid bucket. With the totals of the rows are two words that
    /// numbers of tiles are drawn from. The last word of ids need not be full. Fewer keys never need more: they may be
    /// in more tiles, if those are resident.
    pub fn needs(&self) -> Needs {
        let (n, m) = (self.n as usize, self.m as usize);
        let ids = if self.ids_per_word > 0 { n.div_ceil(self.ids_per_word as usize) } else { 0 };
        let columns = self.columns().max(self.most_tiles.next_multiple_of(scan::LOAD));
        Needs { h: (m + 1) * columns as usize, totals: m + 3, ids, ..Needs::default() }
    }
}

/// How many planes count a chunk together: a power of two, so that few kernels are compiled. Their histograms must not
/// take longer to clear and to add up than the keys to count. Where they nearly do, and there are chunks enough for all
/// planes, each plane has its own; then a cube also writes more of each row of H at once.
fn sharers(facts: &Facts, policy: &Policy, chunks: u32, chunk_size: u32, m: u32, costly: bool) -> u32 {
    if m > ALONE.0 && chunks >= ALONE.1 * facts.processors && !costly {
        return 1;
    }
    let worth = (chunk_size / (SHARE * facts.plane)).min(chunk_size / (4 * (m + 1)));
    (0..=policy.prescan_planes.trailing_zeros()).map(|log| 1 << log).take_while(|&s| s <= worth).last().unwrap_or(1)
}

/// How the input is dealt out to the cubes of the postscan.
struct Deal {
    chunk_size: u32,
    postscan_cubes: u32,
    scheduler: u32,
}

/// Block-level cubes take turns at tiles: then all of them write to the same stretch of each bucket at a time, and what
/// one leaves of a cache line the next one fills. Planes that work for themselves have one large chunk each.
fn deal(facts: &Facts, method: Method, policy: &Policy, n: u32, m: u32) -> Result<Deal> {
    let resident = facts.processors * policy.cubes_per_processor;
    let takers = if method == Method::BlockLevel { 1 } else { policy.planes };
    let tile = policy.items * facts.plane * policy.planes / takers;
    let tiles = n.div_ceil(tile);
    let scheduler = tiles.div_ceil(MOST_CUBES * takers).max(SOFTWARE_TURNS.0);
    let (tiles_per_chunk, most_cubes) = match (method, facts.software) {
        (Method::BlockLevel, false) => (1, resident),
        (Method::BlockLevel, true) => (1, tiles.div_ceil(scheduler)),
        // At least two chunks, so that the size of one fits 32 bits.
        (_, false) => (tiles.div_ceil((resident * takers).max(2)).max(1), resident),
        (_, true) => (scheduler, u32::MAX),
    };
    let chunks = tiles.div_ceil(tiles_per_chunk);
    // Indices into H have 32 bits.
    if (u64::from(m) + 1) * (u64::from(chunks) + 4) > u64::from(u32::MAX) {
        let reason = format!("tiles of {tile} keys are too small for {n} keys: there are too many to count apart");
        return Err(Error::InvalidPolicy(reason));
    }
    if facts.software && scheduler > SOFTWARE_TURNS.1 {
        return Err(Error::TooManyKeys { n: n as usize });
    }
    let postscan_cubes = chunks.div_ceil(takers).min(most_cubes).max(1);
    let scheduler = if facts.software { scheduler } else { u32::MAX };
    Ok(Deal { chunk_size: tile * tiles_per_chunk, postscan_cubes, scheduler })
}
