//! Buckets of equal counts.

use crate::commands::files::input::FileKeys;
use crate::commands::files::number::Number;
use crate::commands::files::words::Words;
use anyhow::Result;
use multisplit::{Device, sort};

/// Returns the numbers to split between, so that each of `buckets` has as many keys as the others. Equal keys stay
/// together; NaN is last, with infinity.
pub fn quantiles(device: &Device, keys: &FileKeys, buckets: u32) -> Result<Vec<Number>> {
    let key_type = keys.key_type;
    let order = key_type.order().starting_at(if key_type.is_float() { key_type.numbers().0 } else { 0 });
    let mut words = keys.bits.as_ref().to_owned();
    order.apply(&mut words);
    let sorted = match words {
        Words::Narrow(words) => Words::Narrow(sort(device, &words)?),
        Words::Wide(words) => Words::Wide(sort(device, &words)?),
    };
    let (n, plain) = (sorted.len() as u64, key_type.order());
    let number = |b: u64| {
        let rank = (b * n / u64::from(buckets)) as usize;
        let bits = if n == 0 { 0 } else { order.bits(sorted.as_ref().get(rank)) };
        match key_type.number(plain.word(bits)) {
            Number::Real(nan) if nan.is_nan() => Number::Real(f64::INFINITY),
            number => number,
        }
    };
    Ok((1..u64::from(buckets)).map(number).collect())
}
