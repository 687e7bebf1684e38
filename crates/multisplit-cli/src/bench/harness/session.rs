//! A benchmark under way: writes rows as they come, compares them with peers, and shows progress.

use super::bandwidth::{self, Bandwidths};
use super::batch::ABSENT;
use super::key_types::PeerKind;
use super::latency;
use super::options::Options;
use super::peers::Peer;
use super::provenance::Provenance;
use super::row::{Row, round};
use super::sinks::{MakeTable, Sink, sinks};
use crate::shared::{messages, progress};
use anyhow::{Error, Result, ensure};
use indicatif::{ProgressBar, ProgressStyle};
use std::collections::HashSet;

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
        let (progress, sinks) = match &options.batch {
            Some(batch) => (batch.progress.clone(), Vec::new()),
            None => (progress::bar(steps), sinks(options, table)?),
        };
        if options.batch.is_none() {
            progress.set_style(ProgressStyle::with_template("{bar:30} {pos}/{len} {msg}")?);
        }
        let mut session = Self {
            options,
            provenance: options.provenance(&options.device),
            progress,
            peers: Vec::new(),
            sinks,
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
        if options.on_gpu() && !session.knows(&Row::ours("launch")) {
            let (seconds, verified) = latency::launch(&options.device)?;
            let launch = Row { verified, ..session.provenance.row("launch", "multisplit") };
            session.emit(launch.timed(seconds))?;
        }
        Ok(session)
    }

    /// Measures what the memory allows for `n` words, and writes it.
    pub fn bandwidths(&mut self, n: usize) -> Result<Bandwidths> {
        self.advance(1);
        let known = ["copy", "read"].map(|op| self.find(&bandwidth::row(n, self.provenance.row(op, "multisplit"))));
        if let [Some(copy), Some(read)] = &known {
            return Ok(Bandwidths::of(copy, read));
        }
        self.progress.set_message("copy and read");
        let [copy, read] = bandwidth::measure(self.options, n, &self.provenance)?;
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
                Err(error) => {
                    let row = Row { by: PeerKind::Cub.to_string(), ..Row::default() };
                    self.absent(row, format!("a peer failed: {error:#}"));
                }
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

    /// Returns whether an earlier part of the run measured the same case by the same method.
    pub fn knows(&self, row: &Row) -> bool {
        self.find(row).is_some()
    }

    /// Returns the row of the same case, by the same method, of an earlier part of the run.
    fn find(&self, row: &Row) -> Option<Row> {
        self.options.batch.as_ref()?.find(row)
    }

    /// Adds steps to the progress.
    pub fn advance(&self, steps: u64) {
        match &self.options.batch {
            Some(batch) => batch.advance(steps),
            None => self.progress.inc(steps),
        }
    }

    /// Adds steps to the progress that need not be measured.
    pub fn skip(&self, steps: u64) {
        if let Some(batch) = &self.options.batch {
            batch.skip(steps);
        }
    }

    /// Writes a row.
    pub fn emit(&mut self, row: Row) -> Result<()> {
        let ours = row.by == "multisplit";
        self.wrong += usize::from(ours && !row.verified);
        let peer = row.best_peer(&self.rivals).filter(|_| ours);
        let ratio = peer.map(|peer| peer.ms / row.ms);
        if let Some(batch) = &self.options.batch {
            batch.keep(&row)?;
        }
        let sinks = &mut self.sinks;
        self.progress.suspend(|| sinks.iter_mut().try_for_each(|sink| sink.write(&row, ratio)))
    }

    /// Says why a peer is not timed.
    pub fn without(&mut self, peer: PeerKind, reason: &Error) {
        let row = Row { by: peer.to_string(), ..Row::default() };
        self.absent(row, format!("without the peer {peer}: {reason:#}"));
    }

    /// Says why something is not measured, and in a batch keeps a row of it.
    pub fn absent(&mut self, row: Row, note: String) {
        let Some(batch) = &self.options.batch else { return self.say(&note) };
        let row = Row { op: ABSENT.into(), note: Some(note), ..self.provenance.sign(row) };
        if let Err(error) = batch.keep(&row) {
            self.say(&format!("{error:#}"));
        }
    }

    /// Writes a note on standard error, once.
    pub fn say(&mut self, note: &str) {
        if self.said.insert(note.to_string()) {
            self.progress.suspend(|| messages::note(note));
        }
    }

    /// Writes on standard error what is wrong, also with `--quiet`.
    pub fn complain(&self, what: &str) {
        self.progress.suspend(|| messages::complain(what));
    }

    /// Fails if a row was wrong.
    pub fn finish(self) -> Result<()> {
        if self.options.batch.is_none() {
            self.progress.finish_and_clear();
        }
        ensure!(self.wrong == 0, "{} rows are wrong: their results differ from the reference", self.wrong);
        Ok(())
    }
}
