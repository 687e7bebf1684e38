//! A histogram as a picture: an SVG file that is readable on light and dark pages.

use std::fmt::Write;

/// The most bins that a picture shows: about as many as it has pixels.
pub const MOST_BINS: usize = 2048;

const WIDTH: f64 = 800.0;
const HEIGHT: f64 = 420.0;
const LEFT: f64 = 80.0;
const RIGHT: f64 = 20.0;
const TOP: f64 = 48.0;
const BOTTOM: f64 = 56.0;

/// Draws bars for counts. `edge` formats where a bin begins, and `fraction` says how far along the axis that is.
pub fn draw(
    title: &str,
    about: &str,
    counts: &[u64],
    edge: &dyn Fn(usize) -> String,
    fraction: &dyn Fn(usize) -> f64,
) -> String {
    let mut svg = format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {WIDTH} {HEIGHT}\" role=\"img\" \
         font-family=\"system-ui, sans-serif\" font-size=\"12\">\n<title>{}</title>\n<style>\n\
         .page {{ fill: #ffffff }} .bar {{ fill: #2563a8 }} .bar:hover {{ fill: #12406f }}\n\
         .text {{ fill: #1f2328 }} .soft {{ fill: #59636e }} .line {{ stroke: #d1d9e0 }} .axis {{ stroke: #59636e }}\n\
         @media (prefers-color-scheme: dark) {{ .page {{ fill: #0d1117 }} .bar {{ fill: #6cb0f5 }} \
         .bar:hover {{ fill: #a5d0fb }}\n\
         .text {{ fill: #e6edf3 }} .soft {{ fill: #9da7b1 }} .line {{ stroke: #30363d }} \
         .axis {{ stroke: #9da7b1 }} }}\n\
         </style>\n<rect class=\"page\" width=\"{WIDTH}\" height=\"{HEIGHT}\"/>\n",
        escaped(title)
    );
    let (plot_width, plot_height) = (WIDTH - LEFT - RIGHT, HEIGHT - TOP - BOTTOM);
    let most = counts.iter().copied().max().unwrap_or(0);
    let step = round_step(most);
    let top = most.div_ceil(step).max(1) * step;
    let y = |count: u64| TOP + plot_height * (1.0 - count as f64 / top as f64);
    let x = |i: usize| LEFT + plot_width * fraction(i).clamp(0.0, 1.0);
    let _ = writeln!(svg, "<text class=\"text\" x=\"{LEFT}\" y=\"20\" font-size=\"15\">{}</text>", escaped(title));
    let _ = writeln!(svg, "<text class=\"soft\" x=\"{LEFT}\" y=\"37\">{}</text>", escaped(about));
    for count in (0..=top / step).map(|i| i * step) {
        let (y, class) = (y(count), if count == 0 { "axis" } else { "line" });
        let _ = writeln!(
            svg,
            "<line class=\"{class}\" x1=\"{LEFT}\" y1=\"{y:.2}\" x2=\"{}\" y2=\"{y:.2}\"/>",
            WIDTH - RIGHT
        );
        let (x, y) = (LEFT - 8.0, y + 4.0);
        let _ =
            writeln!(svg, "<text class=\"soft\" x=\"{x}\" y=\"{y:.2}\" text-anchor=\"end\">{}</text>", grouped(count));
    }
    for (i, &count) in counts.iter().enumerate().filter(|(_, count)| **count > 0) {
        let (from, to, y) = (x(i), x(i + 1), y(count));
        // Bars touch where there are many.
        let gap = if to - from > 4.0 { 1.0 } else { 0.0 };
        let (width, height) = ((to - from - gap).max(0.2), TOP + plot_height - y);
        let about = format!("{} .. {}: {}", edge(i), edge(i + 1), grouped(count));
        let _ = writeln!(
            svg,
            "<rect class=\"bar\" x=\"{from:.2}\" y=\"{y:.2}\" width=\"{width:.2}\" height=\"{height:.2}\">\
             <title>{}</title></rect>",
            escaped(&about)
        );
    }
    // As many labels as there is room for, the first and the last among them.
    let longest = (0..=counts.len()).map(|i| edge(i).chars().count()).max().unwrap_or(1);
    let labels = ((plot_width / (7.5 * longest as f64 + 16.0)) as usize).clamp(2, 11) - 1;
    let every = counts.len().div_ceil(labels).max(1);
    let mut at: Vec<usize> = (0..counts.len()).step_by(every).filter(|i| 4 * (counts.len() - i) >= 3 * every).collect();
    at.push(counts.len());
    for i in at {
        let (x, bottom) = (x(i), TOP + plot_height);
        let _ = writeln!(
            svg,
            "<line class=\"axis\" x1=\"{x:.2}\" y1=\"{bottom}\" x2=\"{x:.2}\" y2=\"{}\"/>\n\
             <text class=\"soft\" x=\"{x:.2}\" y=\"{}\" text-anchor=\"{}\">{}</text>",
            bottom + 5.0,
            bottom + 20.0,
            if i == counts.len() {
                "end"
            } else if i == 0 {
                "start"
            } else {
                "middle"
            },
            escaped(&edge(i))
        );
    }
    svg + "</svg>\n"
}

/// Returns a step of 1, 2 or 5 times a power of ten, of which about five make up a number.
fn round_step(most: u64) -> u64 {
    let (mut power, target) = (1, most.div_ceil(5).max(1));
    loop {
        for digit in [1, 2, 5] {
            if power * digit >= target {
                return power * digit;
            }
        }
        power *= 10;
    }
}

/// Formats a count with commas between thousands.
fn grouped(count: u64) -> String {
    let digits = count.to_string();
    let mut text = String::new();
    for (i, digit) in digits.chars().enumerate() {
        if i > 0 && (digits.len() - i) % 3 == 0 {
            text.push(',');
        }
        text.push(digit);
    }
    text
}

fn escaped(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pictures_have_a_bar_for_each_count() {
        let svg = draw("a < b", "3 keys", &[0, 3, 5], &|i| i.to_string(), &|i| i as f64 / 3.0);
        assert_eq!(svg.matches("class=\"bar\"").count(), 2);
        assert!(svg.contains("<title>a &lt; b</title>") && svg.contains("<title>1 .. 2: 3</title>"), "{svg}");
        assert!(svg.contains("prefers-color-scheme: dark") && svg.ends_with("</svg>\n"));
        assert_eq!(draw("", "", &[], &|_| String::new(), &|_| 0.0).matches("class=\"bar\"").count(), 0);
    }

    #[test]
    fn steps_and_thousands() {
        assert_eq!([0, 1, 5, 6, 100, 1001].map(round_step), [1, 1, 1, 2, 20, 500]);
        assert_eq!([0, 999, 1000, 1_234_567].map(grouped), ["0", "999", "1,000", "1,234,567"]);
    }
}
