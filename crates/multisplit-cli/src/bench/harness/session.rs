//! A benchmark under way: writes rows as they come, compares them with peers, and shows progress.

use super::bandwidth::{self, Bandwidths};
use super::key_types::PeerKind;
use super::latency;
use super::options::Options;
use super::peers::Peer;
use super::provenance::Provenance;
use super::row::{Row, round};
use super::sinks::{MakeTable, Sink, sinks};
use anyhow::{Error, Result, ensure};
use indicatif::{ProgressBar, ProgressStyle};
use std::collections::HashSet;
use std::io::{self, Write};

/// The state of a benchmark under way.
pub struct Session<'a> {
    options: &'a Options,
    pub provenance: Provenance,
    pub progress: ProgressBar,
    peers: Vec<Peer>,
    sinks: Vec<Box<dyn Sink>>,
    /// The rows of peers so far.
    rivals: Vec<Row>,
    /// The notes so far, to write each once.
    said: HashSet<String>,
    wrong: usize,
}

impl<'a> Session<'a> {
    /// Starts a run of so many steps: builds the peers, and opens the outputs.
    pub fn new(options: &'a Options, steps: u64, table: MakeTable<'_>) -> Result<Self> {
        let progress = ProgressBar::new(steps);
        progress.set_style(ProgressStyle::with_template("{bar:30} {pos}/{len} {msg}")?);
        let mut session = Self {
            options,
            provenance: Provenance::new(&options.device),
            progress,
            peers: Vec::new(),
            sinks: sinks(options, table)?,
            rivals: Vec::new(),
            said: HashSet::new(),
            wrong: 0,
        };
        // Crates are built in, and what searches graphs is built by `bench sssp`.
        if options.peers.contains(&PeerKind::Cub) {
            session.progress.set_message("building cub");
            match Peer::build(options) {
                Ok(peer) => session.peers.push(peer),
                Err(error) => session.without(PeerKind::Cub, &error),
            }
        }
        if options.on_gpu() {
            let (seconds, verified) = latency::launch(&options.device)?;
            let launch = Row { verified, ..session.provenance.row("launch", "multisplit") };
            session.emit(launch.timed(seconds))?;
        }
        Ok(session)
    }

    /// Measures what the memory allows for `n` words, and writes it.
    pub fn bandwidths(&mut self, n: usize) -> Result<Bandwidths> {
        self.progress.set_message("copy and read");
        let [copy, read] = bandwidth::measure(self.options, n, &self.provenance)?;
        self.progress.inc(1);
        let bandwidths = Bandwidths::of(&copy, &read);
        self.emit(copy)?;
        self.emit(read)?;
        Ok(bandwidths)
    }

    /// Runs every peer and writes its rows, each with the fraction of what the memory allows.
    pub fn time_peers(
        &mut self,
        run: impl Fn(&Peer) -> Result<Vec<Row>>,
        fraction: impl Fn(&Row) -> Option<f64>,
    ) -> Result<()> {
        for peer in std::mem::take(&mut self.peers) {
            match run(&peer) {
                Ok(rows) => {
                    for row in rows {
                        let fraction = fraction(&row).map(round);
                        self.emit_rival(Row { fraction, ..row })?;
                    }
                }
                Err(error) => self.say(&format!("a peer failed: {error:#}")),
            }
            self.peers.push(peer);
        }
        Ok(())
    }

    /// Writes the row of a peer, which later rows are compared with.
    pub fn emit_rival(&mut self, row: Row) -> Result<()> {
        let row = self.provenance.sign(row);
        self.rivals.push(row.clone());
        self.emit(row)
    }

    /// Writes a row.
    pub fn emit(&mut self, row: Row) -> Result<()> {
        let ours = row.by == "multisplit";
        self.wrong += usize::from(ours && !row.verified);
        let peer = row.best_peer(&self.rivals).filter(|_| ours);
        let ratio = peer.map(|peer| peer.ms / row.ms);
        let sinks = &mut self.sinks;
        self.progress.suspend(|| sinks.iter_mut().try_for_each(|sink| sink.write(&row, ratio)))
    }

    /// Says why a peer is not timed.
    pub fn without(&mut self, peer: PeerKind, reason: &Error) {
        self.say(&format!("without the peer {peer}: {reason:#}"));
    }

    /// Writes a note on standard error, once.
    pub fn say(&mut self, note: &str) {
        if self.said.insert(note.to_string()) {
            self.progress.suspend(|| {
                let _ = writeln!(io::stderr(), "multisplit: {note}");
            });
        }
    }

    /// Fails if a row was wrong.
    pub fn finish(self) -> Result<()> {
        self.progress.finish_and_clear();
        ensure!(self.wrong == 0, "{} rows are wrong: their results differ from the reference", self.wrong);
        Ok(())
    }
}
