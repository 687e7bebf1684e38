//! What a document says, before it is written as Markdown or as HTML.

use crate::charts::Chart;
use std::ops::Add;

/// A part of a document.
#[derive(Clone, Debug)]
pub enum Block {
    /// A device or an experiment.
    Heading(String),
    /// A section under a heading.
    Section(String),
    Paragraph(String),
    /// A name of the table or the chart that follows.
    Label(String),
    /// A line of text above a table.
    Line(String),
    Table(Table),
    /// A chart. Markdown has those that have a name: it becomes part of the name of a file.
    Chart(Option<&'static str>, Box<Chart>),
    /// Commands to type.
    Commands(Vec<String>),
    /// What most readers skip, under a line that opens it. Markdown leaves it out.
    Folded(String, Content),
}

/// A table.
#[derive(Clone, Debug)]
pub struct Table {
    pub header: Vec<String>,
    pub lines: Vec<TableLine>,
}

/// A line of a table.
#[derive(Clone, Debug)]
pub struct TableLine {
    pub cells: Vec<Cell>,
    /// Whether it stands out.
    pub strong: bool,
}

/// A cell, with its tooltip.
#[derive(Clone, Debug, Default)]
pub struct Cell {
    pub text: String,
    pub tooltip: String,
}

impl<T: Into<String>> From<T> for Cell {
    fn from(text: T) -> Self {
        Self { text: text.into(), tooltip: String::new() }
    }
}

/// Parts of a document, one after the other.
#[derive(Clone, Debug, Default)]
pub struct Content(pub Vec<Block>);

impl Content {
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }
}

impl From<Block> for Content {
    fn from(block: Block) -> Self {
        Self(vec![block])
    }
}

impl Add for Content {
    type Output = Self;

    // There are so many sums that copies of this would take much room.
    #[inline(never)]
    fn add(mut self, mut other: Self) -> Self {
        self.0.append(&mut other.0);
        self
    }
}

impl FromIterator<Self> for Content {
    fn from_iter<I: IntoIterator<Item = Self>>(parts: I) -> Self {
        let mut all = Self::default();
        for part in parts {
            all = all + part;
        }
        all
    }
}

/// Makes a table. There is none without lines.
pub fn table(header: &[String], lines: &[Vec<String>]) -> Content {
    let line = |cells: &Vec<String>| TableLine { cells: cells.iter().map(Cell::from).collect(), strong: false };
    table_of(header.to_vec(), lines.iter().map(line).collect())
}

/// Makes a table of lines. There is none without lines.
pub fn table_of(header: Vec<String>, lines: Vec<TableLine>) -> Content {
    if lines.is_empty() { Content::default() } else { Block::Table(Table { header, lines }).into() }
}

/// Makes a section. There is none without content.
pub fn section(heading: &str, about: &str, content: Content) -> Content {
    if content.is_empty() {
        return content;
    }
    Content(vec![Block::Section(heading.into()), Block::Paragraph(about.into())]) + content
}

/// Makes a chart without a name.
pub fn chart(chart: Chart) -> Content {
    Block::Chart(None, Box::new(chart)).into()
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
