//! Charts of lines.

use super::axis::{Axis, Ruler};
use super::frame::{Frame, LINE};
use super::labels::apart;
use super::svg::{Anchor, Svg, width_of};

/// How a line is drawn.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Stroke {
    /// A line with its points.
    #[default]
    Full,
    /// A dashed line in grey without points: a limit.
    Limit,
}

/// A point, with its tooltip.
#[derive(Clone, Debug)]
pub struct Point {
    pub x: f64,
    pub y: f64,
    /// The ends of the range of `y`, where it is known.
    pub range: Option<[f64; 2]>,
    pub tooltip: String,
}

/// A line through points, from left to right.
#[derive(Clone, Debug)]
pub struct Line {
    pub name: String,
    pub stroke: Stroke,
    pub points: Vec<Point>,
}

/// Lines over two axes. Each has its name at its end.
#[derive(Clone, Debug)]
pub struct LineChart {
    pub title: String,
    pub x: Axis,
    pub y: Axis,
    pub lines: Vec<Line>,
}

impl LineChart {
    /// Returns the chart as SVG.
    pub fn svg(&self) -> String {
        let (mut widths, mut heights) = (Vec::new(), Vec::new());
        for point in self.lines.iter().flat_map(|line| &line.points) {
            widths.push(point.x);
            heights.push(point.y);
            heights.extend_from_slice(point.range.as_ref().map_or(&[], |range| range));
        }
        let (across, up) = (Ruler::new(self.x.scale, &widths, 10), Ruler::new(self.y.scale, &heights, 7));
        let names = self.lines.iter().map(|line| width_of(&line.name)).fold(0.0, f64::max);
        let frame = Frame::new(&up, 24.0 + names, 0.0);
        let mut svg = Svg::new(&self.title, super::frame::WIDTH, super::frame::HEIGHT);
        frame.vertical(&mut svg, &self.y, &up);
        frame.horizontal(&mut svg, &self.x, &across);
        let place = |point: &Point| Some((frame.x(across.at(point.x)?), frame.y(up.at(point.y)?)));
        let mut ends = Vec::new();
        for (i, line) in self.lines.iter().enumerate() {
            let colour = i % super::COLOURS;
            let placed: Vec<(f64, f64)> = line.points.iter().filter_map(place).collect();
            if line.stroke == Stroke::Limit {
                svg.path("limit", &placed);
            } else {
                svg.path(&format!("line s{colour}"), &placed);
                for point in &line.points {
                    let Some((x, y)) = place(point) else { continue };
                    if let Some([low, high]) = point.range.and_then(|[a, b]| Some([up.at(a)?, up.at(b)?])) {
                        svg.line(&format!("range s{colour}"), [x, frame.y(low), x, frame.y(high)]);
                    }
                    svg.dot(&format!("f{colour}"), x, y, &point.tooltip);
                }
            }
            if let Some(&end) = placed.last() {
                ends.push((line, colour, end));
            }
        }
        let wanted: Vec<f64> = ends.iter().map(|&(_, _, (_, y))| y).collect();
        for (y, (line, colour, end)) in apart(&wanted, LINE, frame.top, frame.bottom).into_iter().zip(ends) {
            let limit = line.stroke == Stroke::Limit;
            let [stroke, fill] = if limit {
                ["lead grey".into(), "end".into()]
            } else {
                [format!("lead s{colour}"), format!("end f{colour}")]
            };
            svg.line(&stroke, [end.0 + 4.0, end.1, frame.right + 14.0, y]);
            svg.text(&fill, frame.right + 17.0, y + 4.0, Anchor::Start, &line.name);
        }
        svg.finish()
    }
}
