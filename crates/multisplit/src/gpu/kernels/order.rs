//! Where the elements of a tile went, for the values that follow their keys.
//!
//! Keys are ranked by units that own consecutive ones, values are loaded by units that stand side by side. So each
//! place is written down by the unit that found it and read by the unit that needs it; with two passes, it is looked up
//! where the first pass brought the element, and there, where the second one did.

use super::super::blueprint::{Blueprint, Pass};
use super::rank::apart;
use cubecl::prelude::*;

/// One table for each pass, if there are values.
#[derive(CubeType)]
pub(crate) struct Order {
    tables: Sequence<SharedMemory<u32>>,
}

#[cube]
pub(crate) fn order(#[comptime] bp: Blueprint) -> Order {
    let mut tables = Sequence::<SharedMemory<u32>>::new();
    #[unroll]
    for _ in 0..comptime!(bp.order_tables()) {
        tables.push(SharedMemory::<u32>::new(comptime!(bp.apart_tile() as usize)));
    }
    Order { tables }
}

#[cube]
impl Order {
    /// Where a pass brings the element that lies at `at` ([`apart`] from its neighbours).
    pub fn write(&mut self, at: u32, place: u32, #[comptime] pass: Pass) {
        if comptime!(pass.bp.has_columns()) {
            let table = self.tables.index_mut(comptime!(pass.number as usize));
            table[at as usize] = place;
        }
    }

    /// Where all passes bring the elements `UNIT_POS_X`, `UNIT_POS_X + units`, … of the tile that are `valid`.
    pub fn read(&self, valid: &Sequence<bool>, #[comptime] full: bool, #[comptime] bp: Blueprint) -> Sequence<u32> {
        let mut places = Sequence::<u32>::new();
        #[unroll]
        for j in 0..comptime!(bp.items) {
            let mut place = UNIT_POS_X + comptime!(j * bp.units());
            #[unroll]
            for pass in 0..comptime!(bp.passes() as usize) {
                let table = self.tables.index(pass);
                if comptime!(!full) {
                    // Nobody wrote down where the others went.
                    place = select(valid[comptime!(j as usize)], place, 0u32);
                }
                place = table[apart(place) as usize];
            }
            places.push(place);
        }
        places
    }
}
