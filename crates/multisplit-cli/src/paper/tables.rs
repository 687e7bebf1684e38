//! Comparisons as tables of a page.

use super::comparison::{Against, Comparison, Line, Quantity, Value};
use crate::charts::number;
use crate::report::content::{Block, Cell, Content, TableLine, table_of};

/// Makes a table for each group. `absent` says why CUB was not measured, if it was not.
pub fn tables(of: &Comparison, column: &str, against: &Against<'_>, absent: Option<&str>) -> Content {
    let group = |group: &String| {
        let lines: Vec<&Line> = of.of_group(group).collect();
        let mut all: Vec<TableLine> =
            lines.iter().filter(|line| line.ours).map(|line| cells(of, line, against)).collect();
        let has_cub = lines.iter().any(|line| line.ours && line.method.starts_with("CUB"));
        if let (Some(absent), Some(first), false) = (absent, lines.iter().find(|line| line.ours), has_cub) {
            all.push(without(short(&first.device), absent, of.columns.len()));
        }
        all.extend(lines.iter().filter(|line| !line.ours).map(|line| cells(of, line, against)));
        let first = ["device".to_string(), "method".into()];
        let header = first.into_iter().chain(of.columns.iter().map(|name| format!("{column}{name}"))).collect();
        let label = if group.is_empty() { Content::default() } else { Block::Label(group.clone()).into() };
        label + table_of(header, all)
    };
    of.groups().iter().map(group).collect()
}

/// A line for a peer that was not measured.
fn without(device: &str, reason: &str, columns: usize) -> TableLine {
    let said = Cell { text: "CUB: not measured".into(), tooltip: reason.into() };
    let dash = Cell { text: "–".into(), tooltip: reason.into() };
    let cells = [Cell::from(device), said].into_iter().chain(std::iter::repeat_n(dash, columns)).collect();
    TableLine { cells, strong: true }
}

fn cells(of: &Comparison, line: &Line, against: &Against<'_>) -> TableLine {
    let cell = |column: usize| {
        let Some(Value { number: value, tooltip, .. }) = line.values.get(column).and_then(Option::as_ref) else {
            return Cell::from("–");
        };
        let mut text =
            if of.quantity == Quantity::Rate && *value >= 100.0 { format!("{value:.0}") } else { digits(*value) };
        let mut tooltip = tooltip.clone();
        if let Some((times, other)) = of.times(line, column, against) {
            text += &format!(" ({times:.2}×)");
            tooltip += &format!("; {times:.3} times as fast as {other}");
        }
        Cell { text, tooltip: if line.ours { tooltip } else { String::new() } }
    };
    let names = [short(&line.device), &line.method].map(Cell::from);
    let cells = names.into_iter().chain((0..of.columns.len()).map(cell)).collect();
    TableLine { cells, strong: line.ours }
}

/// Formats a number to three digits or more, and to two decimals or more below 100.
fn digits(value: f64) -> String {
    let text = number(value);
    let decimals = text.split_once('.').map_or(0, |(_, decimals)| decimals.len());
    match value {
        100.0.. => format!("{value:.1}"),
        1.0.. => format!("{value:.2}"),
        _ if decimals < 2 => format!("{value:.2}"),
        _ => text,
    }
}

/// Returns the name of a device without its description.
pub fn short(device: &str) -> &str {
    device.split_once(" (").map_or(device, |(name, _)| name)
}
