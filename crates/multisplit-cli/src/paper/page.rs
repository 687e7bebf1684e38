//! The page: every table and figure of the paper, with our numbers beside the published ones.

use super::comparison::{Against, Comparison};
use super::figures::{self, Shown};
use super::measured::{self, is_narrow};
use super::published;
use super::settings::Settings;
use super::tables::tables;
use crate::bench::harness::batch::ABSENT;
use crate::bench::harness::row::Row;
use crate::report::content::{Block, Content, strings, table};
use crate::report::figures::{paths, stage_bars};
use crate::report::{self, page};
use crate::shared::arguments::show_count;
use anyhow::{Context, Result};

/// What our radix sort is called in tables, and CUB's.
const SORTS: [&str; 2] = ["CUB radix sort", "sort by multisplits"];
const CUB: [&str; 2] = ["CUB radix sort", "CUB histogram"];
const PATHS: [&str; 2] = ["Near-Far", "dijkstra"];

/// A part of the page: a table of the paper, and its figures.
struct Part {
    table: u32,
    heading: &'static str,
    about: &'static str,
    /// What stands before the columns of the table.
    column: &'static str,
    /// What a chart of the table goes over, if it has one.
    over: &'static str,
}

const PARTS: [Part; 8] = [
    Part {
        table: 3,
        heading: "Table 3: what others are compared with",
        about: "Rates in 1e9 elements per second: a full radix sort of 32-bit keys, and a split into two buckets by a \
                device-wide scan. What was measured here sorts by this library's own multisplits; CUB's sort is \
                beside it where CUB can run.",
        column: "",
        over: "",
    },
    Part {
        table: 4,
        heading: "Table 4: stages",
        about: "Milliseconds of the stages, and of the whole. Ours are the time up to a stage less that up to the \
                stage before. A CPU has no stages that can be timed apart.",
        column: "m = ",
        over: "",
    },
    Part {
        table: 5,
        heading: "Table 5: rates, and speed-ups over a radix sort",
        about: "Rates in 1e9 elements per second by the number of buckets, and in parentheses how many times as fast \
                as a radix sort (table 3: CUB's, else ours). Delta buckets, uniform keys.",
        column: "m = ",
        over: "",
    },
    Part {
        table: 6,
        heading: "Table 6: distributions of keys",
        about: "Rates in 1e9 elements per second with 256 buckets, and in parentheses how many times as fast as with \
                uniform keys.",
        column: "",
        over: "",
    },
    Part {
        table: 7,
        heading: "Table 7: identity buckets",
        about: "Rates in 1e9 elements per second where the key is its bucket, and in parentheses how many times as \
                fast as CUB's radix sort by as many bits.",
        column: "m = ",
        over: "buckets",
    },
    Part {
        table: 8,
        heading: "Table 8: sorts by the width of digits",
        about: "Rates in 1e9 elements per second of sorts of 32-bit keys, one split for each digit, by the bits of a \
                digit; and in parentheses how many times as fast as CUB's radix sort. \"Chosen\" is the width that \
                each chooses by itself.",
        column: "",
        over: "bits of a digit",
    },
    Part {
        table: 10,
        heading: "Tables 9 and 10: shortest paths",
        about: "Milliseconds of shortest paths from one vertex, and in parentheses how many times as fast as Near-Far, \
                or on a CPU as Dijkstra. The paper's graphs (table 9) are cit-Patents (3.77 million vertices, 16.52 \
                million edges), flickr (0.82, 9.84), belgium_osm (1.44, 1.55) and rmat (0.8, 4.8), which is generated \
                here with the paper's parameters; --graphs takes the others as files. Multisplit-SSSP is the paper's: \
                ten buckets by a multisplit.",
        column: "",
        over: "",
    },
    Part {
        table: 11,
        heading: "Table 11: histograms",
        about: "Rates in 1e9 elements per second of histograms of floats from 0 to 1024, by the number of bins; and in \
                parentheses how many times as fast as CUB's.",
        column: "m = ",
        over: "bins",
    },
];

/// Formats the page of some rows. `failed` says which experiments failed, and why.
pub fn paper_page(settings: &Settings, rows: &[Row], failed: &[String]) -> Result<String> {
    let n = settings.n as u64;
    let mut all = published::tables()?;
    all.iter_mut().for_each(|table| measured::add(table, rows, n));
    let absent = rows.iter().find(|row| row.op == ABSENT && row.by == "cub").and_then(|row| row.note.as_deref());
    let paper = Paper { settings, rows, n, all, absent };
    let mut content = paper.about();
    let failed = failed.iter().map(|failed| vec![failed.clone()]).collect::<Vec<_>>();
    content = content + table(&strings(&["experiments that failed"]), &failed);
    for part in &PARTS {
        content = content + paper.part(part)?;
    }
    content = content + heading("All rows") + report::all_rows(rows);
    Ok(page::page("GPU Multisplit: the experiments of the paper", &content))
}

struct Paper<'a> {
    settings: &'a Settings,
    rows: &'a [Row],
    n: u64,
    /// The tables, with our numbers.
    all: Vec<Comparison>,
    /// Why there is no CUB.
    absent: Option<&'a str>,
}

fn heading(text: &str) -> Content {
    Block::Heading(text.into()).into()
}

fn paragraph(text: &str) -> Content {
    Block::Paragraph(text.into()).into()
}

impl Paper<'_> {
    fn table(&self, number: u32) -> Result<&Comparison> {
        self.all.iter().find(|table| table.number == number).with_context(|| format!("table {number}"))
    }

    fn about(&self) -> Content {
        let Settings { quick, runs, device, .. } = self.settings;
        let mut text = format!(
            "Every table and figure of the evaluation of \"GPU Multisplit: an extended study of a parallel algorithm\" \
             (Ashkiani, Davidson, Meyer, Owens; ACM TOPC 2017), measured by multisplit {} on {}, beside the numbers \
             that the paper published. Lines that stand out were measured here, with {} elements and the median of \
             {runs} runs; the paper has 2^25 elements and the mean of 50 runs. Point at a number for its quartiles.",
            crate::shared::version::VERSION,
            device.info(),
            show_count(self.n),
        );
        if *quick {
            text += " This is a quick run: rates of so few elements are not those of the paper's size.";
        }
        let mut content = paragraph(&text);
        if !self.settings.on_gpu() {
            content = content
                + paragraph(
                    "This is a CPU. It has one way to split, so that the paper's three methods and their stages \
                     (table 4) do not exist here, nor do the strategies of table 10 that are for GPUs.",
                );
        }
        content + report::provenance(self.rows)
    }

    fn part(&self, part: &Part) -> Result<Content> {
        let table = self.table(part.table)?;
        let against = match part.table {
            5 => Against::Table(self.table(3)?, &SORTS),
            6 => Against::Column(0),
            7 | 8 | 11 => Against::Methods(&CUB),
            10 => Against::Methods(&PATHS),
            _ => Against::Nothing,
        };
        let absent = self.absent.filter(|_| part.table != 10);
        let tables = tables(table, part.column, &against, absent);
        let mut content = heading(part.heading) + paragraph(part.about) + tables;
        if !part.over.is_empty() {
            content = content + self.charts(table, part.over, Shown::Rates);
        }
        Ok(match part.table {
            4 => content + self.stages(None, "stages, keys") + self.stages(Some("u32"), "stages, pairs"),
            5 => {
                content
                    + heading("Figure 6: running time by the number of buckets")
                    + paragraph("Milliseconds. The published times follow from the rates of table 5.")
                    + self.charts(table, "buckets", Shown::Times)
                    + heading("Figure 7: speed-up over a radix sort by the number of buckets")
                    + self.charts(table, "buckets", Shown::SpeedUps(&against))
            }
            6 => {
                content
                    + heading("Figure 8: binomial and uniform keys")
                    + paragraph("Milliseconds by the number of buckets. The paper's figure has no printed numbers.")
                    + figures::binomial(self.rows, self.n)
            }
            10 => content + paths("shortest paths, measured here", self.rows),
            _ => content,
        })
    }

    fn charts(&self, table: &Comparison, over: &str, what: Shown<'_>) -> Content {
        table.groups().iter().map(|group| figures::over_columns(table, group, over, what, self.n)).collect()
    }

    /// Draws the stages of the numbers of buckets of table 4.
    fn stages(&self, value: Option<&str>, title: &str) -> Content {
        let is_one = |row: &&Row| {
            row.op == "split"
                && row.verified
                && is_narrow(row)
                && row.n == self.n
                && row.value.as_deref() == value
                && matches!(row.m, Some(2 | 8 | 32))
        };
        let rows = self.rows.iter().filter(is_one).collect();
        let group = |row: &Row| format!("{} {}", row.method.as_deref().unwrap_or_default(), row.m.unwrap_or_default());
        stage_bars(title.into(), "method and buckets", rows, &group)
    }
}
