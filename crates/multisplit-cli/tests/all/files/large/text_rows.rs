//! Rows of text that is larger than memory go with their keys.

use super::{LITTLE, same, same_with};
use crate::files::folder::{Folder, bytes};
use crate::program::{failure, piped, success, text};

/// Rows of a file.
const ROWS: usize = 250;

/// A number for each row, of which many are equal.
fn number(i: usize) -> usize {
    i * i * 7919 % 293
}

/// A text with a column of keys, beside one that has quotes, delimiters and line ends.
fn rows_of(folder: &Folder, header: &str, end: &str, key: &dyn Fn(usize) -> String) {
    let rows = (0..ROWS).map(|i| format!("{},\"a \"\"quoted\"\"\n, {i}\"{end}", key(i)));
    folder.raw("rows.csv", format!("{header}{}", rows.collect::<String>()).as_bytes());
}

/// A column that can be sorted.
fn check(folder: &Folder, header: &str, end: &str, key: &dyn Fn(usize) -> String) {
    rows_of(folder, header, end, key);
    same(folder, "sort @rows.csv --column 1 -o ~s.tsv --permutation ~p.npy");
    same(folder, "split @rows.csv --column 1 -b 7 -o ~s.csv --offsets ~o.npy --output-dir ~parts");
}

#[test]
fn keys_of_every_kind() {
    let folder = Folder::new("large", "text-kinds");
    check(&folder, "key,text\n", "\n", &|i| number(i).to_string());
    // The type shows late: that of the last row, or of one in the middle.
    check(&folder, "", "\r\n", &|i| if i == ROWS - 1 { "-0.5".into() } else { number(i).to_string() });
    check(&folder, "\u{feff}key,text\r\n", "\r\n\n", &|i| {
        if i == ROWS / 2 { u64::MAX.to_string() } else { number(i).to_string() }
    });
}

#[test]
fn dates_and_floats() {
    let folder = Folder::new("large", "text-floats");
    check(&folder, "day,what\n", "\n", &|i| format!("2024-{:02}-{:02}", 1 + i % 12, 1 + number(i) % 28));
    check(&folder, "yes,what\n", "\n", &|i| (number(i) % 3 == 0).to_string());
    let float = |i: usize| ["nan", "-nan", "inf", "-inf", "-0.0", "0"].get(number(i)).map(|key| key.to_string());
    check(&folder, "1.5,x\n", "\n", &|i| float(i).unwrap_or_else(|| format!("{}.25", number(i))));
    for nan in ["first", "last"] {
        same(&folder, &format!("sort @rows.csv --column 1 --nan {nan} -o ~s.csv"));
    }
}

#[test]
fn options_of_sorts() {
    all_same(&[
        "sort --bits 2..7 -o ~s.csv",
        "sort --descending -o ~s.csv",
        "sort --type u16 -o ~s.csv",
        "sort --type decimal1 -o ~s.csv",
        // Keys without their rows.
        "sort -o ~s.npy --permutation ~p.csv",
        "sort --permutation ~p.npy",
        "sort -o ~s.txt --values @more.bin --values-output ~v.txt",
    ]);
}

#[test]
fn rules_of_splits() {
    all_same(&[
        "split -b 5 -o ~s.npy --output-dir ~parts --values @more.bin --values-output ~v.bin",
        "split -b 9 --by quantiles -o ~s.csv --splitters-output ~t.npy",
        "split -b 300 --by hash --output-dir ~parts --output-format tsv",
        "split --expression key%3*(key<200?1:4) -o ~s.csv",
        "split --expression key<99?0:1+hash(text)%7 -o ~s.csv --output-dir ~parts",
        "split -b 300 --by identity -o ~s.csv",
        "partition --below 20 --select -o ~s.csv --permutation ~p.npy",
        "partition --below 1000 --select -o ~s.csv",
        "partition --below 20 --and-below 20 -o ~s.csv",
        // Strings have no order, but buckets.
        "split --column text -b 5 --by hash -o ~s.csv --output-dir ~parts --permutation ~p.npy",
    ]);
}

/// Commands with the same rows.
fn all_same(commands: &[&str]) {
    let folder = Folder::new("large", "text-rules");
    rows_of(&folder, "key,text\n", "\n", &|i| number(i).to_string());
    folder.raw("more.bin", &(0..ROWS as u64).collect::<Vec<_>>());
    for options in commands {
        let (command, options) = options.split_once(' ').unwrap();
        let column = if options.contains("--column") { "" } else { "--column key" };
        same(&folder, &format!("{command} @rows.csv {column} {options}"));
    }
}

/// All rows in one bucket or in the last one, and rows of every size.
#[test]
fn rows_of_every_size() {
    let folder = Folder::new("large", "text-sizes");
    let check = |key: &dyn Fn(usize) -> String| {
        rows_of(&folder, "key,text\n", "\n", key);
        same(&folder, "sort @rows.csv --column key -o ~s.csv");
        same(&folder, "split @rows.csv --column key -b 11 --from 0 --to 99 --output-dir ~parts");
    };
    check(&|_| "7".into());
    check(&|i| if i == 5 { "0".into() } else { "98".into() });
    // Rows that are larger than a piece, and than all that may be held; and no line end at the end.
    let rows: Vec<String> = (0..60).map(|i| format!("{},{}", 60 - i, "x".repeat(i * i * 3))).collect();
    folder.raw("rows.csv", rows.join("\n").as_bytes());
    same(&folder, "sort @rows.csv --column 1 --header no -o ~s.csv");
    same(&folder, "split @rows.csv --column 1 -b 7 --output-dir ~parts");
    // One column, and short lines.
    folder.raw("lines.txt", (0..3000).map(|i| format!("{}\n", number(i) % 10)).collect::<String>().as_bytes());
    same(&folder, "sort @lines.txt -o ~s.txt");
    same(&folder, "sort @lines.txt -o ~s.csv --descending --output-format csv");
    // Carriage returns that belong to a row.
    folder.raw("returns.csv", (0..500).map(|i| format!("{},x\r\r\n\r\n", i % 7)).collect::<String>().as_bytes());
    same(&folder, "sort @returns.csv --column 1 -o ~s.csv");
    // A header alone, longer than all that may be held.
    folder.raw("head.csv", format!("key,{}\n", "x".repeat(9000)).as_bytes());
    same_with(&folder, "sort @head.csv --column key -o ~s.csv", "--memory 8KiB");
}

#[test]
fn rows_without_a_key() {
    let folder = Folder::new("large", "text-nulls");
    // None of the first pieces has a key. Other columns are empty where the keys are.
    let key = |i: usize| if i < 60 || i % 7 == 0 { String::new() } else { number(i).to_string() };
    let other = |i: usize| if i % 7 == 0 { "\"\"".into() } else { format!("{}.5", i % 9) };
    let rows: String = (0..ROWS).map(|i| format!("row {i},{},{}\n", key(i), other(i))).collect();
    folder.raw("rows.csv", format!("row,key,other\n{rows}").as_bytes());
    for options in [
        "sort --null first -o ~s.csv --permutation ~p.npy",
        "sort --null last --descending -o ~s.csv --permutation ~p.npy",
        "sort --null drop -o ~s.npy --permutation ~p.csv",
        "sort --null last --permutation ~p.npy",
        "split --null drop -b 5 -o ~s.csv --output-dir ~parts --offsets ~o.npy --permutation ~p.npy",
        "split --null drop --expression key<200?u32(other):9+hash(row)%3 -o ~s.csv --output-dir ~parts",
        "partition --null drop --below 100 --select -o ~s.csv",
        "histogram --null drop --bins 9 -o ~c.npy",
    ] {
        let (command, options) = options.split_once(' ').unwrap();
        same(&folder, &format!("{command} @rows.csv --column key {options}"));
    }
    folder.raw("rows.csv", format!("row,key\n{}", "a row,\n".repeat(500)).as_bytes());
    same(&folder, "sort @rows.csv --column key --null first -o ~s.csv --permutation ~p.npy");
}

#[test]
fn pipes() {
    let folder = Folder::new("large", "text-pipes");
    let lines: String = (0..2000).map(|i| format!("{},row {i}\n", number(i))).collect();
    let whole = piped("sort - --column 1 -o - -d cpu", lines.as_bytes());
    assert!(whole.status.success(), "{}", text(&whole.stderr));
    // More than is kept in memory, and less than that.
    for memory in ["4KiB", "100KiB"] {
        let out = piped(&format!("sort - --column 1 -o - -d cpu --memory {memory}"), lines.as_bytes());
        assert!(out.status.success() && out.stdout == whole.stdout, "{}", text(&out.stderr));
    }
    // In place.
    folder.raw("rows.csv", lines.as_bytes());
    success(&folder.say(&format!("sort @rows.csv --column 1 -o @rows.csv -d cpu {LITTLE}")));
    assert!(folder.read("rows.csv") == whole.stdout);
}

#[test]
fn what_is_wrong_with_text() {
    let folder = Folder::new("large", "text-errors");
    let rows: String = (0..1000).map(|i| format!("{i},1\n")).collect();
    folder.raw("good.csv", format!("n,m\n{rows}").as_bytes());
    folder.raw("names.csv", format!("n,m\n{}", rows.replace(",1", ",one")).as_bytes());
    folder.raw("gaps.csv", format!("n,m\n{rows},one\n").as_bytes());
    folder.raw("short.bin", &bytes(&[1u64, 2]));
    folder.raw("out.csv", b"old");
    let refused = |arguments: &str, message: &str, always: bool| {
        for memory in ["", LITTLE].into_iter().skip(usize::from(!always)) {
            let said = failure(&folder.say(&format!("{arguments} -d cpu {memory}")));
            assert!(said.contains(message), "{arguments} {memory}: {said}");
        }
    };
    for (row, message) in [
        ("x,1", "line 1002, column 'n': 'x' is not a key of type i64"),
        (",1", "line 1002, column 'n': the field is empty, but must be a key of type i64"),
        ("1", "line 1002: the row has 1 field, but the first line has 2"),
        ("1,\"2", "line 1002: the quoted field that begins here does not end"),
    ] {
        folder.raw("bad.csv", format!("n,m\n{rows}{row}\n5,6\n").as_bytes());
        let before = folder.names();
        refused("sort @bad.csv --column n -o @out.csv", &format!("bad.csv: {message}"), true);
        refused("split @bad.csv --column n -b 3 --output-dir @parts", message, true);
        assert_eq!(folder.names(), before, "nothing is written");
    }
    folder.raw("nan.csv", format!("n,m\n{rows}nan,1\n").replace("\n5,", "\n5.5,").as_bytes());
    let before = folder.names();
    for (arguments, message, always) in [
        ("sort @nan.csv --column n --type f32 --nan error -o @out.csv", "key 1000 is NaN, counted from 0", true),
        ("sort @names.csv --column m -o @out.csv", "strings have no order here; split them with --by hash", true),
        ("split @names.csv --column m --by hash -b 3 -o @out.npy", "written to a text file only", true),
        ("sort @good.csv --column m --type decimal2 -o @out.npy", "written to a text file only", true),
        (
            "sort @good.csv --column n -o @out.npz",
            "so many keys are written in parts, which .npz files cannot be",
            false,
        ),
        ("sort @gaps.csv --column n --null last -o @out.npy", "lines of text can be written to a text file only", true),
        (
            "sort @gaps.csv --column n --null drop -o @out.npy --values @short.bin --values-output @v.bin",
            "some rows have no key, so that --values cannot go with them",
            false,
        ),
        ("sort @gaps.csv --column n -o @out.csv", "line 1002, column 'n': the field is empty, but must be", true),
        ("split @gaps.csv --column n --null first -b 3 -o @out.csv", "--null first and last are for sorts", true),
        ("split @good.csv --expression n<k -o @out.csv", "there is no column 'k'; there are 1 (n), 2 (m)", true),
        (
            "split @good.csv --expression m%(n-900) -o @out.csv",
            "row 900, counted from 0 (m = 1, n = 900): division by 0",
            true,
        ),
        (
            "sort @good.csv --column n -o @out.csv --values @short.bin --values-output @v.bin",
            "there are 16 bytes, but 1000 keys; there must be 1, 2, 4 or 8 for each",
            false,
        ),
        ("split @good.csv --column n -b 90 --by identity -o @out.csv", "but the buckets of --by identity", true),
    ] {
        refused(arguments, message, always);
    }
    assert_eq!(folder.names(), before, "nothing is written");
    assert_eq!(folder.read("out.csv"), b"old");
}
