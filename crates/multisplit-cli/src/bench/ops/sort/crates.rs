//! Other crates that sort on the CPU, if they are built in. They sort keys alone, in place. They are not stable, which
//! keys alone do not show.

use crate::bench::harness::key_types::PeerKind;
use crate::bench::harness::keys::BenchKey;
use crate::shared::timing::{Quartiles, once};
use multisplit::Result;
use rdst::RadixSort;
use voracious_radix_sort::RadixSort as _;

/// A key type that the crates can sort.
pub trait CrateKey: BenchKey + rdst::RadixKey {
    /// Sorts with as many threads as this library has.
    fn voracious(keys: &mut [Self]);
}

macro_rules! crate_key {
    ($($key:ident)*) => {$(
        impl CrateKey for $key {
            fn voracious(keys: &mut [Self]) {
                keys.voracious_mt_sort(rayon::current_num_threads());
            }
        }
    )*};
}

crate_key!(u32 u64);

/// Times sorts by a crate, and returns the times in seconds and the result. Returns none for peers that are no crates.
pub fn time<K: CrateKey>(peer: PeerKind, keys: &[K], runs: usize) -> Result<Option<(Quartiles, Vec<K>)>> {
    let sort: fn(&mut Vec<K>) = match peer {
        PeerKind::Rdst => |keys| keys.radix_sort_unstable(),
        PeerKind::Voracious => |keys| K::voracious(keys),
        PeerKind::Cub | PeerKind::Gapbs => return Ok(None),
    };
    let (mut times, mut sorted) = (Vec::new(), keys.to_vec());
    // Once more than counts: the first wakes threads and memory.
    for _ in 0..=runs {
        sorted.copy_from_slice(keys);
        times.push(once(|| {
            sort(&mut sorted);
            Ok(())
        })?);
    }
    times.remove(0);
    Ok(Some((Quartiles::of(times), sorted)))
}
