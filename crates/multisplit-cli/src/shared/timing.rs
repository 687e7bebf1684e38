//! Measures of time.

use multisplit::{Device, DeviceKind, Result};
use std::time::{Duration, Instant};

/// Seconds that a batch of calls should take: about 100 times the jitter of waiting for it.
const LONG: f64 = 0.01;

/// Times one call, in seconds.
pub fn once(call: impl FnOnce() -> Result<()>) -> Result<f64> {
    let start = Instant::now();
    call()?;
    Ok(start.elapsed().as_secs_f64())
}

/// Times calls, in seconds per call.
///
/// Launches queue up on a GPU, so several calls are timed together, and the cost of waiting for them is subtracted:
/// (time of many - time of few) / (many - few).
pub fn per_call(device: &Device, call: &mut dyn FnMut() -> Result<()>) -> Result<f64> {
    let mut batch = |calls: usize| once(|| (0..calls).try_for_each(|_| call()).and_then(|()| device.sync()));
    match device.info().kind {
        DeviceKind::Cpu | DeviceKind::Software => batch(1),
        _ => {
            const FEW: usize = 2;
            let few = batch(FEW)?;
            let more = ((LONG * FEW as f64 / few) as usize).clamp(20, 200);
            Ok((batch(FEW + more)? - few) / more as f64)
        }
    }
}

/// The median of some times, and the quartiles around it. At least half of the times lie between these.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Quartiles {
    pub lower: f64,
    pub median: f64,
    pub upper: f64,
}

impl Quartiles {
    /// Returns the quartiles, each one of the times; all are NaN if there are no times. Of fewer than five times, the
    /// outer ones are the extremes.
    pub fn of(mut times: Vec<f64>) -> Self {
        times.sort_by(f64::total_cmp);
        let n = times.len();
        let quarter = n.saturating_sub(1) / 4;
        let at = |i: usize| times.get(i).copied().unwrap_or(f64::NAN);
        Self { lower: at(quarter), median: at(n / 2), upper: at(n.saturating_sub(1 + quarter)) }
    }

    /// Converts all three, as from seconds to milliseconds.
    pub fn map(self, convert: impl Fn(f64) -> f64) -> Self {
        Self { lower: convert(self.lower), median: convert(self.median), upper: convert(self.upper) }
    }

    /// Returns the interquartile range in percent of the median, which must be above 0.
    pub fn range_percent(self) -> Option<f64> {
        (self.median > 0.0).then(|| 100.0 * (self.upper - self.lower) / self.median)
    }
}

/// Returns the median, or NaN if there is none.
pub fn median(times: Vec<f64>) -> f64 {
    Quartiles::of(times).median
}

/// Formats a duration for people.
pub fn roughly(duration: Duration) -> String {
    match duration.as_secs() {
        0..=5 => "a few seconds".into(),
        seconds @ 6..90 => format!("about {} s", seconds.div_ceil(5) * 5),
        seconds if seconds < 5400 => format!("about {} min", seconds.div_ceil(60)),
        seconds => format!("about {:.1} h", seconds as f64 / 3600.0),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn quartiles() {
        let of = |n: u32| {
            let Quartiles { lower, median, upper } = Quartiles::of((1..=n).rev().map(f64::from).collect());
            [lower, median, upper]
        };
        assert_eq!(of(1), [1.0; 3]);
        assert_eq!(of(2), [1.0, 2.0, 2.0]);
        assert_eq!(of(3), [1.0, 2.0, 3.0]);
        assert_eq!(of(4), [1.0, 3.0, 4.0]);
        assert_eq!(of(5), [2.0, 3.0, 4.0]);
        assert_eq!(of(9), [3.0, 5.0, 7.0]);
        assert_eq!(of(15), [4.0, 8.0, 12.0]);
        for n in 1..40 {
            let [lower, median, upper] = of(n);
            assert!(lower <= median && median <= upper && 2.0 * (upper - lower + 1.0) >= f64::from(n), "{n}");
        }
        assert!(median(Vec::new()).is_nan() && Quartiles::of(Vec::new()).upper.is_nan());
    }

    #[test]
    fn ranges() {
        let quartiles = Quartiles { lower: 1.75, median: 2.0, upper: 2.5 };
        assert_eq!(quartiles.map(|x| 2.0 * x), Quartiles { lower: 3.5, median: 4.0, upper: 5.0 });
        assert_eq!(quartiles.range_percent(), Some(37.5));
        assert_eq!(quartiles.map(|_| 0.0).range_percent(), None);
        assert_eq!(Quartiles::of(Vec::new()).range_percent(), None);
    }

    #[test]
    fn durations_for_people() {
        let of = |seconds| roughly(Duration::from_secs(seconds));
        assert_eq!(
            [3, 12, 89, 90, 3600, 9000].map(of),
            ["a few seconds", "about 15 s", "about 90 s", "about 2 min", "about 60 min", "about 2.5 h"]
        );
    }
}
