//! Rows of one operation, grouped by what they are about.

use super::super::row::Row;
use super::super::table::size;
use super::markdown::{number, rate};
use super::rows::DeviceRows;
use super::shapes::shape_name;

/// The rows of a group, in the order in which they come.
pub type Group<'a> = Vec<&'a Row>;

/// Rows grouped by size and distribution of the keys.
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

/// What a group is about, as a heading.
pub fn heading(group: &Group<'_>) -> String {
    let row = group.first();
    let dist = row.and_then(|row| row.dist.as_deref()).unwrap_or("some");
    format!("**{} {dist} keys**\n\n", size(row.map_or(0, |row| row.n)))
}

/// Without those that a later row of the same case and method replaces.
pub fn latest<'a>(group: &Group<'a>) -> Group<'a> {
    let replaced =
        |i: usize, row: &Row| group[i + 1..].iter().any(|later| later.same_case(row) && later.method == row.method);
    group.iter().enumerate().filter(|&(i, row)| !replaced(i, row)).map(|(_, row)| *row).collect()
}

/// What a row's elements are.
pub fn elements(row: &Row) -> String {
    shape_name((row.key.as_deref().unwrap_or("some"), row.value.as_deref()))
}

/// The header of [`against`].
pub const AGAINST: [&str; 3] = ["best peer", "its rate", "times as fast"];

/// The best of the peers that did the same, its rate, and how many times as fast this row is.
pub fn against(rows: &DeviceRows, row: &Row) -> [String; 3] {
    let best = row.best_peer(&rows.rows);
    let name = |best: &Row| {
        [Some(best.by.as_str()), best.method.as_deref()].into_iter().flatten().collect::<Vec<_>>().join(" ")
    };
    [best.map_or("–".into(), name), rate(best.and_then(|best| best.rate)), number(best.map(|best| best.ms / row.ms), 2)]
}
