//! `bench partition`: sizes, key types, distributions, numbers of parts, value types.

mod plan;

pub use plan::Plan;

use super::again::again;
use super::columns::{Moved, Values};
use super::keys::{BenchKey, Ranges, generate};
use super::kinds::{BucketKind, Distribution, KeyKind, ValueKind};
use super::latency::Latency;
use super::output::Shown;
use super::peers::{Task, list};
use super::row::Row;
use super::session::Session;
use super::verify::Expected;
use anyhow::{Context, Result, ensure};
use multisplit::bucket::{Buckets, Delta};
use multisplit::{Error, Multisplit, Offsets};

pub fn run(plan: &Plan) -> Result<()> {
    let session = Session::new(&plan.setting, plan.steps(), Shown::Keys { stages: false })?;
    let mut run = Run { plan, session };
    for &n in &plan.n {
        run.size(n).with_context(|| format!("n = {n}"))?;
    }
    run.session.finish()
}

/// What is called.
#[derive(Clone, Copy, PartialEq)]
enum Call {
    Partition,
    /// Only the first part counts.
    Select,
}

impl Call {
    fn op(self) -> &'static str {
        match self {
            Self::Partition => "partition",
            Self::Select => "select",
        }
    }
}

/// What is called with so many parts.
fn calls(m: u32) -> &'static [Call] {
    if m == 2 { &[Call::Partition, Call::Select] } else { &[Call::Partition] }
}

/// One set of keys.
#[derive(Clone, Copy)]
struct Set {
    n: usize,
    m: u32,
    key: KeyKind,
    dist: Distribution,
}

/// A run under way.
struct Run<'a> {
    plan: &'a Plan,
    session: Session<'a>,
}

impl Run<'_> {
    fn size(&mut self, n: usize) -> Result<()> {
        // Rows are not held against it, but a report says what it was.
        self.session.light(n)?;
        for &key in &self.plan.keys {
            for &dist in &self.plan.dist {
                for &m in &self.plan.parts {
                    let set = Set { n, m, key, dist };
                    match key {
                        KeyKind::U32 => self.set::<u32>(set)?,
                        KeyKind::U64 => self.set::<u64>(set)?,
                    }
                }
            }
        }
        Ok(())
    }

    fn set<K: BenchKey>(&mut self, set: Set) -> Result<()> {
        self.session.progress.set_message(format!("{} {} keys", set.dist, set.key));
        let keys: Vec<K> = generate(set.n, &Ranges::new::<K>(BucketKind::Delta, set.m), set.dist);
        let f = Delta::<K>::whole(set.m)?;
        let expected = Expected::new(&keys, &f);
        self.time_peers(set, &keys)?;
        let mut moved = Moved::new(&self.plan.setting.device, &keys)?;
        for &value in &self.plan.values {
            let mut values = Values::new(&self.plan.setting.device, value, set.n)?;
            for &call in calls(set.m) {
                let Set { n, m, key, dist } = set;
                let about = format!("{} of {n} {dist} {key} keys with {value} values, {m} parts", call.op());
                self.session.progress.set_message(about.clone());
                match self.measure(call, &f, &mut moved, &mut values) {
                    Ok(measured) => {
                        let verified = verify(call, &expected, &keys, &moved, &values, &measured.offsets);
                        if let Err(error) = &verified {
                            self.session.say(&format!("WRONG: {about}: {error:#}"));
                        }
                        let row = self.row(call, set, value).timed(measured.seconds).waited(measured.latency);
                        self.session.emit(Row { verified: verified.is_ok(), ..row })?;
                    }
                    Err(error @ Error::MissingCapability { .. }) => self.session.say(&format!("left out: {error}")),
                    Err(error) => return Err(error).context(about),
                }
                self.session.progress.inc(1);
            }
        }
        Ok(())
    }

    fn row(&self, call: Call, set: Set, value: ValueKind) -> Row {
        Row {
            method: Some("auto".into()),
            bucket: Some(BucketKind::Delta.to_string()),
            dist: Some(set.dist.to_string()),
            n: set.n as u64,
            m: Some(set.m),
            key: Some(set.key.to_string()),
            value: (value != ValueKind::None).then(|| value.to_string()),
            ..self.session.provenance.row(call.op(), "multisplit")
        }
    }

    /// Parts many times; the last result stays in the outputs.
    fn measure<F: Buckets>(
        &self,
        call: Call,
        f: &F,
        keys: &mut Moved<F::Key>,
        values: &mut Values,
    ) -> multisplit::Result<Measured>
    where
        F::Key: BenchKey,
    {
        let (setting, by, n) = (self.session.setting, Multisplit::by(f), keys.from.len());
        let device = &setting.device;
        let mut offsets = by.offsets(device)?;
        let mut workspace = by.workspace(device, n, 1)?;
        let mut run = |keys: &mut Moved<F::Key>, values: &mut Values| {
            let mut column = values.column();
            let (columns, to) = (column.as_mut_slice(), &mut keys.to);
            match call {
                Call::Partition => by.enqueue(&keys.from, to, columns, &mut offsets, &mut workspace),
                Call::Select => by.enqueue_select(&keys.from, to, columns, &mut offsets, &mut workspace),
            }
        };
        let (seconds, latency) = again(setting, keys, values, &mut run)?;
        Ok(Measured { seconds, latency, offsets })
    }

    fn time_peers<K: BenchKey>(&mut self, set: Set, keys: &[K]) -> Result<()> {
        let setting = self.session.setting;
        let task = Task {
            op: "partition",
            keys,
            key: set.key.to_string(),
            m: vec![set.m],
            bucket: BucketKind::Delta.to_string(),
            dist: set.dist.to_string(),
            bounds: Vec::new(),
            more: vec!["--values".into(), list(&self.plan.values)],
        };
        self.session.time_peers(|peer| peer.run(setting, &task), |_| None)
    }
}

/// What was measured, in seconds.
struct Measured {
    seconds: f64,
    latency: Option<Latency>,
    offsets: Offsets,
}

/// All of a partition, or what was selected: what lies behind it is unspecified.
fn verify<K: BenchKey>(
    call: Call,
    expected: &Expected,
    keys: &[K],
    moved: &Moved<K>,
    values: &Values,
    offsets: &Offsets,
) -> Result<()> {
    let mut got = moved.to.download()?;
    match call {
        Call::Partition => {
            expected.check_offsets(&offsets.read()?)?;
            expected.check_keys(keys, &got)?;
            values.check(expected)
        }
        Call::Select => {
            let (selected, first) = (offsets.selected()?, expected.first());
            ensure!(selected == first.permutation.len(), "{selected} keys were selected, not those of the reference");
            got.truncate(selected);
            first.check_keys(keys, &got)?;
            values.check(&first)
        }
    }
}
