//! The section on sorts: a table for each size and distribution.

use super::super::row::Row;
use super::markdown::{rate, section, strings, table};
use super::rows::DeviceRows;
use super::subjects::{AGAINST, against, elements, groups, heading, latest};

pub fn sorts(rows: &DeviceRows) -> String {
    let ours = rows.rows.iter().filter(|row| row.op == "sort" && row.by == "multisplit");
    let of_group = |group| {
        let line = |row: &Row| {
            let method = row.method.clone().unwrap_or_default();
            [elements(row), method, rate(row.rate)].into_iter().chain(against(rows, row)).collect()
        };
        let lines: Vec<Vec<String>> = latest(&group).into_iter().map(line).collect();
        let header = [strings(&["elements", "digits", "rate"]), strings(&AGAINST)].concat();
        heading(&group) + &table(&header, &lines)
    };
    let about = "1e9 elements per second, sorted by the whole key. There is no speed of light: how often elements must move \
                 depends on the digits.";
    section("Sorts", about, &groups(ours).into_iter().map(of_group).collect::<String>())
}
