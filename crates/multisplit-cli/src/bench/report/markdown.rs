//! Markdown.

/// The most columns of a line, but for tables, which cannot be broken.
const COLUMNS: usize = 120;

/// Breaks a paragraph into lines.
pub fn wrap(text: &str) -> String {
    break_lines(text.split(' '), COLUMNS, "\n")
}

/// Breaks a command into lines, so that it can still be typed or pasted: not within quotes.
pub fn wrap_command(command: &str) -> String {
    let (mut within_quotes, mut before) = (false, ' ');
    let words = command.split_inclusive(|c| {
        // A quote of the text itself is written '\''.
        within_quotes ^= c == '\'' && (within_quotes || before != '\\');
        before = c;
        c == ' ' && !within_quotes
    });
    break_lines(words.map(|word| word.trim_end_matches(' ')), COLUMNS - " \\".len(), " \\\n    ")
}

/// Joins words by spaces, and by `separator` wherever a line would have more than `columns`. It ends with the
/// indentation of the next line.
fn break_lines<'a>(words: impl Iterator<Item = &'a str>, columns: usize, separator: &str) -> String {
    let indentation = separator.rsplit('\n').next().map_or(0, str::len);
    let (mut lines, mut column) = (String::new(), 0);
    for word in words {
        let length = word.chars().count();
        if lines.is_empty() {
            column = length;
        } else if column + 1 + length > columns {
            lines += separator;
            column = indentation + length;
        } else {
            lines.push(' ');
            column += 1 + length;
        }
        lines += word;
    }
    lines
}

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
    format!("### {heading}\n\n{}\n\n{content}", wrap(about))
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn long_lines_are_broken() {
        assert_eq!((wrap(""), wrap("one")), (String::new(), "one".to_string()));
        let text = vec!["seven77"; 40].join(" ");
        let wrapped = wrap(&text);
        assert_eq!(wrapped.lines().map(str::len).collect::<Vec<_>>(), [119, 119, 79]);
        assert_eq!(wrapped.replace('\n', " "), text);
        let wrapped = wrap_command(&text);
        assert!(wrapped.lines().all(|line| line.len() <= 120) && wrapped.lines().count() == 3, "{wrapped}");
        assert_eq!(wrapped.replace(" \\\n    ", " "), text);
        let quoted = format!(r"multisplit --out 'it'\''s {}' a", vec!["b"; 70].join(" "));
        assert_eq!(wrap_command(&quoted).lines().count(), 3);
        assert_eq!(wrap_command(&quoted).replace(" \\\n    ", " "), quoted);
        let word = "w".repeat(200);
        assert_eq!(wrap(&format!("a {word} b")), format!("a\n{word}\nb"));
    }
}
