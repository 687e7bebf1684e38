//! Moments as ISO 8601 writes them, and as numbers of units since the beginning of 1970.

use npyz::TimeUnits;
use std::fmt::Write;

const DAY: i128 = 86_400;

/// Returns how many units a second has, if they are not longer than one; or how many seconds a unit has.
fn scale(units: TimeUnits) -> Option<(i128, i128)> {
    Some(match units {
        TimeUnits::Week => (1, 7 * DAY),
        TimeUnits::Day => (1, DAY),
        TimeUnits::Hour => (1, 3600),
        TimeUnits::Minute => (1, 60),
        TimeUnits::Second => (1, 1),
        TimeUnits::Millisecond => (1_000, 1),
        TimeUnits::Microsecond => (1_000_000, 1),
        TimeUnits::Nanosecond => (1_000_000_000, 1),
        TimeUnits::Picosecond => (1_000_000_000_000, 1),
        TimeUnits::Femtosecond => (1_000_000_000_000_000, 1),
        TimeUnits::Attosecond => (1_000_000_000_000_000_000, 1),
        // Months and years have no length of their own.
        _ => return None,
    })
}

/// Parses a moment, such as `2024-02-29`, `2024-02-29T12:30` or `2024-02-29 12:30:15.25Z`, and counts units. A moment
/// between two has none.
pub fn parse(text: &str, units: TimeUnits) -> Option<i128> {
    let text = text.strip_suffix('Z').unwrap_or(text);
    let (date, time) = match text.split_once(['T', ' ']) {
        Some((date, time)) => (date, Some(time)),
        None => (text, None),
    };
    let digits = |text: &str, range: std::ops::RangeInclusive<i128>| {
        let number = text.bytes().all(|byte| byte.is_ascii_digit()).then(|| text.parse::<i128>().ok())??;
        range.contains(&number).then_some(number)
    };
    let (sign, unsigned) = date.strip_prefix('-').map_or((1, date), |date| (-1, date));
    let mut parts = unsigned.split('-');
    let year = parts.next().filter(|year| year.len() >= 4)?;
    let year = sign * digits(year, 0..=1_000_000_000_000)?;
    let month = parts.next().map_or(Some(1), |month| digits(month, 1..=12).filter(|_| month.len() == 2))?;
    let day = parts.next().map_or(Some(1), |day| digits(day, 1..=31).filter(|_| day.len() == 2))?;
    // Of "2024" alone nobody knows that it is a date.
    if parts.next().is_some() || date.rfind('-').is_none_or(|at| at == 0) {
        return None;
    }
    let days = days_from(year, month, day);
    if date_from(days) != (year, month, day) {
        return None; // such as 30 February
    }
    let (mut seconds, mut fraction) = (days * DAY, "");
    if let Some(time) = time {
        let (whole, behind) = time.split_once('.').unwrap_or((time, ""));
        let mut parts = whole.split(':');
        let mut part = |most| parts.next().map_or(Some(0), |part| digits(part, 0..=most).filter(|_| part.len() == 2));
        seconds += 3600 * part(23)? + 60 * part(59)? + part(59)?;
        if parts.next().is_some() || whole.len() < 5 || time.ends_with('.') {
            return None;
        }
        fraction = behind;
    }
    match units {
        TimeUnits::Year => return (month == 1 && day == 1 && seconds == days * DAY).then_some(year - 1970),
        TimeUnits::Month => {
            return (day == 1 && seconds == days * DAY).then_some((year - 1970) * 12 + month - 1);
        }
        _ => {}
    }
    let (per_second, unit) = scale(units)?;
    let mut count = seconds * per_second;
    let mut digit = per_second;
    for byte in fraction.bytes() {
        digit /= 10;
        let value = i128::from(byte.checked_sub(b'0').filter(|&value| value < 10)?);
        if digit == 0 && value != 0 {
            return None;
        }
        count += value * digit;
    }
    (count % unit == 0).then_some(count / unit)
}

/// Formats a moment.
pub fn show(count: i128, units: TimeUnits) -> String {
    match units {
        TimeUnits::Year => return format!("{:04}", 1970 + count),
        TimeUnits::Month => return format!("{:04}-{:02}", 1970 + count.div_euclid(12), count.rem_euclid(12) + 1),
        _ => {}
    }
    let Some((per_second, unit)) = scale(units) else { return count.to_string() };
    let (seconds, fraction) = ((count * unit).div_euclid(per_second), (count * unit).rem_euclid(per_second));
    let (year, month, day) = date_from(seconds.div_euclid(DAY));
    let mut text = format!("{year:04}-{month:02}-{day:02}");
    let time = seconds.rem_euclid(DAY);
    if unit < DAY && (time != 0 || fraction != 0) {
        let _ = write!(text, "T{:02}:{:02}", time / 3600, time / 60 % 60);
        if time % 60 != 0 || fraction != 0 {
            let _ = write!(text, ":{:02}", time % 60);
        }
        if fraction != 0 {
            let width = per_second.ilog10() as usize;
            let _ = write!(text, ".{}", format!("{fraction:0width$}").trim_end_matches('0'));
        }
    }
    text
}

/// Returns round spans of time in units, which ascend: 1, 2 or 5 times a power of ten of units, parts of minutes, hours
/// and days, and days.
pub fn round_spans(units: TimeUnits) -> Vec<i128> {
    let Some((per_second, unit)) = scale(units) else { return decimal_steps(30).collect() };
    let of_day = [1, 2, 5, 10, 15, 30].map(|seconds| [seconds, 60 * seconds]).into_iter().flatten();
    let of_day = of_day.chain([1, 2, 3, 6, 12].map(|hours| 3600 * hours));
    let longer = decimal_steps(9).map(|days| DAY * days);
    let seconds = of_day.chain(longer).filter(|seconds| seconds % unit == 0).map(|seconds| seconds * per_second / unit);
    let mut spans: Vec<i128> = decimal_steps(18).filter(|&span| span < per_second).chain(seconds).collect();
    spans.sort_unstable();
    spans
}

/// Returns 1, 2 and 5 times powers of ten.
pub fn decimal_steps(powers: u32) -> impl Iterator<Item = i128> {
    (0..powers).flat_map(|power| [1, 2, 5].map(|digit| digit * 10i128.pow(power)))
}

/// Returns the days from the beginning of 1970 to a date of the Gregorian calendar.
fn days_from(year: i128, month: i128, day: i128) -> i128 {
    // Years that begin in March end with the leap day.
    let (year, month) = if month > 2 { (year, month - 3) } else { (year - 1, month + 9) };
    let leap_days = year.div_euclid(4) - year.div_euclid(100) + year.div_euclid(400);
    365 * year + leap_days + (153 * month + 2) / 5 + day - 1 - 719_468
}

/// Returns the date of so many days after the beginning of 1970.
fn date_from(days: i128) -> (i128, i128, i128) {
    let days = days + 719_468;
    // 400 years have 146,097 days. The estimate is too late by one year at most.
    let mut year = (days * 400).div_euclid(146_097);
    let start = |year: i128| days_from(year, 3, 1) + 719_468;
    while start(year) > days {
        year -= 1;
    }
    while start(year + 1) <= days {
        year += 1;
    }
    let day = days - start(year);
    let month = (5 * day + 2) / 153;
    let of_month = day - (153 * month + 2) / 5 + 1;
    if month < 10 { (year, month + 3, of_month) } else { (year + 1, month - 9, of_month) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn days_there_and_back() {
        assert_eq!(days_from(1970, 1, 1), 0);
        assert_eq!(days_from(2000, 2, 29), 11_016);
        assert_eq!(days_from(2000, 3, 1), 11_017);
        assert_eq!(days_from(1969, 12, 31), -1);
        for days in (-1_000_000..1_000_000).step_by(97).chain(10_900..11_200) {
            let (year, month, day) = date_from(days);
            assert_eq!(days_from(year, month, day), days, "{year}-{month}-{day}");
        }
    }

    #[test]
    fn spans_are_whole_units() {
        assert_eq!(round_spans(TimeUnits::Day)[..4], [1, 2, 5, 10]);
        assert_eq!(round_spans(TimeUnits::Hour)[..6], [1, 2, 3, 6, 12, 24]);
        assert_eq!(round_spans(TimeUnits::Millisecond)[6..12], [100, 200, 500, 1000, 2000, 5000]);
        assert_eq!(round_spans(TimeUnits::Year)[..4], [1, 2, 5, 10]);
    }

    #[test]
    fn moments_as_text() {
        use TimeUnits::{Day, Microsecond, Millisecond, Month, Nanosecond, Second, Year};
        for (text, units, count) in [
            ("1970-01-01", Second, 0),
            ("1970-01-01T00:00:00.001", Millisecond, 1),
            ("2024-02-29T12:30", Second, 1_709_209_800),
            ("2024-02-29T12:30:15.25", Microsecond, 1_709_209_815_250_000),
            ("1969-12-31T23:59:59.999999999", Nanosecond, -1),
            ("2000-02-29", Day, 11_016),
            ("2001-03", Month, 374),
        ] {
            assert_eq!((parse(text, units), show(count, units)), (Some(count), text.into()), "{text}");
        }
        assert_eq!(parse("2024-02-29 12:30:00Z", Second), Some(1_709_209_800));
        assert_eq!(parse("2024-01-01", Year), Some(54));
        for bad in
            ["", "2024", "2023-02-29", "2024-13-01", "2024-1-1", "2024-01-01T24:00", "2024-01-01T1", "x", "1-1-1"]
        {
            assert_eq!(parse(bad, Second), None, "{bad}");
        }
        assert_eq!(parse("2024-01-01T00:00:00.5", Second), None, "between two seconds");
    }
}
