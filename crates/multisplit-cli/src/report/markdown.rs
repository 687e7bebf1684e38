//! Documents as Markdown.

use super::content::{Block, Content, Table, TableLine};

/// The most columns of a line, but for tables, which cannot be broken.
const COLUMNS: usize = 120;

/// Formats a document. `image` returns the name of the file of a chart.
pub fn markdown(content: &Content, image: &dyn Fn(&str) -> String) -> String {
    let block = |block: &Block| match block {
        Block::Heading(text) => format!("## {text}\n\n"),
        Block::Section(text) => format!("### {text}\n\n"),
        Block::Paragraph(text) => wrap(text) + "\n\n",
        Block::Label(text) => format!("**{text}**\n\n"),
        Block::Line(text) => format!("{text}\n\n"),
        Block::Table(of) => table(of),
        Block::Chart(Some(name), _) => format!("![{0}]({0})\n\n", image(name)),
        Block::Chart(None, _) | Block::Folded(..) => String::new(),
        Block::Commands(all) => {
            let lines = all.iter().map(|command| wrap_command(command) + "\n").collect::<String>();
            format!("```sh\n{lines}```\n\n")
        }
    };
    content.0.iter().map(block).collect()
}

/// Breaks a paragraph into lines.
fn wrap(text: &str) -> String {
    break_lines(text.split(' '), COLUMNS, "\n")
}

/// Breaks a command into lines, so that it can still be typed or pasted: not within quotes.
fn wrap_command(command: &str) -> String {
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

/// Formats a table, aligned to the right.
fn table(Table { header, lines }: &Table) -> String {
    let line = |cells: Vec<&str>| format!("| {} |\n", cells.join(" | "));
    let rule = format!("|{}\n", "---:|".repeat(header.len()));
    let text = |cells: &TableLine| line(cells.cells.iter().map(|cell| cell.text.as_str()).collect());
    line(header.iter().map(String::as_str).collect()) + &rule + &lines.iter().map(text).collect::<String>() + "\n"
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
