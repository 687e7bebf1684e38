//! Counts of keys in bins, whether the keys are in memory or in a file.

use super::bins::BinRanges;
use crate::commands::files::carrier::Carrier;
use crate::commands::files::key_type::{KeyType, with_carrier};
use crate::commands::files::keys::Keys;
use crate::commands::files::words::WordsRef;
use anyhow::{Context, Result};
use bytemuck::Pod;
use multisplit::bucket::{Buckets, RangeBins, Splitters};
use multisplit::{Counts, Device, histogram};
use std::time::{Duration, Instant};

impl BinRanges {
    /// Counts keys, and returns how long the device took.
    pub fn count(&self, device: &Device, keys: &dyn Keys) -> Result<(Counts, Duration)> {
        let key_type = keys.about().key_type;
        with_carrier!(key_type.carrier(), C => self.count_carriers::<C>(key_type, device, keys))
    }

    fn count_carriers<C: Carrier>(
        &self,
        key_type: KeyType,
        device: &Device,
        keys: &dyn Keys,
    ) -> Result<(Counts, Duration)> {
        match self {
            Self::Edges(edges) => count_all(device, keys, &RangeBins::new(&C::all(edges, key_type)?)?),
            Self::Even { .. } => match self.even::<C>(key_type) {
                Some(even) => count_all(device, keys, &even.with_context(|| self.complaint(key_type))?),
                // The type has no key for the bins to begin or to end with. So bins are found by where they begin;
                // what is below the first is outside.
                None => {
                    let starts: Vec<C> =
                        (0..self.len()).map(|i| C::nearest(self.edge(key_type, i), key_type)).collect();
                    let (Counts { mut bins, outside }, time) = count_all(device, keys, &Splitters::new(&starts)?)?;
                    let below = bins.remove(0);
                    Ok((Counts { bins, outside: outside + below }, time))
                }
            },
        }
    }

    fn complaint(&self, key_type: KeyType) -> String {
        let [from, to] = [0, self.len()].map(|i| key_type.show(self.edge(key_type, i)));
        format!("{} bins from {from} to {to}; name other ends with --from and --to", self.len())
    }
}

/// Counts all keys, and returns how long the device took. What is in here is compiled for each function.
fn count_all<F: Buckets<Key: Pod>>(device: &Device, keys: &dyn Keys, f: &F) -> Result<(Counts, Duration)> {
    let count = |carriers: WordsRef<'_>| histogram(device, carriers.cast::<F::Key>(), f);
    sum_up(keys, f.buckets() as usize, &count)
}

/// What counts the carriers of some keys.
type CountSome<'a> = &'a dyn Fn(WordsRef<'_>) -> multisplit::Result<Counts>;

/// Adds up the counts of all keys.
fn sum_up(keys: &dyn Keys, bins: usize, count: CountSome<'_>) -> Result<(Counts, Duration)> {
    let encoding = keys.about().key_type.value_encoding();
    let (mut all, mut time) = (Counts { bins: vec![0; bins], outside: 0 }, Duration::ZERO);
    keys.each(&mut |bits| {
        let mut own;
        let carriers = if encoding.is_identity() {
            bits
        } else {
            own = bits.to_owned();
            encoding.apply(&mut own);
            own.as_ref()
        };
        let start = Instant::now();
        let counts = count(carriers)?;
        time += start.elapsed();
        all.bins.iter_mut().zip(&counts.bins).for_each(|(all, count)| *all += count);
        all.outside += counts.outside;
        Ok(())
    })?;
    Ok((all, time))
}
