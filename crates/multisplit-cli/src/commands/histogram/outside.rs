//! Keys that lie in no bin, counted apart by what they are.

use crate::commands::files::carrier::Carrier;
use crate::commands::files::key_type::KeyType;
use crate::commands::files::number::Number;
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
    /// Counts keys that are not in a range. Of NaT it is of no consequence where the range is.
    pub fn count<C: Carrier>(keys: &[C], key_type: KeyType, lower: Number, end: Number) -> Self {
        let (lower, end) = (C::of(lower, key_type), C::of(end, key_type));
        let infinities = [f64::NEG_INFINITY, f64::INFINITY].map(|number| C::of(Number::Real(number), key_type));
        let not_a_time = key_type.is_time().then(|| C::from_word(0, key_type));
        let count = |_, part: &[C]| {
            let mut counts = Self::default();
            for &key in part {
                // Only NaN differs from itself.
                #[allow(clippy::eq_op)]
                let nothing = key != key || Some(key) == not_a_time;
                if nothing {
                    counts.nothing += 1;
                } else if lower.is_some_and(|lower| key < lower) {
                    let infinite = Some(key) == infinities[0];
                    *(if infinite { &mut counts.minus_infinity } else { &mut counts.below }) += 1;
                } else if end.is_some_and(|end| key >= end) {
                    let infinite = Some(key) == infinities[1];
                    *(if infinite { &mut counts.infinity } else { &mut counts.above }) += 1;
                }
            }
            counts
        };
        let sum = |a: Self, b: Self| Self {
            below: a.below + b.below,
            above: a.above + b.above,
            minus_infinity: a.minus_infinity + b.minus_infinity,
            infinity: a.infinity + b.infinity,
            nothing: a.nothing + b.nothing,
        };
        parallel::parts(keys, count).into_iter().fold(Self::default(), sum)
    }

    /// Lists what there is.
    pub fn list(&self, key_type: KeyType) -> String {
        let nothing = if key_type.is_time() { "NaT" } else { "NaN" };
        let all = [
            (self.below, "below"),
            (self.above, "above"),
            (self.minus_infinity, "-inf"),
            (self.infinity, "inf"),
            (self.nothing, nothing),
        ];
        let some = all.iter().filter(|(count, _)| *count > 0).map(|(count, name)| format!("{count} {name}"));
        some.collect::<Vec<_>>().join(", ")
    }
}
