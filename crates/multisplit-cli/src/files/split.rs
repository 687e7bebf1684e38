//! Keys, and what goes with them, in buckets.

use super::bits;
use super::extent::extent;
use super::key::{End, FileKey};
use super::moves::Moves;
use super::plan::{PartitionPlan, Rule};
use super::read::read_like_keys;
use anyhow::{Context, Result, ensure};
use multisplit::bucket::{BitWindow, Buckets, Delta, Hash, Splitters};
use multisplit::{Method, Multisplit};
use std::time::{Duration, Instant};

/// A bucket function, made for keys of one type.
pub struct Function<K: FileKey> {
    /// What it does, in words.
    pub about: String,
    pub kind: Kind<K>,
}

/// Some functions look at the value of a key, others at its bits alone.
pub enum Kind<K: FileKey> {
    Delta(Delta<K::Carrier>),
    Splitters(Splitters<K::Carrier>),
    Hash(Hash<K::Word>),
    Window(BitWindow<K::Word>),
}

impl<K: FileKey> Function<K> {
    /// The function that was asked for.
    pub fn of(rule: &Rule, keys: &[K]) -> Result<Self> {
        let (about, kind) = match rule {
            Rule::Delta { buckets, from, to } => equal_ranges(keys, *buckets, from.as_deref(), to.as_deref())?,
            Rule::Identity { buckets } => {
                let (smallest, largest) = extent(keys);
                ("by the key itself".into(), Kind::Delta(K::identity(smallest, largest, *buckets)?))
            }
            Rule::Hash { buckets, seed } => (format!("by a hash, seed {seed}"), Kind::Hash(Hash::new(*buckets, *seed))),
            Rule::Window { bits } => {
                bits::check::<K>(bits)?;
                let window = BitWindow::new(bits.clone()).with_context(|| format!("--bits {bits:?}"))?;
                (format!("by bits {bits:?}"), Kind::Window(window))
            }
            Rule::Highest { buckets } => {
                let (width, bits) = (bits::width::<K>(), buckets.ilog2());
                ensure!(bits <= width, "--buckets {buckets} are too many for the {width} bits of {} keys", K::KIND);
                let bits = width - bits..width;
                (format!("by bits {bits:?}"), Kind::Window(BitWindow::new(bits)?))
            }
            Rule::Splitters { path } => {
                let read = || splitters(&read_like_keys::<K>(path)?);
                let kind = read().with_context(|| format!("--splitters {}", path.display()))?;
                (format!("between the numbers of {}", path.display()), kind)
            }
        };
        Ok(Self { about, kind })
    }

    /// Two parts, or three.
    pub fn parts(plan: &PartitionPlan) -> Result<Self> {
        let below = K::parse(&plan.below).context("--below")?;
        let mut about = format!("below {}", below.show());
        let mut bounds = vec![below];
        if let Some(text) = &plan.and_below {
            let second = K::parse(text).context("--and-below")?;
            ensure!(below <= second, "--and-below {} is less than --below {}", second.show(), below.show());
            about = format!("{about}, then below {}", second.show());
            bounds.push(second);
        }
        Ok(Self { about, kind: splitters(&bounds)? })
    }
}

fn splitters<K: FileKey>(numbers: &[K]) -> Result<Kind<K>> {
    let numbers: Vec<K::Carrier> = numbers.iter().map(|number| number.carry()).collect();
    Ok(Kind::Splitters(Splitters::new(&numbers)?))
}

/// Equal ranges that were asked for; unless told otherwise, of what the keys span.
fn equal_ranges<K: FileKey>(
    keys: &[K],
    buckets: u32,
    from: Option<&str>,
    to: Option<&str>,
) -> Result<(String, Kind<K>)> {
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
        Delta::new(lower.carry(), K::ONE, buckets)
    } else {
        Delta::over(lower.carry()..upper.carry(), buckets)
    };
    let f = f.with_context(|| format!("{buckets} buckets {about}; name other ends with --from and --to"))?;
    Ok((about, Kind::Delta(f)))
}

/// Where the buckets begin, and where the last ends; and how long it took.
pub type Split = (Vec<usize>, Duration);

pub fn split<F: Buckets>(f: &F, method: Method, moves: &mut Moves<F::Key>) -> Result<Split> {
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
