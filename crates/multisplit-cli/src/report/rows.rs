//! The rows of one device, and how to find one.

use crate::bench::harness::batch::ABSENT;
use crate::bench::harness::row::Row;
use std::collections::BTreeSet;

/// The most buckets of one pass. More have a section of their own.
pub const MOST_OF_A_PASS: u32 = 256;

/// Says which row of a split to look for.
#[derive(Clone, Copy)]
pub struct SplitQuery<'a> {
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
    /// The verified rows.
    pub rows: Vec<Row>,
    /// The number of rows that were wrong.
    pub wrong: usize,
    /// The rows that say why something was not measured.
    pub absent: Vec<Row>,
    /// The size that most rows are about.
    pub main_n: u64,
    /// The method that tables are about: auto, if it was measured.
    method: String,
}

impl DeviceRows {
    /// Groups rows by device, in the order in which devices come.
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
        let (absent, measured): (Vec<Row>, Vec<Row>) =
            rows.iter().filter(|row| row.device == name).cloned().partition(|row| row.op == ABSENT);
        let (verified, wrong): (Vec<Row>, Vec<Row>) = measured.into_iter().partition(|row| row.verified);
        let sizes: BTreeSet<u64> = verified.iter().filter(|row| is_ours(row)).map(|row| row.n).collect();
        let of_size = |n: &u64| verified.iter().filter(|row| is_ours(row) && row.n == *n).count();
        let main_n = sizes.into_iter().max_by_key(of_size).unwrap_or(0);
        let methods: Vec<String> =
            verified.iter().filter(|row| is_ours(row)).flat_map(|row| row.method.clone()).collect();
        let auto = methods.iter().find(|method| *method == "auto").or(methods.first());
        let method = auto.cloned().unwrap_or_default();
        Self { name: name.into(), rows: verified, wrong: wrong.len(), absent, main_n, method }
    }

    /// Returns what most tables are about: uniform 32-bit keys, delta buckets, the main size.
    pub fn base(&self) -> SplitQuery<'_> {
        let method = &self.method;
        SplitQuery { method, bucket: "delta", dist: "uniform", n: self.main_n, m: 0, key: "u32", value: None }
    }

    /// Returns our row of a case. If it was measured more than once, that is the last one of the largest run, which has
    /// most rows to compare it with.
    pub fn ours(&self, case: SplitQuery<'_>) -> Option<&Row> {
        self.of_largest_run(|row| is_our(row, case))
    }

    /// Returns our row of a case, if possible of the same run as another row: rows of one run can be compared.
    pub fn beside(&self, other: &Row, case: SplitQuery<'_>) -> Option<&Row> {
        let beside = self.rows.iter().rev().find(|row| row.command == other.command && is_our(row, case));
        beside.or_else(|| self.ours(case))
    }

    /// Returns the rate of our row of a case.
    pub fn rate(&self, case: SplitQuery<'_>) -> Option<f64> {
        self.ours(case)?.rate
    }

    /// Returns a row of another operation than split.
    pub fn other(&self, op: &str, n: u64) -> Option<&Row> {
        self.of_largest_run(|row| row.op == op && row.n == n)
    }

    fn of_largest_run(&self, is_meant: impl Fn(&Row) -> bool) -> Option<&Row> {
        let run = |row: &Row| self.rows.iter().filter(|other| other.command == row.command).count();
        self.rows.iter().filter(|row| is_meant(row)).max_by_key(|row| run(row))
    }

    /// Returns the numbers of buckets, of one pass, that there are rows of.
    pub fn buckets(&self, like: SplitQuery<'_>) -> Vec<u32> {
        self.some_buckets(like, |m| m <= MOST_OF_A_PASS)
    }

    /// Returns the numbers of buckets, of more than one pass, that there are rows of.
    pub fn large_buckets(&self, like: SplitQuery<'_>) -> Vec<u32> {
        self.some_buckets(like, |m| m > MOST_OF_A_PASS)
    }

    fn some_buckets(&self, like: SplitQuery<'_>, which: impl Fn(u32) -> bool) -> Vec<u32> {
        let all: BTreeSet<u32> = self.rows.iter().filter_map(|row| row.m).filter(|&m| which(m)).collect();
        all.into_iter().filter(|&m| self.ours(SplitQuery { m, ..like }).is_some()).collect()
    }

    /// Returns the sizes that there are rows of, with any number of buckets.
    pub fn sizes(&self, like: SplitQuery<'_>) -> Vec<u64> {
        let all: BTreeSet<u64> = self.rows.iter().map(|row| row.n).collect();
        all.into_iter().filter(|&n| !self.buckets(SplitQuery { n, ..like }).is_empty()).collect()
    }

    /// Returns the rows of peers that split in this case.
    pub fn peers(&self, case: SplitQuery<'_>) -> impl Iterator<Item = &Row> {
        self.rows.iter().filter(move |row| row.op == "split" && !is_ours(row) && is_of(row, case))
    }
}

/// Returns whether a row is a split of ours.
pub fn is_ours(row: &Row) -> bool {
    row.op == "split" && row.by == "multisplit"
}

fn is_our(row: &Row, case: SplitQuery<'_>) -> bool {
    is_ours(row) && row.method.as_deref() == Some(case.method) && is_of(row, case)
}

fn is_of(row: &Row, case: SplitQuery<'_>) -> bool {
    let SplitQuery { bucket, dist, n, m, key, value, .. } = case;
    (row.bucket.as_deref(), row.dist.as_deref(), row.key.as_deref()) == (Some(bucket), Some(dist), Some(key))
        && (row.n, row.m, row.value.as_deref()) == (n, Some(m), value)
}
