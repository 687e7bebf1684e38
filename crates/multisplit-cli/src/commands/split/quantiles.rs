//! Buckets of equal counts.

use crate::commands::files::keys::Keys;
use crate::commands::files::number::Number;
use anyhow::Result;
use multisplit::Device;

/// Returns the numbers to split between, so that each of `buckets` has as many keys as the others. Equal keys stay
/// together; NaN is last, with infinity.
pub fn quantiles(device: &Device, keys: &dyn Keys, buckets: u32) -> Result<Vec<Number>> {
    let about = keys.about();
    let key_type = about.key_type;
    let order = key_type.order().starting_at(if key_type.is_float() { key_type.numbers().0 } else { 0 });
    let (n, plain) = (about.n as u64, key_type.order());
    let ranks: Vec<u64> =
        (1..u64::from(buckets)).map(|b| (u128::from(b) * u128::from(n) / u128::from(buckets)) as u64).collect();
    let words = if n == 0 { vec![order.word(0); ranks.len()] } else { keys.words_at(device, order, &ranks)? };
    let number = |word: u64| match key_type.number(plain.word(order.bits(word))) {
        Number::Real(nan) if nan.is_nan() => Number::Real(f64::INFINITY),
        number => number,
    };
    Ok(words.into_iter().map(number).collect())
}
