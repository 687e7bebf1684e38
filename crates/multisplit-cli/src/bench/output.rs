//! Rows on their way out, as they come.

use super::kinds::Format;
use super::row::Row;
use super::setting::Setting;
use super::sssp::PathTable;
use super::table::Table;
use anyhow::{Context, Result};
use std::fs::File;
use std::io::{self, Write};

/// Something that writes rows.
pub trait Sink {
    /// `ratio`: how many times as fast as the best peer.
    fn write(&mut self, row: &Row, ratio: Option<f64>) -> Result<()>;
}

/// What a table for people shows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Shown {
    /// Splits and histograms; the times of stages too, if asked for.
    Keys { stages: bool },
    /// Shortest paths.
    Paths,
}

/// Where rows go.
pub fn sinks(setting: &Setting, shown: Shown) -> Result<Vec<Box<dyn Sink>>> {
    let sink = |format, out| sink(setting, shown, format, out);
    let Some(path) = &setting.out else {
        return Ok(vec![sink(setting.format, Box::new(io::stdout()))]);
    };
    let file = File::create(path).with_context(|| format!("--out {}", path.display()))?;
    Ok(vec![sink(setting.format, Box::new(file)), sink(Format::Table, Box::new(io::stdout()))])
}

fn sink(setting: &Setting, shown: Shown, format: Format, out: Box<dyn Write>) -> Box<dyn Sink> {
    match format {
        Format::Table => match shown {
            Shown::Keys { stages } => Box::new(Table::new(setting, stages, out)),
            Shown::Paths => Box::new(PathTable::new(out)),
        },
        Format::Csv => Box::new(Csv { out: csv::Writer::from_writer(out), started: false }),
        Format::Jsonl => Box::new(Jsonl(out)),
    }
}

struct Jsonl(Box<dyn Write>);

impl Sink for Jsonl {
    fn write(&mut self, row: &Row, _: Option<f64>) -> Result<()> {
        // In one piece, so that a reader never sees half a row.
        let line = serde_json::to_string(row)? + "\n";
        self.0.write_all(line.as_bytes())?;
        Ok(self.0.flush()?)
    }
}

struct Csv {
    out: csv::Writer<Box<dyn Write>>,
    started: bool,
}

/// The fields of a row, where the stages are three.
const CSV_FIELDS: [&str; 25] = [
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
    "prescan_ms",
    "scan_ms",
    "postscan_ms",
    "latency_ms",
    "launch_ms",
    "driver",
    "commit",
    "date",
    "command",
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

/// The fields' values; nothing for null.
fn csv_record(row: &Row) -> Result<Vec<String>> {
    let row = serde_json::to_value(row)?;
    let text = |value: &serde_json::Value| match value {
        serde_json::Value::Null => String::new(),
        serde_json::Value::String(text) => text.clone(),
        other => other.to_string(),
    };
    let field = |name: &&str| match name
        .strip_suffix("_ms")
        .filter(|stage| matches!(*stage, "prescan" | "scan" | "postscan"))
    {
        Some(stage) => text(&row["stages"][stage]),
        None => text(&row[name]),
    };
    Ok(CSV_FIELDS.iter().map(field).collect())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::bench::row::Stages;

    #[test]
    fn csv_has_every_field() {
        let stages = Some(Stages { prescan: 1.0, scan: 2.0, postscan: 3.0 });
        let row = Row { device: "a, b".into(), ms: 1.5, latency_ms: Some(4.0), stages, ..Row::default() };
        let json = serde_json::to_value(&row).unwrap();
        for field in json.as_object().unwrap().keys().filter(|&field| field != "stages") {
            assert!(CSV_FIELDS.contains(&field.as_str()), "{field}");
        }
        let record = csv_record(&row).unwrap();
        let field = |name| &record[CSV_FIELDS.iter().position(|&field| field == name).unwrap()];
        assert_eq!([field("prescan_ms"), field("scan_ms"), field("postscan_ms")], ["1.0", "2.0", "3.0"]);
        assert_eq!([field("ms"), field("latency_ms"), field("m"), field("device")], ["1.5", "4.0", "", "a, b"]);
    }
}
