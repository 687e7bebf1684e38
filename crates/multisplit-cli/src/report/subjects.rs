//! What rows are about: their elements, and groups of them.

use super::content::{Block, Content, number, rate};
use super::rows::DeviceRows;
use crate::bench::harness::row::Row;
use crate::shared::arguments::show_count;

/// The types of keys and values.
type Shape = (&'static str, Option<&'static str>);

const SHAPES: [Shape; 6] = [
    ("u32", None),
    ("u32", Some("u32")),
    ("u32", Some("u64")),
    ("u64", None),
    ("u64", Some("u32")),
    ("u64", Some("u64")),
];

/// Names a shape.
pub fn shape_name((key, value): (&str, Option<&str>)) -> String {
    value.map_or_else(|| format!("{key} keys"), |value| format!("{key} keys with {value} values"))
}

/// Writes a table for each shape that has one, under its name.
pub fn per_shape(of: impl Fn(Shape) -> Content) -> Content {
    let tables = SHAPES.iter().map(|&shape| (shape, of(shape))).filter(|(_, table)| !table.is_empty());
    tables.map(|(shape, table)| Content::from(Block::Label(shape_name(shape))) + table).collect()
}

/// The rows of a group, in the order in which they come.
pub type Group<'a> = Vec<&'a Row>;

/// Groups rows by the size and the distribution of the keys.
pub fn groups<'a>(rows: impl Iterator<Item = &'a Row>) -> Vec<Group<'a>> {
    let mut groups: Vec<Group<'a>> = Vec::new();
    for row in rows {
        let same = |group: &&mut Group<'a>| group.iter().all(|other| (other.n, &other.dist) == (row.n, &row.dist));
        match groups.iter_mut().find(same) {
            Some(group) => group.push(row),
            None => groups.push(vec![row]),
        }
    }
    groups
}

/// Returns the heading of a group.
pub fn heading(group: &Group<'_>) -> Content {
    let row = group.first();
    let dist = row.and_then(|row| row.dist.as_deref()).unwrap_or("some");
    Block::Label(format!("{} {dist} keys", show_count(row.map_or(0, |row| row.n)))).into()
}

/// Leaves out rows that a later one of the same case and method replaces.
pub fn latest<'a>(group: &Group<'a>) -> Group<'a> {
    let replaced =
        |i: usize, row: &Row| group[i + 1..].iter().any(|later| later.same_case(row) && later.method == row.method);
    group.iter().enumerate().filter(|&(i, row)| !replaced(i, row)).map(|(_, row)| *row).collect()
}

/// Names the elements of a row.
pub fn elements(row: &Row) -> String {
    shape_name((row.key.as_deref().unwrap_or("some"), row.value.as_deref()))
}

/// The header of [`against`].
pub const AGAINST: [&str; 3] = ["best peer", "its rate", "times as fast"];

/// Returns the best peer of the same case, its rate, and how many times as fast this row is.
pub fn against(rows: &DeviceRows, row: &Row) -> [String; 3] {
    let best = row.best_peer(&rows.rows);
    let name = |best: &Row| {
        [Some(best.by.as_str()), best.method.as_deref()].into_iter().flatten().collect::<Vec<_>>().join(" ")
    };
    [best.map_or("–".into(), name), rate(best.and_then(|best| best.rate)), number(best.map(|best| best.ms / row.ms), 2)]
}
