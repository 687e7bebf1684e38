//! Decimals as text, and as numbers of units of their last place.

/// Parses a decimal such as `-12.5` or `3`, and counts units. One that has more places has none.
pub fn parse(text: &str, places: i8) -> Option<i128> {
    let (negative, digits) = match text.strip_prefix('-') {
        Some(digits) => (true, digits),
        None => (false, text.strip_prefix('+').unwrap_or(text)),
    };
    let (whole, fraction) = digits.split_once('.').unwrap_or((digits, ""));
    let all = format!("{whole}{fraction}");
    if all.is_empty() || !all.bytes().all(|byte| byte.is_ascii_digit()) {
        return None;
    }
    let number: i128 = all.parse().ok()?;
    let number = match i32::from(places) - i32::try_from(fraction.len()).ok()? {
        more @ 0.. => number.checked_mul(power(more)?)?,
        fewer => {
            let unit = power(-fewer)?;
            (number % unit == 0).then_some(number / unit)?
        }
    };
    Some(if negative { -number } else { number })
}

fn power(exponent: i32) -> Option<i128> {
    10i128.checked_pow(exponent.try_into().ok()?)
}

/// Formats a decimal, with all of its places.
pub fn show(units: i128, places: i8) -> String {
    let sign = if units < 0 { "-" } else { "" };
    let digits = units.unsigned_abs().to_string();
    let Ok(fraction) = usize::try_from(places) else {
        let zeros = if units == 0 { 0 } else { usize::from(places.unsigned_abs()) };
        return format!("{sign}{digits}{}", "0".repeat(zeros));
    };
    let digits = format!("{digits:0>width$}", width = fraction + 1);
    let (whole, fraction) = digits.split_at(digits.len() - fraction);
    if fraction.is_empty() { format!("{sign}{whole}") } else { format!("{sign}{whole}.{fraction}") }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn decimals_there_and_back() {
        for (text, places, units) in
            [("12.50", 2, 1250), ("-0.05", 2, -5), ("0.00", 2, 0), ("7", 0, 7), ("-1200", -2, -12)]
        {
            assert_eq!((parse(text, places), show(units, places)), (Some(units), text.into()), "{text}");
        }
        assert_eq!([parse("3", 2), parse("+.5", 2), parse("2.500", 2)], [Some(300), Some(50), Some(250)]);
        for bad in ["", ".", "-", "1.255", "1e3", "--1", "1.2.3", "x", "1234567890123456789012345678901234567890"] {
            assert_eq!(parse(bad, 2), None, "{bad}");
        }
        assert_eq!(parse("1250", -2), None);
    }
}
