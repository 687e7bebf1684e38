//! The sections that compare one case with another.

use super::content::{Content, number, rate, section, strings, table};
use super::rows::{DeviceRows, SplitQuery};
use super::subjects::{per_shape, shape_name};
use crate::bench::harness::bandwidth::least_bytes;
use crate::bench::harness::row::Row;
use crate::shared::arguments::show_count;
use std::collections::BTreeSet;

/// Inputs of up to this many keys are small.
const SMALL: u64 = 1 << 20;
const DISTRIBUTIONS: [&str; 5] = ["binomial", "alpha-uniform", "one-bucket", "sorted", "zipf"];

/// Compares distributions of keys with uniform keys.
pub fn distributions(rows: &DeviceRows) -> Content {
    let content = per_shape(|(key, value)| {
        let like = SplitQuery { key, value, ..rows.base() };
        let present = |dist: &str| rows.buckets(SplitQuery { dist, ..like });
        let buckets: BTreeSet<u32> = DISTRIBUTIONS.iter().flat_map(|dist| present(dist)).collect();
        let mut header = strings(&["keys"]);
        header.extend(buckets.iter().map(|m| format!("m = {m}")));
        let line = |&dist: &&'static str| {
            let cell = |&m: &u32| {
                let skewed = rows.ours(SplitQuery { dist, m, ..like });
                let uniform = skewed.and_then(|row| rows.beside(row, SplitQuery { m, ..like }));
                let rates = skewed.and_then(|row| row.rate).zip(uniform.and_then(|row| row.rate));
                number(rates.map(|(rate, uniform)| rate / uniform), 2)
            };
            std::iter::once(dist.to_string()).chain(buckets.iter().map(cell)).collect()
        };
        let lines: Vec<Vec<String>> = DISTRIBUTIONS.iter().filter(|dist| !present(dist).is_empty()).map(line).collect();
        table(&header, &lines)
    });
    let about = format!("The rate relative to that of uniform keys; {} keys, delta buckets.", show_count(rows.main_n));
    section("Distributions", &about, content)
}

/// Compares numbers of buckets with the next power of two.
pub fn odd_buckets(rows: &DeviceRows) -> Content {
    let content = per_shape(|(key, value)| {
        let like = SplitQuery { key, value, ..rows.base() };
        let line = |m: u32| {
            let next = m.next_power_of_two();
            let ours = rows.rate(SplitQuery { m, ..like })?;
            let of_next = rows.rate(SplitQuery { m: next, ..like }).filter(|_| next != m)?;
            let ratio = number(Some(ours / of_next), 2);
            Some(vec![m.to_string(), rate(Some(ours)), next.to_string(), rate(Some(of_next)), ratio])
        };
        let lines: Vec<Vec<String>> = rows.buckets(like).into_iter().filter_map(line).collect();
        table(&strings(&["buckets", "rate", "next power of two", "its rate", "ratio"]), &lines)
    });
    let about = format!("1e9 elements per second; {} uniform keys, delta buckets.", show_count(rows.main_n));
    section("Odd numbers of buckets", &about, content)
}

/// Compares 64-bit keys with 32-bit keys, in bytes.
pub fn wide_keys(rows: &DeviceRows) -> Content {
    let content: Content = [(None, None), (Some("u32"), Some("u64"))]
        .into_iter()
        .map(|(narrow_value, wide_value)| {
            let narrow = SplitQuery { value: narrow_value, ..rows.base() };
            let wide = SplitQuery { key: "u64", value: wide_value, ..rows.base() };
            let line = |m| {
                let wide = rows.ours(SplitQuery { m, ..wide })?;
                let narrow = rows.beside(wide, SplitQuery { m, ..narrow })?;
                let moved = |row: &Row, bytes| {
                    1e-6 * least_bytes(row.n, bytes, row.value.as_ref().map_or(0, |_| bytes)) as f64 / row.ms
                };
                let (narrow, wide) = (moved(narrow, 4), moved(wide, 8));
                Some(vec![
                    format!("{m}"),
                    number(Some(narrow), 0),
                    number(Some(wide), 0),
                    number(Some(wide / narrow), 2),
                ])
            };
            let lines: Vec<Vec<String>> = rows.buckets(wide).into_iter().filter_map(line).collect();
            let [narrow, wide] = [narrow, wide].map(|case| shape_name((case.key, case.value)));
            table(&[strings(&["buckets"]), vec![narrow, wide, "ratio".into()]].concat(), &lines)
        })
        .collect();
    let about = format!("GB/s of what must move; {} uniform keys, delta buckets.", show_count(rows.main_n));
    section("64-bit keys", &about, content)
}

/// Compares bucket functions with delta buckets.
pub fn functions(rows: &DeviceRows) -> Content {
    let content = per_shape(|(key, value)| {
        let like = SplitQuery { key, value, ..rows.base() };
        let present = |bucket: &&str| !rows.buckets(SplitQuery { bucket, ..like }).is_empty();
        let others: Vec<&str> = ["identity", "splitters"].into_iter().filter(present).collect();
        let mut header = strings(&["buckets", "delta"]);
        header.extend(others.iter().flat_map(|bucket| [bucket.to_string(), format!("{bucket} / delta")]));
        let mut buckets: Vec<u32> =
            others.iter().flat_map(|bucket| rows.buckets(SplitQuery { bucket, ..like })).collect();
        buckets.sort_unstable();
        buckets.dedup();
        let line = |m| {
            let any_other = others.iter().find_map(|bucket| rows.ours(SplitQuery { bucket, m, ..like }));
            let delta = any_other.and_then(|row| rows.beside(row, SplitQuery { m, ..like })).and_then(|row| row.rate);
            let of = |bucket: &&str| {
                let its = rows.rate(SplitQuery { bucket, m, ..like });
                [rate(its), number(its.zip(delta).map(|(its, delta)| its / delta), 2)]
            };
            [format!("{m}"), rate(delta)].into_iter().chain(others.iter().flat_map(of)).collect()
        };
        table(&header, &buckets.into_iter().map(line).collect::<Vec<_>>())
    });
    let about = format!("1e9 elements per second; {} uniform keys.", show_count(rows.main_n));
    section("Bucket functions", &about, content)
}

/// Shows the rates of all sizes.
pub fn sizes(rows: &DeviceRows) -> Content {
    let content = per_shape(|(key, value)| {
        let like = SplitQuery { key, value, ..rows.base() };
        let sizes = rows.sizes(like);
        if sizes.len() < 2 { Content::default() } else { over_sizes(rows, like, sizes, |row| rate(row.rate)) }
    });
    let about = "1e9 elements per second of one call among many; uniform keys, delta buckets.";
    section("Sizes", about, content)
}

/// Compares single calls on small inputs with empty launches.
pub fn small_inputs(rows: &DeviceRows) -> Content {
    let launch = rows.other("launch", 0).map(|row| row.ms);
    let content = per_shape(|(key, value)| {
        let like = SplitQuery { key, value, ..rows.base() };
        let sizes = rows.sizes(like).into_iter().filter(|&n| n <= SMALL).collect();
        over_sizes(rows, like, sizes, |row| {
            let times = row.latency_ms.zip(row.launch_ms.or(launch)).map(|(latency, launch)| latency / launch);
            format!("{} ({})", number(row.latency_ms.map(|ms| 1e3 * ms), 1), number(times, 2))
        })
    });
    let about = format!(
        "Microseconds of one call that is waited for, and how many times those of an empty launch that is timed in \
         turn with it (first of all it took {} µs).",
        number(launch.map(|ms| 1e3 * ms), 1)
    );
    section("Small inputs", &about, if launch.is_some() { content } else { Content::default() })
}

/// Formats a line per size, and a column per number of buckets that is not there for the main size alone.
fn over_sizes(rows: &DeviceRows, like: SplitQuery<'_>, sizes: Vec<u64>, cell: impl Fn(&Row) -> String) -> Content {
    let buckets: BTreeSet<u32> =
        sizes.iter().filter(|&&n| n != rows.main_n).flat_map(|&n| rows.buckets(SplitQuery { n, ..like })).collect();
    if buckets.is_empty() {
        return Content::default();
    }
    let mut header = strings(&["n"]);
    header.extend(buckets.iter().map(|m| format!("m = {m}")));
    let line = |&n: &u64| {
        let cells = buckets.iter().map(|&m| rows.ours(SplitQuery { n, m, ..like }).map_or("–".into(), &cell));
        std::iter::once(show_count(n)).chain(cells).collect()
    };
    table(&header, &sizes.iter().map(line).collect::<Vec<_>>())
}
