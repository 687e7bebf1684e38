//! The section on more than 256 buckets.

use super::content::{Block, Content, number, rate, section, strings, table};
use super::rows::{DeviceRows, MOST_OF_A_PASS, SplitQuery};
use super::subjects::{AGAINST, against, per_shape};
use crate::bench::harness::row::Row;
use crate::shared::arguments::show_count;
use std::collections::BTreeSet;

/// The other approaches that are implemented here.
const APPROACHES: [&str; 4] =
    ["reduced-bit-sort", "reduced-bit-sort-by-index", "iterated-scan-split", "recursive-scan-split"];

/// Shows splits into more than 256 buckets: a table for each shape, size, function and distribution.
pub fn large_m(rows: &DeviceRows) -> Content {
    let large = |row: &&Row| row.op == "split" && row.m.is_some_and(|m| m > MOST_OF_A_PASS);
    let subject = |row: &Row| (row.n, row.bucket.clone().unwrap_or_default(), row.dist.clone().unwrap_or_default());
    let subjects: BTreeSet<_> = rows.rows.iter().filter(large).map(subject).collect();
    let content = per_shape(|(key, value)| {
        let of_subject = |(n, bucket, dist): &(u64, String, String)| {
            let like = SplitQuery { key, value, n: *n, bucket, dist, ..rows.base() };
            let lines = of_case(rows, like);
            let heading = format!("{} {dist} keys, {bucket} buckets:", show_count(*n));
            if lines.is_empty() { lines } else { Content::from(Block::Line(heading)) + lines }
        };
        subjects.iter().map(of_subject).collect()
    });
    let about = "1e9 elements per second. GPUs take a pass for each digit of the bucket id, so that the speed of \
                 light, which is that of one, is out of reach.";
    section("More than 256 buckets", about, content)
}

fn of_case(rows: &DeviceRows, like: SplitQuery<'_>) -> Content {
    let buckets = rows.large_buckets(like);
    let has_rows = |method: &&str| buckets.iter().any(|&m| rows.ours(SplitQuery { m, method, ..like }).is_some());
    let others: Vec<&str> = APPROACHES.into_iter().filter(has_rows).collect();
    let mut header = strings(&["buckets", like.method, "of light"]);
    header.extend(others.iter().map(|other| format!("our {other}")));
    header.extend(strings(&AGAINST));
    let line = |&m: &u32| {
        let ours = rows.ours(SplitQuery { m, ..like })?;
        let rates = others.iter().map(|method| rate(rows.rate(SplitQuery { m, method, ..like })));
        let first = [show_count(m.into()), rate(ours.rate), number(ours.fraction, 3)];
        Some(first.into_iter().chain(rates).chain(against(rows, ours)).collect())
    };
    table(&header, &buckets.iter().filter_map(line).collect::<Vec<_>>())
}
