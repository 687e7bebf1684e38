//! Keys that lie in no bin, counted apart by what they are.

use crate::commands::files::key_type::KeyType;
use crate::commands::files::keys::Keys;
use crate::commands::files::number::Number;
use crate::commands::files::thresholds::{key_from, word_of};
use crate::commands::files::words::WordsRef;
use anyhow::Result;
use multisplit_graph::parallel;

/// How many keys lie in no bin.
#[derive(Clone, Copy, Default, Debug, PartialEq, Eq)]
pub struct Outside {
    below: u64,
    above: u64,
    minus_infinity: u64,
    infinity: u64,
    /// NaN of floats, NaT of moments and spans of time.
    nothing: u64,
}

impl Outside {
    /// Counts keys that are not in a range.
    pub fn count(keys: &dyn Keys, (lower, end): (Number, Number)) -> Result<Self> {
        let key_type = keys.about().key_type;
        let (order, (least, most)) = (key_type.order(), key_type.numbers());
        let lower = first_word(lower, key_type).unwrap_or(u64::MAX);
        let end = first_word(end, key_type);
        let infinite = |word: u64, infinity: u64| key_type.is_float() && word == infinity;
        let count = |counts: &mut Self, bits: u64| {
            let word = order.word(bits);
            let kind = if !(least..=most).contains(&word) {
                &mut counts.nothing
            } else if word < lower {
                if infinite(word, least) { &mut counts.minus_infinity } else { &mut counts.below }
            } else if end.is_some_and(|end| word >= end) {
                if infinite(word, most) { &mut counts.infinity } else { &mut counts.above }
            } else {
                return;
            };
            *kind += 1;
        };
        let counted = |keys: WordsRef<'_>| {
            let mut counts = Self::default();
            (0..keys.len()).for_each(|i| count(&mut counts, keys.get(i)));
            counts
        };
        let mut all = Self::default();
        keys.each(&mut |keys| {
            let parts = parallel::collect(keys.len().div_ceil(PART), |p| {
                counted(keys.slice(p * PART..keys.len().min((p + 1) * PART)))
            });
            all = parts.into_iter().fold(all, Self::sum);
            Ok(())
        })?;
        Ok(all)
    }

    fn sum(self, other: Self) -> Self {
        Self {
            below: self.below + other.below,
            above: self.above + other.above,
            minus_infinity: self.minus_infinity + other.minus_infinity,
            infinity: self.infinity + other.infinity,
            nothing: self.nothing + other.nothing,
        }
    }

    /// Returns how many there are of each kind, and what it is called.
    pub fn parts(&self, key_type: KeyType) -> [(u64, &'static str); 5] {
        let nothing = if key_type.is_time() { "NaT" } else { "NaN" };
        [
            (self.below, "below"),
            (self.above, "above"),
            (self.minus_infinity, "-inf"),
            (self.infinity, "inf"),
            (self.nothing, nothing),
        ]
    }

    /// Lists what there is.
    pub fn list(&self, key_type: KeyType) -> String {
        let all = self.parts(key_type);
        let some = all.iter().filter(|(count, _)| *count > 0).map(|(count, name)| format!("{count} {name}"));
        some.collect::<Vec<_>>().join(", ")
    }
}

/// Keys that a thread takes at a time.
const PART: usize = 1 << 16;

/// Returns the word of the first key that is not below a number. None if there is none.
fn first_word(number: Number, key_type: KeyType) -> Option<u64> {
    match number {
        Number::Whole(number) if number < 0 && key_type.beyond_word(number).is_none() => Some(0),
        Number::Whole(number) => key_type.beyond_word(number),
        // −0 is not below 0.
        Number::Real(0.0) => Some(word_of(Number::Real(-0.0), key_type)),
        number => Some(word_of(key_from(number, key_type), key_type)),
    }
}
