//! Tables that say which bucket a key is in.

use crate::commands::files::formats::source::Source;
use crate::commands::files::formats::{self, Wanted};
use crate::commands::files::key_type::KeyType;
use crate::commands::files::number::Number;
use crate::commands::files::words::WordsRef;
use anyhow::{Context, Result, bail, ensure};
use multisplit::MAX_BUCKETS;
use multisplit_graph::parallel;
use std::path::Path;

/// Keys, and their buckets.
pub struct Table {
    /// Words of keys in their order, which ascend, and their buckets.
    rows: Vec<(u64, u32)>,
    key_type: KeyType,
    /// The bucket of other keys.
    otherwise: Option<u32>,
}

/// The mark of a key that is not there. No bucket has this number.
const MISSING: u32 = u32::MAX;

impl Table {
    /// Reads a text or a table of two columns, key and bucket, or the buckets of 0, 1, 2 and so on.
    pub fn read(path: &Path, key_type: KeyType, otherwise: Option<u32>) -> Result<Self> {
        let columns = formats::has_columns(&Source::open(path)?)?;
        let column = |column: Option<&str>, key_type: Option<KeyType>| {
            let wanted = Wanted { column, key_type, beside: true, ..Wanted::default() };
            formats::read(path, &wanted)?.elements.into_keys()
        };
        let order = key_type.order();
        let (found, buckets) = column(columns.then_some("2"), columns.then_some(KeyType::Unsigned(32)))?;
        ensure!(!found.is_float() && found != KeyType::Text, "numbers of buckets are whole, but these are {found}");
        let bucket = |i: usize| -> Result<u32> {
            let Number::Whole(bucket) = found.number(found.order().word(buckets.as_ref().get(i))) else { bail!("") };
            let fits = u32::try_from(bucket).ok().filter(|&bucket| bucket < MAX_BUCKETS);
            fits.with_context(|| format!("there is no bucket {bucket}: they are from 0 to {}", MAX_BUCKETS - 1))
        };
        let mut rows = Vec::with_capacity(buckets.len());
        if columns {
            let (found, keys) = column(Some("1"), Some(key_type))?;
            ensure!(
                found == key_type,
                "its keys are {found}, but those to split are {key_type}; both must be of one type"
            );
            for i in 0..keys.len() {
                rows.push((order.word(keys.as_ref().get(i)), bucket(i)?));
            }
        } else {
            ensure!(
                matches!(key_type, KeyType::Unsigned(_) | KeyType::Signed(_) | KeyType::Bool),
                "an array has the buckets of 0, 1, 2 and so on, which are no keys of type {key_type}; name a text file \
                 of two columns, key and bucket"
            );
            for i in 0..buckets.len() {
                // What is beyond the type is no key.
                let word = key_type.beyond_word(i as i128).filter(|&word| word <= order.largest());
                rows.extend(word.map(|word| bucket(i).map(|bucket| (word, bucket))).transpose()?);
            }
        }
        rows.sort_unstable();
        if let Some(pair) = rows.windows(2).find(|pair| pair[0].0 == pair[1].0) {
            bail!("{} is in the table twice", show(key_type, pair[0].0));
        }
        Ok(Self { rows, key_type, otherwise })
    }

    /// Returns how many buckets there are: as many as were asked for, or as the table has.
    pub fn buckets(&self, asked: Option<u32>) -> Result<u32> {
        let most = self.rows.iter().map(|&(_, bucket)| bucket).chain(self.otherwise).max().unwrap_or(0);
        let buckets = asked.unwrap_or(most.saturating_add(1));
        ensure!(most < buckets, "the table has bucket {most}, but --buckets {buckets} are from 0 to {}", buckets - 1);
        Ok(buckets)
    }

    /// Returns the bucket of each of some keys, given as bits. `first` is the number of the first of them.
    pub fn look_up(&self, keys: WordsRef<'_>, first: u64) -> Result<Vec<u32>> {
        let order = self.key_type.order();
        let id = |i: usize| match self.rows.binary_search_by_key(&order.word(keys.get(i)), |&(word, _)| word) {
            Ok(row) => self.rows[row].1,
            Err(_) => self.otherwise.unwrap_or(MISSING),
        };
        let ids = parallel::fill(keys.len(), id);
        if let Some(i) = ids.iter().position(|&id| id == MISSING) {
            let missing = ids.iter().filter(|&&id| id == MISSING).count();
            let key = show(self.key_type, order.word(keys.get(i)));
            let number = first + i as u64;
            bail!(
                "{missing} keys are not in the table, the first is number {number}, {key}; give them a bucket by \
                 --otherwise"
            );
        }
        Ok(ids)
    }
}

/// Formats a key. Of a string there is only a hash.
fn show(key_type: KeyType, word: u64) -> String {
    if key_type == KeyType::Text { "a string".into() } else { key_type.show(key_type.number(word)) }
}
