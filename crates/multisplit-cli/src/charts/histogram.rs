//! Charts of counts between edges.

use super::axis::{Axis, Ruler, Scale};
use super::frame::{Frame, HEIGHT, LINE, WIDTH};
use super::svg::{Anchor, Svg, width_of};

/// Counts between edges, as bars whose widths are in proportion.
#[derive(Clone, Debug)]
pub struct Histogram {
    pub title: String,
    /// A line below the title.
    pub about: String,
    pub counts: Vec<u64>,
    /// Where each bin begins and the last one ends: one more than there are counts.
    pub edges: Vec<Edge>,
}

/// An edge of a bin.
#[derive(Clone, Debug)]
pub struct Edge {
    pub label: String,
    /// How far along the axis it is, from 0 to 1.
    pub part: f64,
}

impl Histogram {
    /// Returns the chart as SVG.
    pub fn svg(&self) -> String {
        let heights: Vec<f64> = self.counts.iter().map(|&count| count as f64).collect();
        let up = Ruler::new(Scale::Linear, &heights, 5);
        let frame = Frame::new(&up, 24.0, LINE);
        let mut svg = Svg::new(&self.title, WIDTH, HEIGHT);
        svg.text("tick", WIDTH / 2.0, 40.0, Anchor::Middle, &self.about);
        frame.vertical(&mut svg, &Axis { name: "keys".into(), scale: Scale::Linear }, &up);
        for (pair, &count) in self.edges.windows(2).zip(&self.counts).filter(|&(_, &count)| count > 0) {
            let [from, to] = [&pair[0], &pair[1]].map(|edge| frame.x(edge.part.clamp(0.0, 1.0)));
            let y = frame.y(up.at(count as f64).unwrap_or(0.0));
            // Bars touch where there are many.
            let gap = if to - from > 4.0 { 1.0 } else { 0.0 };
            let tooltip = format!("{} .. {}: {count}", pair[0].label, pair[1].label);
            svg.rect("bar", [from, y, (to - from - gap).max(0.2), frame.bottom - y], &tooltip);
        }
        self.draw_labels(&mut svg, frame);
        frame.base(&mut svg, "");
        svg.finish()
    }

    /// Labels as many edges as there is room for, the first and the last among them.
    fn draw_labels(&self, svg: &mut Svg, frame: Frame) {
        let widest = self.edges.iter().map(|edge| width_of(&edge.label)).fold(0.0, f64::max);
        let most = (((frame.right - frame.left) / (widest + 16.0)) as usize).clamp(2, 11) - 1;
        let n = self.counts.len();
        let every = n.div_ceil(most).max(1);
        for (i, edge) in self.edges.iter().enumerate() {
            // None is too near to the last.
            if i != n && (i % every != 0 || 4 * (n - i) < 3 * every) {
                continue;
            }
            let anchor = match i {
                _ if i == n => Anchor::End,
                0 => Anchor::Start,
                _ => Anchor::Middle,
            };
            let x = frame.x(edge.part.clamp(0.0, 1.0));
            svg.line("axis", [x, frame.bottom, x, frame.bottom + 5.0]);
            svg.text("tick", x, frame.bottom + 20.0, anchor, &edge.label);
        }
    }
}
