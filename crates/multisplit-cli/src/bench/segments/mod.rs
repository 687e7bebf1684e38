//! `bench segments`: sizes, numbers of buckets, numbers and lengths of segments, value types. Keys are u32 and uniform.

mod plan;

pub use plan::Plan;

use super::again::again;
use super::columns::{Moved, Values};
use super::keys::{Ranges, generate};
use super::kinds::{BucketKind, Distribution, KeyKind, Lengths, ValueKind};
use super::latency::Latency;
use super::output::Shown;
use super::row::Row;
use super::session::Session;
use super::verify::Expected;
use anyhow::{Context, Result};
use multisplit::bucket::Delta;
use multisplit::{Error, Multisplit, Offsets};

pub fn run(plan: &Plan) -> Result<()> {
    let session = Session::new(&plan.setting, plan.steps(), Shown::Keys { stages: false })?;
    let mut run = Run { plan, session };
    for &n in &plan.n {
        run.size(n).with_context(|| format!("n = {n}"))?;
    }
    run.session.finish()
}

/// What one row is about.
#[derive(Clone, Copy)]
struct Case {
    n: usize,
    m: u32,
    segments: usize,
    lengths: Lengths,
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
        let keys: Vec<u32> = generate(n, &Ranges::new::<u32>(BucketKind::Delta, 256), Distribution::Uniform);
        let mut moved = Moved::new(&self.plan.setting.device, &keys)?;
        for &value in &self.plan.values {
            let mut values = Values::new(&self.plan.setting.device, value, n)?;
            for &m in &self.plan.buckets {
                for &segments in &self.plan.segments {
                    for &lengths in &self.plan.lengths {
                        self.case(Case { n, m, segments, lengths }, value, &keys, &mut moved, &mut values)?;
                    }
                }
            }
        }
        Ok(())
    }

    fn case(
        &mut self,
        case: Case,
        value: ValueKind,
        keys: &[u32],
        moved: &mut Moved<u32>,
        values: &mut Values,
    ) -> Result<()> {
        let Case { n, m, segments, lengths } = case;
        let about = format!("{n} keys with {value} values in {segments} segments of {lengths} length, {m} buckets");
        self.session.progress.set_message(about.clone());
        let f = Delta::<u32>::whole(m)?;
        let bounds = lengths.bounds(n, segments);
        match self.measure(&f, &bounds, moved, values) {
            Ok(measured) => {
                let expected = Expected::of_segments(keys, &bounds, &f);
                let verified = verify(&expected, keys, moved, values, &measured.offsets);
                if let Err(error) = &verified {
                    self.session.say(&format!("WRONG: {about}: {error:#}"));
                }
                let row = Row {
                    method: Some("auto".into()),
                    bucket: Some(BucketKind::Delta.to_string()),
                    dist: Some(lengths.to_string()),
                    segments: Some(segments as u64),
                    n: n as u64,
                    m: Some(m),
                    key: Some(KeyKind::U32.to_string()),
                    value: (value != ValueKind::None).then(|| value.to_string()),
                    ..self.session.provenance.row("segments", "multisplit")
                };
                let row = row.timed(measured.seconds).waited(measured.latency);
                self.session.emit(Row { verified: verified.is_ok(), ..row })?;
            }
            Err(error @ Error::MissingCapability { .. }) => self.session.say(&format!("left out: {error}")),
            Err(error) => return Err(error).context(about),
        }
        self.session.progress.inc(1);
        Ok(())
    }

    /// Splits many times; the last result stays in the outputs.
    fn measure(
        &self,
        f: &Delta<u32>,
        bounds: &[usize],
        keys: &mut Moved<u32>,
        values: &mut Values,
    ) -> multisplit::Result<Measured> {
        let (setting, by, n) = (self.session.setting, Multisplit::by(f), keys.from.len());
        let (device, segments) = (&setting.device, bounds.len() - 1);
        let mut offsets = by.segment_offsets(device, segments)?;
        let mut workspace = by.segment_workspace(device, n, segments, 1)?;
        let mut run = |keys: &mut Moved<u32>, values: &mut Values| {
            let mut column = values.column();
            let columns = column.as_mut_slice();
            by.enqueue_segments(&keys.from, bounds, &mut keys.to, columns, &mut offsets, &mut workspace)
        };
        let (seconds, latency) = again(setting, keys, values, &mut run)?;
        Ok(Measured { seconds, latency, offsets })
    }
}

/// What was measured, in seconds.
struct Measured {
    seconds: f64,
    latency: Option<Latency>,
    offsets: Offsets,
}

fn verify(expected: &Expected, keys: &[u32], moved: &Moved<u32>, values: &Values, offsets: &Offsets) -> Result<()> {
    expected.check_offsets(&offsets.read()?)?;
    expected.check_keys(keys, &moved.to.download()?)?;
    values.check(expected)
}
