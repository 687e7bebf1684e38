//! Benchmarks: what was asked for ([`args`], [`setting`], [`plan`], [`cases`]) is measured ([`split`], [`measure`],
//! [`light`], [`peers`]), checked ([`verify`]) and written ([`session`], [`row`], [`output`], [`table`]). What was
//! written becomes a document ([`report`]). [`histogram`], [`sort`], [`partition`], [`segments`] and [`sssp`] are
//! benchmarks of their own, with the same parts.

mod again;
pub mod args;
mod cases;
mod columns;
mod histogram;
mod keys;
mod kinds;
mod latency;
mod light;
mod measure;
mod output;
mod partition;
mod peers;
mod plan;
mod provenance;
mod report;
mod row;
mod segments;
mod session;
mod setting;
mod sort;
mod split;
mod sssp;
mod table;
mod verify;

use anyhow::Result;
use args::BenchCommand;

pub fn run(command: BenchCommand) -> Result<()> {
    match command {
        BenchCommand::Split(raw) => split::run(&plan::Plan::new(*raw)?),
        BenchCommand::Histogram(raw) => histogram::run(&histogram::Plan::new(*raw)?),
        BenchCommand::Sort(raw) => sort::run(&sort::Plan::new(*raw)?),
        BenchCommand::LargeM(raw) => split::run(&plan::Plan::new((*raw).into())?),
        BenchCommand::Partition(raw) => partition::run(&partition::Plan::new(*raw)?),
        BenchCommand::Segments(raw) => segments::run(&segments::Plan::new(*raw)?),
        BenchCommand::Sssp(raw) => sssp::run(&sssp::Plan::new(*raw)?),
        BenchCommand::Report(raw) => report::run(&raw),
    }
}
