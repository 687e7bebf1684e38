//! Bucket functions made by the attribute: each is what the same one written in full is, on every back end.

use crate::common::{Way, check, check_keys, everywhere, fewer, that_take};
use multisplit::bucket::prelude::*;
use multisplit::bucket::{Delta, Splitters};
use multisplit::measure::Reference;
use multisplit::{Device, Error, Method, split};
use test_support::{Random, floats, uniform};

const N: usize = 5003;

/// Random keys.
fn some(device: &Device, seed: u64) -> Vec<u32> {
    uniform(fewer(device, N), seed)
}

/// Splits keys, with values, by a function, and compares with the reference of the same in full.
fn check_same<F: Buckets, G: Buckets<Key = F::Key>>(device: &Device, keys: &[F::Key], short: &F, full: &G) {
    assert_eq!(short.buckets(), full.buckets());
    assert_eq!(short.is_costly(), full.is_costly());
    let expected = Reference::split(keys, full);
    let got = Reference::split(keys, short);
    assert_eq!((got.offsets, got.permutation), (expected.offsets, expected.permutation));
    check(&Way::new(device, Method::Auto), keys, short);
}

/// Keys by their remainder.
#[bucket_function(buckets = divisor)]
fn modulo(key: u32, divisor: u32) -> u32 {
    key % divisor
}

#[derive(CubeType, CubeLaunch)]
struct ModuloInFull {
    divisor: u32,
}

#[cube]
impl BucketFn for ModuloInFull {
    type Key = u32;
    fn bucket(&self, key: u32) -> u32 {
        key % self.divisor
    }
}

impl Buckets for ModuloInFull {
    fn buckets(&self) -> u32 {
        self.divisor
    }
    kernel_fields!(divisor);
}

#[test]
fn run_time_fields() {
    everywhere("run_time_fields", |device| {
        for divisor in [1, 3, 100, 300] {
            check_same(device, &some(device, 1), &Modulo { divisor }, &ModuloInFull { divisor });
        }
    });
}

#[bucket_function(buckets = 2)]
fn is_odd(key: u32) -> u32 {
    key & 1
}

#[test]
fn no_fields() {
    everywhere("no_fields", |device| {
        let keys = some(device, 2);
        check(&Way::new(device, Method::Auto), &keys, &IsOdd);
        let odd = keys.iter().filter(|&key| key % 2 == 1).count();
        assert_eq!(split(device, &keys, &IsOdd).unwrap().bucket(1).len(), odd);
    });
}

/// Several parameters of several kinds, and a body of several statements.
#[bucket_function(buckets = 2 * regions)]
fn by_region(mut key: u32, regions: u32, vip_from: u32, region_of: &Table<u32>) -> u32 {
    key %= region_of.len();
    let mut bucket = region_of.get(key);
    if key >= vip_from {
        bucket += regions;
    }
    bucket
}

#[derive(CubeType, CubeLaunch)]
struct ByRegionInFull {
    regions: u32,
    vip_from: u32,
    region_of: Table<u32>,
}

#[cube]
impl BucketFn for ByRegionInFull {
    type Key = u32;
    fn bucket(&self, key: u32) -> u32 {
        let customer = key % self.region_of.len();
        let mut bucket = self.region_of.get(customer);
        if customer >= self.vip_from {
            bucket += self.regions;
        }
        bucket
    }
}

impl Buckets for ByRegionInFull {
    fn buckets(&self) -> u32 {
        2 * self.regions
    }
    kernel_fields!(regions, vip_from, region_of);
}

#[test]
fn tables() {
    everywhere("tables", |device| {
        for (customers, regions) in [(1, 1), (1000, 3)] {
            let table = Table::new((0..customers).map(|customer| customer * 7 % regions).collect::<Vec<_>>()).unwrap();
            for region_of in [table.clone(), table.in_shared_memory()] {
                let short = ByRegion { regions, vip_from: 900, region_of: region_of.clone() };
                check_same(device, &some(device, 3), &short, &ByRegionInFull { regions, vip_from: 900, region_of });
            }
        }
    });
}

/// What is known at compile time may be of any type.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
enum Mixing {
    Shift,
    Multiply,
}

#[bucket_function(buckets = comptime_m)]
fn mixed(key: u32, #[comptime] mixing: Mixing, #[comptime] rounds: u32, comptime_m: u32) -> u32 {
    let mut mixed = key;
    #[unroll]
    for _ in 0..rounds {
        mixed = match mixing {
            Mixing::Shift => mixed ^ (mixed << 13),
            Mixing::Multiply => wrapping_mul(mixed, 0x2c1b_3c6d),
        };
    }
    mul_hi(mixed, comptime_m)
}

#[test]
fn compile_time_fields() {
    everywhere("compile_time_fields", |device| {
        let keys = some(device, 4);
        let mut seen = Vec::new();
        for mixing in [Mixing::Shift, Mixing::Multiply] {
            for rounds in [0, 1, 3] {
                let f = Mixed { mixing, rounds, comptime_m: 37 };
                check_keys(&Way::new(device, Method::Auto), &keys, &f);
                seen.push(split(device, &keys, &f).unwrap().keys);
            }
        }
        // No rounds are the same whatever the mixing; all others differ.
        assert!(seen[0] == seen[3]);
        seen.remove(0);
        assert!((1..seen.len()).all(|i| !seen[..i].contains(&seen[i])));
    });
}

/// Functions of functions: built in, made by the attribute, and written in full.
#[bucket_function(buckets = coarse.buckets() * fine.buckets())]
fn nested(key: u32, coarse: &Delta<u32>, fine: &Modulo, other: &ModuloInFull, from: u32) -> u32 {
    let mut rest = fine.bucket(key);
    if key >= from {
        rest = other.bucket(key);
    }
    coarse.bucket(key) * fine.divisor + rest
}

/// A function of any function.
#[bucket_function(buckets = inner.buckets(), costly)]
fn of_high_bits<F: Buckets<Key = u32>>(key: u32, shift: u32, inner: &F) -> u32 {
    inner.bucket(key >> shift)
}

#[test]
fn nested_functions() {
    everywhere("nested_functions", |device| {
        let (way, keys) = (Way::new(device, Method::Auto), some(device, 5));
        let (fine, other) = (Modulo { divisor: 5 }, ModuloInFull { divisor: 3 });
        let f = Nested { coarse: Delta::whole(4).unwrap(), fine, other, from: 3 << 30 };
        assert_eq!(f.buckets(), 20);
        check(&way, &keys, &f);
        check_keys(&way, &keys, &OfHighBits { shift: 3, inner: f });
        let splitters = Splitters::new(&[10, 500, 1 << 20]).unwrap();
        check_keys(&way, &keys, &OfHighBits { shift: 7, inner: splitters });
    });
}

/// Generic over the type of keys: one function with a field of the type, and one without.
#[bucket_function(buckets = 2)]
#[derive(Clone, Copy, Debug, PartialEq)]
fn from_limit<K: Key>(key: K, limit: K) -> u32 {
    zero_unless(key >= limit, 1)
}

#[bucket_function(buckets = m)]
fn remainder<K: IntKey>(key: K, m: u32) -> u32 {
    K::index(key) % m
}

fn random<K: Key>(seed: u64) -> Vec<K> {
    let mut random = Random::new(seed);
    (0..N).map(|_| bytemuck::pod_read_unaligned(&random.next_u64().to_ne_bytes()[..size_of::<K>()])).collect()
}

fn any_integer<K: IntKey>() {
    for device in that_take::<K>("any_integer") {
        let (way, keys) = (Way::new(&device, Method::Auto), random::<K>(6));
        check_keys(&way, &keys, &FromLimit { limit: keys[17] });
        check_keys(&way, &keys, &Remainder::new(19));
    }
}

#[test]
fn generic_functions() {
    any_integer::<u8>();
    any_integer::<u32>();
    any_integer::<i64>();
    everywhere("generic_functions", |device| {
        check_keys(&Way::new(device, Method::Auto), &floats(N, 7), &FromLimit { limit: 0.25 });
    });
}

/// What takes long is kept, and ids that are not valid are reported all the same.
#[bucket_function(buckets = m, costly)]
fn sometimes_out_of_range(key: u32, m: u32) -> u32 {
    key % (m + 1)
}

#[bucket_function(buckets = m, name = AlsoOutOfRange)]
fn sometimes_out_of_range(key: u32, m: u32) -> u32 {
    key % (m + 1)
}

#[test]
fn ids_out_of_range() {
    everywhere("ids_out_of_range", |device| {
        let keys = uniform(20_003, 9);
        for m in [3, 256, 1000] {
            let out_of_range = keys.iter().filter(|&&key| key % (m + 1) == m).count() as u64;
            let (costly, plain) = (SometimesOutOfRange { m }, AlsoOutOfRange { m });
            assert!(costly.is_costly() && !plain.is_costly());
            for error in [split(device, &keys, &costly).unwrap_err(), split(device, &keys, &plain).unwrap_err()] {
                assert!(matches!(error, Error::BucketOutOfRange { count, .. } if count == out_of_range), "{error}");
            }
        }
    });
}

/// How many steps it takes to come down to 1, at most 255.
#[bucket_function(buckets = 256, costly)]
fn collatz(key: u32) -> u32 {
    let mut n = key % 10_000 + 1;
    let mut steps = 0u32;
    while n > 1 && steps < 255 {
        n = select(n % 2 == 0, n / 2, 3 * n + 1);
        steps += 1;
    }
    steps
}

#[test]
fn costly_functions() {
    everywhere("costly_functions", |device| {
        assert!(Collatz.is_costly());
        for n in [1, 257, 20_011] {
            check(&Way::new(device, Method::Auto), &uniform(n, 10), &Collatz);
        }
    });
}

/// Structs and their fields are as visible as the function.
mod elsewhere {
    #![deny(missing_docs)]
    use super::renamed::bucket::prelude::*;

    /// For all.
    #[bucket_function(buckets = m)]
    #[derive(Clone, Debug, PartialEq)]
    pub fn high_part(
        key: u32,
        /// How many parts.
        m: u32,
    ) -> u32 {
        mul_hi(key, m)
    }

    #[bucket_function(buckets = high.buckets())]
    pub(super) fn twisted(key: u32, high: &HighPart) -> u32 {
        high.bucket(wrapping_mul(key, 0x9e37_79b9))
    }
}

/// The library may have any name.
use multisplit as renamed;

#[test]
fn visibility_and_attributes() {
    use elsewhere::{HighPart, Twisted};
    let high = HighPart { m: 7 };
    assert_eq!(high.clone(), high);
    assert_eq!(format!("{high:?}"), "HighPart { m: 7 }");
    assert_eq!(FromLimit { limit: 3u32 }, FromLimit { limit: 3u32 });
    everywhere("visibility_and_attributes", |device| {
        check(&Way::new(device, Method::Auto), &some(device, 11), &Twisted { high: high.clone() });
    });
}

/// Functions may be made by macros, and inside functions.
macro_rules! halves {
    ($($name:ident: $key:ty, $half:expr;)*) => {$(
        #[bucket_function(buckets = 2)]
        fn $name(key: $key) -> u32 {
            let mut bucket = 0;
            if key >= $half {
                bucket = 1;
            }
            bucket
        }
    )*};
}

#[test]
fn functions_in_functions() {
    halves! {
        halves_of_unsigned: u32, 0x8000_0000u32;
        halves_of_signed: i32, 0i32;
    }
    everywhere("functions_in_functions", |device| {
        let way = Way::new(device, Method::Auto);
        let keys = some(device, 12);
        check_keys(&way, &keys, &HalvesOfUnsigned);
        check_keys(&way, &keys.iter().map(|&key| key as i32).collect::<Vec<_>>(), &HalvesOfSigned);
    });
}

/// A number of buckets may be any expression, and a function is called on the host like any other.
#[test]
fn on_the_host() {
    const BITS: u32 = 3;

    #[bucket_function(buckets = if wide { 1 << BITS } else { table.len() })]
    fn chosen(key: u32, #[comptime] wide: bool, table: &Table<u32>) -> u32 {
        if comptime!(wide) { key & 7 } else { table.get(key) }
    }

    let table = Table::new(vec![2, 0, 1]).unwrap();
    let (wide, narrow) = (Chosen { wide: true, table: table.clone() }, Chosen { wide: false, table });
    assert_eq!((wide.buckets(), narrow.buckets()), (8, 3));
    assert_eq!((wide.bucket(13), narrow.bucket(0), narrow.bucket(99)), (5, 2, 1));
    everywhere("on_the_host", |device| {
        let way = Way::new(device, Method::Auto);
        check_keys(&way, &some(device, 13), &wide);
        check_keys(&way, &some(device, 13), &narrow);
    });
}
