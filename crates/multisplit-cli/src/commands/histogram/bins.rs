//! The bins of a histogram, and their edges.

use crate::commands::files::carrier::Carrier;
use crate::commands::files::dates;
use crate::commands::files::input::{KeysInShort, read_like_keys};
use crate::commands::files::key_type::{KeyType, with_carrier};
use crate::commands::files::keys::Keys;
use crate::commands::files::number::Number;
use crate::commands::files::thresholds;
use crate::shared::usage::ensure_usage;
use anyhow::{Context, Result, ensure};
use multisplit::bucket::{BucketFn, EvenBins};
use multisplit::{Counts, Device};
use std::path::PathBuf;
use std::time::Duration;

/// The most bins that are picked, so that a terminal shows them.
pub const MOST_PICKED: u32 = 64;

/// The bins that were asked for. Keys are still text: their type is in the file.
pub enum Bins {
    Even { bins: Option<u32>, from: Option<String>, to: Option<String> },
    Edges { path: PathBuf },
}

/// The bins, for keys of one type.
pub enum BinRanges {
    Even { lower: Number, end: Number, bins: u32 },
    Edges(Vec<Number>),
}

impl Bins {
    /// Returns the bins for these keys.
    pub fn ranges(&self, keys: &dyn Keys) -> Result<BinRanges> {
        let KeysInShort { key_type, n, .. } = keys.about();
        match self {
            Self::Even { bins, from, to } => {
                // The first pass over the keys, unless nothing depends on it.
                let extent = || keys.extent();
                let known = bins.is_some() && from.is_some() && to.is_some();
                let nothing = Number::Whole(0);
                let (smallest, largest) = if known { (nothing, nothing) } else { extent()? };
                let (smallest, behind) = key_type.range_of(smallest, largest);
                if let (None, None, None) = (bins, from, to) {
                    return Ok(pick(key_type, smallest, largest, behind, fitting(n)));
                }
                let lower = from.as_ref().map_or(Ok(smallest), |text| key_type.parse(text).context("--from"))?;
                let end = to.as_ref().map_or(Ok(behind), |text| key_type.parse_end(text).context("--to"))?;
                ensure_usage!(
                    from.is_none() || to.is_none() || lower < end,
                    "--from {} and --to {}: the range is empty; the first must be less",
                    key_type.show(lower),
                    key_type.show(end)
                );
                Ok(BinRanges::Even { lower, end, bins: bins.unwrap_or_else(|| fitting(n)) })
            }
            Self::Edges { path } => {
                let edges = read_like_keys(path, key_type);
                Ok(BinRanges::Edges(edges.with_context(|| format!("--edges {}", path.display()))?))
            }
        }
    }
}

/// Returns how many bins to pick for so many keys: twice the cube root, as Rice's rule has it.
pub fn fitting(n: usize) -> u32 {
    (2.0 * (n as f64).cbrt()).ceil().clamp(1.0, MOST_PICKED.into()) as u32
}

/// Picks bins of a round width, 1, 2 or 5 times a power of ten, that begin at a multiple of it: as many as can be, but
/// not more than `most`. Whole numbers get one each where there are few. Of time, round widths are parts of minutes,
/// hours and days, and days.
fn pick(key_type: KeyType, smallest: Number, largest: Number, behind: Number, most: u32) -> BinRanges {
    match (smallest, largest) {
        (Number::Whole(low), Number::Whole(high)) => {
            let few = high - low < i128::from(MOST_PICKED) && !key_type.is_time();
            let most = i128::from(if few { MOST_PICKED } else { most });
            let widths = match key_type {
                KeyType::Datetime(units) | KeyType::Timedelta(units) => dates::round_spans(units),
                _ => dates::decimal_steps(37).collect(),
            };
            let count = |width: i128| high.div_euclid(width) - low.div_euclid(width) + 1;
            let width = widths.into_iter().find(|&width| count(width) <= most).unwrap_or(i128::MAX >> 8);
            let lower = low.div_euclid(width) * width;
            let bins = count(width);
            BinRanges::Even { lower: Number::Whole(lower), end: Number::Whole(lower + bins * width), bins: bins as u32 }
        }
        (Number::Real(low), Number::Real(high)) if low < high && (high - low).is_finite() => {
            round_bins(key_type, low, high, most).unwrap_or(BinRanges::Even {
                lower: smallest,
                end: behind,
                bins: most,
            })
        }
        _ => BinRanges::Even { lower: smallest, end: behind, bins: most },
    }
}

/// Returns bins of a round width for floats. None if numbers are too close or too large for that.
fn round_bins(key_type: KeyType, low: f64, high: f64, most: u32) -> Option<BinRanges> {
    let power = ((high - low) / f64::from(most)).log10().floor() as i32;
    // Whole multiples of a digit, divided by a power of ten where that is negative: then 3 * 0.1 is 0.3.
    let times = |multiple: f64, digit: f64, power: i32| match power {
        0.. => multiple * digit * 10f64.powi(power),
        _ => multiple * digit / 10f64.powi(-power),
    };
    for (digit, power) in [(1.0, power), (2.0, power), (5.0, power), (1.0, power + 1), (2.0, power + 1)] {
        let width = times(1.0, digit, power);
        let (first, last) = ((low / width).floor(), (high / width).floor() + 1.0);
        let (lower, end) = (key_type.round(times(first, digit, power)), key_type.round(times(last, digit, power)));
        if last - first <= f64::from(most) {
            let sound = lower <= low && high < end && end.is_finite() && last.abs().max(first.abs()) < 1e15;
            let bins = (last - first) as u32;
            return sound.then_some(BinRanges::Even { lower: Number::Real(lower), end: Number::Real(end), bins });
        }
    }
    None
}

impl BinRanges {
    /// Returns the number of bins.
    pub fn len(&self) -> usize {
        match self {
            Self::Even { bins, .. } => *bins as usize,
            Self::Edges(edges) => edges.len().saturating_sub(1),
        }
    }

    /// Returns where bin `i` begins, which is where the one before it ends.
    pub fn edge(&self, key_type: KeyType, i: usize) -> Number {
        match self {
            Self::Even { end, bins, .. } if i >= *bins as usize => *end,
            Self::Even { lower, end, bins } => key_type.edge(*lower, *end, *bins, i as u32),
            Self::Edges(edges) => edges.get(i).copied().unwrap_or(Number::Whole(0)),
        }
    }

    /// Returns the library's function of even bins, if keys have their ends.
    pub fn even<C: Carrier>(&self, key_type: KeyType) -> Option<multisplit::Result<EvenBins<C>>> {
        let Self::Even { lower, end, bins } = *self else { return None };
        Some(EvenBins::new(C::of(lower, key_type)?..C::of(end, key_type)?, bins))
    }

    /// Returns the first word of each bin but the first.
    fn first_words(&self, key_type: KeyType, range: (u64, u64)) -> Vec<u64> {
        with_carrier!(key_type.carrier(), C => match self.even::<C>(key_type) {
            Some(Ok(even)) => {
                let bin = |word: u64| even.bucket(C::from_word(word, key_type));
                thresholds::first_words(range, self.len() as u32, &bin)
            }
            _ => Vec::new(),
        })
    }

    /// Returns the edges of the bins as keys: round ones if they make the same counts, else those that rounding led to.
    pub fn exact_edges(&self, device: &Device, keys: &dyn Keys, counts: &Counts) -> Result<Vec<Number>> {
        let key_type = keys.about().key_type;
        let mut edges: Vec<Number> = (0..=self.len()).map(|i| self.edge(key_type, i)).collect();
        let even = matches!(self, Self::Even { .. }) && key_type.is_float();
        let differs = |(again, _): (Counts, Duration)| again.bins != counts.bins;
        if even && Self::Edges(edges.clone()).count(device, keys).is_ok_and(differs) {
            let word = |number: Number| thresholds::word_of(thresholds::key_from(number, key_type), key_type);
            let range = (word(edges[0]), word(edges[self.len()]) - 1);
            for (edge, found) in edges[1..].iter_mut().zip(self.first_words(key_type, range)) {
                *edge = key_type.number(found);
            }
        }
        // Between keys, the one above divides them alike.
        if key_type.is_float() {
            edges.iter_mut().for_each(|edge| *edge = thresholds::key_from(*edge, key_type));
        }
        let last = edges[self.len()];
        ensure!(
            edges.iter().all(|&edge| thresholds::is_key(edge, key_type)),
            "the bins begin at {} and end before {}, but {key_type} keys do not go so far; name other ends with --from \
             and --to",
            key_type.show(edges[0]),
            key_type.show(last)
        );
        Ok(edges)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use npyz::TimeUnits;

    fn picked(key_type: KeyType, low: Number, high: Number, most: u32) -> (Number, Number, u32) {
        let (low, behind) = key_type.range_of(low, high);
        match pick(key_type, low, high, behind, most) {
            BinRanges::Even { lower, end, bins } => (lower, end, bins),
            BinRanges::Edges(_) => unreachable!(),
        }
    }

    #[test]
    fn bins_have_round_widths() {
        use Number::{Real, Whole};
        let i64s = |low, high, most| picked(KeyType::Signed(64), Whole(low), Whole(high), most);
        assert_eq!(i64s(3, 9, 4), (Whole(3), Whole(10), 7), "one for each");
        assert_eq!(i64s(-150, 149, 20), (Whole(-160), Whole(160), 16));
        assert_eq!(i64s(0, 999_999, 64), (Whole(0), Whole(1_000_000), 50));
        assert_eq!(picked(KeyType::Unsigned(64), Whole(0), Whole(u64::MAX.into()), 64).2, 37);
        let days = |low, high, most| picked(KeyType::Datetime(TimeUnits::Hour), Whole(low), Whole(high), most);
        assert_eq!(days(30, 100, 10), (Whole(24), Whole(108), 7), "half days");
        let f64s = |low, high, most| picked(KeyType::Float(64), Real(low), Real(high), most);
        assert_eq!(f64s(0.31, 0.99, 10), (Real(0.3), Real(1.0), 7));
        assert_eq!(f64s(-12.5, 37.0, 12), (Real(-15.0), Real(40.0), 11));
        assert_eq!(f64s(-1e308, 1e308, 10), (Real(-1e308), Real(1e308f64.next_up()), 10));
        assert_eq!(f64s(5.0, 5.0, 3).2, 3);
    }
}
