//! Axes: where values lie, and which of them are labelled.

use crate::shared::arguments::show_count;

/// How values are spread over an axis.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Scale {
    /// From 0 on.
    Linear,
    /// Whole numbers, from the least to the greatest.
    Whole,
    /// Powers of two are equally far apart.
    Log2,
    /// Powers of ten are equally far apart.
    Log10,
}

/// An axis: what it is of, and its scale.
#[derive(Clone, Debug)]
pub struct Axis {
    pub name: String,
    pub scale: Scale,
}

/// An axis over the values of a chart.
pub struct Ruler {
    scale: Scale,
    /// The ends, on the scale.
    low: f64,
    high: f64,
    /// What is labelled.
    pub ticks: Vec<Tick>,
}

/// A labelled value.
pub struct Tick {
    pub value: f64,
    pub label: String,
}

impl Ruler {
    /// Covers some values, with about `most` labels. Values that the scale cannot show have no influence.
    pub fn new(scale: Scale, values: &[f64], most: usize) -> Self {
        let shown = values.iter().map(|&value| on_scale(scale, value)).filter(|at| at.is_finite());
        let (low, high) = shown.fold((f64::MAX, f64::MIN), |(low, high), at| (low.min(at), high.max(at)));
        let (low, high) = if low > high { (0.0, 1.0) } else { (low, high) };
        match scale {
            Scale::Linear => Self::linear(high, most),
            Scale::Whole => Self::whole(low.floor(), high.ceil(), most),
            Scale::Log2 => Self::powers_of_two(low, high, most),
            Scale::Log10 => Self::decades(low, high, most),
        }
    }

    /// Returns where a value lies, from 0 to 1, or nothing if the scale cannot show it.
    pub fn at(&self, value: f64) -> Option<f64> {
        Some((on_scale(self.scale, value) - self.low) / (self.high - self.low)).filter(|at| at.is_finite())
    }

    fn linear(high: f64, most: usize) -> Self {
        let high = if high > 0.0 { high } else { 1.0 };
        let step = step(high / most as f64);
        let steps = (high / step - 1e-9).ceil() as usize;
        let ticks = (0..=steps).map(|i| Tick::new(i as f64 * step)).collect();
        Self { scale: Scale::Linear, low: 0.0, high: steps as f64 * step, ticks }
    }

    fn whole(low: f64, high: f64, most: usize) -> Self {
        let high = high.max(low + 1.0);
        let every = (high - low) as usize / (most + 1) + 1;
        let ticks = (0..=(high - low) as usize).step_by(every).map(|i| Tick::new(low + i as f64)).collect();
        Self { scale: Scale::Whole, low, high, ticks }
    }

    fn powers_of_two(low: f64, high: f64, most: usize) -> Self {
        let (first, last) = (low.floor() as i32, high.ceil() as i32);
        let every = (last - first) as usize / most + 1;
        let label = |k: i32| if k < 0 { number(f64::from(k).exp2()) } else { show_count(1 << k.min(63)) };
        let tick = |k: i32| Tick { value: f64::from(k).exp2(), label: label(k) };
        let ticks = (first..=last).step_by(every).map(tick).collect();
        Self { scale: Scale::Log2, low, high: if high > low { high } else { low + 1.0 }, ticks }.within()
    }

    /// Labels 1, 2 and 5 of each decade, or fewer if there are many decades. The ends are labelled values.
    fn decades(low: f64, high: f64, most: usize) -> Self {
        let first = (low - 1e-9).floor() as i32;
        let last = (high + 1e-9).ceil() as i32;
        let parts: &[f64] = if (last - first) as usize * 3 <= most + 2 { &[1.0, 2.0, 5.0] } else { &[1.0] };
        let every = (last - first) as usize / (most + 1) + 1;
        let decade = |k: i32| parts.iter().map(move |part| Tick::new(part * 10f64.powi(k)));
        let mut ticks: Vec<Tick> = (first..=last.max(first + 1)).step_by(every).flat_map(decade).collect();
        let at = |tick: &Tick| tick.value.log10();
        // One label below the lowest value, and one above the highest.
        let begin = ticks.iter().rposition(|tick| at(tick) <= low + 1e-9).unwrap_or(0);
        let end = ticks.iter().position(|tick| at(tick) >= high - 1e-9).unwrap_or(ticks.len() - 1).max(begin + 1);
        ticks.truncate(end + 1);
        ticks.drain(..begin);
        let (low, high) = (low.min(at(&ticks[0])), ticks.last().map_or(high, at).max(high));
        Self { scale: Scale::Log10, low, high: if high > low { high } else { low + 1.0 }, ticks }
    }

    /// Leaves out labels beyond the ends.
    fn within(mut self) -> Self {
        let inside = |at: Option<f64>| at.is_some_and(|at| (-1e-9..=1.0 + 1e-9).contains(&at));
        let keep: Vec<bool> = self.ticks.iter().map(|tick| inside(self.at(tick.value))).collect();
        let mut keep = keep.into_iter();
        self.ticks.retain(|_| keep.next().unwrap_or(false));
        self
    }
}

impl Tick {
    fn new(value: f64) -> Self {
        Self { value, label: number(value) }
    }
}

fn on_scale(scale: Scale, value: f64) -> f64 {
    match scale {
        Scale::Linear | Scale::Whole => value,
        Scale::Log2 => value.log2(),
        Scale::Log10 => value.log10(),
    }
}

/// Returns the least of 1, 2, 5, 10, … times a power of ten that is not below `least`.
fn step(least: f64) -> f64 {
    let power = 10f64.powf(least.log10().floor());
    [1.0, 2.0, 5.0, 10.0]
        .into_iter()
        .map(|part| part * power)
        .find(|step| *step >= least * (1.0 - 1e-9))
        .unwrap_or(power)
}

/// Formats a number to four digits, without zeros at its end.
pub fn number(value: f64) -> String {
    if value == 0.0 || !value.is_finite() {
        return format!("{value:.0}");
    }
    let decimals = (3.0 - value.abs().log10().floor()).clamp(0.0, 9.0) as usize;
    let text = format!("{value:.decimals$}");
    if text.contains('.') { text.trim_end_matches('0').trim_end_matches('.').to_string() } else { text }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn labels(scale: Scale, values: &[f64], most: usize) -> Vec<String> {
        Ruler::new(scale, values, most).ticks.into_iter().map(|tick| tick.label).collect()
    }

    #[test]
    fn labels_are_round_numbers() {
        assert_eq!(labels(Scale::Linear, &[3.0, 480.6], 6), ["0", "100", "200", "300", "400", "500"]);
        assert_eq!(labels(Scale::Linear, &[0.07], 4), ["0", "0.02", "0.04", "0.06", "0.08"]);
        assert_eq!(labels(Scale::Linear, &[], 2), ["0", "0.5", "1"]);
        assert_eq!(labels(Scale::Whole, &[8.0, 4.0], 10), ["4", "5", "6", "7", "8"]);
        assert_eq!(labels(Scale::Whole, &[0.0, 40.0], 5), ["0", "7", "14", "21", "28", "35"]);
        assert_eq!(labels(Scale::Log2, &[2.0, 3.0, 256.0], 10), ["2", "4", "8", "16", "32", "64", "128", "256"]);
        assert_eq!(labels(Scale::Log2, &[1024.0, 268435456.0], 6), ["2^10", "2^14", "2^18", "2^22", "2^26"]);
        assert_eq!(labels(Scale::Log10, &[0.13, 4.2], 8), ["0.1", "0.2", "0.5", "1", "2", "5"]);
        assert_eq!(
            labels(Scale::Log10, &[0.004, 31000.0], 8),
            ["0.001", "0.01", "0.1", "1", "10", "100", "1000", "10000", "100000"]
        );
        assert_eq!(labels(Scale::Log10, &[3.0, 3.0], 8), ["2", "5"]);
    }

    #[test]
    fn values_lie_between_the_ends() {
        for scale in [Scale::Linear, Scale::Whole, Scale::Log2, Scale::Log10] {
            for values in [vec![1.0], vec![0.3, 7.0, 1e5], vec![5.0; 3], vec![0.0, -1.0, 8.0, f64::NAN]] {
                let ruler = Ruler::new(scale, &values, 8);
                let at: Vec<f64> = values.iter().filter(|value| **value > 0.0).filter_map(|x| ruler.at(*x)).collect();
                assert!(at.iter().all(|at| (-1e-9..=1.0 + 1e-9).contains(at)), "{scale:?} {values:?} {at:?}");
                let ticks: Vec<_> = ruler.ticks.iter().filter_map(|tick| ruler.at(tick.value)).collect();
                assert!(ticks.windows(2).all(|pair| pair[0] < pair[1]), "{scale:?} {values:?} {ticks:?}");
            }
        }
    }

    #[test]
    fn numbers_are_short() {
        for (value, text) in
            [(0.0, "0"), (12.5, "12.5"), (1.0 / 3.0, "0.3333"), (123456.7, "123457"), (1e-7, "0.0000001")]
        {
            assert_eq!(number(value), text);
        }
    }
}
