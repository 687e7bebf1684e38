//! Markdown.

/// Formats a table, aligned to the right. It is empty if it has no lines.
pub fn table(header: &[String], lines: &[Vec<String>]) -> String {
    if lines.is_empty() {
        return String::new();
    }
    let line = |cells: &[String]| format!("| {} |\n", cells.join(" | "));
    let rule = format!("|{}\n", "---:|".repeat(header.len()));
    line(header) + &rule + &lines.iter().map(|cells| line(cells)).collect::<String>() + "\n"
}

/// Formats a section. It is empty if its content is.
pub fn section(heading: &str, about: &str, content: &str) -> String {
    if content.is_empty() {
        return String::new();
    }
    format!("### {heading}\n\n{about}\n\n{content}")
}

/// Formats a number, or a dash.
pub fn number(x: Option<f64>, decimals: usize) -> String {
    x.map_or("–".into(), |x| format!("{x:.decimals$}"))
}

/// Formats a rate to four digits, or a dash: GPUs and single cores are far apart.
pub fn rate(x: Option<f64>) -> String {
    let digits = x.map_or(0.0, |x| x.abs().max(1e-4).log10().floor());
    number(x, (3.0 - digits).clamp(0.0, 4.0) as usize)
}

/// Copies strings.
pub fn strings(all: &[&str]) -> Vec<String> {
    all.iter().map(ToString::to_string).collect()
}
