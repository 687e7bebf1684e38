//! Buckets that an expression computes.

use super::archives::archive;
use super::data::{TestKey, random_keys};
use super::folder::{Folder, npy};
use super::{order_by, permute};
use crate::program::{code_and_notes, gpu, piped, success, text};
use bytemuck::Pod;

const N: usize = 2000;

/// Splits keys by an expression, and compares everything that is written with what the buckets say.
fn check<K: TestKey + Pod>(name: &str, expression: &str, buckets: usize, bucket: impl Fn(K) -> usize) {
    let (folder, keys) = (Folder::new("expressions", name), random_keys::<K>(N));
    let rows: Vec<u64> = (0..N as u64).collect();
    folder.npy("keys.npy", K::DTYPE, &keys);
    folder.npy("rows.npy", "<u8", &rows);
    let out = success(&folder.say(&format!(
        "split @keys.npy --expression {expression} -o @split.npy --values @rows.npy --values-output @moved.npy
         --offsets @offsets.npy --permutation @where.npy -d cpu"
    )));
    assert!(out.contains(&format!("Split into {buckets} buckets by {expression}, on cpu")), "{out}");
    let order = order_by(N, |i| bucket(keys[i]));
    folder.expect("split.npy", K::DTYPE, &permute(&order, &keys));
    folder.expect("moved.npy", "<u8", &permute(&order, &rows));
    folder.expect("where.npy", "<u4", &order.iter().map(|&i| i as u32).collect::<Vec<_>>());
    let begin = |b: usize| keys.iter().filter(|&&key| bucket(key) < b).count() as u64;
    folder.expect("offsets.npy", "<u8", &(0..=buckets).map(begin).collect::<Vec<_>>());
}

macro_rules! whole {
    ($($key:ident)*) => {$(
        #[test]
        fn $key() {
            let name = stringify!($key);
            check::<$key>(name, "key%7", 7, |key| i128::from(key).rem_euclid(7) as usize);
            check::<$key>(name, "key<20?0:key<90?1:2", 3, |key| usize::from(key >= 20) + usize::from(key >= 90));
        }
    )*};
}

whole!(u8 i8 u16 i16 u32 i32 u64 i64);

#[test]
fn floats() {
    let bucket = |key: f64| if key.is_nan() { 3 } else { usize::from(key >= 20.0) + usize::from(key >= 90.5) };
    let expression = "is_nan(key)?3:key<20?0:key<90.5?1:2";
    check::<f32>("f32", expression, 4, |key| bucket(key.into()));
    check::<f64>("f64", expression, 4, bucket);
}

/// Types that are not those of the library's keys, by their bits.
#[test]
fn other_types() {
    let folder = Folder::new("expressions", "others");
    let offsets = |name: &str, dtype: &str, bits: &[u8], n: usize, expression: &str| {
        folder.raw(name, &npy(dtype, &format!("({n},)"), bits));
        let options = format!("--expression {expression} --offsets @o.txt -d cpu");
        success(&folder.say(&format!("split @{name} {options}")));
        text(&folder.read("o.txt")).split_whitespace().map(str::to_string).collect::<Vec<_>>()
    };
    assert_eq!(offsets("bool.npy", "|b1", &[1, 0, 1], 3, "key?2:0"), ["0", "1", "1", "3"]);
    // 1.5 and -2 of 16 bits.
    assert_eq!(offsets("half.npy", "<f2", &[0, 0x3e, 0, 0xc0], 2, "key>0"), ["0", "1", "2"]);
    let days = [0i64, 31].map(i64::to_le_bytes).concat();
    assert_eq!(offsets("days.npy", "<M8[D]", &days, 2, "key/31"), ["0", "1", "2"]);
    let names = b"ab\0abcab\0";
    let found = offsets("names.npy", "|S3", names, 3, "hash(key)%2==hash(key,0)%2?0:1");
    assert_eq!(found, ["0", "3"]);
}

const PEOPLE: &str =
    "name,age,height in cm,score\nAnn,31,170,1.5\n\"Bob, Jr.\",7,120,-2\nCleo,31,165,1e3\nDan,40,180,0\n";

#[test]
fn rows_of_text_by_any_of_their_columns() {
    let folder = Folder::new("expressions", "text");
    folder.raw("people.csv", PEOPLE.as_bytes());
    let rows: Vec<&str> = PEOPLE.lines().collect();
    let lines = |order: &[usize]| order.iter().map(|&i| format!("{}\n", rows[i])).collect::<String>();
    for (arguments, order) in [
        // The keys are the first column that is named.
        ("--expression age<18?0:1", [0, 2, 1, 3, 4]),
        ("--expression i64(score)%4", [0, 3, 4, 1, 2]),
        ("--expression [4]>0?0:1", [0, 1, 3, 2, 4]),
        ("--expression age>30&&score>0?0:score==0?1:2 --column name", [0, 1, 3, 4, 2]),
        ("--expression key%2+(score<0) --column age --buckets 9", [0, 4, 1, 3, 2]),
        ("--expression key%2+(age<20) --column 2", [0, 4, 1, 3, 2]),
        ("--expression hash(name)==hash(key)?0:1 --column name", [0, 1, 2, 3, 4]),
    ] {
        success(&folder.say(&format!("split @people.csv {arguments} -o @out.csv -d cpu")));
        assert_eq!(text(&folder.read("out.csv")), lines(&order), "{arguments}");
    }
    let out = piped("split - --expression height<3 -o - -d cpu", PEOPLE.as_bytes());
    assert!(text(&out.stderr).contains("standard input: there is no column 'height'"), "{}", text(&out.stderr));
    let out = piped("split - --expression age<18?0:score>0?1:2 -o - -d cpu", PEOPLE.as_bytes());
    assert_eq!(text(&out.stdout), lines(&[0, 2, 1, 3, 4]));

    success(&folder.say("split @people.csv --expression age/20 --output-dir @parts -d cpu"));
    assert_eq!(text(&folder.read("parts/bucket-1.csv")), lines(&[0, 1, 3]));
    assert_eq!(text(&folder.read("parts/bucket-2.csv")), lines(&[0, 4]));

    // Without names, columns have numbers.
    folder.raw("plain.csv", b"1,9\n2,8\n3,9\n");
    success(&folder.say("split @plain.csv --expression [2]==9?1:0 --column 1 -o @out.csv -d cpu"));
    assert_eq!(text(&folder.read("out.csv")), "2,8\n1,9\n3,9\n");
}

#[test]
fn arrays_of_an_archive() {
    let folder = Folder::new("expressions", "archives");
    let keys = npy("<u4", "(3,)", &[3, 0, 0, 0, 1, 0, 0, 0, 2, 0, 0, 0]);
    let (more, short) = (npy("|i1", "(3,)", &[255, 1, 255]), npy("|i1", "(2,)", &[1, 2]));
    let all = archive(&[("x.npy", &keys, true), ("more.npy", &more, false), ("short.npy", &short, true)]);
    folder.raw("all.npz", &all);
    for arguments in ["--expression x<3&&more<0?0:1", "--column x --expression more<0&&key!=3?0:1"] {
        success(&folder.say(&format!("split @all.npz {arguments} -o @out.npy -d cpu")));
        folder.expect("out.npy", "<u4", &[2u32, 3, 1]);
    }
    let (code, said) = code_and_notes(&folder.say("split @all.npz --expression x+short -o @no.npy -d cpu"));
    assert!(code == Some(1) && said.contains("array 'short' has 2 elements, but 'x' has 3"), "{said}");
}

/// 2 for mistakes in the text, 1 for what the data does not allow.
#[test]
fn mistakes() {
    let folder = Folder::new("expressions", "mistakes");
    folder.npy("keys.npy", "<u4", &[3u32, 1, 2]);
    folder.npy("longs.npy", "<u8", &[3u64, 1 << 40, 2]);
    folder.raw("people.csv", PEOPLE.as_bytes());
    folder.raw("plain.csv", b"1,9\n2,8\n");
    let before = folder.names();
    for (arguments, code, message) in [
        (
            "@keys.npy --expression key%",
            2,
            "--expression: expected a value, found the end, at column 5\n  key%\n      ^",
        ),
        ("@keys.npy --expression key%%7", 2, "expected a value, found '%', at column 5\n  key%%7\n      ^"),
        ("@keys.npy --expression popcnt(key)", 2, "there is no function 'popcnt'; did you mean 'popcount'?"),
        ("@keys.npy --expression 1<<64", 2, "--expression: the result is beyond all whole numbers"),
        ("@keys.npy --expression 3+key%0", 2, "--expression: division by 0, at column 3\n  3+key%0\n    ^^^^^"),
        ("@none.npy --expression key<0?1:quot(key,0)", 2, "division by 0, at column 9"),
        ("@keys.npy --expression key --by hash", 2, "cannot be used with"),
        ("@keys.npy --expression key --table @keys.npy", 2, "cannot be used with"),
        ("@keys.npy --expression key --splitters @keys.npy", 2, "cannot be used with"),
        ("@keys.npy --expression key --seed 3", 2, "cannot be used with"),
        ("@keys.npy --expression key --buckets 0", 2, "--buckets 0 is out of range"),
        ("@keys.npy --expression key --splitters-output @s.npy", 2, "--splitters-output is for --by delta"),
        ("@keys.npy --expression other%3", 1, "keys.npy: a column is named, but this file has one alone"),
        ("@keys.npy --expression key+other", 1, "keys.npy: a column is named, but this file has one alone"),
        ("@keys.npy --expression key?1:0", 1, "a condition is true or false, but this is u32; compare it"),
        (
            "@keys.npy --expression key --buckets 3",
            1,
            "--expression: row 0, counted from 0 (key = 3): the bucket is 3, but buckets are whole numbers from 0 to 2",
        ),
        ("@keys.npy --expression key-2", 1, "row 1, counted from 0 (key = 1): the bucket is 4294967295, but"),
        ("@keys.npy --expression i32(key)-2", 1, "row 1, counted from 0 (key = 1): the bucket is -1, but"),
        ("@keys.npy --expression 6/(key-1)", 1, "(key = 1): division by 0, at column 1\n  6/(key-1)\n  ^^^^^^^^^"),
        (
            "@longs.npy --expression key",
            1,
            "the bucket is 1099511627776, but buckets are whole numbers from 0 to 16777215",
        ),
        ("@longs.npy --expression key-i64(3)", 1, "no whole numbers include those of u64 and of i64; convert one"),
        ("@people.csv --expression scor>0", 1, "there is no column 'scor'; there are 1 (name), 2 (age)"),
        ("@people.csv --expression key%2", 1, "which column, --column NAME or NUMBER?"),
        ("@people.csv --expression name", 1, "a string is no number of a bucket; hash it, as in hash(name) % 16"),
        ("@people.csv --expression score", 1, "row 0, counted from 0 (score = 1.5): the bucket is 1.5, but"),
        ("@plain.csv --expression 3*x --column 1", 1, "there is no column 'x': those of this file have no names"),
    ] {
        let (found, said) = code_and_notes(&folder.say(&format!("split {arguments} -o @out.npy -d cpu")));
        assert!(said.contains(message), "{arguments}: {said}");
        assert_eq!(found, Some(code), "{arguments}: {said}");
        assert_eq!(folder.names(), before, "{arguments}");
    }
}

#[test]
fn on_a_gpu() {
    let Some(name) = &gpu() else { return };
    let (folder, keys) = (Folder::new("expressions", "gpu"), random_keys::<u32>(N));
    folder.npy("keys.npy", "<u4", &keys);
    success(&folder.say(&format!("split @keys.npy --expression popcount(key>>4) -o @split.npy --device {name}")));
    let order = order_by(N, |i| (keys[i] >> 4).count_ones());
    folder.expect("split.npy", "<u4", &permute(&order, &keys));
}
