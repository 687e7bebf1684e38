//! Buckets of equal counts.

use crate::commands::files::carrier::Carrier;
use crate::commands::files::input::FileKeys;
use crate::commands::files::number::Number;
use anyhow::Result;
use multisplit::{Device, sort};

/// Returns the numbers to split between, so that each of `buckets` has as many keys as the others. Equal keys stay
/// together; NaN is last, with infinity.
pub fn quantiles<C: Carrier>(device: &Device, keys: &FileKeys, buckets: u32) -> Result<Vec<Number>> {
    let key_type = keys.key_type;
    let order = key_type.order().starting_at(if key_type.is_float() { key_type.numbers().0 } else { 0 });
    let mut words = keys.bits.as_ref().to_owned();
    order.apply(&mut words);
    let sorted = sort(device, &words.cast::<C::Word>())?;
    let (n, plain) = (sorted.len() as u64, key_type.order());
    let number = |rank: u64| match sorted.get(rank as usize) {
        Some(&word) => key_type.number(plain.word(order.bits(C::word_bits(word)))),
        None => key_type.number(plain.word(0)),
    };
    let not_above_infinity = |number: Number| match number {
        Number::Real(nan) if nan.is_nan() => Number::Real(f64::INFINITY),
        number => number,
    };
    Ok((1..u64::from(buckets)).map(|b| not_above_infinity(number(b * n / u64::from(buckets)))).collect())
}
