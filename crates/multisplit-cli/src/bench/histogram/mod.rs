//! `bench histogram`: sizes, key types, kinds of bins, distributions, numbers of bins.

mod plan;
mod samples;

pub use plan::Plan;

use super::kinds::{BinKind, Distribution, SampleKind};
use super::latency::{self, Latency};
use super::light::{self, Light};
use super::output::Shown;
use super::peers::Task;
use super::row::{Row, round};
use super::session::Session;
use crate::shared::parallel;
use crate::shared::timing::{median, per_call};
use anyhow::{Context, Result, ensure};
use multisplit::bucket::{Buckets, EvenBins, RangeBins};
use multisplit::measure::Reference;
use multisplit::{Buffer, Counts, Error, Histogram};
use samples::Sample;

/// What stands in the counts before they are timed, so that an old result is not taken for a new one.
const JUNK: u32 = 0x5eed_f00d;

pub fn run(plan: &Plan) -> Result<()> {
    let session = Session::new(&plan.setting, plan.steps(), Shown::Keys { stages: false })?;
    let mut run = Run { plan, session };
    for &n in &plan.n {
        run.size(n).with_context(|| format!("n = {n}"))?;
    }
    run.session.finish()
}

/// One set of keys.
#[derive(Clone, Copy)]
struct Set {
    n: usize,
    key: SampleKind,
    bucket: BinKind,
    dist: Distribution,
}

/// A run under way.
struct Run<'a> {
    plan: &'a Plan,
    session: Session<'a>,
}

impl Run<'_> {
    fn size(&mut self, n: usize) -> Result<()> {
        let light = self.session.light(n)?;
        for &key in &self.plan.keys {
            for &bucket in &self.plan.bucket {
                for &dist in &self.plan.dist {
                    let set = Set { n, key, bucket, dist };
                    match key {
                        SampleKind::U32 => self.set::<u32>(set, &light)?,
                        SampleKind::U64 => self.set::<u64>(set, &light)?,
                        SampleKind::F32 => self.set::<f32>(set, &light)?,
                    }
                }
            }
        }
        Ok(())
    }

    /// The same keys serve all numbers of bins, where the distribution does not depend on them.
    fn set<K: Sample>(&mut self, set: Set, light: &Light) -> Result<()> {
        let same = matches!(set.dist, Distribution::Uniform | Distribution::Sorted);
        for bins in self.plan.bins.chunks(if same { self.plan.bins.len() } else { 1 }) {
            self.session.progress.set_message(format!("{} {} keys", set.dist, set.key));
            let keys: Vec<K> = samples::generate(set.n, set.bucket, bins[0], set.dist);
            self.time_peers(set, bins, &keys, light)?;
            let input = self.plan.setting.device.upload(&keys)?;
            for &m in bins {
                match set.bucket {
                    BinKind::Even => self.case(set, &EvenBins::new(K::bounds(), m)?, &keys, &input, light)?,
                    BinKind::Range => self.case(set, &RangeBins::new(&K::levels(m))?, &keys, &input, light)?,
                }
                self.session.progress.inc(1);
            }
        }
        Ok(())
    }

    fn case<F: Buckets>(
        &mut self,
        set: Set,
        f: &F,
        keys: &[F::Key],
        input: &Buffer<F::Key>,
        light: &Light,
    ) -> Result<()> {
        let Set { n, key, bucket, dist } = set;
        let about = format!("{n} {dist} {key} keys, {} {bucket} bins", f.buckets());
        self.session.progress.set_message(about.clone());
        let measured = match self.measure(f, input) {
            Ok(measured) => measured,
            Err(error @ (Error::TooManyBins { .. } | Error::MissingCapability { .. })) => {
                self.session.say(&format!("left out: {error}"));
                return Ok(());
            }
            Err(error) => return Err(error).context(about),
        };
        let verified = verify(&expected(keys, f), &measured.counts.download()?);
        if let Err(error) = &verified {
            self.session.say(&format!("WRONG: {about}: {error:#}"));
        }
        let row = Row {
            method: Some("auto".into()),
            bucket: Some(bucket.to_string()),
            dist: Some(dist.to_string()),
            n: n as u64,
            m: Some(f.buckets()),
            key: Some(key.to_string()),
            verified: verified.is_ok(),
            ..self.session.provenance.row("histogram", "multisplit")
        };
        let row = row.timed(measured.seconds).waited(measured.latency);
        let fraction = light::fraction_of_read(&row, light.read_bandwidth()).map(round);
        self.session.emit(Row { fraction, ..row })
    }

    /// Counts many times; the last result stays.
    fn measure<F: Buckets>(&self, f: &F, input: &Buffer<F::Key>) -> multisplit::Result<Measured> {
        let (setting, count) = (self.session.setting, Histogram::by(f));
        let device = &setting.device;
        let mut counts = device.upload(&vec![JUNK; f.buckets() as usize + 1])?;
        // Kernels are compiled; caches, clocks and memory wake up.
        count.enqueue(input, &mut counts)?;
        per_call(device, &mut || count.enqueue(input, &mut counts))?;
        counts = device.upload(&vec![JUNK; f.buckets() as usize + 1])?;
        let mut times = Vec::new();
        for _ in 0..setting.runs {
            times.push(per_call(device, &mut || count.enqueue(input, &mut counts))?);
        }
        let latency = latency::measure(setting, input.len(), &mut || count.enqueue(input, &mut counts))?;
        Ok(Measured { seconds: median(times), latency, counts })
    }

    fn time_peers<K: Sample>(&mut self, set: Set, bins: &[u32], keys: &[K], light: &Light) -> Result<()> {
        let setting = self.session.setting;
        let bounds = match set.bucket {
            BinKind::Range => bins.iter().map(|&m| K::levels(m)).collect(),
            BinKind::Even => vec![vec![K::bounds().start, K::bounds().end]],
        };
        let task = Task {
            op: "histogram",
            keys,
            key: set.key.to_string(),
            m: bins.to_vec(),
            bucket: set.bucket.to_string(),
            dist: set.dist.to_string(),
            bounds,
            more: Vec::new(),
        };
        let bandwidth = light.read_bandwidth();
        self.session.time_peers(|peer| peer.run(setting, &task), |row| light::fraction_of_read(row, bandwidth))
    }
}

/// What was measured, in seconds.
struct Measured {
    seconds: f64,
    latency: Option<Latency>,
    counts: Buffer<u32>,
}

/// The naive reference on parts of the keys, in parallel, added up.
fn expected<F: Buckets>(keys: &[F::Key], f: &F) -> Counts {
    let parts = parallel::parts(keys, |_, part| Reference::histogram(part, f));
    let bins = (0..f.buckets() as usize).map(|b| parts.iter().map(|part| part.bins[b]).sum()).collect();
    Counts { bins, outside: parts.iter().map(|part| part.outside).sum() }
}

fn verify(expected: &Counts, got: &[u32]) -> Result<()> {
    let all = expected.bins.iter().chain([&expected.outside]);
    ensure!(got.len() == expected.bins.len() + 1, "{} counts came back", got.len());
    let wrong = all.zip(got).position(|(&expected, &got)| u64::from(got) != expected);
    ensure!(wrong.is_none(), "the counts differ from the reference, first at {}", wrong.unwrap_or_default());
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use multisplit::bucket::Identity;

    #[test]
    fn what_is_wrong_is_found() {
        let expected = expected(&[0u32, 1, 1, 9], &Identity::new(3));
        assert_eq!(expected, Counts { bins: vec![1, 2, 0], outside: 1 });
        assert!(verify(&expected, &[1, 2, 0, 1]).is_ok());
        let error = verify(&expected, &[1, 2, 1, 0]).unwrap_err();
        assert!(error.to_string().contains("first at 2"), "{error}");
        assert!(verify(&expected, &[1, 2, 0]).is_err());
    }
}
