//! The rows of one device, and how to find one.

use super::super::row::Row;
use std::collections::BTreeSet;

/// Buckets that one pass tells apart. More are a section of their own.
pub const MOST_OF_A_PASS: u32 = 256;

/// What a split row is about.
#[derive(Clone, Copy)]
pub struct Case<'a> {
    pub method: &'a str,
    pub bucket: &'a str,
    pub dist: &'a str,
    pub n: u64,
    pub m: u32,
    pub key: &'a str,
    pub value: Option<&'a str>,
}

/// All rows of a device.
pub struct DeviceRows {
    pub name: String,
    /// Those that were verified.
    pub rows: Vec<Row>,
    /// How many were not.
    pub wrong: usize,
    /// The size that most rows are about.
    pub main_n: u64,
    /// The method that tables are about: auto, if it was measured.
    method: String,
}

impl DeviceRows {
    /// Devices in the order in which they come.
    pub fn group(rows: Vec<Row>) -> Vec<Self> {
        let mut names: Vec<String> = Vec::new();
        for row in &rows {
            if !names.contains(&row.device) {
                names.push(row.device.clone());
            }
        }
        names.into_iter().map(|name| Self::new(&name, &rows)).collect()
    }

    fn new(name: &str, rows: &[Row]) -> Self {
        let (verified, wrong): (Vec<Row>, Vec<Row>) =
            rows.iter().filter(|row| row.device == name).cloned().partition(|row| row.verified);
        let sizes: BTreeSet<u64> = verified.iter().filter(|row| is_ours(row)).map(|row| row.n).collect();
        let of_size = |n: &u64| verified.iter().filter(|row| is_ours(row) && row.n == *n).count();
        let main_n = sizes.into_iter().max_by_key(of_size).unwrap_or(0);
        let methods: Vec<String> =
            verified.iter().filter(|row| is_ours(row)).flat_map(|row| row.method.clone()).collect();
        let auto = methods.iter().find(|method| *method == "auto").or(methods.first());
        let method = auto.cloned().unwrap_or_default();
        Self { name: name.into(), rows: verified, wrong: wrong.len(), main_n, method }
    }

    /// What most tables are about: uniform 32-bit keys, delta buckets, the main size.
    pub fn base(&self) -> Case<'_> {
        let method = &self.method;
        Case { method, bucket: "delta", dist: "uniform", n: self.main_n, m: 0, key: "u32", value: None }
    }

    /// Our row of a case. If it was measured more than once: that of the largest run, which has most to hold it
    /// against; of those, the last.
    pub fn ours(&self, case: Case<'_>) -> Option<&Row> {
        self.of_largest_run(|row| is_our(row, case))
    }

    /// The same, but of the run that another row is of, if there is one: rows of one run are held against each other.
    pub fn beside(&self, other: &Row, case: Case<'_>) -> Option<&Row> {
        let beside = self.rows.iter().rev().find(|row| row.command == other.command && is_our(row, case));
        beside.or_else(|| self.ours(case))
    }

    pub fn rate(&self, case: Case<'_>) -> Option<f64> {
        self.ours(case)?.rate
    }

    /// A row of another operation than split.
    pub fn other(&self, op: &str, n: u64) -> Option<&Row> {
        self.of_largest_run(|row| row.op == op && row.n == n)
    }

    fn of_largest_run(&self, is_meant: impl Fn(&Row) -> bool) -> Option<&Row> {
        let run = |row: &Row| self.rows.iter().filter(|other| other.command == row.command).count();
        self.rows.iter().filter(|row| is_meant(row)).max_by_key(|row| run(row))
    }

    /// Numbers of buckets, of one pass, for which there is a case like this, whatever its own.
    pub fn buckets(&self, like: Case<'_>) -> Vec<u32> {
        self.some_buckets(like, |m| m <= MOST_OF_A_PASS)
    }

    /// The same of more than one pass.
    pub fn large_buckets(&self, like: Case<'_>) -> Vec<u32> {
        self.some_buckets(like, |m| m > MOST_OF_A_PASS)
    }

    fn some_buckets(&self, like: Case<'_>, which: impl Fn(u32) -> bool) -> Vec<u32> {
        let all: BTreeSet<u32> = self.rows.iter().filter_map(|row| row.m).filter(|&m| which(m)).collect();
        all.into_iter().filter(|&m| self.ours(Case { m, ..like }).is_some()).collect()
    }

    /// Sizes for which there is a case like this, with any number of buckets.
    pub fn sizes(&self, like: Case<'_>) -> Vec<u64> {
        let all: BTreeSet<u64> = self.rows.iter().map(|row| row.n).collect();
        all.into_iter().filter(|&n| !self.buckets(Case { n, ..like }).is_empty()).collect()
    }

    /// Peers' ways to split in this case.
    pub fn peers(&self, case: Case<'_>) -> impl Iterator<Item = &Row> {
        self.rows.iter().filter(move |row| row.op == "split" && !is_ours(row) && is_of(row, case))
    }
}

pub fn is_ours(row: &Row) -> bool {
    row.op == "split" && row.by == "multisplit"
}

fn is_our(row: &Row, case: Case<'_>) -> bool {
    is_ours(row) && row.method.as_deref() == Some(case.method) && is_of(row, case)
}

fn is_of(row: &Row, case: Case<'_>) -> bool {
    let Case { bucket, dist, n, m, key, value, .. } = case;
    (row.bucket.as_deref(), row.dist.as_deref(), row.key.as_deref()) == (Some(bucket), Some(dist), Some(key))
        && (row.n, row.m, row.value.as_deref()) == (n, Some(m), value)
}
