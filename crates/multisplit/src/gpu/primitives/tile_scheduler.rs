//! The tile scheduler: cubes draw the numbers of their tiles by an atomic ticket.
//!
//! Tiles that follow each other in the input also do in every bucket, and mostly meet within one sector of memory
//! there. A sector that is written in two halves is cheap as long as the second half comes while the first is still
//! in the cache, so tiles must be worked on in order, close together. With static striding cubes drift apart; cubes
//! that draw a number whenever they are ready do not.
//!
//! The last tiles come first: what the prescan read last is still in the cache.

use super::sizes::Sizes;
use cubecl::prelude::*;

/// What is drawn when there is nothing left.
const NONE: u32 = u32::MAX;

#[derive(CubeType)]
pub(crate) struct TileScheduler {
    /// The number drawn last.
    drawn: SharedMemory<u32>,
    /// How many more this cube may draw.
    left: u32,
}

/// Draws the first number. Wait before it is looked at.
#[cube]
pub(crate) fn scheduler(numbers: &Array<Atomic<u32>>, sizes: &Sizes) -> TileScheduler {
    if CUBE_POS_X == 0 && UNIT_POS_X == 0 {
        // For the next launch, if there is one.
        numbers[sizes.other_numbers() as usize].store(0u32);
    }
    let mut scheduler = TileScheduler { drawn: SharedMemory::new(1usize), left: sizes.scheduler };
    let first = scheduler.draw(numbers, sizes);
    scheduler.announce(first);
    scheduler
}

#[cube]
impl TileScheduler {
    /// Draws a number, for the first unit.
    pub fn draw(&mut self, numbers: &Array<Atomic<u32>>, sizes: &Sizes) -> u32 {
        let mut number = NONE.runtime();
        if self.left > 0 {
            self.left -= 1;
            // On its own, so that the compiler sees that one lane adds: it would gather the adds of several, and wait
            // for the sum at once.
            if UNIT_POS_X == 0 {
                number = numbers[sizes.numbers() as usize].fetch_add(1u32);
            }
        }
        number
    }

    /// Tells all units. Nobody may still need the number before; wait before this one is looked at.
    ///
    /// This waits for the number. The compiler may move it up to the last loop or wait, so call it behind the one that
    /// follows the writes of a tile: in front of them, a sort of 8-byte keys took 7 % longer on an H200.
    pub fn announce(&mut self, number: u32) {
        if UNIT_POS_X == 0 {
            self.drawn[0] = number;
        }
    }

    /// The number that was announced last.
    pub fn number(&self) -> u32 {
        self.drawn[0]
    }
}

/// The tile of a number: the first `tiles` ones from the last to the first, then any that follow.
#[cube]
pub(crate) fn tile_of(number: u32, tiles: u32) -> u32 {
    select(number < tiles, tiles - 1 - number, number)
}
