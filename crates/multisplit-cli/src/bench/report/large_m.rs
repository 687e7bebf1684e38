//! The section on more than 256 buckets: a table for each shape, size, function and distribution.

use super::super::row::Row;
use super::super::table::size;
use super::markdown::{number, rate, section, strings, table};
use super::rows::{Case, DeviceRows, MOST_OF_A_PASS};
use super::shapes::per_shape;
use super::subjects::{AGAINST, against};
use std::collections::BTreeSet;

/// Other approaches of ours.
const APPROACHES: [&str; 4] =
    ["reduced-bit-sort", "reduced-bit-sort-by-index", "iterated-scan-split", "recursive-scan-split"];

pub fn large_m(rows: &DeviceRows) -> String {
    let large = |row: &&Row| row.op == "split" && row.m.is_some_and(|m| m > MOST_OF_A_PASS);
    let subject = |row: &Row| (row.n, row.bucket.clone().unwrap_or_default(), row.dist.clone().unwrap_or_default());
    let subjects: BTreeSet<_> = rows.rows.iter().filter(large).map(subject).collect();
    let content = per_shape(|(key, value)| {
        let of_subject = |(n, bucket, dist): &(u64, String, String)| {
            let like = Case { key, value, n: *n, bucket, dist, ..rows.base() };
            let lines = of_case(rows, like);
            let heading = format!("{} {dist} keys, {bucket} buckets:\n\n", size(*n));
            if lines.is_empty() { lines } else { heading + &lines }
        };
        subjects.iter().map(of_subject).collect()
    });
    let about = "1e9 elements per second. GPUs take a pass for each digit of the bucket id, so that the speed of light, which \
                 is that of one, is out of reach.";
    section("More than 256 buckets", about, &content)
}

fn of_case(rows: &DeviceRows, like: Case<'_>) -> String {
    let buckets = rows.large_buckets(like);
    let has_rows = |method: &&str| buckets.iter().any(|&m| rows.ours(Case { m, method, ..like }).is_some());
    let others: Vec<&str> = APPROACHES.into_iter().filter(has_rows).collect();
    let mut header = strings(&["buckets", like.method, "of light"]);
    header.extend(others.iter().map(|other| format!("our {other}")));
    header.extend(strings(&AGAINST));
    let line = |&m: &u32| {
        let ours = rows.ours(Case { m, ..like })?;
        let rates = others.iter().map(|method| rate(rows.rate(Case { m, method, ..like })));
        let first = [size(m.into()), rate(ours.rate), number(ours.fraction, 3)];
        Some(first.into_iter().chain(rates).chain(against(rows, ours)).collect())
    };
    table(&header, &buckets.iter().filter_map(line).collect::<Vec<_>>())
}
