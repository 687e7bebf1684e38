//! The small steps of a reduced-bit sort besides the sort: bucket ids, packed pairs, and gathered keys.

use crate::gpu::function::AnyFn;
use crate::gpu::key::{AnyKey, KeyWidth};
use crate::gpu::primitives::elements::Wide;
use cubecl::prelude::*;

/// Units per cube.
pub(crate) const UNITS: u32 = 256;
/// Elements in flight per unit.
const ITEMS: u32 = 4;
/// Elements that a cube takes in one round.
pub(crate) const TILE: u32 = UNITS * ITEMS;

/// The bucket of each key, up to `last`. Where there are values, key and value are packed as well: the key comes first.
#[cube(launch_unchecked, address_type = "dynamic")]
pub(crate) fn bucket_ids(
    _width: &KeyWidth,
    keys: &Array<AnyKey>,
    values: &Sequence<Array<u32>>,
    ids: &mut Array<u32>,
    packed: &mut Sequence<Array<Wide>>,
    f: &AnyFn,
    n: u32,
    last: u32,
) {
    let n = n as usize;
    let mut first = first_of_unit();
    while first < n {
        let mut items = Sequence::<AnyKey>::new();
        #[unroll]
        for j in 0..ITEMS {
            // Beyond the end the last key is read.
            items.push(keys[(first + comptime!((j * UNITS) as usize)).min(n - 1)]);
        }
        #[unroll]
        for j in 0..ITEMS {
            let i = first + comptime!((j * UNITS) as usize);
            let key = items[comptime!(j as usize)];
            if i < n {
                ids[i] = f.bucket(key).min(last);
                #[unroll]
                for c in 0..values.len() {
                    let mut pair = Wide::empty();
                    pair[0] = u32::reinterpret(key);
                    pair[1] = values.index(c)[i];
                    packed.index_mut(c)[i] = pair;
                }
            }
        }
        first += CUBE_COUNT * comptime!(TILE as usize);
    }
}

/// Takes packed pairs apart. Keys are words here: nobody asks for their buckets any more.
#[cube(launch_unchecked, address_type = "dynamic")]
pub(crate) fn unpack(packed: &Array<Wide>, keys: &mut Array<u32>, values: &mut Array<u32>, n: u32) {
    let n = n as usize;
    let mut first = first_of_unit();
    while first < n {
        #[unroll]
        for j in 0..ITEMS {
            let i = first + comptime!((j * UNITS) as usize);
            if i < n {
                let pair = packed[i];
                keys[i] = pair[0];
                values[i] = pair[1];
            }
        }
        first += CUBE_COUNT * comptime!(TILE as usize);
    }
}

/// Output key i = input key `permutation[i]`, for keys of any width. An index beyond the input reads its last key.
#[cube(launch_unchecked, address_type = "dynamic")]
pub(crate) fn gather_keys(
    _width: &KeyWidth,
    from: &Array<AnyKey>,
    permutation: &Array<u32>,
    to: &mut Array<AnyKey>,
    n: u32,
) {
    let n = n as usize;
    let mut first = first_of_unit();
    while first < n {
        #[unroll]
        for j in 0..ITEMS {
            let i = first + comptime!((j * UNITS) as usize);
            if i < n {
                to[i] = from[(permutation[i] as usize).min(n - 1)];
            }
        }
        first += CUBE_COUNT * comptime!(TILE as usize);
    }
}

/// The first element of this unit: units of a cube have neighbours.
#[cube]
pub(crate) fn first_of_unit() -> usize {
    CUBE_POS * comptime!(TILE as usize) + UNIT_POS_X as usize
}
