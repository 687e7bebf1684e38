//! `multisplit sort`: sorts the keys of a file.

use super::files::encoding::Encoding;
use super::files::formats::NullPlace;
use super::files::input::{Input, InputArguments};
use super::files::keys::Keys;
use super::files::large::gather::Gathering;
use super::files::large::outputs::{self, Outputs};
use super::files::large::record_files::RecordFiles;
use super::files::large::sort::ExternalSort;
use super::files::open::{Needs, Opened};
use super::files::order::Order;
use super::files::paths::{MovedArguments, OutputPaths};
use super::files::results::Travelling;
use super::files::rows::By;
use super::files::sort_rows::sort_rows;
use super::files::words::Words;
use super::files::write::OutputFiles;
use super::files::{room, summary};
use crate::shared::arguments::{bit_range, display_as_typed};
use crate::shared::facts::Facts;
use crate::shared::progress;
use crate::shared::usage::ensure_usage;
use anyhow::{Context, Result, ensure};
use clap::{Args, ValueEnum};
use multisplit::Sort;
use std::io::Write;
use std::ops::Range;
use std::path::PathBuf;
use std::time::Duration;

/// Where NaN goes.
#[derive(ValueEnum, Clone, Copy, Debug, PartialEq, Eq)]
pub enum NanPlace {
    First,
    Last,
    Error,
}

display_as_typed!(NanPlace);

#[derive(Args, Clone, Debug)]
pub struct SortArguments {
    #[command(flatten)]
    pub input: InputArguments,
    #[command(flatten)]
    pub moved: MovedArguments,
    /// The largest key first. Equal keys keep their order either way.
    #[arg(long)]
    pub descending: bool,
    /// Sort by these bits alone, such as 8..16, counted from the lowest of the key as an unsigned number in its order.
    #[arg(long, value_name = "A..B", value_parser = bit_range)]
    pub bits: Option<Range<u32>>,
    /// Where NaN goes, in whichever direction the others are: first, last, or error to refuse keys with NaN [default:
    /// the total order of IEEE 754, where NaN without a sign is last and NaN with one first]. NaT, of moments and spans
    /// of time, counts as NaN; by default it is the least.
    #[arg(long, value_name = "WHERE", conflicts_with = "bits")]
    pub nan: Option<NanPlace>,
    /// Split by so many bits at a time, 4 to 8. For tuning; the result stays the same.
    #[arg(long, value_name = "BITS")]
    pub digit: Option<u32>,
    /// Write to this file where each key was before, as u32 numbers.
    #[arg(long, value_name = "FILE", visible_alias = "argsort")]
    pub permutation: Option<PathBuf>,
}

/// A sort that can run.
struct SortCommand {
    /// By all bits: their number is in the file.
    sort: Sort,
    paths: OutputPaths,
    descending: bool,
    bits: Option<Range<u32>>,
    nan: Option<NanPlace>,
}

/// Runs `multisplit sort`.
pub fn run(raw: &SortArguments) -> Result<()> {
    let paths = OutputPaths { permutation: raw.permutation.clone(), ..OutputPaths::new(&raw.moved)? };
    let paths = paths.checked("--output or --permutation")?;
    raw.input.json.check(paths.all())?;
    let mut sort = Sort::new();
    if raw.descending {
        sort = sort.descending();
    }
    if let Some(digit) = raw.digit {
        ensure_usage!((4..=8).contains(&digit), "--digit {digit} is out of range: 4 to 8 bits");
        sort = sort.digit_bits(digit);
    }
    let command = SortCommand { sort, paths, descending: raw.descending, bits: raw.bits.clone(), nan: raw.nan };
    command.run(&Input::new(&raw.input)?)
}

impl SortCommand {
    fn run(&self, input: &Input) -> Result<()> {
        let needs = Needs { copies: 2, numbered: self.paths.permutation.is_some() };
        let opened = input.open(&self.paths, needs)?;
        let (short, mut files) = (opened.about(), OutputFiles::default());
        let time = match self.sort(input, opened, &mut files) {
            Ok(time) => time,
            Err(error) => {
                files = OutputFiles::default();
                self.sort(input, input.reopened(error, &self.paths, needs)?, &mut files)?
            }
        };
        files.commit()?;
        let out = &mut *self.paths.report();
        if input.json {
            return Ok(self.facts(summary::facts("sort", input, &short, &self.paths, time)).write(out)?);
        }
        summary::keys(out, input, &short, self.paths.values.len())?;
        self.report(out, input, short.n, time)
    }

    /// Sorts keys, carried as words in their order, and returns how long the device took.
    fn sort(&self, input: &Input, keys: Opened, files: &mut OutputFiles) -> Result<Duration> {
        let key_type = keys.about().key_type;
        key_type.expect_order().with_context(|| input.name())?;
        let by = self.bits.clone().unwrap_or(0..key_type.bits());
        key_type.check_bits(&by)?;
        let order = self.order(&keys).with_context(|| input.name())?;
        let sort = self.sort.bits(by.clone());
        match keys {
            Opened::Whole(keys, _) => {
                room::check(&self.paths, &keys)?;
                let n = keys.len();
                let by = By::Keys(Encoding::Ordered(order));
                let (rows, travelling) = Travelling::load(&self.paths, keys, by)?;
                let stage = progress::stage("sorting");
                let moved = sort_rows(&input.device, &sort, rows, travelling.permutation)?;
                drop(stage);
                let time = moved.time;
                travelling.results(moved).write(0..n, &self.paths, files)?;
                Ok(time)
            }
            Opened::Large(table) => {
                outputs::check(&self.paths, &table)?;
                room::check_pieces(&self.paths, &table, true)?;
                let external = ExternalSort::new(&input.device, table.room(), order, by).by(sort, self.descending);
                let stage = progress::transfer("sorting");
                // All is read first, and then written.
                progress::expect(2 * table.bytes());
                let mut outputs = Outputs::begin(&self.paths, &table, table.written(), files)?;
                let mut gathering = Gathering::begin(&table)?;
                let mut take = |columns: &[Words]| {
                    let rows = 0..columns[columns.len() - 1].len();
                    outputs.write(columns, rows.clone())?;
                    gathering.as_mut().map_or(Ok(()), |gathering| gathering.push(columns, rows))
                };
                table.each_null(NullPlace::First, &mut take)?;
                let time = external.run(&*table, &mut |columns| take(&columns))?;
                table.each_null(NullPlace::Last, &mut take)?;
                table.check_unchanged()?;
                outputs.finish(files)?;
                drop(stage);
                if let Some(gathering) = gathering {
                    let to = &mut RecordFiles::begin(&self.paths, &table, None, files)?;
                    gathering.write(&input.device, to, files)?;
                }
                Ok(time)
            }
        }
    }

    /// Returns the order of the keys, with NaN where it was asked for.
    fn order(&self, keys: &Opened) -> Result<Order> {
        let key_type = keys.about().key_type;
        let order = key_type.order();
        let Some(place) = self.nan.filter(|_| key_type.is_float() || key_type.is_time()) else { return Ok(order) };
        let (least, most) = key_type.numbers();
        Ok(match place {
            NanPlace::Error => {
                let mut before = 0;
                keys.each(&mut |bits| {
                    let found = order.find_outside(bits, (least, most));
                    let name = if key_type.is_time() { "NaT" } else { "NaN" };
                    ensure!(found.is_none(), "key {} is {name}, counted from 0", before + found.unwrap_or(0));
                    before += bits.len();
                    Ok(())
                })?;
                order
            }
            // The order that descends is another way round.
            place if (place == NanPlace::Last) != self.descending => order.starting_at(least),
            _ => order.starting_at(most.wrapping_add(1) & order.largest()),
        })
    }

    fn facts(&self, facts: Facts) -> Facts {
        let bits = self.bits.as_ref().map(|bits| vec![bits.start, bits.end]);
        let nan = self.nan.map(|place| place.to_string());
        facts.with("descending", self.descending).with("bits", bits).with("nan", nan)
    }

    fn report(&self, out: &mut dyn Write, input: &Input, n: usize, time: Duration) -> Result<()> {
        write!(out, "Sorted, {} first", if self.descending { "largest" } else { "smallest" })?;
        if let Some(bits) = &self.bits {
            write!(out, ", by bits {bits:?}")?;
        }
        writeln!(out, ", on {}:", input.device.info())?;
        summary::time(out, input, n, time)?;
        summary::outputs(out, &self.paths)
    }
}
