//! `bench sort`: sizes, key types, distributions, value types, widths of digits.

#[cfg(feature = "cpu-peers")]
mod crates;
mod plan;

pub use plan::Plan;

use super::again::again;
use super::columns::{Moved, Values};
#[cfg(not(feature = "cpu-peers"))]
use super::keys::BenchKey;
use super::keys::{Ranges, generate};
use super::kinds::{BucketKind, Distribution, KeyKind, PeerKind, ValueKind};
use super::latency::Latency;
use super::output::Shown;
use super::peers::{Task, list};
use super::row::Row;
use super::session::Session;
use super::verify::Expected;
use anyhow::{Context, Result};
#[cfg(feature = "cpu-peers")]
use crates::CrateKey;
#[cfg(feature = "cpu-peers")]
use multisplit::DeviceKind;
use multisplit::{Error, Sort};

/// Parts of the key's range that distributions tell apart.
const PARTS: u32 = 256;

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
                let set = Set { n, key, dist };
                match key {
                    KeyKind::U32 => self.set::<u32>(set)?,
                    KeyKind::U64 => self.set::<u64>(set)?,
                }
            }
        }
        Ok(())
    }

    fn set<K: CrateKey>(&mut self, set: Set) -> Result<()> {
        self.session.progress.set_message(format!("{} {} keys", set.dist, set.key));
        let keys: Vec<K> = generate(set.n, &Ranges::new::<K>(BucketKind::Delta, PARTS), set.dist);
        let expected = Expected::sorted(&keys);
        self.time_peers(set, &keys)?;
        self.time_crates(set, &keys, &expected)?;
        let mut moved = Moved::new(&self.plan.setting.device, &keys)?;
        for &value in &self.plan.values {
            let mut values = Values::new(&self.plan.setting.device, value, set.n)?;
            for &digit in &self.plan.digits {
                let sort = digit.map_or(Sort::new(), |bits| Sort::new().digit_bits(bits));
                let method = digit.map_or("auto".to_string(), |bits| format!("{bits}-bit digits"));
                let about = format!("{} {} {} keys with {value} values, {method}", set.n, set.dist, set.key);
                self.session.progress.set_message(about.clone());
                match self.measure(sort, &mut moved, &mut values) {
                    Ok((seconds, latency)) => {
                        let checked = expected.check_keys(&keys, &moved.to.download()?);
                        let checked = checked.and_then(|()| values.check(&expected));
                        if let Err(error) = &checked {
                            self.session.say(&format!("WRONG: {about}: {error:#}"));
                        }
                        let row = Row { method: Some(method), ..self.row(set, value, "multisplit") };
                        let row = row.timed(seconds).waited(latency);
                        self.session.emit(Row { verified: checked.is_ok(), ..row })?;
                    }
                    Err(error @ Error::MissingCapability { .. }) => self.session.say(&format!("left out: {error}")),
                    Err(error) => return Err(error).context(about),
                }
                self.session.progress.inc(1);
            }
        }
        Ok(())
    }

    fn row(&self, set: Set, value: ValueKind, by: &str) -> Row {
        Row {
            dist: Some(set.dist.to_string()),
            n: set.n as u64,
            key: Some(set.key.to_string()),
            value: (value != ValueKind::None).then(|| value.to_string()),
            ..self.session.provenance.row("sort", by)
        }
    }

    /// Seconds of a sort, and of one that is waited for where that differs. The last result stays in the outputs.
    fn measure<K: CrateKey>(
        &self,
        sort: Sort,
        keys: &mut Moved<K>,
        values: &mut Values,
    ) -> multisplit::Result<(f64, Option<Latency>)> {
        let (setting, n) = (self.session.setting, keys.from.len());
        let mut workspace = sort.workspace::<K>(&setting.device, n, 1, 1)?;
        let mut call = |keys: &mut Moved<K>, values: &mut Values| {
            sort.enqueue(&keys.from, &mut keys.to, values.column().as_mut_slice(), &mut workspace)
        };
        let measured = again(setting, keys, values, &mut call)?;
        setting.device.sync()?;
        Ok(measured)
    }

    fn time_peers<K: CrateKey>(&mut self, set: Set, keys: &[K]) -> Result<()> {
        let setting = self.session.setting;
        let task = Task {
            op: "sort",
            keys,
            key: set.key.to_string(),
            m: vec![PARTS],
            bucket: "delta".into(),
            dist: set.dist.to_string(),
            bounds: Vec::new(),
            more: vec!["--values".into(), list(&self.plan.values)],
        };
        self.session.time_peers(|peer| peer.run(setting, &task), |_| None)
    }

    /// Crates, where they run: on the CPU, and on keys alone.
    #[cfg(feature = "cpu-peers")]
    fn time_crates<K: CrateKey>(&mut self, set: Set, keys: &[K], expected: &Expected) -> Result<()> {
        let setting = self.session.setting;
        for &peer in setting.peers.iter().filter(|&&peer| peer != PeerKind::Cub) {
            if setting.device.info().kind != DeviceKind::Cpu || !self.plan.values.contains(&ValueKind::None) {
                self.session.say(&format!("without the peer {peer}: it sorts keys alone, on the CPU"));
                continue;
            }
            if let Some((seconds, sorted)) = crates::time(peer, keys, setting.runs)? {
                let verified = expected.check_keys(keys, &sorted).is_ok();
                let row = Row { verified, ..self.row(set, ValueKind::None, &peer.to_string()) };
                self.session.rival(row.timed(seconds))?;
            }
        }
        Ok(())
    }

    /// None is built in.
    #[cfg(not(feature = "cpu-peers"))]
    fn time_crates<K: CrateKey>(&mut self, _: Set, _: &[K], _: &Expected) -> Result<()> {
        for peer in self.session.setting.peers.iter().filter(|&&peer| peer != PeerKind::Cub) {
            self.session.say(&format!("without the peer {peer}: build the program with `--features cpu-peers` for it"));
        }
        Ok(())
    }
}

/// A key type that is timed.
#[cfg(not(feature = "cpu-peers"))]
trait CrateKey: BenchKey {}

#[cfg(not(feature = "cpu-peers"))]
impl<K: BenchKey> CrateKey for K {}
