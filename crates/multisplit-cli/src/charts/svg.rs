//! Elements of an SVG.

use crate::shared::markup::escape;

/// The width of a letter of the labels, on average, in a wide font.
const LETTER: f64 = 7.6;

/// An SVG under way. Coordinates are pixels, from the upper left corner.
pub struct Svg(String);

/// Where a text stands, relative to its coordinates.
#[derive(Clone, Copy)]
pub enum Anchor {
    Start,
    Middle,
    End,
}

impl Svg {
    /// Starts an SVG, under a title.
    pub fn new(title: &str, width: f64, height: f64) -> Self {
        let mut svg = Self(format!(
            "<svg xmlns=\"http://www.w3.org/2000/svg\" class=\"chart\" width=\"{width:.0}\" height=\"{height:.0}\" \
             viewBox=\"0 0 {width:.0} {height:.0}\" role=\"img\" aria-label=\"{}\">\n",
            escape(title)
        ));
        svg.rect("paper", [0.0, 0.0, width, height], "");
        svg.text("title", width / 2.0, 22.0, Anchor::Middle, title);
        svg
    }

    /// Draws a line from one point to another.
    pub fn line(&mut self, class: &str, [x1, y1, x2, y2]: [f64; 4]) {
        self.0 += &format!("<line class=\"{class}\" x1=\"{x1:.1}\" y1=\"{y1:.1}\" x2=\"{x2:.1}\" y2=\"{y2:.1}\"/>\n");
    }

    /// Draws a line through points.
    pub fn path(&mut self, class: &str, points: &[(f64, f64)]) {
        let points: Vec<String> = points.iter().map(|(x, y)| format!("{x:.1},{y:.1}")).collect();
        self.0 += &format!("<polyline class=\"{class}\" points=\"{}\"/>\n", points.join(" "));
    }

    /// Draws a point, with a tooltip.
    pub fn dot(&mut self, class: &str, x: f64, y: f64, tooltip: &str) {
        self.0 += &format!(
            "<circle class=\"dot {class}\" cx=\"{x:.1}\" cy=\"{y:.1}\" r=\"3\"><title>{}</title></circle>\n",
            escape(tooltip)
        );
    }

    /// Draws a rectangle, with a tooltip if there is something to say.
    pub fn rect(&mut self, class: &str, [x, y, width, height]: [f64; 4], tooltip: &str) {
        let title = if tooltip.is_empty() { String::new() } else { format!("<title>{}</title>", escape(tooltip)) };
        self.0 += &format!(
            "<rect class=\"{class}\" x=\"{x:.1}\" y=\"{y:.1}\" width=\"{width:.1}\" height=\"{height:.1}\">{title}\
             </rect>\n"
        );
    }

    /// Writes a text.
    pub fn text(&mut self, class: &str, x: f64, y: f64, anchor: Anchor, text: &str) {
        let anchor = match anchor {
            Anchor::Start => "start",
            Anchor::Middle => "middle",
            Anchor::End => "end",
        };
        self.0 += &format!(
            "<text class=\"{class}\" x=\"{x:.1}\" y=\"{y:.1}\" text-anchor=\"{anchor}\">{}</text>\n",
            escape(text)
        );
    }

    /// Writes a text that is read from below, around its coordinates.
    pub fn upright(&mut self, x: f64, y: f64, text: &str) {
        self.0 += &format!(
            "<text class=\"name\" transform=\"translate({x:.1} {y:.1}) rotate(-90)\" \
             text-anchor=\"middle\">{}</text>\n",
            escape(text)
        );
    }

    /// Returns the SVG.
    pub fn finish(self) -> String {
        self.0 + "</svg>\n"
    }
}

/// Returns about how wide a label is.
pub fn width_of(text: &str) -> f64 {
    LETTER * text.chars().count() as f64
}
