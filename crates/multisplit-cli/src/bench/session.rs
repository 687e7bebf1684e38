//! A benchmark under way: rows go out as they come, peers are held against, progress is shown.

use super::kinds::PeerKind;
use super::latency;
use super::light::Light;
use super::output::{Shown, Sink, sinks};
use super::peers::Peer;
use super::provenance::Provenance;
use super::row::{Row, round};
use super::setting::Setting;
use anyhow::{Result, ensure};
use indicatif::{ProgressBar, ProgressStyle};
use std::collections::HashSet;
use std::io::{self, Write};

pub struct Session<'a> {
    pub setting: &'a Setting,
    pub provenance: Provenance,
    pub progress: ProgressBar,
    peers: Vec<Peer>,
    sinks: Vec<Box<dyn Sink>>,
    /// What peers reached so far.
    rivals: Vec<Row>,
    /// What was said, to say it once.
    said: HashSet<String>,
    wrong: usize,
}

impl<'a> Session<'a> {
    /// Builds the peers. There will be `steps` steps; `shown` is what a table has.
    pub fn new(setting: &'a Setting, steps: u64, shown: Shown) -> Result<Self> {
        let progress = ProgressBar::new(steps);
        progress.set_style(ProgressStyle::with_template("{bar:30} {pos}/{len} {msg}")?);
        let mut session = Self {
            setting,
            provenance: Provenance::new(&setting.device),
            progress,
            peers: Vec::new(),
            sinks: sinks(setting, shown)?,
            rivals: Vec::new(),
            said: HashSet::new(),
            wrong: 0,
        };
        // Crates are built in.
        for &kind in setting.peers.iter().filter(|&&kind| kind == PeerKind::Cub) {
            session.progress.set_message(format!("building {kind}"));
            match Peer::build(kind, setting) {
                Ok(peer) => session.peers.push(peer),
                Err(error) => session.say(&format!("without the peer {kind}: {error:#}")),
            }
        }
        if setting.on_gpu() {
            let (seconds, verified) = latency::launch(&setting.device)?;
            let launch = Row { verified, ..session.provenance.row("launch", "multisplit") };
            session.emit(launch.timed(seconds))?;
        }
        Ok(session)
    }

    /// Measures what the memory allows for n, and writes it.
    pub fn light(&mut self, n: usize) -> Result<Light> {
        self.progress.set_message("copy and read");
        let light = Light::measure(self.setting, n, &self.provenance)?;
        self.progress.inc(1);
        self.emit(light.copy.clone())?;
        self.emit(light.read.clone())?;
        Ok(light)
    }

    /// Runs every peer and writes its rows, each with the fraction of the speed of light that `fraction` gives it.
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
                        let row = self.provenance.sign(Row { fraction, ..row });
                        self.rivals.push(row.clone());
                        self.emit(row)?;
                    }
                }
                Err(error) => self.say(&format!("a peer failed: {error:#}")),
            }
            self.peers.push(peer);
        }
        Ok(())
    }

    /// Writes a row of a peer that is built in.
    #[cfg(feature = "cpu-peers")]
    pub fn rival(&mut self, row: Row) -> Result<()> {
        self.rivals.push(row.clone());
        self.emit(row)
    }

    pub fn emit(&mut self, row: Row) -> Result<()> {
        let ours = row.by == "multisplit";
        self.wrong += usize::from(ours && !row.verified);
        let peer = row.best_peer(&self.rivals).filter(|_| ours);
        let ratio = peer.map(|peer| peer.ms / row.ms);
        let sinks = &mut self.sinks;
        self.progress.suspend(|| sinks.iter_mut().try_for_each(|sink| sink.write(&row, ratio)))
    }

    /// A note on standard error, once.
    pub fn say(&mut self, note: &str) {
        if self.said.insert(note.to_string()) {
            self.progress.suspend(|| {
                let _ = writeln!(io::stderr(), "multisplit: {note}");
            });
        }
    }

    pub fn finish(self) -> Result<()> {
        self.progress.finish_and_clear();
        ensure!(self.wrong == 0, "{} rows are wrong: their results differ from the reference", self.wrong);
        Ok(())
    }
}
