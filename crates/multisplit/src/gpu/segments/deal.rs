//! How segments are dealt out to tiles: where their entries go in the table.
//!
//! Entries of a class are next to each other, in the order of the segments; tiles of segments that are cut come last.
//! Few segments are dealt out here. Many would take longer to deal out than to split, so a kernel does it
//! ([`super::device_deal`]): the host counts each part of the segments, which says where its entries begin, and a cube
//! deals a part out.

use super::classes::{Classes, Tally};
use super::tile_table::{CUT, LISTED, NOWHERE, WHOLE};
use crate::request::segments::Segments;
use std::cell::Cell;

/// Where the entries of segments go.
pub(super) struct Deal {
    pub classes: Classes,
    /// All segments together.
    pub total: Tally,
    /// For each part, and once more for the end: where the entries of each class begin that fits a tile, where the
    /// part's segments begin in the list of those that are cut, and how many tiles and keys such segments have before.
    pub bases: Vec<u32>,
    /// The length of all segments, if it is the same. The device need not know their offsets then.
    pub equal: Option<u32>,
    /// The offsets, as the device knows them, if it has to; made while they are counted, for the one who uploads them.
    words: Cell<Vec<u32>>,
}

impl Deal {
    /// Counts the segments, in parts of so many.
    pub fn new(classes: Classes, segments: Segments<'_>, part: usize) -> Self {
        let mut words = Vec::new();
        let count = segments.count() as usize;
        let equal = segments.equal_length().map(|len| len as u32);
        let parts: Vec<Tally> = if let Some(len) = equal {
            let first = |first: usize| classes.count_equal(len, part.min(count - first) as u32);
            (0..count).step_by(part).map(first).collect()
        } else {
            // What an upload fills up with, too.
            words.reserve_exact(count + 5);
            words.push(0);
            let counted = |ends: &[usize]| {
                let first = words.len() - 1;
                words.extend(ends.iter().map(|&end| end as u32));
                classes.count(&words[first..])
            };
            segments.offsets()[1..].chunks(part).map(counted).collect()
        };
        let mut total = classes.count(&[]);
        parts.iter().for_each(|part| total.add(part));
        let mut deal = Self { classes, total, bases: Vec::new(), equal, words: Cell::default() };
        deal.words.set(words);
        let mut row = deal.firsts();
        for part in &parts {
            deal.bases.extend(&row);
            row.iter_mut().zip(part.words()).for_each(|(base, words)| *base += words);
        }
        deal.bases.extend(&row);
        deal
    }

    /// The offsets, as the device knows them.
    pub fn take_words(&self, segments: Segments<'_>) -> Vec<u32> {
        match self.words.take() {
            words if words.is_empty() => segments.offsets().iter().map(|&offset| offset as u32).collect(),
            words => words,
        }
    }

    /// Numbers of a part.
    pub fn rows(&self) -> usize {
        self.classes.limits.len() + 3
    }

    pub fn parts(&self) -> u32 {
        (self.bases.len() / self.rows() - 1) as u32
    }

    /// Where the entries of a class begin.
    pub fn first(&self, class: usize) -> u32 {
        self.total.segments[..class].iter().map(|&count| count * WHOLE).sum()
    }

    /// Where the tiles of segments that are cut begin.
    pub fn first_cut(&self) -> u32 {
        self.first(self.classes.limits.len())
    }

    /// Segments that are cut.
    pub fn cut_segments(&self) -> u32 {
        self.total.segments[self.classes.limits.len()]
    }

    /// Words of the table. Behind it is a list of the segments that are cut, where a kernel makes it.
    pub fn words(&self) -> usize {
        self.first_cut() as usize + self.total.tiles * CUT as usize
    }

    /// Words of both.
    pub fn words_with_list(&self) -> usize {
        self.words() + (self.cut_segments() * LISTED) as usize
    }

    /// The numbers of the first part.
    fn firsts(&self) -> Vec<u32> {
        let classes = (0..self.classes.limits.len()).map(|class| self.first(class));
        classes.chain([self.words() as u32, 0, 0]).collect()
    }

    /// Deals out all segments.
    pub fn table(&self, segments: Segments<'_>, m: u32) -> Vec<u32> {
        let mut table = vec![0; self.words()];
        let mut places = self.firsts();
        let mut cutter = Cutter { m, tile: self.classes.tile, at: self.first_cut() as usize, tiles: 0, keys: 0 };
        for (number, (start, len)) in segments.iter().enumerate() {
            let (start, len, place) = (start as u32, len as u32, number as u32 * m);
            match self.classes.of(len) {
                class if class < self.classes.limits.len() => {
                    let at = &mut places[class];
                    table[*at as usize..][..WHOLE as usize].copy_from_slice(&[start, len, place]);
                    *at += WHOLE;
                }
                _ => cutter.cut(&mut table, start, len, place),
            }
        }
        table
    }
}

impl Tally {
    fn add(&mut self, other: &Self) {
        self.segments.iter_mut().zip(&other.segments).for_each(|(count, other)| *count += other);
        self.tiles += other.tiles;
        self.keys += other.keys;
    }

    /// Words of the entries, and of the list of segments that are cut; then the tiles and keys of those.
    fn words(&self) -> impl Iterator<Item = u32> {
        let last = self.segments.len() - 1;
        let words = move |(class, count): (usize, &u32)| count * if class == last { LISTED } else { WHOLE };
        self.segments.iter().enumerate().map(words).chain([self.tiles as u32, self.keys])
    }
}

/// Cuts segments into tiles.
struct Cutter {
    m: u32,
    tile: u32,
    /// Where the next entry goes.
    at: usize,
    /// Tiles so far.
    tiles: u32,
    /// Keys so far.
    keys: u32,
}

impl Cutter {
    fn cut(&mut self, table: &mut [u32], start: u32, len: u32, place: u32) {
        let tiles = len.div_ceil(self.tile);
        let shift = start.wrapping_sub(self.keys);
        for t in 0..tiles {
            let skipped = t * self.tile;
            let part = [start + skipped, self.tile.min(len - skipped)];
            let place = if t == 0 { place } else { NOWHERE };
            let entry = [part[0], part[1], place, self.m * self.tiles + t, tiles, shift];
            table[self.at..][..CUT as usize].copy_from_slice(&entry);
            self.at += CUT as usize;
        }
        self.tiles += tiles;
        self.keys += len;
    }
}
