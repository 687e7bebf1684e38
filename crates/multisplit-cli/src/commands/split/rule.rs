//! The rules that assign keys to buckets.

use super::expression;
use super::quantiles::quantiles;
use super::table::Table;
use super::{By, SplitArguments};
use crate::commands::files::bucket_split::{BucketFunction, Ranges};
use crate::commands::files::carrier::Carrier;
use crate::commands::files::input::read_like_keys;
use crate::commands::files::key_type::{KeyType, with_carrier};
use crate::commands::files::keys::Keys;
use crate::commands::files::number::Number;
use crate::commands::files::open::Opened;
use crate::commands::files::thresholds;
use crate::commands::files::words::WordsRef;
use crate::shared::arguments::within;
use crate::shared::usage::ensure_usage;
use anyhow::{Context, Result, bail, ensure};
use multisplit::bucket::BucketFn;
use multisplit::expression::Expression;
use multisplit::{Device, MAX_BUCKETS};
use std::ops::Range;
use std::path::PathBuf;

const NO_SPLITTERS: &str = "--splitters-output is for --by delta, quantiles or identity, and for --splitters";

/// The rule that assigns keys to buckets. Keys are still text: their type is in the file.
pub enum Rule {
    Delta { buckets: u32, from: Option<String>, to: Option<String> },
    Identity { buckets: u32 },
    Hash { buckets: u32, seed: u32 },
    Window { bits: Range<u32> },
    Highest { buckets: u32 },
    Quantiles { buckets: u32 },
    Splitters { path: PathBuf },
    Table { path: PathBuf, buckets: Option<u32>, otherwise: Option<u32> },
    Expression { expression: Expression, buckets: Option<u32> },
}

/// A bucket function that was chosen.
pub struct Chosen {
    /// For people.
    pub about: String,
    /// What messages name if the function cannot be made.
    pub named: String,
    pub function: BucketFunction,
}

impl Rule {
    pub fn new(raw: &SplitArguments) -> Result<Self> {
        if let Some(path) = &raw.splitters {
            return Ok(Self::Splitters { path: path.clone() });
        }
        let buckets = raw.buckets.map(|buckets| within("--buckets", buckets, MAX_BUCKETS)).transpose()?;
        if let Some(path) = &raw.table {
            ensure!(raw.splitters_output.is_none(), NO_SPLITTERS);
            return Ok(Self::Table { path: path.clone(), buckets, otherwise: raw.otherwise });
        }
        if let Some(text) = &raw.expression {
            ensure!(raw.splitters_output.is_none(), NO_SPLITTERS);
            return Ok(Self::Expression { expression: expression::parse(text)?, buckets });
        }
        let ranges = matches!(raw.by, By::Delta | By::Quantiles | By::Identity);
        ensure!(ranges || raw.splitters_output.is_none(), NO_SPLITTERS);
        ensure!(raw.by == By::Delta || (raw.from.is_none() && raw.to.is_none()), "--from and --to are for --by delta");
        ensure!(raw.by == By::Bits || raw.bits.is_none(), "--bits is for --by bits");
        ensure!(raw.by == By::Hash || raw.seed.is_none(), "--seed is for --by hash");
        if let Some(bits) = &raw.bits {
            let most = MAX_BUCKETS.ilog2();
            ensure!(bits.len() <= most as usize, "--bits {bits:?}: at most {most} bits are possible");
            let made = 1usize.checked_shl(bits.end.saturating_sub(bits.start)).unwrap_or(usize::MAX);
            if let Some(buckets) = raw.buckets.filter(|&buckets| buckets != made) {
                bail!("--bits {bits:?} are not {buckets} buckets; leave --buckets out");
            }
            return Ok(Self::Window { bits: bits.clone() });
        }
        let buckets = buckets
            .context("into how many --buckets, or between which --splitters, or by which --table or --expression?")?;
        Ok(match raw.by {
            By::Delta => Self::Delta { buckets, from: raw.from.clone(), to: raw.to.clone() },
            By::Identity => Self::Identity { buckets },
            By::Quantiles => Self::Quantiles { buckets },
            By::Hash => Self::Hash { buckets, seed: raw.seed.unwrap_or(0) },
            By::Bits => {
                ensure!(buckets.is_power_of_two(), "--by bits makes a power of two of buckets, which {buckets} is not");
                Self::Highest { buckets }
            }
        })
    }

    /// Returns the names of the columns that are looked at, if any are named.
    pub fn columns(&self) -> &[String] {
        match self {
            Self::Expression { expression, .. } => expression.columns(),
            _ => &[],
        }
    }

    /// Returns the bucket function for these keys.
    pub fn choose(&self, device: &Device, keys: &Opened) -> Result<Chosen> {
        let key_type = keys.about().key_type;
        if !matches!(self, Self::Hash { .. } | Self::Table { .. } | Self::Expression { .. }) {
            key_type.expect_order()?;
        }
        let (about, named, function) = match self {
            Self::Delta { buckets, from, to } => {
                let (about, ranges) = equal_ranges(keys, *buckets, from.as_deref(), to.as_deref())?;
                let named = format!("{buckets} buckets {about}; name other ends with --from and --to");
                (about, named, BucketFunction::Ranges(ranges))
            }
            Self::Identity { buckets } => {
                ("by the key itself".into(), String::new(), BucketFunction::Ranges(identity(keys, *buckets)?))
            }
            &Self::Hash { buckets, seed } => {
                (format!("by a hash, seed {seed}"), String::new(), BucketFunction::Hash { buckets, seed })
            }
            Self::Window { bits } => {
                key_type.check_bits(bits)?;
                (format!("by bits {bits:?}"), format!("--bits {bits:?}"), BucketFunction::Window(bits.clone()))
            }
            Self::Highest { buckets } => {
                let (width, bits) = (key_type.bits(), buckets.ilog2());
                ensure!(bits <= width, "--buckets {buckets} are too many for the {width} bits of {key_type} keys");
                let bits = width - bits..width;
                (format!("by bits {bits:?}"), format!("--buckets {buckets}"), BucketFunction::Window(bits))
            }
            Self::Quantiles { buckets } => {
                let splitters = quantiles(device, keys, *buckets)?;
                ("of equal counts".into(), "--by quantiles".into(), BucketFunction::Between(splitters))
            }
            Self::Splitters { path } => {
                let named = format!("--splitters {}", path.display());
                let splitters = read_like_keys(path, key_type).with_context(|| named.clone())?;
                (format!("between the numbers of {}", path.display()), named, BucketFunction::Between(splitters))
            }
            Self::Table { path, buckets, otherwise } => {
                let named = format!("--table {}", path.display());
                let read = || Table::read(path, key_type, *otherwise);
                let table = read().with_context(|| named.clone())?;
                let buckets = table.buckets(*buckets).with_context(|| named.clone())?;
                let called = named.clone();
                let ids = Box::new(move |keys: WordsRef<'_>, first| {
                    table.look_up(keys, first).with_context(|| called.clone())
                });
                (format!("by the table {}", path.display()), named, BucketFunction::Chosen { ids, buckets })
            }
            Self::Expression { expression, buckets } => {
                let function = expression::function(expression, keys, *buckets)?;
                (format!("by {expression}"), String::new(), function)
            }
        };
        Ok(Chosen { about, named, function })
    }
}

impl Chosen {
    /// Returns the least key of each bucket but the first: split between these, all keys are in the same buckets.
    /// Buckets at the end that no key can be in are left out.
    pub fn splitters(&self, key_type: KeyType) -> Result<Vec<Number>> {
        match &self.function {
            BucketFunction::Between(splitters) => Ok(splitters.clone()),
            BucketFunction::Ranges(ranges) => with_carrier!(key_type.carrier(), C => {
                let f = ranges.delta::<C>(key_type).with_context(|| self.named.clone())?;
                let bucket = |word: u64| f.bucket(C::from_word(word, key_type));
                let words = thresholds::first_words(key_type.numbers(), ranges.buckets, &bucket);
                Ok(words.into_iter().map(|word| key_type.number(word)).collect())
            }),
            _ => bail!(NO_SPLITTERS),
        }
    }
}

/// Returns the ranges that take a key as its bucket, if all keys are below `m`.
fn identity(keys: &dyn Keys, m: u32) -> Result<Ranges> {
    let (key_type, last) = (keys.about().key_type, m - 1);
    ensure!(
        !key_type.is_float(),
        "--by identity takes keys for numbers of buckets, which {key_type} keys are not; try delta"
    );
    let (smallest, largest) = keys.extent()?;
    ensure!(
        smallest >= Number::Whole(0) && largest <= Number::Whole(last.into()),
        "the keys are from {} to {}, but the buckets of --by identity from 0 to {last}",
        key_type.show(smallest),
        key_type.show(largest)
    );
    Ok(Ranges { lower: Number::Whole(0), upper: None, buckets: m })
}

/// Returns equal ranges, by default of what the keys span, and their description.
fn equal_ranges(keys: &dyn Keys, buckets: u32, from: Option<&str>, to: Option<&str>) -> Result<(String, Ranges)> {
    let key_type = keys.about().key_type;
    let (smallest, largest) = keys.extent()?;
    let lower = from.map_or(Ok(smallest), |text| key_type.parse(text).context("--from"))?;
    let upper = to.map_or(Ok(largest), |text| key_type.parse_end(text).context("--to"))?;
    ensure_usage!(
        from.is_none() || to.is_none() || lower < upper,
        "--from {} and --to {}: the range is empty; the first must be less",
        key_type.show(lower),
        key_type.show(upper)
    );
    let about = format!("of equal ranges from {} to {}", key_type.show(lower), key_type.show(upper));
    // Where there is nothing to divide, all keys are in the first bucket.
    let single = from.is_none() && to.is_none() && smallest == largest;
    Ok((about, Ranges { lower, upper: (!single).then_some(upper), buckets }))
}
