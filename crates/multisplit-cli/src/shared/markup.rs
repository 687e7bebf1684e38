//! Text in HTML and SVG.

/// Replaces what has a meaning in HTML and XML, within elements and within quoted attributes. Control characters, which
/// XML does not take, become spaces.
pub fn escape(text: &str) -> String {
    let mut escaped = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '&' => escaped += "&amp;",
            '<' => escaped += "&lt;",
            '>' => escaped += "&gt;",
            '"' => escaped += "&quot;",
            '\'' => escaped += "&#39;",
            '\n' => escaped.push(c),
            c if c.is_control() || matches!(c, '\u{fffe}' | '\u{ffff}') => escaped.push(' '),
            c => escaped.push(c),
        }
    }
    escaped
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_ends_an_element_or_an_attribute() {
        assert_eq!(escape(r#"<a b="c">'&'</a>"#), "&lt;a b=&quot;c&quot;&gt;&#39;&amp;&#39;&lt;/a&gt;");
        assert_eq!(escape("é 2^25\n\u{0}\u{1b}"), "é 2^25\n  ");
    }
}
