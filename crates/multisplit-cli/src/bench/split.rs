//! The run: sizes, sets of keys, numbers of buckets, rows.

use super::cases::{Case, KeySet, key_sets};
use super::columns::{Moved, Values};
use super::keys::{BenchKey, Ranges, generate};
use super::kinds::{BucketKind, KeyKind, ValueKind};
use super::light::{self, Light};
use super::measure::{Measured, measure};
use super::output::{Sink, sinks};
use super::peers::Peer;
use super::plan::Plan;
use super::provenance::Provenance;
use super::row::{Row, milliseconds, round};
use super::verify::Expected;
use anyhow::{Context, Result, ensure};
use indicatif::{ProgressBar, ProgressStyle};
use multisplit::Error;
use multisplit::bucket::{Buckets, Delta, Identity, Splitters};
use std::collections::HashSet;
use std::io::{self, Write};

pub fn run(plan: &Plan) -> Result<()> {
    let mut run = Run::new(plan)?;
    if plan.on_gpu() {
        let launch = light::launch(&plan.device, &run.provenance)?;
        run.emit(launch)?;
    }
    for &n in &plan.n {
        run.size(n).with_context(|| format!("n = {n}"))?;
    }
    run.progress.finish_and_clear();
    ensure!(run.wrong == 0, "{} rows are wrong: their results differ from the reference", run.wrong);
    Ok(())
}

/// A run under way.
struct Run<'a> {
    plan: &'a Plan,
    provenance: Provenance,
    peers: Vec<Peer>,
    sinks: Vec<Box<dyn Sink>>,
    progress: ProgressBar,
    /// What peers reached so far.
    rivals: Vec<Row>,
    /// What was said, to say it once.
    said: HashSet<String>,
    wrong: usize,
}

impl<'a> Run<'a> {
    fn new(plan: &'a Plan) -> Result<Self> {
        let rows = |n| key_sets(plan, n).iter().map(|set| set.buckets.len()).sum::<usize>() * plan.rows_per_bucket();
        let progress = ProgressBar::new(plan.n.iter().map(|&n| 1 + rows(n) as u64).sum());
        progress.set_style(ProgressStyle::with_template("{bar:30} {pos}/{len} {msg}")?);
        let mut run = Self {
            plan,
            provenance: Provenance::new(&plan.device),
            peers: Vec::new(),
            sinks: sinks(plan)?,
            progress,
            rivals: Vec::new(),
            said: HashSet::new(),
            wrong: 0,
        };
        for &kind in &plan.peers {
            run.progress.set_message(format!("building {kind}"));
            match Peer::build(kind, plan) {
                Ok(peer) => run.peers.push(peer),
                Err(error) => run.say(&format!("without the peer {kind}: {error:#}")),
            }
        }
        Ok(run)
    }

    fn size(&mut self, n: usize) -> Result<()> {
        self.progress.set_message("copy and read");
        let light = Light::measure(self.plan, n, &self.provenance)?;
        self.progress.inc(1);
        self.emit(light.copy.clone())?;
        self.emit(light.read.clone())?;
        let of_kind = |&kind: &ValueKind| Ok((kind, Values::new(&self.plan.device, kind, n)?));
        let mut values = self.plan.values.iter().map(of_kind).collect::<Result<Vec<_>>>()?;
        for set in key_sets(self.plan, n) {
            match set.key {
                KeyKind::U32 => self.key_set::<u32>(&set, &light, &mut values)?,
                KeyKind::U64 => self.key_set::<u64>(&set, &light, &mut values)?,
            }
        }
        Ok(())
    }

    fn key_set<K: BenchKey>(&mut self, set: &KeySet, light: &Light, values: &mut [(ValueKind, Values)]) -> Result<()> {
        self.progress.set_message(format!("{} {} keys", set.dist, set.key));
        // Where one set serves several numbers of buckets, any of them gives the same.
        let keys: Vec<K> = generate(set.n, &Ranges::new::<K>(set.bucket, set.buckets[0]), set.dist);
        self.time_peers(set, &keys, light)?;
        let mut input = Input { moved: Moved::new(&self.plan.device, &keys)?, keys, values, light };
        for &m in &set.buckets {
            let cases = set.cases(self.plan, m);
            match set.bucket {
                BucketKind::Delta => self.cases(&cases, &Delta::<K>::whole(m)?, &mut input)?,
                BucketKind::Identity => self.cases(&cases, &Identity::<K>::new(m), &mut input)?,
                BucketKind::Splitters => {
                    let splitters = Ranges::new::<K>(set.bucket, m).splitters::<K>();
                    self.cases(&cases, &Splitters::new(&splitters)?, &mut input)?;
                }
            }
        }
        Ok(())
    }

    fn cases<F: Buckets>(&mut self, cases: &[Case], f: &F, input: &mut Input<'_, F::Key>) -> Result<()>
    where
        F::Key: BenchKey,
    {
        let expected = Expected::new(&input.keys, f);
        for case in cases {
            self.progress.set_message(case.to_string());
            let Some((_, values)) = input.values.iter_mut().find(|(kind, _)| *kind == case.value) else { continue };
            match measure(self.plan, case, f, &mut input.moved, values) {
                Ok(measured) => {
                    let verified = verify(&expected, &input.keys, &input.moved, values, &measured);
                    if let Err(error) = &verified {
                        self.say(&format!("WRONG: {case}: {error:#}"));
                    }
                    let row = self.row(case, &measured, input.light);
                    self.emit(Row { verified: verified.is_ok(), ..row })?;
                }
                Err(error @ (Error::TooManyBuckets { .. } | Error::MissingCapability { .. })) => {
                    self.say(&format!("left out: {error}"));
                }
                Err(error) => return Err(error).context(case.to_string()),
            }
            self.progress.inc(1);
        }
        Ok(())
    }

    fn row(&self, case: &Case, measured: &Measured, light: &Light) -> Row {
        let Measured { seconds, bandwidth, stages, latency, .. } = *measured;
        let fraction = light::fraction(case.bytes(), bandwidth.unwrap_or_else(|| light.bandwidth()), seconds);
        let row = Row {
            method: Some(case.method.to_string()),
            bucket: Some(case.bucket.to_string()),
            dist: Some(case.dist.to_string()),
            n: case.n as u64,
            m: Some(case.m),
            key: Some(case.key.to_string()),
            value: (case.value != ValueKind::None).then(|| case.value.to_string()),
            fraction: Some(round(fraction)),
            stages,
            latency_ms: latency.map(milliseconds),
            ..self.provenance.row("split", "multisplit")
        };
        row.timed(seconds)
    }

    fn time_peers<K: BenchKey>(&mut self, set: &KeySet, keys: &[K], light: &Light) -> Result<()> {
        for peer in std::mem::take(&mut self.peers) {
            match peer.run(self.plan, set, keys) {
                Ok(rows) => {
                    for row in rows {
                        let fraction = light::fraction_of(&row, light.bandwidth()).map(round);
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

    fn emit(&mut self, row: Row) -> Result<()> {
        let ours = row.by == "multisplit";
        self.wrong += usize::from(ours && !row.verified);
        let peer = row.best_peer(&self.rivals).filter(|_| ours);
        let ratio = peer.map(|peer| peer.ms / row.ms);
        let sinks = &mut self.sinks;
        self.progress.suspend(|| sinks.iter_mut().try_for_each(|sink| sink.write(&row, ratio)))
    }

    /// A note on standard error, once.
    fn say(&mut self, note: &str) {
        if self.said.insert(note.to_string()) {
            self.progress.suspend(|| {
                let _ = writeln!(io::stderr(), "multisplit: {note}");
            });
        }
    }
}

/// A set of keys, on the host and on the device, with everything it is split with.
struct Input<'a, K> {
    keys: Vec<K>,
    moved: Moved<K>,
    values: &'a mut [(ValueKind, Values)],
    light: &'a Light,
}

fn verify<K: BenchKey>(
    expected: &Expected,
    keys: &[K],
    moved: &Moved<K>,
    values: &Values,
    measured: &Measured,
) -> Result<()> {
    expected.check_offsets(&measured.offsets.read()?)?;
    expected.check_keys(keys, &moved.to.download()?)?;
    values.check(expected)
}
