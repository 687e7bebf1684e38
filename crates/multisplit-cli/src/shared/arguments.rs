//! Parsers that several command lines use.

use super::usage::ensure_usage;
use anyhow::Result;
use std::ops::Range;

/// Parses a number, or a power written as 2^k.
pub fn count(text: &str) -> Result<usize, String> {
    let number = match text.split_once('^') {
        Some((base, exponent)) => {
            let base: usize = base.parse().map_err(|_| format!("'{base}' is not a number"))?;
            let exponent: u32 = exponent.parse().map_err(|_| format!("'{exponent}' is not a number"))?;
            base.checked_pow(exponent)
        }
        None => text.replace('_', "").parse().ok(),
    };
    number.ok_or_else(|| format!("'{text}' is not a number such as 1000000 or 2^24"))
}

/// Formats a count: powers of two from 1024 on as such.
pub fn show_count(n: u64) -> String {
    if n.is_power_of_two() && n >= 1024 { format!("2^{}", n.ilog2()) } else { n.to_string() }
}

/// Parses a range of bits, such as 8..16.
pub fn bit_range(text: &str) -> Result<Range<u32>, String> {
    let ends = text.split_once("..").and_then(|(start, end)| Some(start.parse().ok()?..end.parse().ok()?));
    ends.ok_or_else(|| format!("'{text}' is not a range such as 8..16"))
}

/// Refuses a number that is not in 1 to `most`. `name` is the option.
pub fn within(name: &str, number: usize, most: u32) -> Result<u32> {
    ensure_usage!((1..=most as usize).contains(&number), "{name} {number} is out of range: 1 to {most}");
    Ok(number as u32)
}

/// Displays each variant of a [`clap::ValueEnum`] as it is typed.
macro_rules! display_as_typed {
    ($($name:ident)*) => {$(
        impl std::fmt::Display for $name {
            fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                let value = clap::ValueEnum::to_possible_value(self);
                f.pad(value.as_ref().map_or("", |value| value.get_name()))
            }
        }
    )*};
}
pub(crate) use display_as_typed;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn counts() {
        assert_eq!(count("2^24"), Ok(1 << 24));
        assert_eq!(count("1_000"), Ok(1000));
        for bad in ["", "x", "2^", "2^99", "-1", "1.5"] {
            assert!(count(bad).is_err(), "{bad}");
        }
        assert_eq!([512, 1000, 1024, 1 << 25].map(show_count), ["512", "1000", "2^10", "2^25"]);
    }

    #[test]
    fn ranges_of_bits() {
        assert_eq!(bit_range("8..16"), Ok(8..16));
        assert_eq!(bit_range("0..0"), Ok(0..0));
        for bad in ["", "8", "8..", "..8", "8..=16", "-1..4", "a..b", "8-16"] {
            assert!(bit_range(bad).is_err(), "{bad}");
        }
    }
}
