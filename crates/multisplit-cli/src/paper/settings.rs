//! What a run of the experiments is about.

use crate::bench::harness::provenance;
use crate::shared::arguments::{count, show_count};
use crate::shared::devices::open_device;
use crate::shared::usage::usage;
use anyhow::Result;
use clap::Args;
use multisplit::{Device, DeviceKind};
use std::path::PathBuf;

#[derive(Args, Clone, Debug)]
#[command(after_help = "Example: multisplit paper --output paper --quick --device cpu")]
pub struct PaperArguments {
    /// The folder for rows.jsonl, rows.csv and paper.html. A run that was interrupted goes on.
    #[arg(short, long)]
    pub output: PathBuf,
    /// Take less than two minutes on two cores: fewer keys, fewer runs, a smaller graph.
    #[arg(long)]
    pub quick: bool,
    /// The device, by its name in `multisplit devices`, or gpu, cuda, wgpu, vulkan, metal or dx12 for the first of those
    /// [default: the best].
    #[arg(short, long)]
    pub device: Option<String>,
    /// How many keys: a number, or a power such as 2^22 [default: 2^25, as in the paper; 2^22 with --quick].
    #[arg(short, long, value_parser = count)]
    pub n: Option<usize>,
    /// Timed runs per row, of which the median counts [default: 25; 5 with --quick].
    #[arg(short, long)]
    pub runs: Option<usize>,
    /// Further graphs, separated by commas: files, or made up as of `bench sssp`. The paper's are cit-Patents, flickr
    /// and belgium_osm of the SuiteSparse collection.
    #[arg(long, value_delimiter = ',')]
    pub graphs: Vec<String>,
    /// Where the sources of the peers are.
    #[arg(long, default_value = "peers")]
    pub peers_dir: PathBuf,
    /// Threads of the CPU [default: $RAYON_NUM_THREADS, or one for each core].
    #[arg(long)]
    pub threads: Option<usize>,
}

/// The checked settings.
pub struct Settings {
    pub device: Device,
    pub quick: bool,
    pub n: usize,
    pub runs: usize,
    pub graphs: Vec<String>,
    pub peers_dir: PathBuf,
    pub threads: Option<usize>,
}

impl Settings {
    /// Checks the arguments and opens the device.
    pub fn new(raw: &PaperArguments) -> Result<Self> {
        let PaperArguments { quick, n, runs, graphs, peers_dir, threads, .. } = raw.clone();
        let n = n.unwrap_or(if quick { 1 << 22 } else { 1 << 25 });
        let runs = runs.unwrap_or(if quick { 5 } else { 25 });
        if n == 0 || u32::try_from(n).is_err() {
            return Err(usage(format!("--n {n} is out of range: 1 to 2^32 - 1")));
        }
        if runs == 0 {
            return Err(usage("--runs must be at least 1"));
        }
        Ok(Self { device: open_device(raw.device.as_deref())?, quick, n, runs, graphs, peers_dir, threads })
    }

    /// Returns whether there are methods and stages to tell apart.
    pub fn on_gpu(&self) -> bool {
        self.device.info().kind != DeviceKind::Cpu
    }

    /// Returns the command of these settings, whatever was typed: rows of the same command can be compared. Where its
    /// rows go makes no difference.
    pub fn command(&self) -> String {
        let mut words = vec!["paper".to_string(), "--output".into(), "paper".into()];
        if self.quick {
            words.push("--quick".into());
        }
        words.extend(["--device".into(), self.device.name().into()]);
        words.extend(["--n".into(), show_count(self.n as u64), "--runs".into(), self.runs.to_string()]);
        if !self.graphs.is_empty() {
            words.extend(["--graphs".into(), self.graphs.join(",")]);
        }
        if let Some(threads) = self.threads {
            words.extend(["--threads".into(), threads.to_string()]);
        }
        provenance::command(words.into_iter())
    }
}
