//! Writers of rows: JSON lines and CSV.

use super::key_types::Format;
use super::options::Options;
use super::row::Row;
use crate::shared::output_files::ensure_writable;
use anyhow::{Context, Result};
use std::fs::File;
use std::io::{self, Write};

/// Writes rows as they come.
pub trait Sink {
    /// Writes a row. `ratio` is how many times as fast as the best peer it is.
    fn write(&mut self, row: &Row, ratio: Option<f64>) -> Result<()>;
}

/// Creates the table for people. Operations can have one of their own.
pub type MakeTable<'a> = &'a dyn Fn(Box<dyn Write>) -> Box<dyn Sink>;

/// Returns where rows go: standard output, or a file and a table on standard output.
pub fn sinks(options: &Options, table: MakeTable<'_>) -> Result<Vec<Box<dyn Sink>>> {
    let sink = |format, out: Box<dyn Write>| -> Box<dyn Sink> {
        match format {
            Format::Table => table(out),
            Format::Csv => Box::new(Csv { out: csv::Writer::from_writer(out), started: false }),
            Format::Jsonl => Box::new(Jsonl(out)),
        }
    };
    let Some(path) = &options.output else {
        return Ok(vec![sink(options.format, Box::new(io::stdout()))]);
    };
    ensure_writable(path)?;
    let file = File::create(path).with_context(|| format!("--output {}", path.display()))?;
    Ok(vec![sink(options.format, Box::new(file)), sink(Format::Table, Box::new(io::stdout()))])
}

struct Jsonl(Box<dyn Write>);

impl Sink for Jsonl {
    fn write(&mut self, row: &Row, _: Option<f64>) -> Result<()> {
        // In one call, so that a reader never sees half a row.
        let line = serde_json::to_string(row)? + "\n";
        self.0.write_all(line.as_bytes())?;
        Ok(self.0.flush()?)
    }
}

/// Formats rows as CSV.
pub fn csv_of(rows: &[Row]) -> Result<String> {
    let mut out = csv::Writer::from_writer(Vec::new());
    out.write_record(CSV_FIELDS)?;
    for row in rows {
        out.write_record(csv_record(row)?)?;
    }
    Ok(String::from_utf8(out.into_inner()?)?)
}

struct Csv {
    out: csv::Writer<Box<dyn Write>>,
    started: bool,
}

/// The columns: the fields of a row, with one for each stage.
const CSV_FIELDS: [&str; 39] = [
    "op",
    "impl",
    "method",
    "bucket",
    "dist",
    "segments",
    "graph",
    "device",
    "n",
    "m",
    "key",
    "value",
    "ms",
    "rate",
    "verified",
    "fraction",
    "ms_low",
    "ms_high",
    "prescan_ms",
    "prescan_ms_low",
    "prescan_ms_high",
    "scan_ms",
    "scan_ms_low",
    "scan_ms_high",
    "postscan_ms",
    "postscan_ms_low",
    "postscan_ms_high",
    "latency_ms",
    "latency_ms_low",
    "latency_ms_high",
    "launch_ms",
    "launch_ms_low",
    "launch_ms_high",
    "delta",
    "driver",
    "commit",
    "date",
    "command",
    "note",
];

impl Sink for Csv {
    fn write(&mut self, row: &Row, _: Option<f64>) -> Result<()> {
        if !self.started {
            self.out.write_record(CSV_FIELDS)?;
            self.started = true;
        }
        self.out.write_record(csv_record(row)?)?;
        Ok(self.out.flush()?)
    }
}

/// Returns the values of the columns; null is empty.
fn csv_record(row: &Row) -> Result<Vec<String>> {
    let row = serde_json::to_value(row)?;
    let text = |value: &serde_json::Value| match value {
        serde_json::Value::Null => String::new(),
        serde_json::Value::String(text) => text.clone(),
        other => other.to_string(),
    };
    let field = |name: &&str| match name.split_once("_ms") {
        Some((stage @ ("prescan" | "scan" | "postscan"), quartile)) => text(&row[format!("stages{quartile}")][stage]),
        _ => text(&row[name]),
    };
    Ok(CSV_FIELDS.iter().map(field).collect())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::bench::harness::row::Stages;

    #[test]
    fn csv_has_every_field() {
        let stages = Some(Stages { prescan: 1.0, scan: 2.0, postscan: 3.0 });
        let stages_high = Some(Stages { prescan: 7.0, scan: 8.0, postscan: 9.0 });
        let (ms_low, latency_ms) = (Some(1.25), Some(4.0));
        let row = Row { device: "a, b".into(), ms: 1.5, ms_low, latency_ms, stages, stages_high, ..Row::default() };
        let json = serde_json::to_value(&row).unwrap();
        for field in json.as_object().unwrap().keys().filter(|field| !field.starts_with("stages")) {
            assert!(CSV_FIELDS.contains(&field.as_str()), "{field}");
        }
        let record = csv_record(&row).unwrap();
        let field = |name| &record[CSV_FIELDS.iter().position(|&field| field == name).unwrap()];
        assert_eq!([field("prescan_ms"), field("scan_ms"), field("postscan_ms")], ["1.0", "2.0", "3.0"]);
        assert_eq!(
            [field("ms_low"), field("ms_high"), field("scan_ms_low"), field("scan_ms_high")],
            ["1.25", "", "", "8.0"]
        );
        assert_eq!([field("ms"), field("latency_ms"), field("m"), field("device")], ["1.5", "4.0", "", "a, b"]);
    }
}
