//! `paper`: runs every experiment of the paper, and shows its numbers beside ours.
//!
//! [`settings`] come from the command line. [`experiments`] makes benchmarks of them, which run as one batch;
//! [`resume`] knows what an earlier run measured. [`published`] has the paper's numbers, to whose tables ([`comparison`])
//! [`measured`] adds ours, and [`page`] makes [`tables`] and [`figures`] of them.

mod comparison;
mod experiments;
mod figures;
mod measured;
mod page;
mod published;
mod resume;
pub mod settings;
mod tables;

use crate::bench::harness::batch::Batch;
use crate::bench::harness::row::Row;
use crate::bench::harness::sinks::csv_of;
use crate::shared::messages::note;
use crate::shared::output_files::replace;
use crate::shared::progress;
use crate::shared::timing::roughly;
use anyhow::{Context, Result, ensure};
use experiments::{Experiment, experiments};
use indicatif::ProgressStyle;
use multisplit::Device;
use resume::Earlier;
use settings::{PaperArguments, Settings};
use std::fs;
use std::io::{self, Write};
use std::path::Path;
use std::rc::Rc;

/// Runs `multisplit paper`.
pub fn run(raw: &PaperArguments) -> Result<()> {
    let settings = Settings::new(raw)?;
    let folder = raw.output.as_path();
    fs::create_dir_all(folder).with_context(|| format!("--output {}", folder.display()))?;
    let command = settings.command();
    let devices = [settings.device.info().to_string(), Device::cpu().info().to_string()];
    let earlier = Earlier::open(&folder.join("rows.jsonl"), &command, &devices)?;
    say_what_is_there(&earlier);
    let progress = progress::bar(0);
    progress.set_style(ProgressStyle::with_template("{bar:30} {percent:>3}%, {prefix} left: {msg}")?);
    let rows = earlier.rows.clone();
    let batch = Rc::new(Batch::new(command, progress, rows, Box::new(earlier.writer())));
    let mut failed = Vec::new();
    let all = experiments(&settings, &batch)?;
    let units: u64 = all.iter().map(|experiment| experiment.weight * experiment.benchmark.steps()).sum();
    batch.progress.set_length(units);
    for (i, experiment) in all.iter().enumerate() {
        announce(&batch, &format!("{} of {}: {}", i + 1, all.len(), experiment.name));
        if let Err(error) = run_one(experiment, &batch) {
            failed.push(format!("{}: {error:#}", experiment.name));
        }
        write_documents(folder, &settings, &batch.rows(), &failed)?;
    }
    batch.progress.finish_and_clear();
    writeln!(io::stdout(), "{}", folder.join("paper.html").display())?;
    ensure!(failed.is_empty(), "{} of {} experiments failed:\n{}", failed.len(), all.len(), failed.join("\n"));
    Ok(())
}

fn run_one(experiment: &Experiment, batch: &Batch) -> Result<()> {
    let end = batch.progress.position() + experiment.weight * experiment.benchmark.steps();
    batch.weigh(experiment.weight);
    let result = experiment.benchmark.run();
    // Also where it ended early.
    batch.progress.set_position(end);
    result
}

/// Says on standard error which experiment begins, and about how long all of them will take from here.
fn announce(batch: &Batch, what: &str) {
    let left = batch.left();
    batch.progress.suspend(|| note(format!("{what}; {} left", roughly(left))));
}

fn say_what_is_there(earlier: &Earlier) {
    let mut notes = Vec::new();
    if earlier.torn {
        notes.push("the last line was torn, and is measured again".to_string());
    }
    if !earlier.rows.is_empty() {
        notes.push(format!("{} rows are there already", earlier.rows.len()));
    }
    if earlier.others > 0 {
        notes.push(format!("{} rows of other settings or another program stay, and are not shown", earlier.others));
    }
    if !notes.is_empty() {
        note(format!("rows.jsonl: {}", notes.join("; ")));
    }
}

/// Writes what is made of the rows.
fn write_documents(folder: &Path, settings: &Settings, rows: &[Row], failed: &[String]) -> Result<()> {
    replace(&folder.join("rows.csv"), &csv_of(rows)?)?;
    replace(&folder.join("paper.html"), &page::paper_page(settings, rows, failed)?)
}
