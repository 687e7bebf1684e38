//! The section on segments: a table for each size, kind of lengths and elements.

use super::super::row::Row;
use super::super::table::size;
use super::markdown::{rate, section, strings, table};
use super::rows::DeviceRows;
use super::subjects::{elements, groups, latest};
use std::collections::BTreeSet;

pub fn segments(rows: &DeviceRows) -> String {
    let all: Vec<&Row> = rows.rows.iter().filter(|row| row.op == "segments").collect();
    let kinds: BTreeSet<String> = all.iter().map(|row| elements(row)).collect();
    let mut content = String::new();
    for kind in kinds {
        for group in groups(all.iter().copied().filter(|row| elements(row) == kind)) {
            let group = latest(&group);
            let Some(first) = group.first() else { continue };
            let ms: BTreeSet<u32> = group.iter().filter_map(|row| row.m).collect();
            let counts: BTreeSet<u64> = group.iter().filter_map(|row| row.segments).collect();
            let line = |&count: &u64| {
                let of = |&m: &u32| group.iter().find(|row| (row.m, row.segments) == (Some(m), Some(count)));
                let rates = ms.iter().map(|m| rate(of(m).and_then(|row| row.rate)));
                [size(count), size(first.n / count)].into_iter().chain(rates).collect()
            };
            let lines: Vec<Vec<String>> = counts.iter().map(line).collect();
            let header = strings(&["segments", "mean length"]).into_iter();
            let header: Vec<String> = header.chain(ms.iter().map(|m| format!("m = {m}"))).collect();
            let lengths = first.dist.as_deref().unwrap_or("some");
            content += &format!("**{} {kind}, segments of {lengths} length**\n\n", size(first.n));
            content += &table(&header, &lines);
        }
    }
    section("Segments", "1e9 elements per second, all segments in one call; uniform keys, delta buckets.", &content)
}
