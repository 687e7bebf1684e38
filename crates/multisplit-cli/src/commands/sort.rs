//! `multisplit sort`: sorts the keys of a file.

use super::files::device_io::DeviceIo;
use super::files::input::{Input, InputArguments, KeyCommand};
use super::files::key::{FileKey, bit_width, check_bits};
use super::files::paths::{MovedArguments, OutputPaths};
use super::files::summary;
use super::files::write::OutputFiles;
use crate::shared::arguments::bit_range;
use anyhow::{Result, ensure};
use clap::Args;
use multisplit::Sort;
use std::io::{self, Write};
use std::ops::Range;
use std::path::PathBuf;
use std::time::{Duration, Instant};

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
    /// Split by so many bits at a time, 4 to 8. For tuning; the result stays the same.
    #[arg(long, value_name = "BITS")]
    pub digit: Option<u32>,
    /// Write to this file where each key was before, as u32 numbers.
    #[arg(long, value_name = "FILE")]
    pub argsort: Option<PathBuf>,
}

/// A sort that can run.
struct SortCommand {
    /// By all bits: their number is in the file.
    sort: Sort,
    paths: OutputPaths,
    descending: bool,
    bits: Option<Range<u32>>,
}

/// Runs `multisplit sort`.
pub fn run(raw: &SortArguments) -> Result<()> {
    let paths = OutputPaths::new(&raw.moved, None, raw.argsort.as_deref(), "--output or --argsort")?;
    let mut sort = Sort::new();
    if raw.descending {
        sort = sort.descending();
    }
    if let Some(digit) = raw.digit {
        ensure!((4..=8).contains(&digit), "--digit {digit} is out of range: 4 to 8 bits");
        sort = sort.digit_bits(digit);
    }
    let command = SortCommand { sort, paths, descending: raw.descending, bits: raw.bits.clone() };
    Input::new(&raw.input)?.run(&command)
}

impl KeyCommand for SortCommand {
    fn run<K: FileKey>(&self, input: &Input, keys: Vec<K>) -> Result<()> {
        let (n, out) = (keys.len(), &mut io::stdout().lock());
        let mut files = OutputFiles::default();
        let mut io = DeviceIo::load(&input.device, &self.paths, keys, K::to_word)?;
        let time = self.sort::<K>(&mut io)?;
        io.write(n, K::from_word, &self.paths, &mut files)?;
        files.commit()?;
        summary::keys::<K>(out, input, n, self.paths.values.len())?;
        self.report(out, input, n, time)
    }
}

impl SortCommand {
    /// Sorts on the device, and returns the time.
    fn sort<K: FileKey>(&self, io: &mut DeviceIo<K::Word>) -> Result<Duration> {
        let by = self.bits.clone().unwrap_or(0..bit_width::<K>());
        check_bits::<K>(&by)?;
        let sort = self.sort.bits(by);
        let (narrow, wide) = io.widths();
        let mut workspace = sort.workspace::<K::Word>(&io.device, io.n(), narrow, wide)?;
        let (keys, mut columns) = io.columns();
        let start = Instant::now();
        sort.enqueue(&keys.from, &mut keys.to, &mut columns, &mut workspace)?;
        keys.to.device().sync()?;
        Ok(start.elapsed())
    }

    fn report(&self, out: &mut impl Write, input: &Input, n: usize, time: Duration) -> Result<()> {
        write!(out, "Sorted, {} first", if self.descending { "largest" } else { "smallest" })?;
        if let Some(bits) = &self.bits {
            write!(out, ", by bits {bits:?}")?;
        }
        writeln!(out, ", on {}:", input.device.info())?;
        summary::time(out, input, n, time)?;
        summary::outputs(out, &self.paths)
    }
}
