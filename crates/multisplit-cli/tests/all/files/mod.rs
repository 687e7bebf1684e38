//! Calls on files, as a user has them.

mod archives;
mod buckets;
mod data;
mod errors;
mod expressions;
pub mod folder;
mod formats;
mod kinds;
mod large;
#[cfg(feature = "arrow")]
mod tables;
mod text;
mod types;

use crate::program::{failure, gpu, success};
use data::{DELTA_ENDS, TestKey, random_keys};
use folder::{Folder, bytes};
use multisplit::bucket::{BitWindow, Buckets, Delta, EvenBins, Hash, Identity, RangeBins, Splitters};
use multisplit::measure::Reference;

const N: usize = 3000;

/// Defines tests for every type of keys.
macro_rules! for_every_key {
    ($($test:ident)*) => {$(
        mod $test {
            for_every_key!(@types $test u8 u16 u32 u64 i8 i16 i32 i64 f32 f64);
        }
    )*};
    (@types $test:ident $($key:ident)*) => {$(
        #[test]
        fn $key() {
            super::$test::<$key>(stringify!($test), stringify!($key));
        }
    )*};
}

for_every_key!(sorts splits histograms partitions empty);

/// Values that tell where they were.
fn values() -> (Vec<f32>, Vec<i64>) {
    ((0..N).map(|i| i as f32 + 0.5).collect(), (0..N as i64).map(|i| -i << 33).collect())
}

/// A stable sort by a number.
fn order_by<T: Ord>(n: usize, number: impl Fn(usize) -> T) -> Vec<usize> {
    let mut order: Vec<usize> = (0..n).collect();
    order.sort_by_key(|&i| number(i));
    order
}

fn permute<T: Copy>(order: &[usize], column: &[T]) -> Vec<T> {
    order.iter().map(|&i| column[i]).collect()
}

fn sorts<K: TestKey>(test: &str, name: &str) {
    let (folder, keys, (floats, longs)) = (Folder::new(test, name), random_keys::<K>(N), values());
    folder.npy("keys.npy", K::DTYPE, &keys);
    folder.npy("floats.npy", "<f4", &floats);
    folder.npy("longs.npy", "<i8", &longs);
    folder.raw("keys.bin", &keys);

    let out = success(&folder.say(
        "sort @keys.npy --output @sorted.npy --argsort @index.npy --values @floats.npy --values-output @floats-sorted.npy
         --values @longs.npy --values-output @longs-sorted.npy --device cpu",
    ));
    assert!(out.contains(&format!("keys.npy: {N} {name} keys with 2 columns of values")), "{out}");
    assert!(out.contains("Sorted, smallest first, on cpu"), "{out}");
    assert!(out.contains("sorted.npy") && out.contains("index.npy") && out.contains("longs-sorted.npy"), "{out}");
    let order = order_by(N, |i| keys[i].order());
    folder.expect("sorted.npy", K::DTYPE, &permute(&order, &keys));
    folder.expect("index.npy", "<u4", &order.iter().map(|&i| i as u32).collect::<Vec<_>>());
    folder.expect("floats-sorted.npy", "<f4", &permute(&order, &floats));
    folder.expect("longs-sorted.npy", "<i8", &permute(&order, &longs));

    let out = success(&folder.say(&format!("sort @keys.bin --type {name} --output @down.npy --descending -d cpu")));
    assert!(out.contains("largest first"), "{out}");
    let order = order_by(N, |i| std::cmp::Reverse(keys[i].order()));
    folder.expect("down.npy", K::DTYPE, &permute(&order, &keys));

    success(&folder.say("sort @keys.npy --bits 2..7 --digit 4 --output @bits.bin --device cpu"));
    let order = order_by(N, |i| (keys[i].order() >> 2) & 31);
    assert_eq!(folder.read("bits.bin"), bytes(&permute(&order, &keys)));

    // In place.
    success(&folder.say(&format!("sort @keys.bin --type {name} -o @keys.bin --device cpu")));
    assert_eq!(folder.read("keys.bin"), bytes(&permute(&order_by(N, |i| keys[i].order()), &keys)));
}

fn splits<K: TestKey>(test: &str, name: &str) {
    let (folder, keys, (floats, _)) = (Folder::new(test, name), random_keys::<K>(N), values());
    folder.npy("keys.npy", K::DTYPE, &keys);
    folder.npy("floats.npy", "<f4", &floats);
    let check = |options: &str, expected: &Reference, keys: &[K]| -> String {
        let out = success(&folder.say(&format!(
            "split @keys.npy {options} -o @split.npy --values @floats.npy --values-output @moved.npy
             --offsets @offsets.npy --permutation @permutation.npy --device cpu"
        )));
        let offsets: Vec<u64> = expected.offsets.iter().map(|&offset| offset as u64).collect();
        folder.expect("offsets.npy", "<u8", &offsets);
        folder.expect("split.npy", K::DTYPE, &expected.permute(keys));
        folder.expect("moved.npy", "<f4", &expected.permute(&floats));
        folder.expect("permutation.npy", "<u4", &expected.permutation);
        out
    };
    let (smallest, largest) = K::extent(&keys);
    for m in [1, 7, 300, 70_000] {
        let expected = Reference::split(&keys, &Delta::over(smallest..largest, m).unwrap());
        let out = check(&format!("--buckets {m}"), &expected, &keys);
        assert!(out.contains(&format!("Split into {m} bucket")) && out.contains("of equal ranges from"), "{out}");
        assert!(out.contains("largest") && out.contains("smallest") && out.contains("empty"), "{out}");
        check(&format!("-b {m} --by hash --seed 5"), &Reference::split(&keys, &Hash::<K>::new(m, 5)), &keys);
    }
    let (from, to) = DELTA_ENDS;
    let f = Delta::over(K::parse(from)..K::parse(to), 10).unwrap();
    check(&format!("-b 10 --from {from} --to {to}"), &Reference::split(&keys, &f), &keys);
    let width = 8 * size_of::<K>() as u32;
    let window = |bits| Reference::split(&keys, &BitWindow::<K>::new(bits).unwrap());
    check("--by bits --bits 1..6", &window(1..6), &keys);
    check("--by bits -b 2^5", &window(width - 5..width), &keys);

    let mut splitters = random_keys::<K>(40);
    splitters.retain(|key| key.is_number());
    splitters.sort_by_key(|key| key.order());
    folder.npy("splitters.npy", K::DTYPE, &splitters);
    let expected = Reference::split(&keys, &Splitters::new(&splitters).unwrap());
    check("--splitters @splitters.npy --method block-level", &expected, &keys);

    // All in one place, and nothing to divide.
    let same = vec![keys[5]; N];
    folder.npy("keys.npy", K::DTYPE, &same);
    let out = check(
        "-b 4",
        &Reference { permutation: (0..N as u32).collect(), offsets: vec![0, N, N, N, N], out_of_range: 0 },
        &same,
    );
    assert!(out.contains("largest      bucket 0, 3000 keys") && out.contains("empty        3 buckets"), "{out}");
}

/// Keys that are numbers of buckets, by the library's function for them.
fn identity<K: TestKey, F: Buckets<Key = K>>(name: &str, make: impl Fn(u32) -> F) {
    let (folder, keys) = (Folder::new("identity", name), (0..N).map(|i| K::parse(&(i * i % 97).to_string())));
    let keys: Vec<K> = keys.collect();
    folder.npy("keys.npy", K::DTYPE, &keys);
    for m in [97, 100, 1000] {
        success(&folder.say(&format!("split @keys.npy -b {m} --by identity -o @split.npy --offsets @o.bin -d cpu")));
        let expected = Reference::split(&keys, &make(m));
        folder.expect("split.npy", K::DTYPE, &expected.permute(&keys));
        let offsets: Vec<u64> = expected.offsets.iter().map(|&offset| offset as u64).collect();
        assert_eq!(folder.read("o.bin"), bytes(&offsets));
    }
    let said = failure(&folder.say("split @keys.npy -b 96 --by identity -o @no.npy -d cpu"));
    assert!(said.contains("the keys are from 0 to 96, but the buckets of --by identity from 0 to 95"), "{said}");
    assert!(!folder.has("no.npy"));
}

#[test]
fn keys_that_are_buckets() {
    identity("u8", Identity::<u8>::new);
    identity("u16", Identity::<u16>::new);
    identity("u32", Identity::<u32>::new);
    identity("u64", Identity::<u64>::new);
    identity("i32", Identity::<i32>::new);
    identity("i64", Identity::<i64>::new);
}

fn histograms<K: TestKey>(test: &str, name: &str) {
    let (folder, keys) = (Folder::new(test, name), random_keys::<K>(N));
    folder.npy("keys.npy", K::DTYPE, &keys);
    let (from, to) = DELTA_ENDS;
    for bins in [1, 5, 64, 65, 1000] {
        let out = success(&folder.say(&format!(
            "histogram @keys.npy --bins {bins} --from {from} --to {to} --output @counts.npy --device cpu"
        )));
        let expected = Reference::histogram(&keys, &EvenBins::new(K::parse(from)..K::parse(to), bins).unwrap());
        folder.expect("counts.npy", "<u8", &expected.bins);
        let inside: u64 = expected.bins.iter().sum();
        assert!(out.contains(&format!("  inside       {inside} key")), "{out}");
        assert!(out.contains(&format!("  outside      {} key", expected.outside)), "{out}");
        assert_eq!(out.contains('#'), bins <= 64, "{out}");

        // Everything that is finite lies between the smallest and the largest.
        success(&folder.say(&format!("histogram @keys.npy --bins {bins} --output @counts.bin --device cpu")));
        let counts = folder.read("counts.bin");
        let counts: Vec<u64> = counts.chunks_exact(8).map(bytemuck::pod_read_unaligned).collect();
        assert_eq!(counts.len(), bins as usize);
        assert_eq!(counts.iter().sum::<u64>(), keys.iter().filter(|key| key.is_finite()).count() as u64);
        let (smallest, largest) = K::extent(&keys);
        // More bins than u8 has numbers leave some empty.
        if (2..=64).contains(&bins) {
            assert!(counts[0] > 0 && counts[bins as usize - 1] > 0, "{smallest:?} {largest:?} {counts:?}");
        }
    }
    let mut edges = random_keys::<K>(20);
    edges.retain(|key| key.is_number());
    edges.sort_by_key(|key| key.order());
    folder.npy("edges.npy", K::DTYPE, &edges);
    let out = success(&folder.say("histogram @keys.npy --edges @edges.npy --output @counts.npy --device cpu"));
    let expected = Reference::histogram(&keys, &RangeBins::new(&edges).unwrap());
    folder.expect("counts.npy", "<u8", &expected.bins);
    assert!(out.contains(&format!("  outside      {} key", expected.outside)), "{out}");
}

/// Bins that end beyond the largest number that the type has.
#[test]
fn bins_up_to_the_end_of_a_type() {
    fn check<K: TestKey>(name: &str, from: &str, to: &str, bins: u32, bin: impl Fn(K) -> Option<u128>) {
        let (folder, keys) = (Folder::new("to-the-end", name), random_keys::<K>(N));
        folder.npy("keys.npy", K::DTYPE, &keys);
        let options = format!("--bins {bins} --from {from} --to {to}");
        let out = success(&folder.say(&format!("histogram @keys.npy {options} -o @counts.npy -d cpu")));
        let mut expected = vec![0u64; bins as usize];
        keys.iter().filter_map(|&key| bin(key)).for_each(|bin| expected[bin as usize] += 1);
        folder.expect("counts.npy", "<u8", &expected);
        let outside = N as u64 - expected.iter().sum::<u64>();
        assert!(out.contains(&format!("from {from} to {to}")), "{out}");
        assert!(out.contains(&format!("outside      {outside} key")), "{out}");
    }
    check::<u8>("u8", "0", "256", 256, |key| Some(key.into()));
    check::<u8>("u8", "100", "256", 7, |key| Some(u128::from(key.checked_sub(100)?) * 7 / 156));
    check::<u16>("u16", "0", "65536", 16, |key| Some(u128::from(key) * 16 / 65536));
    check::<u32>("u32", "1", "4294967296", 10, |key| Some(u128::from(key.checked_sub(1)?) * 10 / 0xffff_ffff));
    check::<u64>("u64", "0", "18446744073709551616", 100, |key| Some((u128::from(key) * 100) >> 64));
    check::<i32>("i32", "-2147483648", "2147483648", 3, |key| Some(((i64::from(key) + (1 << 31)) as u128 * 3) >> 32));
    check::<i64>("i64", "0", "9223372036854775808", 6, |key| (key >= 0).then(|| (key as u128 * 6) >> 63));
}

fn partitions<K: TestKey>(test: &str, name: &str) {
    let (folder, keys, (floats, longs)) = (Folder::new(test, name), random_keys::<K>(N), values());
    folder.npy("keys.npy", K::DTYPE, &keys);
    folder.npy("floats.npy", "<f4", &floats);
    folder.raw("longs.raw", &longs);
    let moved = "--values @floats.npy --values-output @f.npy --values @longs.raw --values-output @l.raw --device cpu";
    let (first, second) = DELTA_ENDS;
    let bounds = [K::parse(first), K::parse(second)];
    let expected = Reference::split(&keys, &Splitters::new(&bounds[..1]).unwrap());
    let two = format!("partition @keys.npy --below {first}");
    let out = success(&folder.say(&format!("{two} --output @parts.npy --offsets @offsets.npy {moved}")));
    folder.expect("parts.npy", K::DTYPE, &expected.permute(&keys));
    folder.expect("f.npy", "<f4", &expected.permute(&floats));
    assert_eq!(folder.read("l.raw"), bytes(&expected.permute(&longs)));
    let kept = expected.offsets[1];
    folder.expect("offsets.npy", "<u8", &[0, kept as u64, N as u64]);
    assert!(
        out.contains(&format!("Parted below {first}")) && out.contains(&format!("below        {kept} key")),
        "{out}"
    );

    let out = success(&folder.say(&format!("{two} --select --output @parts.npy --permutation @index.npy {moved}")));
    folder.expect("parts.npy", K::DTYPE, &expected.permute(&keys)[..kept]);
    folder.expect("index.npy", "<u4", &expected.permutation[..kept]);
    folder.expect("f.npy", "<f4", &expected.permute(&floats)[..kept]);
    assert!(out.contains(&format!("left out     {} key", N - kept)), "{out}");

    let expected = Reference::split(&keys, &Splitters::new(&bounds).unwrap());
    let out = success(&folder.say(&format!("{two} --and-below {second} --output @parts.npy {moved}")));
    folder.expect("parts.npy", K::DTYPE, &expected.permute(&keys));
    let between = expected.offsets[2] - expected.offsets[1];
    assert!(out.contains(&format!("then below   {between} key")), "{out}");
}

fn empty<K: TestKey>(test: &str, name: &str) {
    let folder = Folder::new(test, name);
    folder.npy::<K>("keys.npy", K::DTYPE, &[]);
    folder.npy::<K>("some.npy", K::DTYPE, &[K::parse("1"), K::parse("2")]);
    folder.raw::<K>("keys.bin", &[]);
    let values = "--values @keys.bin --values-output @v.bin --device cpu";
    for (command, results) in [
        ("sort @keys.npy -o @out.npy --argsort @p.npy", 2),
        ("sort @keys.npy -o @out.npy --bits 0..3 --descending", 1),
        ("split @keys.npy -o @out.npy -b 300 --permutation @p.npy", 2),
        ("split @keys.npy -o @out.npy -b 3 --by hash", 1),
        ("split @keys.npy -o @out.npy -b 4 --by bits", 1),
        ("split @keys.npy -o @out.npy --splitters @some.npy", 1),
        ("split @keys.npy -o @out.npy --splitters @keys.npy", 1),
        ("partition @keys.npy -o @out.npy --below 5", 1),
        ("partition @keys.npy -o @out.npy --below 5 --select --permutation @p.npy", 2),
    ] {
        success(&folder.say(&format!("{command} {values}")));
        folder.expect::<K>("out.npy", K::DTYPE, &[]);
        if results > 1 {
            folder.expect::<u32>("p.npy", "<u4", &[]);
        }
        assert!(folder.read("v.bin").is_empty());
    }
    success(&folder.say("histogram @keys.npy --bins 3 --output @counts.npy --device cpu"));
    folder.expect::<u64>("counts.npy", "<u8", &[0, 0, 0]);
    success(&folder.say("histogram @keys.npy --edges @some.npy --output @counts.npy --device cpu"));
    folder.expect::<u64>("counts.npy", "<u8", &[0]);
}

/// On a GPU, which may be one of software, where there is one.
#[test]
fn on_a_gpu() {
    let Some(name) = &gpu() else { return };
    let folder = Folder::new("gpu", "files");
    // Bytes, though such a device may have none.
    let (bytes, floats) = (random_keys::<u8>(N), random_keys::<f32>(N));
    folder.npy("bytes.npy", "|u1", &bytes);
    folder.npy("floats.npy", "<f4", &floats);
    let out = success(&folder.say(&format!(
        "sort @bytes.npy -o @sorted.npy --values @floats.npy --values-output @moved.npy --device {name}"
    )));
    assert!(out.contains(&format!("on {name}")), "{out}");
    let order = order_by(N, |i| bytes[i]);
    folder.expect("sorted.npy", "|u1", &permute(&order, &bytes));
    folder.expect("moved.npy", "<f4", &permute(&order, &floats));

    let (smallest, largest) = f32::extent(&floats);
    let expected = Reference::split(&floats, &Delta::over(smallest..largest, 20).unwrap());
    success(&folder.say(&format!("split @floats.npy -b 20 -o @split.npy --permutation @p.npy --device {name}")));
    folder.expect("split.npy", "<f4", &expected.permute(&floats));
    folder.expect("p.npy", "<u4", &expected.permutation);

    success(&folder.say(&format!("histogram @bytes.npy --bins 16 --from 0 --to 256 -o @c.npy --device {name}")));
    let mut counts = [0u64; 16];
    bytes.iter().for_each(|&key| counts[usize::from(key) / 16] += 1);
    folder.expect("c.npy", "<u8", &counts);

    success(&folder.say(&format!("partition @floats.npy --below 0 --select -o @below.npy --device {name}")));
    let below: Vec<f32> = floats.iter().copied().filter(|&key| key < 0.0).collect();
    folder.expect("below.npy", "<f4", &below);
}
