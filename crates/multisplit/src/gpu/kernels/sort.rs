//! Sorts a tile by bucket, in place: between reading and writing it, its elements are in registers.
//!
//! Each unit takes consecutive keys of the tile and ranks them with [counters](super::counters) of its own. The counters
//! of many buckets would take longer to scan than the keys to count, so then the tile is sorted twice: by the low half
//! of the bucket id, then by the high half.

use super::super::blueprint::{Blueprint, Pass};
use super::super::{cube, plane};
use super::bucket_of;
use super::counters::{Counters, counters};
use super::elements::{Columns, Tiles, tiles};
use super::follow::{Fetched, fetch_columns, follow, stage_columns};
use super::sizes::Part;
use super::tile::{apart, fetch, first_owned, owned, put, stage};
use crate::bucket::BucketFn;
use cubecl::prelude::*;

/// The shared memory that a tile is sorted in.
#[derive(CubeType)]
pub(crate) struct Sorter<K: CubePrimitive> {
    pub keys: SharedMemory<K>,
    pub tiles: Tiles,
    counters: Counters,
}

/// A tile on its way to shared memory.
#[derive(CubeType)]
pub(crate) struct Loaded<K: CubePrimitive> {
    keys: Sequence<K>,
    columns: Fetched,
}

#[cube]
pub(crate) fn sorter<K: CubePrimitive>(#[comptime] bp: Blueprint) -> Sorter<K> {
    let mut sorter = Sorter::<K> {
        keys: SharedMemory::new(comptime!(bp.apart_tile() as usize)),
        tiles: tiles(comptime!(bp.apart_tile()), bp),
        counters: counters(bp),
    };
    sorter.get_ready(bp);
    sorter
}

/// Loads this unit's part of a tile.
#[cube]
pub(crate) fn load_tile<K: CubePrimitive>(
    keys: &Array<K>,
    from: &Columns,
    tile: Part,
    #[comptime] full: bool,
    #[comptime] bp: Blueprint,
) -> Loaded<K> {
    Loaded::<K> { keys: fetch::<K>(keys, tile, full, bp), columns: fetch_columns(from, tile, full, bp) }
}

#[cube]
impl<K: CubePrimitive> Sorter<K> {
    /// Makes ready for the next tile. The cube needs to wait before that is sorted.
    pub fn get_ready(&mut self, #[comptime] bp: Blueprint) {
        self.counters.clear(bp);
    }

    /// Takes a tile in. Nobody may still need the one before.
    pub fn take_in(&mut self, loaded: &Loaded<K>, #[comptime] bp: Blueprint) {
        stage::<K>(&loaded.keys, &mut self.keys, bp);
        stage_columns(&loaded.columns, &mut self.tiles, bp);
    }
}

/// Sorts the tile that was taken in, and waits.
#[cube]
pub(crate) fn sort_tile<F: BucketFn>(
    f: &F,
    sorter: &mut Sorter<F::Key>,
    tile: Part,
    m: u32,
    #[comptime] full: bool,
    #[comptime] bp: Blueprint,
) {
    plane::sync(bp);
    sort::<F>(f, sorter, tile, m, comptime!(Pass { bp, number: 0, full }));
    if comptime!(bp.passes() == 2) {
        cube::sync(bp);
        sort::<F>(f, sorter, tile, m, comptime!(Pass { bp, number: 1, full }));
    }
    cube::sync(bp);
}

/// Sorts the tile by one digit of the bucket id.
#[cube]
fn sort<F: BucketFn>(f: &F, sorter: &mut Sorter<F::Key>, tile: Part, m: u32, #[comptime] pass: Pass) {
    let (bp, digit, full) = comptime!((pass.bp, pass.digit(), pass.full));
    let Sorter { keys, tiles, counters } = sorter;
    let own = owned::<F::Key>(keys, bp);
    let first = first_owned(bp);
    let mut words = Sequence::<u32>::new();
    #[unroll]
    for j in 0..comptime!(bp.items) {
        let mut bucket = bucket_of::<F>(f, own[comptime!(j as usize)], m);
        if comptime!(!full) {
            // What is beyond the end of the input comes last, in every pass, and is not written.
            bucket = select(first + j < tile.len, bucket, comptime!(bp.capacity() - 1));
        }
        let value =
            if comptime!(bp.passes() == 1) { bucket } else { (bucket >> digit.shift) & comptime!(digit.values() - 1) };
        let word = counters.word(value, pass);
        counters.count(word, bp);
        words.push(word);
    }
    cube::sync(bp);
    counters.scan(pass);
    cube::sync(bp);
    let mut places = Sequence::<u32>::new();
    #[unroll]
    for j in 0..comptime!(bp.items as usize) {
        places.push(apart(counters.take(words[j], bp)));
    }
    put::<F::Key>(&own, &places, keys, bp);
    follow(tiles, &places, tile.start, pass);
}
