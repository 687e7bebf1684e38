//! `multisplit sort`: sorts the keys of a file.

use super::files::device_io::{Beside, InOut, Travelling, download, load};
use super::files::encoding::Encoding;
use super::files::input::{FileKeys, Input, InputArguments};
use super::files::order::Order;
use super::files::paths::{MovedArguments, OutputPaths};
use super::files::words::Words;
use super::files::write::OutputFiles;
use super::files::{room, summary};
use crate::shared::arguments::{bit_range, display_as_typed};
use crate::shared::facts::Facts;
use crate::shared::progress;
use crate::shared::usage::ensure_usage;
use anyhow::{Context, Result, ensure};
use clap::{Args, ValueEnum};
use multisplit::{Key, Sort};
use std::io::Write;
use std::ops::Range;
use std::path::PathBuf;
use std::time::{Duration, Instant};

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
    let input = Input::new(&raw.input)?;
    let keys = input.read()?;
    match keys.bits {
        Words::Narrow(_) => command.run::<u32>(&input, keys),
        Words::Wide(_) => command.run::<u64>(&input, keys),
    }
}

impl SortCommand {
    /// Sorts keys, carried as words in their order.
    fn run<W: Key>(&self, input: &Input, keys: FileKeys) -> Result<()> {
        let (short, key_type) = (keys.in_short(), keys.key_type);
        key_type.expect_order().with_context(|| input.name())?;
        let by = self.bits.clone().unwrap_or(0..key_type.bits());
        key_type.check_bits(&by)?;
        let encoding = Encoding::Ordered(self.order(&keys).with_context(|| input.name())?);
        room::check(&self.paths, &keys)?;
        let mut files = OutputFiles::default();
        let travelling = Travelling { keys, encoding, ids: None };
        let (mut words, mut beside) = load::<W>(&input.device, &self.paths, travelling)?;
        let time = self.sort(&mut words, &mut beside, by)?;
        beside.results(download(&words.to)?)?.write(0..short.n, &self.paths, &mut files)?;
        files.commit()?;
        let out = &mut *self.paths.report();
        if input.json {
            return Ok(self.facts(summary::facts("sort", input, &short, &self.paths, time)).write(out)?);
        }
        summary::keys(out, input, &short, self.paths.values.len())?;
        self.report(out, input, short.n, time)
    }

    /// Returns the order of the keys, with NaN where it was asked for.
    fn order(&self, keys: &FileKeys) -> Result<Order> {
        let key_type = keys.key_type;
        let order = key_type.order();
        let Some(place) = self.nan.filter(|_| key_type.is_float() || key_type.is_time()) else { return Ok(order) };
        let (least, most) = key_type.numbers();
        Ok(match place {
            NanPlace::Error => {
                let found = order.find_outside(keys.bits.as_ref(), (least, most));
                let name = if key_type.is_time() { "NaT" } else { "NaN" };
                ensure!(found.is_none(), "key {} is {name}, counted from 0", found.unwrap_or(0));
                order
            }
            // The order that descends is another way round.
            place if (place == NanPlace::Last) != self.descending => order.starting_at(least),
            _ => order.starting_at(most.wrapping_add(1) & order.largest()),
        })
    }

    /// Sorts on the device, and returns the time.
    fn sort<W: Key>(&self, keys: &mut InOut<W>, beside: &mut Beside, by: Range<u32>) -> Result<Duration> {
        let _stage = progress::stage("sorting");
        let sort = self.sort.bits(by);
        let (narrow, wide) = beside.widths();
        let mut workspace = sort.workspace::<W>(&beside.device, keys.from.len(), narrow, wide)?;
        let mut columns = beside.columns();
        let start = Instant::now();
        sort.enqueue(&keys.from, &mut keys.to, &mut columns, &mut workspace)?;
        keys.to.device().sync()?;
        Ok(start.elapsed())
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
