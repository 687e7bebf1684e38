//! Data that is larger than the memory that a command may take: the same results, in pieces.

mod errors;
mod text_rows;

use super::data::{TestKey, random_keys};
use super::folder::{Folder, bytes};
use super::{N, values};
use crate::program::{failure, piped, success, text};

/// Memory for some dozens of rows.
const LITTLE: &str = "--memory 4KiB";

/// What a command says without its time and without names of files.
fn report(said: &str) -> Vec<&str> {
    said.lines().filter(|line| !line.starts_with("  time") && !line.contains('/')).collect()
}

/// That a command writes the same files with little memory as with much, and says the same. Its outputs begin with `~`.
fn same(folder: &Folder, arguments: &str) {
    same_with(folder, arguments, LITTLE);
}

fn same_with(folder: &Folder, arguments: &str, little: &str) {
    let say = |name: &str, memory: &str| {
        success(&folder.say(&format!("{} {memory} -d cpu", arguments.replace('~', &format!("@{name}-")))))
    };
    let (whole, pieces) = (say("whole", ""), say("pieces", little));
    assert_eq!(report(&whole), report(&pieces), "{arguments}");
    let names = folder.names();
    let outputs: Vec<&str> = names.iter().filter_map(|name| name.strip_prefix("whole-")).collect();
    assert!(!outputs.is_empty(), "{arguments}");
    for name in outputs {
        let [whole, pieces] = ["whole", "pieces"].map(|which| folder.contents(&format!("{which}-{name}")));
        assert!(whole == pieces, "{arguments}: {name}");
    }
    assert!(names.iter().all(|name| !name.ends_with(".tmp")), "{names:?}");
    folder.clear(&["whole-", "pieces-"]);
}

fn keys_of<K: TestKey>(name: &str) -> Folder {
    let (folder, keys, (floats, longs)) = (Folder::new("large", name), random_keys::<K>(N), values());
    folder.npy("keys.npy", K::DTYPE, &keys);
    folder.npy("floats.npy", "<f4", &floats);
    folder.raw("longs.bin", &longs);
    folder.raw("bytes.bin", &(0..N).map(|i| i as u8).collect::<Vec<_>>());
    folder
}

const VALUES: &str = "--values @floats.npy --values-output ~f.npy --values @longs.bin --values-output ~l.bin
                      --values @bytes.bin --values-output ~b.txt";

fn check<K: TestKey>(name: &str) {
    let folder = keys_of::<K>(name);
    same(&folder, &format!("sort @keys.npy -o ~s.npy --permutation ~p.npy {VALUES}"));
    same(&folder, "sort @keys.npy -o ~s.csv --descending --permutation ~p.bin");
    same(&folder, "sort @keys.npy --bits 2..7 -o ~s.bin");
    same(&folder, &format!("split @keys.npy -b 7 -o ~s.npy --offsets ~o.npy --permutation ~p.npy {VALUES}"));
    same(&folder, "split @keys.npy -b 300 --by hash -o ~s.txt --offsets ~o.csv");
    same(&folder, "split @keys.npy -b 9 --by quantiles -o ~s.bin --splitters-output ~t.npy");
    same(&folder, "histogram @keys.npy -o ~c.npy --svg ~c.svg");
    same(&folder, "histogram @keys.npy -b 7 --from 20 --to 90 -o ~c.npy --edges-output ~e.npy");
    same(&folder, "partition @keys.npy --below 20 --select -o ~s.npy --permutation ~p.npy");
}

#[test]
fn u8s() {
    check::<u8>("u8");
}

#[test]
fn i16s() {
    check::<i16>("i16");
}

#[test]
fn u64s() {
    check::<u64>("u64");
}

#[test]
fn f32s() {
    check::<f32>("f32");
}

#[test]
fn rules_and_bins() {
    let folder = keys_of::<u32>("rules");
    folder.raw("table.csv", b"key,bucket\n0,1\n1,2\n5,2\n");
    folder.npy("between.npy", "<u4", &[7u32, 40, 90]);
    for options in [
        "-b 70000",
        "--by bits --bits 3..6",
        "--by bits -b 2^4",
        "--splitters @between.npy",
        "--table @table.csv --otherwise 0",
        "--expression key%7",
        "--expression key<20?0:key%3 --buckets 5",
        "-b 3 --from 20 --to 90",
    ] {
        same(&folder, &format!("split @keys.npy {options} -o ~s.npy --permutation ~p.npy"));
    }
    same(&folder, "split @keys.npy -b 5 --output-dir ~parts --values @floats.npy");
    same(&folder, "split @keys.npy -b 5 --output-dir ~parts --output-format txt");
    same(&folder, "partition @keys.npy --below 20 --and-below 90 -o ~s.npy --offsets ~o.npy");
    same(&folder, "histogram @keys.npy --bins 1000 --from 10 --to 95 -o ~c.bin");
    same(&folder, "histogram @keys.npy --edges @between.npy -o ~c.bin");
    same(&folder, "sort @keys.npy --bits 0..0 -o ~s.npy");
    let floats = keys_of::<f32>("nan");
    same(&floats, "sort @keys.npy -o ~s.npy --nan last --permutation ~p.npy");
    same(&floats, "sort @keys.npy -o ~s.npy --nan last --descending");
    same(&floats, "sort @keys.npy -o ~s.npy --nan first");
}

/// Keys of which too many are equal for a bucket to fit, and keys that samples know little of.
#[test]
fn keys_of_every_distribution() {
    let folder = Folder::new("large", "distributions");
    let check = |keys: &[u64]| {
        folder.npy("keys.npy", "<u8", keys);
        same(&folder, "sort @keys.npy -o ~s.npy --permutation ~p.npy");
        same(&folder, "sort @keys.npy -o ~s.npy --permutation ~p.npy --descending");
    };
    check(&[7; 2000]);
    check(&(0..2000).map(|i| if i % 100 == 63 { i } else { u64::MAX }).collect::<Vec<_>>());
    check(&(0..2000).rev().collect::<Vec<_>>());
    check(&(0..2000).map(|i| 1 << (i % 64)).collect::<Vec<_>>());
    check(&(0..2000).map(|i| if i == 1999 { 0 } else { 5 << 60 }).collect::<Vec<_>>());
}

#[test]
fn pipes_and_archives() {
    let folder = keys_of::<u32>("pipes");
    let keys = folder.read("keys.npy");
    success(&folder.say("sort @keys.npy -o @sorted.npy -d cpu"));
    let sorted = piped(&format!("sort - -o - -d cpu {LITTLE}"), &keys);
    assert!(sorted.status.success(), "{}", text(&sorted.stderr));
    assert!(sorted.stdout == folder.read("sorted.npy"));
    success(&folder.say("sort @keys.npy -o @keys.npz -d cpu --descending"));
    success(&folder.say(&format!("sort @keys.npz -o @again.npy -d cpu {LITTLE}")));
    assert!(folder.read("again.npy") == sorted.stdout);
    // In place.
    success(&folder.say(&format!("sort @keys.npy -o @keys.npy -d cpu {LITTLE}")));
    assert!(folder.read("keys.npy") == sorted.stdout);
    // Values may come through a pipe too, if they fit.
    let out =
        piped(&folder.say("sort @sorted.npy --descending -o @down.npy --values - --values-output - -d cpu"), &keys);
    assert!(out.status.success() && out.stdout.len() == keys.len(), "{}", text(&out.stderr));
    let raw = bytes(&random_keys::<u32>(N));
    let said = text(&piped(&format!("histogram - --type u32 --bins 3 -d cpu {LITTLE}"), &raw).stdout);
    assert!(said.starts_with(&format!("standard input: {N} u32 keys")), "{said}");
}

/// Text is counted in pieces. What its columns have may only show late.
#[test]
fn counts_of_text() {
    let folder = Folder::new("large", "text");
    let check = |column: &str, row: &dyn Fn(usize) -> String| {
        let rows: String = (0..N).map(|i| format!("{},\"a \"\"quoted\"\"\n, {i}\"\r\n", row(i))).collect();
        folder.raw("rows.csv", format!("\u{feff}{column},text\n{rows}\n").as_bytes());
        same_with(&folder, &format!("histogram @rows.csv --column {column} -o ~c.csv"), "--memory 64K");
    };
    check("whole", &|i| (i * i % 1000).to_string());
    check("real", &|i| if i == N - 1 { "0.5".into() } else { i.to_string() });
    check("large", &|i| if i == N / 2 { u64::MAX.to_string() } else { i.to_string() });
    check("date", &|i| format!("2024-02-{:02}", 1 + i % 28));
    check("name", &|i| format!("name {}", i % 50));
    for (row, message) in [
        ("x,1", "line 3002, column 'n': 'x' is not a key of type i64"),
        ("1", "line 3002: the row has 1 field, but the first line has 2"),
        ("1,\"2", "line 3002: the quoted field that begins here does not end"),
    ] {
        let rows: String = (0..N).map(|i| format!("{i},1\n")).collect();
        folder.raw("bad.csv", format!("n,m\n{rows}{row}\n").as_bytes());
        for memory in ["", "--memory 64K"] {
            let said = failure(&folder.say(&format!("histogram @bad.csv --column n -o @no.csv {memory} -d cpu")));
            assert!(said.contains(message), "{said}");
        }
    }
    assert!(!folder.has("no.csv"));
}

/// Small keys take room as small in pieces, also where there is memory for all.
#[test]
fn many_small_keys() {
    let folder = Folder::new("large", "small");
    let keys: Vec<u8> = (0..1u32 << 20).map(|i| (i.wrapping_mul(0x9e37_79b9) >> 24) as u8).collect();
    folder.npy("keys.npy", "|u1", &keys);
    success(&folder.say("sort @keys.npy -o @sorted.npy -d cpu"));
    let mut sorted = keys.clone();
    sorted.sort_unstable();
    folder.expect("sorted.npy", "|u1", &sorted);
    // An archive is written as a whole.
    success(&folder.say("sort @keys.npy -o @sorted.npz -d cpu"));
    assert!(folder.read("sorted.npz").windows(4).any(|window| window == [255; 4]));
}
