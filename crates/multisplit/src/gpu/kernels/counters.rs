//! Ranks keys by a digit of their bucket id, with counters of each unit's own.
//!
//! A unit owns consecutive keys of the tile and a counter for each value of the digit, so that keys are counted with
//! one atomic each that meets nobody else's: no vote, and no order to keep among lanes. Then one exclusive prefix sum
//! over all counters, digit by digit and unit by unit, turns counts into places in the tile: how many keys have smaller
//! digits, or the same digit and an earlier unit. A second atomic per key takes the place and leaves the next one.
//!
//! Shared memory bounds this, so two counters share a word: that of a unit in the first half of the cube and that of
//! the unit which stands in the same place in the second half. So an increment is a constant of the unit, and the lanes
//! of a plane are always on different banks.
//!
//! A row holds the counters of one value; each pass has rows of its own. Planes scan whole rows, each lane a few
//! neighbouring words, both halves at once; the second half of a row comes after all of its first.

use super::super::blueprint::{Blueprint, Dialect, Pass};
use super::super::{cube, plane};
use super::tile::ALIGN;
use cubecl::ir::ManagedVariable;
use cubecl::prelude::*;

/// Bits of a place: half a word.
const HALF: u32 = 16;
/// One in both halves.
const BOTH: u32 = (1 << HALF) + 1;

/// The most words of counters that a unit keeps in registers during the scan; more are read again.
const KEPT: u32 = 16;

/// The most rows of a plane that are scanned without a loop.
const UNROLLED: u32 = 8;

/// Shared memory to rank in.
#[derive(CubeType)]
pub(crate) struct Counters {
    words: SharedMemory<Atomic<u32>>,
    /// Keys in the rows of each plane.
    sums: SharedMemory<u32>,
}

#[cube]
pub(crate) fn counters(#[comptime] bp: Blueprint) -> Counters {
    Counters {
        words: SharedMemory::new_aligned(comptime!(bp.counter_words() as usize), ALIGN),
        sums: SharedMemory::new(comptime!(bp.planes as usize)),
    }
}

#[cube]
impl Counters {
    /// The word with this unit's counter of a value.
    pub fn word(&self, value: u32, #[comptime] pass: Pass) -> u32 {
        let columns = comptime!(pass.bp.columns());
        (value + comptime!(pass.first_row())) * columns + UNIT_POS_X % columns
    }

    /// Adds a key to this unit's counter in a word.
    pub fn count(&self, word: u32, #[comptime] bp: Blueprint) {
        self.words[word as usize].fetch_add(one(bp));
    }

    /// After the scan: the place of this unit's next key in a word.
    pub fn take(&self, word: u32, #[comptime] bp: Blueprint) -> u32 {
        let places = self.words[word as usize].fetch_add(one(bp));
        (places >> select(is_first_half(bp), 0u32, HALF)) & comptime!((1u32 << HALF) - 1)
    }

    /// Sets all counters to 0. Wait before counting.
    pub fn clear(&mut self, #[comptime] bp: Blueprint) {
        let words = comptime!(bp.counter_words());
        if comptime!(bp.dialect == Dialect::Cuda && words.is_multiple_of(4)) {
            let mut quads = vectors::<Const<4>>(&self.words);
            let mut quad = UNIT_POS_X;
            #[unroll]
            for _ in 0..comptime!((words / 4).div_ceil(bp.units())) {
                if comptime!((words / 4).is_multiple_of(bp.units())) || quad < comptime!(words / 4) {
                    quads[quad as usize] = Vector::new(0u32);
                }
                quad += comptime!(bp.units());
            }
        } else {
            let mut word = UNIT_POS_X;
            while word < words {
                self.words[word as usize].store(0u32);
                word += comptime!(bp.units());
            }
        }
    }

    /// Turns counts into places. Wait before and after.
    pub fn scan(&mut self, #[comptime] pass: Pass) {
        if comptime!(rows(pass) <= UNROLLED) { self.scan_few_rows(pass) } else { self.scan_many_rows(pass) }
    }

    fn scan_few_rows(&mut self, #[comptime] pass: Pass) {
        let bp = comptime!(pass.bp);
        let rows = comptime!(rows(pass));
        let mine = plane::plane(bp);
        let mut counts = Sequence::<Sequence<u32>>::new();
        let mut firsts = Sequence::<u32>::new();
        let mut sum = 0u32;
        #[unroll]
        for row in 0..rows {
            let words = self.read(mine * rows + row, pass);
            let scanned = scan_row(&words, bp);
            firsts.push(scanned.first(sum));
            sum += scanned.keys();
            if comptime!(rows * bp.row_words() <= KEPT) {
                counts.push(words);
            }
        }
        let before = self.sum_before(sum, bp);
        #[unroll]
        for row in 0..rows {
            let number = mine * rows + row;
            let place = firsts[comptime!(row as usize)] + before * BOTH;
            if comptime!(rows * bp.row_words() <= KEPT) {
                self.write(number, place, counts.index(comptime!(row as usize)), pass);
            } else {
                let counts = self.read(number, pass);
                self.write(number, place, &counts, pass);
            }
        }
    }

    /// Few planes with many rows each would make a kernel that takes long to compile, so this one loops. It scans every
    /// row twice.
    fn scan_many_rows(&mut self, #[comptime] pass: Pass) {
        let bp = comptime!(pass.bp);
        let first = plane::plane(bp) * comptime!(rows(pass));
        let end = first + comptime!(rows(pass));
        let mut sum = 0u32;
        let mut row = first;
        while row < end {
            let words = self.read(row, pass);
            sum += scan_row(&words, bp).keys();
            row += 1;
        }
        let mut before = self.sum_before(sum, bp);
        let mut row = first;
        while row < end {
            let words = self.read(row, pass);
            let scanned = scan_row(&words, bp);
            self.write(row, scanned.first(before), &words, pass);
            before += scanned.keys();
            row += 1;
        }
    }

    /// Keys in the rows of all planes before this one, which has `sum`.
    fn sum_before(&mut self, sum: u32, #[comptime] bp: Blueprint) -> u32 {
        let mine = plane::plane(bp);
        if plane::lane(bp) == 0 {
            self.sums[mine as usize] = sum;
        }
        cube::sync(bp);
        let mut before = 0u32;
        #[unroll]
        for other in 0..comptime!(bp.planes) {
            before += select(mine > other, self.sums[other as usize], 0u32);
        }
        before
    }

    /// The words of a row that this lane is in charge of; 0 for those that there are not.
    fn read(&self, row: u32, #[comptime] pass: Pass) -> Sequence<u32> {
        let bp = comptime!(pass.bp);
        match comptime!(bp.row_vector()) {
            4 => self.read_vectors::<Const<4>>(row, pass),
            2 => self.read_vectors::<Const<2>>(row, pass),
            _ => {
                let mut words = Sequence::<u32>::new();
                #[unroll]
                for i in 0..comptime!(bp.row_words()) {
                    let mut word = 0u32;
                    if is_row(row, pass) && is_column(i, bp) {
                        word = self.words[(first(row, pass) + i) as usize].load();
                    }
                    words.push(word);
                }
                words
            }
        }
    }

    fn read_vectors<N: Size>(&self, row: u32, #[comptime] pass: Pass) -> Sequence<u32> {
        let bp = comptime!(pass.bp);
        let width = N::value().comptime();
        let vectors = vectors::<N>(&self.words);
        let mut words = Sequence::<u32>::new();
        #[unroll]
        for i in 0..comptime!(bp.row_words() as usize / width) {
            let mut vector = Vector::<u32, N>::new(0u32);
            if is_row(row, pass) {
                vector = vectors[first(row, pass) as usize / width + i];
            }
            #[unroll]
            for e in 0..width {
                words.push(vector[e]);
            }
        }
        words
    }

    /// Writes places from `place` on, given what was counted.
    fn write(&mut self, row: u32, place: u32, counts: &Sequence<u32>, #[comptime] pass: Pass) {
        let bp = comptime!(pass.bp);
        match comptime!(bp.row_vector()) {
            4 => self.write_vectors::<Const<4>>(row, place, counts, pass),
            2 => self.write_vectors::<Const<2>>(row, place, counts, pass),
            _ => {
                let mut place = place;
                #[unroll]
                for i in 0..comptime!(bp.row_words()) {
                    if is_row(row, pass) && is_column(i, bp) {
                        self.words[(first(row, pass) + i) as usize].store(place);
                    }
                    place += counts[comptime!(i as usize)];
                }
            }
        }
    }

    fn write_vectors<N: Size>(&mut self, row: u32, place: u32, counts: &Sequence<u32>, #[comptime] pass: Pass) {
        let bp = comptime!(pass.bp);
        let width = N::value().comptime();
        let at = first(row, pass) as usize / width;
        let mut vectors = vectors::<N>(&self.words);
        let mut place = place;
        #[unroll]
        for i in 0..comptime!(bp.row_words() as usize / width) {
            let mut vector = Vector::<u32, N>::empty();
            #[unroll]
            for e in 0..width {
                vector[e] = place;
                place += counts[comptime!(width * i + e)];
            }
            if is_row(row, pass) {
                vectors[at + i] = vector;
            }
        }
    }
}

/// What a row of counters adds up to, both halves at once.
#[derive(CubeType)]
struct Scanned {
    /// Before the words of this lane.
    before: u32,
    /// In the whole row.
    total: u32,
}

/// Sums up a row, given the words that this lane is in charge of.
#[cube]
fn scan_row(words: &Sequence<u32>, #[comptime] bp: Blueprint) -> Scanned {
    let mut own = 0u32;
    #[unroll]
    for i in 0..comptime!(bp.row_words() as usize) {
        own += words[i];
    }
    let inclusive = plane::inclusive_sum(own, bp);
    Scanned { before: inclusive - own, total: plane_shuffle(inclusive, comptime!(bp.plane - 1)) }
}

#[cube]
impl Scanned {
    /// Keys of the row.
    fn keys(&self) -> u32 {
        (self.total & comptime!((1u32 << HALF) - 1)) + (self.total >> HALF)
    }

    /// The places of this lane's first word, if the row's first is `start`.
    fn first(&self, start: u32) -> u32 {
        self.before + start * BOTH + (self.total << HALF)
    }
}

/// Rows of a pass that a plane scans.
const fn rows(pass: Pass) -> u32 {
    pass.digit().values().div_ceil(pass.bp.planes)
}

/// The first word that this lane is in charge of in a row of a pass.
#[cube]
fn first(row: u32, #[comptime] pass: Pass) -> u32 {
    let bp = comptime!(pass.bp);
    (row + comptime!(pass.first_row())) * comptime!(bp.columns()) + plane::lane(bp) * comptime!(bp.row_words())
}

/// Whether there is such a row.
#[cube]
fn is_row(row: u32, #[comptime] pass: Pass) -> bool {
    let values = comptime!(pass.digit().values());
    comptime!(values.is_multiple_of(pass.bp.planes)) || row < values
}

/// Whether a row has an `i`-th word for this lane.
#[cube]
fn is_column(#[comptime] i: u32, #[comptime] bp: Blueprint) -> bool {
    comptime!(bp.columns().is_multiple_of(bp.plane))
        || plane::lane(bp) * comptime!(bp.row_words()) + i < comptime!(bp.columns())
}

/// Atomic words as plain ones. CUDA alone lets the same memory be both.
#[cube]
#[allow(unused_variables)]
fn plain(words: &SharedMemory<Atomic<u32>>) -> SharedMemory<u32> {
    intrinsic!(|scope| {
        let mut variable = *words.expand;
        variable.ty = u32::as_type(scope);
        ManagedVariable::Plain(variable).into()
    })
}

/// The same as vectors.
#[cube]
fn vectors<N: Size>(words: &SharedMemory<Atomic<u32>>) -> SliceMut<Vector<u32, N>> {
    plain(words).to_slice_mut().into_vectorized().with_vector_size::<N>()
}

/// Whether this unit's counters are the low halves of their words.
#[cube]
fn is_first_half(#[comptime] bp: Blueprint) -> bool {
    UNIT_POS_X < comptime!(bp.columns())
}

/// What a key adds to a word.
#[cube]
fn one(#[comptime] bp: Blueprint) -> u32 {
    select(is_first_half(bp), 1u32, comptime!(1u32 << HALF))
}
