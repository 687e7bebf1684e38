//! Keys, and what goes with them, in buckets.

use super::extent::extent;
use super::key::{End, FileKey, With};
use super::moves::Moves;
use super::plan::{PartitionPlan, Rule, SplitPlan};
use super::read::read_like_keys;
use anyhow::{Context, Result, bail, ensure};
use multisplit::bucket::{BitWindow, Buckets, Delta, Hash, Splitters};
use multisplit::{Error, Method, Multisplit};
use std::time::{Duration, Instant};

/// Where the buckets are.
pub struct Parts {
    /// What a bucket is, in words.
    pub about: String,
    /// One more than there are buckets.
    pub offsets: Vec<usize>,
    pub time: Duration,
}

/// A split that waits for its function.
struct Splitting<'a, K> {
    method: Method,
    moves: &'a mut Moves<K>,
}

impl<K: FileKey> With<K> for Splitting<'_, K> {
    type Output = multisplit::Result<(Vec<usize>, Duration)>;

    fn with<F: Buckets<Key = K>>(self, f: &F) -> Self::Output {
        let Self { method, moves } = self;
        let split = Multisplit::by(f).method(method);
        let (narrow, wide) = moves.widths();
        let mut workspace = split.workspace(&moves.device, moves.n(), narrow + wide)?;
        let mut offsets = split.offsets(&moves.device)?;
        let (keys, mut columns) = moves.sides();
        let start = Instant::now();
        split.enqueue(&keys.from, &mut keys.to, &mut columns, &mut offsets, &mut workspace)?;
        let offsets = offsets.read()?;
        Ok((offsets, start.elapsed()))
    }
}

/// Splits, by the rule that was asked for. `keys` are those that are on the device too.
pub fn run<K: FileKey>(plan: &SplitPlan, keys: &[K], moves: &mut Moves<K>) -> Result<Parts> {
    let splitting = Splitting { method: plan.method, moves };
    let (about, done) = match &plan.rule {
        Rule::Delta { buckets, from, to } => {
            let (about, f) = equal_ranges(keys, *buckets, from.as_deref(), to.as_deref())?;
            (about, splitting.with(&f))
        }
        Rule::Identity { buckets } => ("by the key itself".into(), K::with_identity(*buckets, splitting)?),
        Rule::Hash { buckets, seed } => {
            (format!("by a hash, seed {seed}"), splitting.with(&Hash::new(*buckets, *seed)))
        }
        Rule::Window { bits } => {
            let f = BitWindow::new(bits.clone()).with_context(|| format!("--bits {bits:?}"))?;
            (format!("by bits {bits:?}"), splitting.with(&f))
        }
        Rule::Highest { buckets } => {
            let (width, bits) = (8 * size_of::<K>() as u32, buckets.ilog2());
            ensure!(bits <= width, "--buckets {buckets} are too many for the {width} bits of {} keys", K::KIND);
            let bits = width - bits..width;
            (format!("by bits {bits:?}"), splitting.with(&BitWindow::new(bits)?))
        }
        Rule::Splitters { path } => {
            let read = || anyhow::Ok(Splitters::new(&read_like_keys::<K>(path)?)?);
            let f = read().with_context(|| format!("--splitters {}", path.display()))?;
            (format!("between the numbers of {}", path.display()), splitting.with(&f))
        }
    };
    let (offsets, time) = match done {
        // What the library says of where such keys stand is of no use to who gets no output.
        Err(Error::BucketOutOfRange { count, m }) => {
            bail!("{count} keys are not among the buckets 0 to {}; nothing was written. More --buckets?", m - 1)
        }
        done => done?,
    };
    Ok(Parts { about, offsets, time })
}

/// Equal ranges that were asked for; unless told otherwise, of what the keys span.
fn equal_ranges<K: FileKey>(
    keys: &[K],
    buckets: u32,
    from: Option<&str>,
    to: Option<&str>,
) -> Result<(String, Delta<K>)> {
    let (smallest, largest) = extent(keys);
    let from = from.map(|text| K::parse(text).context("--from")).transpose()?;
    let to = to.map(|text| K::parse_end(text).context("--to")).transpose()?;
    let lower = from.unwrap_or(smallest);
    // The last range takes what lies beyond it, so it need not end behind the largest key.
    let upper = match to {
        Some(End::Before(upper)) => upper,
        Some(End::Beyond) => K::LARGEST,
        None => largest,
    };
    let about = format!("of equal ranges from {} to {}", lower.show(), to.map_or(upper.show(), End::show));
    let f = if from.is_none() && to.is_none() && smallest == largest {
        // There is nothing to divide: all keys are in the first bucket.
        Delta::new(lower, K::ONE, buckets)
    } else {
        Delta::over(lower..upper, buckets)
    };
    let f = f.with_context(|| format!("{buckets} buckets {about}; name other ends with --from and --to"))?;
    Ok((about, f))
}

/// Splits in two or three.
pub fn partition<K: FileKey>(plan: &PartitionPlan, moves: &mut Moves<K>) -> Result<Parts> {
    let below = K::parse(&plan.below).context("--below")?;
    let mut bounds = vec![below];
    let mut about = format!("below {}", below.show());
    if let Some(text) = &plan.and_below {
        let second = K::parse(text).context("--and-below")?;
        ensure!(below <= second, "--and-below {} is less than --below {}", second.show(), below.show());
        bounds.push(second);
        about = format!("{about}, then below {}", second.show());
    }
    let splitting = Splitting { method: Method::Auto, moves };
    let (offsets, time) = splitting.with(&Splitters::new(&bounds)?)?;
    Ok(Parts { about, offsets, time })
}
