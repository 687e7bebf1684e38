//! What charts have in common: the area of the values, its grid, and legends.

use super::axis::{Axis, Ruler};
use super::svg::{Anchor, Svg, width_of};

pub const WIDTH: f64 = 760.0;
pub const HEIGHT: f64 = 420.0;
/// The height of a line of labels.
pub const LINE: f64 = 15.0;

/// The area that values are drawn in.
#[derive(Clone, Copy)]
pub struct Frame {
    pub left: f64,
    pub right: f64,
    pub top: f64,
    pub bottom: f64,
}

impl Frame {
    /// Leaves room for the title, for the labels of the axes, and for `right` pixels beside and `above` above.
    pub fn new(vertical: &Ruler, right: f64, above: f64) -> Self {
        let widest = vertical.ticks.iter().map(|tick| width_of(&tick.label)).fold(0.0, f64::max);
        Self { left: 34.0 + widest, right: WIDTH - right, top: 36.0 + above, bottom: HEIGHT - 46.0 }
    }

    /// Returns where something is that is `part` of the way from the left to the right.
    pub fn x(self, part: f64) -> f64 {
        self.left + part * (self.right - self.left)
    }

    /// Returns where something is that is `part` of the way from below.
    pub fn y(self, part: f64) -> f64 {
        self.bottom - part * (self.bottom - self.top)
    }

    /// Draws the vertical axis and its grid.
    pub fn vertical(self, svg: &mut Svg, axis: &Axis, ruler: &Ruler) {
        for tick in &ruler.ticks {
            let Some(y) = ruler.at(tick.value).map(|part| self.y(part)) else { continue };
            svg.line("grid", [self.left, y, self.right, y]);
            svg.text("tick", self.left - 6.0, y + 4.0, Anchor::End, &tick.label);
        }
        svg.upright(14.0, (self.top + self.bottom) / 2.0, &axis.name);
    }

    /// Draws the horizontal axis.
    pub fn horizontal(self, svg: &mut Svg, axis: &Axis, ruler: &Ruler) {
        for tick in &ruler.ticks {
            let Some(x) = ruler.at(tick.value).map(|part| self.x(part)) else { continue };
            svg.line("axis", [x, self.bottom, x, self.bottom + 5.0]);
            svg.text("tick", x, self.bottom + 18.0, Anchor::Middle, &tick.label);
        }
        self.base(svg, &axis.name);
    }

    /// Draws the line below the values, with a name under it.
    pub fn base(self, svg: &mut Svg, name: &str) {
        svg.line("axis", [self.left, self.bottom, self.right, self.bottom]);
        svg.text("name", (self.left + self.right) / 2.0, HEIGHT - 8.0, Anchor::Middle, name);
    }
}

/// A list of names, each beside its colour, in as many lines as it takes.
pub struct Legend<'a> {
    lines: Vec<Vec<&'a str>>,
}

impl<'a> Legend<'a> {
    /// Breaks names into lines.
    pub fn new(names: impl Iterator<Item = &'a str>) -> Self {
        let (mut lines, mut used) = (vec![Vec::new()], 0.0);
        for name in names {
            let width = entry_width(name);
            if used > 0.0 && used + width > WIDTH - 40.0 {
                lines.push(Vec::new());
                used = 0.0;
            }
            used += width;
            if let Some(line) = lines.last_mut() {
                line.push(name);
            }
        }
        Self { lines }
    }

    pub fn height(&self) -> f64 {
        LINE * self.lines.len() as f64
    }

    /// Draws it under the title.
    pub fn draw(&self, svg: &mut Svg) {
        let mut colour = 0;
        for (i, line) in self.lines.iter().enumerate() {
            let width: f64 = line.iter().map(|name| entry_width(name)).sum();
            let (mut x, y) = ((WIDTH - width) / 2.0, 42.0 + LINE * i as f64);
            for name in line {
                svg.rect(&format!("f{}", colour % super::COLOURS), [x, y - 9.0, 10.0, 10.0], "");
                svg.text("tick", x + 15.0, y, Anchor::Start, name);
                x += entry_width(name);
                colour += 1;
            }
        }
    }
}

fn entry_width(name: &str) -> f64 {
    width_of(name) + 30.0
}
