//! Keys of files, whatever their type.

use super::key_type::FileKeyType;
use anyhow::{Result, ensure};
use bytemuck::Pod;
use multisplit::Key;
use multisplit::bucket::prelude::KeyOps;
use multisplit::bucket::{Delta, DeltaKey, EvenKey};
use multisplit_graph::parallel;
use std::fmt::Display;
use std::ops::Range;

/// Where a range ends: before a key, or beyond the largest that the type has.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum End<K> {
    Before(K),
    Beyond,
}

impl<K: FileKey> End<K> {
    /// Formats it for people.
    pub fn show(self) -> String {
        match self {
            Self::Before(key) => key.show(),
            Self::Beyond => K::one_beyond(),
        }
    }
}

/// A key as files and command lines have it.
///
/// The library is called with few types, because each takes kernels of its own: integers are carried as unsigned words
/// in the same order, which all devices have, and floats as themselves or as such words.
pub trait FileKey: Pod + PartialOrd + Display + Send + Sync {
    const TYPE: FileKeyType;
    /// The type it is carried as where only the order counts: `u32` or `u64`.
    type Word: Key;
    /// The type it is carried as where its value counts.
    type Carrier: DeltaKey + EvenKey;
    /// The largest key.
    const LARGEST: Self;
    /// A distance of one.
    const ONE: <Self::Carrier as KeyOps>::Width;

    /// Converts it to a word in the same order.
    fn to_word(self) -> Self::Word;
    /// Converts it back from a word.
    fn from_word(word: Self::Word) -> Self;
    /// Converts it to its carrier.
    fn carry(self) -> Self::Carrier;
    /// Converts it back from its carrier.
    fn carried(carrier: Self::Carrier) -> Self;

    /// Converts the end of a range to the carrier, if that type has it.
    fn carry_end(end: End<Self>) -> Option<Self::Carrier>;

    /// Parses a number.
    fn parse(text: &str) -> Result<Self>;

    /// Parses the end of a range, which for integers may be one more than the largest key.
    fn parse_end(text: &str) -> Result<End<Self>>;

    /// Formats the number after the largest key.
    fn one_beyond() -> String;

    /// Returns whether it is neither infinite nor NaN.
    fn is_finite(self) -> bool;

    /// Returns a range that holds both keys, and everything between them.
    fn range_of(smallest: Self, largest: Self) -> (Self, End<Self>);

    /// Returns where bin `i` of `bins` in a range begins.
    fn edge(lower: Self, end: End<Self>, bins: u32, i: u32) -> Self;

    /// Formats it for people.
    fn show(self) -> String;

    /// Returns the function that takes a key as its bucket, if all keys from the smallest to the largest are below `m`.
    fn identity(smallest: Self, largest: Self, m: u32) -> Result<Delta<Self::Carrier>>;
}

/// Returns the number of bits of a key.
pub fn bit_width<K: FileKey>() -> u32 {
    8 * size_of::<K>() as u32
}

/// Refuses bits that keys of this type do not have. Their carriers may have more.
pub fn check_bits<K: FileKey>(bits: &Range<u32>) -> Result<()> {
    let width = bit_width::<K>();
    ensure!(bits.start <= bits.end, "--bits {bits:?} end before they begin");
    ensure!(bits.end <= width, "--bits {bits:?} do not lie within the {width} bits of {} keys", K::TYPE);
    Ok(())
}

/// Returns the smallest and the largest finite key; 0 and 0 if there are none.
pub fn extent<K: FileKey>(keys: &[K]) -> (K, K) {
    let wider = |(a, b): (K, K), (c, d): (K, K)| (if c < a { c } else { a }, if d > b { d } else { b });
    let of_part = |_, part: &[K]| {
        let finite = part.iter().copied().filter(|key| key.is_finite());
        finite.map(|key| (key, key)).reduce(wider)
    };
    let zero = bytemuck::Zeroable::zeroed();
    parallel::parts(keys, of_part).into_iter().flatten().reduce(wider).unwrap_or((zero, zero))
}

/// Converts keys to their carriers.
pub fn carry_all<K: FileKey>(keys: &[K]) -> Vec<K::Carrier> {
    parallel::map(keys, K::carry)
}
