//! Documents as one page of HTML, which needs nothing but itself: no scripts, no fonts, no other files.

use super::content::{Block, Cell, Content, Table, TableLine};
use crate::charts;
use crate::shared::markup::escape;

const STYLE: &str = include_str!("page.css");

/// Formats a page. Links to its headings come first, if there are several.
pub fn page(title: &str, content: &Content) -> String {
    let mut page = Page::default();
    page.blocks(content);
    let links: String =
        page.headings.iter().enumerate().map(|(i, text)| format!("<a href=\"#h{i}\">{}</a>\n", escape(text))).collect();
    let links = if page.headings.len() > 1 { format!("<nav>\n{links}</nav>\n") } else { String::new() };
    let title = escape(title);
    format!(
        "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n\
         <meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n\
         <link rel=\"icon\" href=\"data:,\">\n<title>{title}</title>\n\
         <style>\n{STYLE}{}</style>\n</head>\n<body>\n<h1>{title}</h1>\n{links}{}</body>\n</html>\n",
        charts::STYLE,
        page.body
    )
}

/// The body of a page under way.
#[derive(Default)]
struct Page {
    body: String,
    headings: Vec<String>,
}

impl Page {
    fn blocks(&mut self, content: &Content) {
        let mut charts = false;
        for block in &content.0 {
            // Charts that follow each other stand side by side.
            let is_chart = matches!(block, Block::Chart(..));
            if is_chart != charts {
                self.body += if is_chart { "<div class=\"charts\">\n" } else { "</div>\n" };
                charts = is_chart;
            }
            self.block(block);
        }
        if charts {
            self.body += "</div>\n";
        }
    }

    fn block(&mut self, block: &Block) {
        match block {
            Block::Heading(text) => {
                self.body += &format!("<h2 id=\"h{}\">{}</h2>\n", self.headings.len(), escape(text));
                self.headings.push(text.clone());
            }
            Block::Section(text) => self.body += &format!("<h3>{}</h3>\n", escape(text)),
            Block::Paragraph(text) | Block::Line(text) => self.body += &format!("<p>{}</p>\n", escape(text)),
            Block::Label(text) => self.body += &format!("<p class=\"label\"><strong>{}</strong></p>\n", escape(text)),
            Block::Table(table) => self.table(table),
            Block::Chart(_, chart) => self.body += &chart.svg(),
            Block::Commands(all) => self.body += &format!("<pre>{}</pre>\n", escape(&all.join("\n"))),
            Block::Folded(summary, content) => {
                self.body += &format!("<details>\n<summary>{}</summary>\n", escape(summary));
                self.blocks(content);
                self.body += "</details>\n";
            }
        }
    }

    fn table(&mut self, Table { header, lines }: &Table) {
        // A column of numbers has its header on the right, too.
        let is_of_numbers = |i: usize| {
            let mut cells = lines.iter().filter_map(|line| line.cells.get(i)).filter(|cell| !cell.text.is_empty());
            lines.iter().any(|line| line.cells.get(i).is_some_and(is_number)) && cells.all(is_number)
        };
        let header = header.iter().enumerate().map(|(i, name)| {
            format!("<th{}>{}</th>", if is_of_numbers(i) { " class=\"n\"" } else { "" }, escape(name))
        });
        let header: String = header.collect();
        self.body += &format!("<div class=\"wide\"><table>\n<thead><tr>{header}</tr></thead>\n<tbody>\n");
        for line in lines {
            self.line(line);
        }
        self.body += "</tbody></table></div>\n";
    }

    fn line(&mut self, line: &TableLine) {
        self.body += if line.strong { "<tr class=\"strong\">" } else { "<tr>" };
        for cell in &line.cells {
            let class = if is_number(cell) { " class=\"n\"" } else { "" };
            let tooltip =
                if cell.tooltip.is_empty() { String::new() } else { format!(" title=\"{}\"", escape(&cell.tooltip)) };
            self.body += &format!("<td{class}{tooltip}>{}</td>", escape(&cell.text));
        }
        self.body += "</tr>\n";
    }
}

/// Returns whether a cell has a number, or the dash that stands for one.
fn is_number(cell: &Cell) -> bool {
    cell.text.starts_with(|c: char| c.is_ascii_digit() || c == '–')
}
