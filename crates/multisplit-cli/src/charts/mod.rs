//! Charts as SVG: in light and dark, by what the reader prefers, without scripts; printers get the light ones.
//!
//! [`lines`] draws lines, [`bars`] bars and [`histogram`] counts between edges, over [`axis`], in a [`frame`]. [`labels`]
//! keeps the names at the ends of lines apart, and [`svg`] writes elements.

mod axis;
mod bars;
mod frame;
mod histogram;
mod labels;
mod lines;
mod svg;

pub use axis::{Axis, Scale, number};
pub use bars::{Bar, BarChart, Series};
pub use histogram::{Edge, Histogram};
pub use lines::{Line, LineChart, Point, Stroke};

/// What charts look like. A page has it once.
pub const STYLE: &str = include_str!("style.css");
/// How many colours there are.
const COLOURS: usize = 8;

/// A chart of any kind.
#[derive(Clone, Debug)]
pub enum Chart {
    Lines(LineChart),
    Bars(BarChart),
    Histogram(Histogram),
}

impl Chart {
    /// Returns whether there is nothing to see.
    pub fn is_empty(&self) -> bool {
        match self {
            Self::Lines(chart) => chart.lines.iter().all(|line| line.points.is_empty()),
            Self::Bars(chart) => chart.series.iter().all(|series| series.bars.iter().all(Option::is_none)),
            Self::Histogram(chart) => chart.counts.is_empty(),
        }
    }

    /// Returns the chart as SVG for a page that has [`STYLE`].
    pub fn svg(&self) -> String {
        match self {
            Self::Lines(chart) => chart.svg(),
            Self::Bars(chart) => chart.svg(),
            Self::Histogram(chart) => chart.svg(),
        }
    }

    /// Returns the chart as SVG for a file of its own.
    pub fn file(&self) -> String {
        self.svg().replacen(">\n", &format!(">\n<style>\n{STYLE}</style>\n"), 1)
    }
}

#[cfg(test)]
mod tests;
