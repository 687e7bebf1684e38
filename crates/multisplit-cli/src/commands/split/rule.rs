//! The rules that assign keys to buckets.

use super::quantiles::quantiles;
use super::table::Table;
use super::{By, SplitArguments};
use crate::commands::files::bucket_split::BucketFunction;
use crate::commands::files::carrier::Carrier;
use crate::commands::files::input::{FileKeys, read_like_keys};
use crate::commands::files::key_type::KeyType;
use crate::commands::files::number::Number;
use crate::commands::files::thresholds;
use crate::shared::arguments::within;
use anyhow::{Context, Result, bail, ensure};
use multisplit::bucket::{BitWindow, BucketFn, Buckets, Delta, Hash};
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
}

/// A bucket function, and what is known of it.
pub struct Chosen<C: Carrier> {
    /// For people.
    pub about: String,
    pub function: BucketFunction<C>,
    /// The numbers that it splits between, if it was made of them.
    pub splitters: Option<Vec<Number>>,
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
        let ranges = matches!(raw.by, By::Delta | By::Quantiles | By::Identity);
        ensure!(ranges || raw.splitters_output.is_none(), NO_SPLITTERS);
        ensure!(raw.by == By::Delta || (raw.from.is_none() && raw.to.is_none()), "--from and --to are for --by delta");
        ensure!(raw.by == By::Bits || raw.bits.is_none(), "--bits is for --by bits");
        ensure!(raw.by == By::Hash || raw.seed.is_none(), "--seed is for --by hash");
        if let Some(bits) = &raw.bits {
            let made = 1usize.checked_shl(bits.end.saturating_sub(bits.start)).unwrap_or(usize::MAX);
            if let Some(buckets) = raw.buckets.filter(|&buckets| buckets != made) {
                bail!("--bits {bits:?} are not {buckets} buckets; leave --buckets out");
            }
            return Ok(Self::Window { bits: bits.clone() });
        }
        let buckets = buckets.context("into how many --buckets, or between which --splitters, or by which --table?")?;
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

    /// Returns the bucket function for keys of one type.
    pub fn choose<C: Carrier>(&self, device: &Device, keys: &FileKeys) -> Result<Chosen<C>> {
        let key_type = keys.key_type;
        if !matches!(self, Self::Hash { .. } | Self::Table { .. }) {
            key_type.expect_order()?;
        }
        let between = |about: String, splitters: Vec<Number>| -> Result<Chosen<C>> {
            let function = BucketFunction::between(&splitters, key_type)?;
            Ok(Chosen { about, function, splitters: Some(splitters) })
        };
        let (about, function) = match self {
            Self::Delta { buckets, from, to } => equal_ranges(keys, *buckets, from.as_deref(), to.as_deref())?,
            Self::Identity { buckets } => ("by the key itself".into(), identity(keys, *buckets)?),
            Self::Hash { buckets, seed } => {
                (format!("by a hash, seed {seed}"), BucketFunction::Hash(Hash::new(*buckets, *seed)))
            }
            Self::Window { bits } => {
                key_type.check_bits(bits)?;
                let window = BitWindow::new(bits.clone()).with_context(|| format!("--bits {bits:?}"))?;
                (format!("by bits {bits:?}"), BucketFunction::Window(window))
            }
            Self::Highest { buckets } => {
                let (width, bits) = (key_type.bits(), buckets.ilog2());
                ensure!(bits <= width, "--buckets {buckets} are too many for the {width} bits of {key_type} keys");
                let bits = width - bits..width;
                (format!("by bits {bits:?}"), BucketFunction::Window(BitWindow::new(bits)?))
            }
            Self::Quantiles { buckets } => {
                let splitters = quantiles::<C>(device, keys, *buckets)?;
                return between("of equal counts".into(), splitters);
            }
            Self::Splitters { path } => {
                let read = || {
                    let about = format!("between the numbers of {}", path.display());
                    between(about, read_like_keys(path, key_type)?)
                };
                return read().with_context(|| format!("--splitters {}", path.display()));
            }
            Self::Table { path, buckets, otherwise } => {
                let read = || Table::read(path, key_type)?.look_up(keys, *buckets, *otherwise);
                let (ids, buckets) = read().with_context(|| format!("--table {}", path.display()))?;
                (format!("by the table {}", path.display()), BucketFunction::Chosen { ids, buckets })
            }
        };
        Ok(Chosen { about, function, splitters: None })
    }
}

impl<C: Carrier> Chosen<C> {
    /// Returns the least key of each bucket but the first: split between these, all keys are in the same buckets.
    /// Buckets at the end that no key can be in are left out.
    pub fn splitters(&self, key_type: KeyType) -> Result<Vec<Number>> {
        match (&self.splitters, &self.function) {
            (Some(splitters), _) => Ok(splitters.clone()),
            (None, BucketFunction::Delta(f)) => {
                let bucket = |word: u64| f.bucket(C::from_word(word, key_type));
                let words = thresholds::first_words(key_type.numbers(), f.buckets(), bucket);
                Ok(words.into_iter().map(|word| key_type.number(word)).collect())
            }
            _ => bail!(NO_SPLITTERS),
        }
    }
}

/// Returns the function that takes a key as its bucket, if all keys are below `m`.
fn identity<C: Carrier>(keys: &FileKeys, m: u32) -> Result<BucketFunction<C>> {
    let (key_type, last) = (keys.key_type, m - 1);
    let zero = C::of(Number::Whole(0), key_type).with_context(|| {
        format!("--by identity takes keys for numbers of buckets, which {key_type} keys are not; try delta")
    })?;
    let (smallest, largest) = keys.extent();
    ensure!(
        smallest >= Number::Whole(0) && largest <= Number::Whole(last.into()),
        "the keys are from {} to {}, but the buckets of --by identity from 0 to {last}",
        key_type.show(smallest),
        key_type.show(largest)
    );
    Ok(BucketFunction::Delta(Delta::new(zero, C::ONE, m)?))
}

/// Returns the function of equal ranges, by default of what the keys span, and its description.
fn equal_ranges<C: Carrier>(
    keys: &FileKeys,
    buckets: u32,
    from: Option<&str>,
    to: Option<&str>,
) -> Result<(String, BucketFunction<C>)> {
    let key_type = keys.key_type;
    let (smallest, largest) = keys.extent();
    let lower = from.map_or(Ok(smallest), |text| key_type.parse(text).context("--from"))?;
    let upper = to.map_or(Ok(largest), |text| key_type.parse_end(text).context("--to"))?;
    let about = format!("of equal ranges from {} to {}", key_type.show(lower), key_type.show(upper));
    // The last range also takes what lies beyond it, so it need not end after the largest key.
    let carried = |number| C::of(number, key_type).or_else(|| C::of(key_type.largest(), key_type));
    let (Some(first), Some(end)) = (carried(lower), carried(upper)) else { bail!("{about} cannot be made") };
    let f = if from.is_none() && to.is_none() && smallest == largest {
        // There is nothing to divide: all keys are in the first bucket.
        Delta::new(first, C::ONE, buckets)
    } else {
        Delta::over(first..end, buckets)
    };
    let f = f.with_context(|| format!("{buckets} buckets {about}; name other ends with --from and --to"))?;
    Ok((about, BucketFunction::Delta(f)))
}
