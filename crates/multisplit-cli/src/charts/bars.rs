//! Charts of bars.

use super::axis::{Axis, Ruler, Scale};
use super::frame::{Frame, HEIGHT, LINE, Legend, WIDTH};
use super::svg::{Anchor, Svg, width_of};

/// A bar, with its tooltip.
#[derive(Clone, Debug)]
pub struct Bar {
    pub value: f64,
    /// The ends of the range of `value`, where it is known.
    pub range: Option<[f64; 2]>,
    pub tooltip: String,
}

/// Bars of one colour: one in each group, or none.
#[derive(Clone, Debug)]
pub struct Series {
    pub name: String,
    pub bars: Vec<Option<Bar>>,
}

/// Groups of bars, beside each other or stacked.
#[derive(Clone, Debug)]
pub struct BarChart {
    pub title: String,
    /// What the groups are.
    pub groups_are: String,
    pub groups: Vec<String>,
    pub y: Axis,
    pub stacked: bool,
    pub series: Vec<Series>,
}

impl BarChart {
    /// Returns the chart as SVG.
    pub fn svg(&self) -> String {
        let up = Ruler::new(self.y.scale, &self.heights(), 6);
        let legend = Legend::new(self.series.iter().map(|series| series.name.as_str()));
        let frame = Frame::new(&up, 16.0, legend.height() + 4.0);
        let mut svg = Svg::new(&self.title, WIDTH, HEIGHT);
        legend.draw(&mut svg);
        frame.vertical(&mut svg, &self.y, &up);
        let step = (frame.right - frame.left) / self.groups.len().max(1) as f64;
        let side_by_side = if self.stacked { 1 } else { self.series.len().max(1) };
        let width = (0.8 * step / side_by_side as f64).min(60.0);
        for (g, group) in self.groups.iter().enumerate() {
            let centre = frame.left + step * (g as f64 + 0.5);
            let first = centre - width * side_by_side as f64 / 2.0;
            let mut below = 0.0;
            for (s, series) in self.series.iter().enumerate() {
                let Some(bar) = series.bars.get(g).and_then(Option::as_ref) else { continue };
                let x = if self.stacked { first } else { first + width * s as f64 };
                let [from, to] = [below, below + bar.value].map(|value| frame.y(up.at(value).unwrap_or(0.0).max(0.0)));
                let class = format!("f{}", s % super::COLOURS);
                svg.rect(&class, [x, to, (width - 1.0).max(1.0), (from - to).max(0.0)], &bar.tooltip);
                if let Some([low, high]) = bar.range.and_then(|[a, b]| Some([up.at(a)?, up.at(b)?])) {
                    let x = x + width / 2.0;
                    svg.line("range ink", [x, frame.y(low), x, frame.y(high)]);
                }
                if self.stacked {
                    below += bar.value;
                }
            }
            // Every label has a place, on two lines in turn where they are long.
            let crowded = width_of(group) + 6.0 > step;
            let lower = if crowded && g % 2 == 1 { LINE - 3.0 } else { 0.0 };
            svg.text("tick", centre, frame.bottom + 14.0 + lower, Anchor::Middle, group);
        }
        frame.base(&mut svg, &self.groups_are);
        svg.finish()
    }

    /// Returns the values that the axis must show.
    fn heights(&self) -> Vec<f64> {
        let all = |g: usize| self.series.iter().filter_map(move |series| series.bars.get(g)?.as_ref());
        let mut heights = Vec::new();
        for g in 0..self.groups.len() {
            if self.stacked {
                heights.push(all(g).map(|bar| bar.value).sum());
                continue;
            }
            for bar in all(g) {
                heights.push(bar.value);
                heights.extend_from_slice(bar.range.as_ref().map_or(&[], |range| range));
            }
        }
        if self.y.scale != Scale::Linear {
            // The least bar has a height, too.
            let least = heights.iter().copied().filter(|height| *height > 0.0).fold(f64::MAX, f64::min);
            heights.push(least / 2.0);
        }
        heights
    }
}
