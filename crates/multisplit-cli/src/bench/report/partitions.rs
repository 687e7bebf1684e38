//! The section on partitions and selections: a table for each size and distribution.

use super::super::row::Row;
use super::markdown::{rate, section, strings, table};
use super::rows::DeviceRows;
use super::subjects::{AGAINST, against, elements, groups, heading, latest};

pub fn partitions(rows: &DeviceRows) -> String {
    let is_one = |row: &&Row| matches!(row.op.as_str(), "partition" | "select") && row.by == "multisplit";
    let of_group = |group| {
        let line = |row: &Row| {
            let what = match (row.op.as_str(), row.m) {
                ("select", _) => "selection",
                (_, Some(3)) => "three-way partition",
                _ => "two-way partition",
            };
            [what.into(), elements(row), rate(row.rate)].into_iter().chain(against(rows, row)).collect()
        };
        let lines: Vec<Vec<String>> = latest(&group).into_iter().map(line).collect();
        let header = [strings(&["what", "elements", "rate"]), strings(&AGAINST)].concat();
        heading(&group) + &table(&header, &lines)
    };
    let about = "1e9 elements per second. Ours are stable; CUB's partitions are not, its selection is.";
    let content: String = groups(rows.rows.iter().filter(is_one)).into_iter().map(of_group).collect();
    section("Partitions and selections", about, &content)
}
