//! `multisplit graph`: describes graphs ([`info`]), makes some ([`generate`]), and writes them in other formats
//! ([`export`], by [`save`]).

mod degrees;
mod export;
mod generate;
mod info;
mod save;

use anyhow::Result;
use clap::Subcommand;
use export::{ConvertArguments, ExportArguments};
use generate::GenerateArguments;
use info::InfoArguments;

#[derive(Subcommand, Clone, Debug)]
pub enum GraphCommand {
    /// Read a graph of any format and write it in the binary form, which is read many times as fast.
    #[command(after_help = "Example: multisplit graph convert road.gr --output road.bin")]
    Convert(ConvertArguments),
    /// Read a graph of any format and write it as an edge list, a Matrix Market file or a DIMACS file, with the weights
    /// in use.
    ///
    /// Edge lists have the names of the vertices, but not those without edges; other formats number all of them from 1.
    /// Edges that are undirected are written once where the format says so.
    #[command(after_help = "Example: multisplit graph export road.gr --weights unit --output road.mtx")]
    Export(ExportArguments),
    /// Generate a graph and write it.
    Generate(GenerateArguments),
    /// Describe a graph: vertices, arcs, degrees, weights, components, and what can be reached.
    #[command(after_help = "Example: multisplit graph info road.gr --source 1")]
    Info(InfoArguments),
}

impl GraphCommand {
    /// Returns the number of threads that the command line asks for.
    pub fn threads(&self) -> Option<usize> {
        match self {
            Self::Convert(raw) => raw.input.threads,
            Self::Export(raw) => raw.input.threads,
            Self::Generate(raw) => raw.threads,
            Self::Info(raw) => raw.input.threads,
        }
    }
}

/// Runs `multisplit graph`.
pub fn run(command: &GraphCommand) -> Result<()> {
    match command {
        GraphCommand::Convert(raw) => export::convert(raw),
        GraphCommand::Export(raw) => export::export(raw),
        GraphCommand::Generate(raw) => generate::run(raw),
        GraphCommand::Info(raw) => info::run(raw),
    }
}
