//! The section on histograms: a table for each size, key type and distribution.

use super::super::row::Row;
use super::super::table::size;
use super::markdown::{number, rate, section, strings, table};
use super::rows::DeviceRows;
use std::collections::BTreeSet;

const KINDS: [&str; 2] = ["even", "range"];

pub fn histograms(rows: &DeviceRows) -> String {
    let ours: Vec<&Row> = rows.rows.iter().filter(|row| row.op == "histogram" && row.by == "multisplit").collect();
    let mut subjects: Vec<(u64, &Option<String>, &Option<String>)> = Vec::new();
    for row in &ours {
        let subject = (row.n, &row.key, &row.dist);
        if !subjects.contains(&subject) {
            subjects.push(subject);
        }
    }
    let of_subject = |&(n, key, dist): &(u64, &Option<String>, &Option<String>)| {
        let of = |row: &&&Row| (row.n, &row.key, &row.dist) == (n, key, dist);
        let bins: BTreeSet<u32> = ours.iter().filter(of).filter_map(|row| row.m).collect();
        let line = |m: &u32| {
            let cells = KINDS.iter().flat_map(|&kind| {
                // Where a case occurs twice, the later row counts.
                let is_it = |row: &&&Row| of(row) && row.m == Some(*m) && row.bucket.as_deref() == Some(kind);
                let row = ours.iter().rev().find(is_it);
                let times = row.and_then(|row| Some(row.best_peer(&rows.rows)?.ms / row.ms));
                [rate(row.and_then(|row| row.rate)), number(row.and_then(|row| row.fraction), 3), number(times, 2)]
            });
            std::iter::once(m.to_string()).chain(cells).collect()
        };
        let header = ["bins", "even", "of light", "times the peer", "range", "of light", "times the peer"];
        let [key, dist] = [key, dist].map(|field| field.as_deref().unwrap_or("some"));
        let lines: Vec<Vec<String>> = bins.iter().map(line).collect();
        format!("**{} {dist} {key} keys**\n\n{}", size(n), table(&strings(&header), &lines))
    };
    let about = "1e9 keys per second. The speed of light is that of a plain read of the keys.";
    section("Histograms", about, &subjects.iter().map(of_subject).collect::<String>())
}
