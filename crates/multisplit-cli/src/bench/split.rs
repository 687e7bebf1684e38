//! The run: sizes, sets of keys, numbers of buckets, rows.

use super::cases::{Case, KeySet, key_sets};
use super::columns::{Moved, Values};
use super::keys::{BenchKey, Ranges, generate};
use super::kinds::{BucketKind, KeyKind, ValueKind};
use super::light::{self, Light};
use super::measure::{Measured, measure};
use super::output::Shown;
use super::peers::{Task, list};
use super::plan::Plan;
use super::row::{Row, round};
use super::session::Session;
use super::verify::Expected;
use anyhow::{Context, Result};
use multisplit::Error;
use multisplit::bucket::{Buckets, Delta, Identity, Splitters};

pub fn run(plan: &Plan) -> Result<()> {
    let rows = |n| key_sets(plan, n).iter().map(|set| set.buckets.len()).sum::<usize>() * plan.rows_per_bucket();
    let steps = plan.n.iter().map(|&n| 1 + rows(n) as u64).sum();
    let mut run = Run { plan, session: Session::new(&plan.setting, steps, Shown::Keys { stages: plan.stages })? };
    for &n in &plan.n {
        run.size(n).with_context(|| format!("n = {n}"))?;
    }
    run.session.finish()
}

/// A run under way.
struct Run<'a> {
    plan: &'a Plan,
    session: Session<'a>,
}

impl Run<'_> {
    fn size(&mut self, n: usize) -> Result<()> {
        let light = self.session.light(n)?;
        let of_kind = |&kind: &ValueKind| Ok((kind, Values::new(&self.plan.setting.device, kind, n)?));
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
        self.session.progress.set_message(format!("{} {} keys", set.dist, set.key));
        // Where one set serves several numbers of buckets, any of them gives the same.
        let keys: Vec<K> = generate(set.n, &Ranges::new::<K>(set.bucket, set.buckets[0]), set.dist);
        self.time_peers(set, &keys, light)?;
        let mut input = Input { moved: Moved::new(&self.plan.setting.device, &keys)?, keys, values, light };
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
            self.session.progress.set_message(case.to_string());
            let Some((_, values)) = input.values.iter_mut().find(|(kind, _)| *kind == case.value) else { continue };
            match measure(self.plan, case, f, &mut input.moved, values) {
                Ok(measured) => {
                    let verified = verify(&expected, &input.keys, &input.moved, values, &measured);
                    if let Err(error) = &verified {
                        self.session.say(&format!("WRONG: {case}: {error:#}"));
                    }
                    let row = self.row(case, &measured, input.light);
                    self.session.emit(Row { verified: verified.is_ok(), ..row })?;
                }
                Err(error @ (Error::TooManyBuckets { .. } | Error::MissingCapability { .. })) => {
                    self.session.say(&format!("left out: {error}"));
                }
                Err(error) => return Err(error).context(case.to_string()),
            }
            self.session.progress.inc(1);
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
            ..self.session.provenance.row("split", "multisplit")
        };
        row.timed(seconds).waited(latency)
    }

    fn time_peers<K: BenchKey>(&mut self, set: &KeySet, keys: &[K], light: &Light) -> Result<()> {
        let setting = self.session.setting;
        let m: Vec<u32> = set.buckets.iter().copied().filter(|&m| m >= 2).collect();
        let bounds = match set.bucket {
            BucketKind::Splitters => m.iter().map(|&m| Ranges::new::<K>(set.bucket, m).splitters()).collect(),
            BucketKind::Delta | BucketKind::Identity => Vec::new(),
        };
        let task = Task {
            op: "split",
            keys,
            key: set.key.to_string(),
            m,
            bucket: set.bucket.to_string(),
            dist: set.dist.to_string(),
            bounds,
            more: vec!["--values".into(), list(&self.plan.values)],
        };
        let bandwidth = light.bandwidth();
        self.session.time_peers(|peer| peer.run(setting, &task), |row| light::fraction_of(row, bandwidth))
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
