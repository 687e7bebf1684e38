//! A segmented split, worked out: which segments fit which tile, in what shape, and how they are dealt out.
//!
//! The host knows how long the segments are, so it knows how many tiles there are. Segments of like length are a batch,
//! with cubes of a size that suits them; those that fit no tile are cut.

use super::classes::Classes;
use super::deal::Deal;
use super::device_deal::RUN;
use super::scan::PART;
use super::tile_table::{CUT, LISTED, WHOLE};
use crate::error::{Error, Result};
use crate::gpu::offsets::units;
use crate::gpu::split::payload::Payload;
use crate::gpu::tuning::blueprint::Blueprint;
use crate::gpu::tuning::plan::MOST_CUBES;
use crate::gpu::tuning::room::tile_of;
use crate::gpu::tuning::segment_shapes;
use crate::gpu::tuning::segment_shapes::SegmentShapes;
use crate::gpu::workspace::Needs;
use crate::method::Method;
use crate::request::policy::Policy;
use crate::request::segments::Segments;
use crate::runtime::{Dialect, Facts};

/// All numbers of one segmented split, validated; or of one pass, where there are more buckets than one tells apart.
pub(super) struct SegmentPlan<'s> {
    pub n: u32,
    pub m: u32,
    pub segments: Segments<'s>,
    /// Segments that fit a tile, by its shape.
    pub whole: Vec<Batch>,
    /// Tiles of the others.
    pub cut: Option<Batch>,
    /// Where the entries of all of them go in the table.
    pub deal: Deal,
    /// Whether the device deals the segments out.
    pub on_device: bool,
    in_range: bool,
    plane: u32,
    dialect: Dialect,
}

/// Tiles of one shape, and where their entries begin in the table.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Batch {
    pub policy: Policy,
    pub first: u32,
    pub tiles: u32,
    /// Cubes that share them.
    pub cubes: u32,
}

impl<'s> SegmentPlan<'s> {
    pub fn new(
        facts: &Facts,
        policy: Option<Policy>,
        segments: Segments<'s>,
        m: u32,
        payload: Payload,
    ) -> Result<Self> {
        let (count, equal) = (segments.count() as usize, segments.equal_length().is_some());
        let on_device = segment_shapes::device_deals(facts, count, equal);
        let shapes = shapes(facts, policy, m, payload, !equal && !on_device)?;
        let classes = Classes::new(facts, &shapes);
        let part = if on_device { (units(facts) * RUN) as usize } else { count.max(1) };
        let deal = Deal::new(classes, segments, part);
        check_counts(deal.classes.tile as usize, deal.total.tiles, m)?;

        let batch = |(class, &policy): (usize, &Policy)| {
            let tiles = deal.total.segments[class];
            Batch { policy, first: deal.first(class), tiles, cubes: segment_shapes::segment_cubes(facts, tiles) }
        };
        let whole = shapes.whole.iter().enumerate().map(batch).filter(|batch| batch.tiles > 0).collect();
        let tiles = deal.total.tiles as u32;
        let cut = Batch { policy: shapes.cut, first: deal.first_cut(), tiles, cubes: tiles };
        let cut = Some(cut).filter(|batch| batch.tiles > 0);
        let (n, in_range) = (segments.keys() as u32, payload.in_range);
        Ok(Self { n, m, segments, whole, cut, deal, on_device, in_range, plane: facts.plane, dialect: facts.dialect })
    }

    /// The buckets of all segments.
    pub fn buckets(&self) -> u32 {
        self.segments.count() * self.m
    }

    /// Counts of the tiles that segments are cut into.
    pub fn counts(&self) -> u32 {
        self.cut.map_or(0, |batch| batch.tiles * self.m)
    }

    pub fn prescan(&self, batch: &Batch) -> Blueprint {
        let keys = Blueprint::of_keys(self.plane, self.dialect, &batch.policy, self.m);
        Blueprint { sharers: batch.policy.planes, in_range: self.in_range, ..keys }
    }

    /// Of what sorts a tile: the whole split of a segment, or the postscan.
    pub fn postscan(&self, batch: &Batch, payload: Payload) -> Blueprint {
        Blueprint::postscan(self.plane, self.dialect, false, &batch.policy, self.m, payload)
    }

    pub fn needs(&self) -> Needs {
        let tiles = if self.on_device { self.deal.words_with_list() } else { 0 };
        Needs { tiles, ..needs(self.counts() as usize) }
    }
}

/// The shapes for segments. A shape of the user's is for all of them.
fn shapes(facts: &Facts, policy: Option<Policy>, m: u32, payload: Payload, few: bool) -> Result<SegmentShapes> {
    match policy {
        Some(policy) => segment_shapes::check_segment_shape(facts, policy, m, payload),
        None => Ok(segment_shapes::choose_segment_shapes(facts, m, payload, few)),
    }
}

/// The most that any segments of `n` keys need, if there are no more than `segments`.
pub(super) fn most_needs(
    facts: &Facts,
    policy: Option<Policy>,
    n: usize,
    segments: usize,
    m: u32,
    payload: Payload,
) -> Result<Needs> {
    let of = |few| most_needs_of(facts, shapes(facts, policy, m, payload, few)?, n, segments, m);
    Ok(of(false)?.max(of(true)?))
}

/// The same of segments that take these shapes.
fn most_needs_of(facts: &Facts, shapes: SegmentShapes, n: usize, segments: usize, m: u32) -> Result<Needs> {
    let SegmentShapes { whole, cut } = shapes;
    let tile = tile_of(facts, &cut) as usize;
    let uncut = whole.last().map_or(0, |shape| tile_of(facts, shape) as usize);
    // Each segment that is cut has more keys than any tile, and at most one tile that is not full.
    let cut = segments.min(n / (uncut + 1));
    let tiles = if cut > 0 { n / tile + cut } else { 0 };
    check_counts(tile, tiles, m)?;
    let table = segments * WHOLE as usize + cut * LISTED as usize + tiles * CUT as usize;
    let table = if segment_shapes::device_deals(facts, segments, true) { table } else { 0 };
    Ok(Needs { tiles: table, ..needs(tiles * m as usize) })
}

/// What the counts of tiles take, with one more for their sum.
fn needs(counts: usize) -> Needs {
    let (h, parts) = if counts > 0 { (counts + 1, counts.div_ceil(PART as usize)) } else { (0, 0) };
    Needs { h, parts, ..Needs::default() }
}

/// The most tiles that the table has 32-bit places for, with those of segments that are not cut.
const MOST_TILES: usize = 1 << 29;

/// Refuses more counts than can be scanned, and more tiles than the table has places for.
fn check_counts(tile: usize, tiles: usize, m: u32) -> Result<()> {
    if tiles <= MOST_TILES && tiles.saturating_mul(m as usize) <= MOST_CUBES as usize * PART as usize {
        return Ok(());
    }
    let reason = format!("tiles of {tile} keys are too small for these segments: there are too many to count apart");
    Err(Error::InvalidPolicy(reason))
}

/// Refuses methods that segments are not split by.
pub(super) fn check_method(method: Method) -> Result<()> {
    match method {
        Method::Auto | Method::BlockLevel => Ok(()),
        Method::Direct | Method::WarpLevel => {
            let reason = format!("segments are not split by the {method} method; use Method::Auto");
            Err(Error::InvalidPolicy(reason))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::tile_table::NOWHERE;
    use super::*;

    fn plan<'s>(segments: &'s [usize], m: u32, payload: Payload) -> SegmentPlan<'s> {
        let n = *segments.last().unwrap();
        let segments = Segments::new(segments, n, m).unwrap();
        SegmentPlan::new(&Facts::h200(), None, segments, m, payload).unwrap()
    }

    /// Every key is in one tile, of its own segment, and no two tiles count in the same place.
    #[test]
    fn tiles_cover_the_segments() {
        let lengths = [0usize, 1, 30, 96, 97, 640, 641, 4351, 4352, 4353, 100_000, 8704, 0, 8705, 11_776, 11_777, 3, 0];
        let offsets: Vec<usize> = [0]
            .into_iter()
            .chain(lengths.iter().scan(0, |sum, len| {
                *sum += len;
                Some(*sum)
            }))
            .collect();
        for m in [1u32, 7, 256] {
            let payload = Payload { key_bytes: 4, ..Payload::default() };
            let plan = plan(&offsets, m, payload);
            let table = plan.deal.table(plan.segments, m);
            let mut covered = vec![0; plan.n as usize];
            let mut starts = vec![0; lengths.len()];
            for batch in &plan.whole {
                let tile = tile_of(&Facts::h200(), &batch.policy);
                let entries = &table[batch.first as usize..][..(batch.tiles * WHOLE) as usize];
                for entry in entries.chunks(WHOLE as usize) {
                    let s = (entry[2] / m) as usize;
                    assert_eq!((entry[0] as usize, entry[1] as usize), (offsets[s], lengths[s]));
                    assert!(entry[1] <= tile);
                    starts[s] += 1;
                    covered[offsets[s]..offsets[s + 1]].iter_mut().for_each(|c| *c += 1);
                }
            }
            let cut = plan.cut.unwrap();
            let mut counted = vec![0; plan.counts() as usize];
            for entry in table[cut.first as usize..].chunks(CUT as usize) {
                let [start, len, place, counter, stride, _] = *entry else { panic!() };
                if place != NOWHERE {
                    let s = (place / m) as usize;
                    assert_eq!(start as usize, offsets[s]);
                    starts[s] += 1;
                }
                covered[start as usize..][..len as usize].iter_mut().for_each(|c| *c += 1);
                (0..m).for_each(|b| counted[(counter + b * stride) as usize] += 1);
            }
            assert!(covered.iter().all(|&c| c == 1));
            assert!(counted.iter().all(|&c| c == 1));
            assert_eq!(starts, vec![1; lengths.len()]);
        }
    }

    /// A workspace that was made for so many keys and segments is enough for any.
    #[test]
    fn needs_are_no_more_than_was_said() {
        let facts = Facts::h200();
        let payload = Payload { key_bytes: 4, narrow: 1, ..Payload::default() };
        for (count, len) in [
            (1usize, 1_000_000usize),
            (100, 4353),
            (100, 10_000),
            (1000, 30),
            (3, 8704),
            (7, 11_777),
            (1024, 20_000),
            (1025, 20_000),
            (5000, 9),
        ] {
            let offsets: Vec<usize> = (0..=count).map(|i| i * len).collect();
            for m in [1, 32, 256] {
                let plan = plan(&offsets, m, payload);
                let most = most_needs(&facts, None, count * len, count, m, payload).unwrap();
                assert_eq!(most.max(plan.needs()), most, "{count} segments of {len}, m = {m}");
            }
        }
    }
}
