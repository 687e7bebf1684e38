//! `multisplit graph export` and `multisplit graph convert`: graphs in other formats.

use super::save::{Destination, format_of_name};
use crate::shared::facts::{Facts, JsonArgument};
use crate::shared::graph_file::{self, GraphArguments};
use crate::shared::output_files::report_to;
use crate::shared::usage::usage;
use anyhow::Result;
use clap::Args;
use multisplit_graph::read::Format;
use std::path::PathBuf;

#[derive(Args, Clone, Debug)]
pub struct ConvertArguments {
    #[command(flatten)]
    pub input: GraphArguments,
    /// The file to write.
    #[arg(value_name = "OUTPUT", required_unless_present = "output", conflicts_with = "output")]
    pub place: Option<PathBuf>,
    /// The file to write, named as other commands name it; `-` is standard output.
    #[arg(short, long, value_name = "FILE")]
    pub output: Option<PathBuf>,
    #[command(flatten)]
    pub json: JsonArgument,
}

#[derive(Args, Clone, Debug)]
pub struct ExportArguments {
    #[command(flatten)]
    pub input: GraphArguments,
    /// The file to write; `-` is standard output.
    #[arg(short, long, value_name = "FILE")]
    pub output: PathBuf,
    /// Its format: edge-list, matrix-market, dimacs, pace or binary [default: what its name says: .mtx, .gr (dimacs),
    /// .bin, or .txt, .el, .wel, .edges, .csv and .tsv for edge lists].
    #[arg(short, long)]
    pub format: Option<Format>,
    /// Write a line for each vertex to this file: its number in the output, and its name in the input.
    #[arg(long, value_name = "FILE")]
    pub labels: Option<PathBuf>,
    #[command(flatten)]
    pub json: JsonArgument,
}

/// Runs `multisplit graph convert`.
pub fn convert(raw: &ConvertArguments) -> Result<()> {
    // The parser sees to it that there is one.
    let output = raw.output.as_ref().or(raw.place.as_ref()).cloned().unwrap_or_default();
    if let Some(format) = format_of_name(&output).filter(|&format| format != Format::Binary) {
        return Err(usage(format!(
            "{} is the name of a file of the format {format}, but convert writes the binary form; take another name, or \
             graph export",
            output.display()
        )));
    }
    write(&raw.input, Destination::new(&output, Some(Format::Binary), None)?, raw.json, "graph convert")
}

/// Runs `multisplit graph export`.
pub fn export(raw: &ExportArguments) -> Result<()> {
    let destination = Destination::new(&raw.output, raw.format, raw.labels.as_deref())?;
    write(&raw.input, destination, raw.json, "graph export")
}

fn write(input: &GraphArguments, destination: Destination<'_>, json: JsonArgument, command: &str) -> Result<()> {
    destination.check(Some(&input.graph))?;
    json.check(destination.files())?;
    let loaded = graph_file::load(input)?;
    let mut out = report_to(destination.files());
    let facts = json.json.then(|| graph_file::facts(Facts::of(command), input, &loaded));
    if facts.is_none() {
        writeln!(out, "{}", graph_file::describe(input, &loaded))?;
    }
    destination.save(&loaded.graph, &loaded.labels, loaded.direction, facts, &mut *out)
}
