//! Tables that are larger than memory: whole rows go with their keys.

use super::super::order_by;
use super::rows::{key, part};
use super::{Folder, picked};
use crate::program::{failure, piped, success, text};
use arrow_array::{ArrayRef, Decimal128Array, Int32Array, RecordBatch, StringArray};
use std::sync::Arc;

const N: usize = 200;

/// Less than the rows take, and more than four times a batch.
const LITTLE: &str = "--memory 24KiB -d cpu";

/// The same for a table with a dictionary.
const MORE: &str = "--memory 28KiB -d cpu";

/// Rows with some of the columns.
fn batches(columns: &[&str]) -> Vec<RecordBatch> {
    let batch = |begin: usize| {
        let all = part(begin..N.min(begin + 10));
        let columns: Vec<usize> = columns.iter().map(|name| all.schema().index_of(name).unwrap()).collect();
        all.project(&columns).unwrap()
    };
    (0..N).step_by(10).map(batch).collect()
}

/// Columns of many types, with nulls.
const MANY: [&str; 7] = ["word", "key", "score", "list", "home", "paid", "seen"];

fn order() -> Vec<u32> {
    order_by(N, key).into_iter().map(|row| row as u32).collect()
}

#[test]
fn sorts_of_every_format() {
    let (folder, batches) = (Folder::new("tables", "large"), batches(&MANY));
    let sorted = picked(&batches, &order());
    for (from, to) in [("parquet", "parquet"), ("parquet", "arrow"), ("arrow", "arrows"), ("arrows", "parquet")] {
        folder.table(&format!("in.{from}"), &batches);
        let out = success(&folder.say(&format!("sort @in.{from} --column key -o @out.{to} {LITTLE}")));
        assert!(out.contains(&format!("in.{from}: 200 i32 keys in 'key'")), "{out}");
        let found = folder.read_table(&format!("out.{to}"));
        assert_eq!(found.schema(), sorted.schema(), "{from} to {to}");
        assert!(found == sorted, "{from} to {to}");
    }
}

/// Columns that text has, and what is written beside the rows.
#[test]
fn the_same_files() {
    let folder = Folder::new("tables", "large-same");
    folder.table("in.parquet", &batches(&["key", "large", "bytes", "city", "paid", "seen"]));
    for (command, outputs) in [
        ("sort @in.parquet --column key --descending -o ~k.npy --permutation ~p.npy", ["k.npy", "p.npy"]),
        ("sort @in.parquet --column key -o ~s.csv --permutation ~p.npy", ["s.csv", "p.npy"]),
        (
            "split @in.parquet --column key --by hash -b 9 --offsets ~o.npy --output-dir ~parts --output-format csv",
            ["parts", "parts"],
        ),
        ("split @in.parquet --column key --by quantiles -b 4 -o ~k.npy --splitters-output ~t.npy", ["k.npy", "t.npy"]),
        (
            "split @in.parquet --expression key<paid?0:1+i64(seen)%5 --column key -o ~s.csv --offsets ~o.npy",
            ["s.csv", "o.npy"],
        ),
        ("histogram @in.parquet --column seen --bins 9 -o ~c.npy --edges-output ~e.npy", ["c.npy", "e.npy"]),
    ] {
        for (name, memory) in [("whole", "-d cpu"), ("pieces", "--memory 6KiB -d cpu")] {
            success(&folder.say(&format!("{} {memory}", command.replace('~', &format!("@{name}-")))));
        }
        for output in outputs {
            let [whole, pieces] = ["whole", "pieces"].map(|name| folder.contents(&format!("{name}-{output}")));
            assert!(whole == pieces, "{command}: {output}");
        }
        folder.clear(&["whole-", "pieces-"]);
    }
}

/// Rows of which the key is null.
#[test]
fn rows_without_a_key() {
    let (folder, batches) = (Folder::new("tables", "large-nulls"), batches(&["score", "key", "word", "list"]));
    folder.table("in.parquet", &batches);
    folder.table("in.arrow", &batches);
    for input in ["in.parquet", "in.arrow"] {
        for options in [
            "sort --null first",
            "sort --null last --descending",
            "sort --null drop",
            "split --null drop -b 3 --expression u32(abs(score))%2+(key<9?1:0)",
        ] {
            let (command, options) = options.split_once(' ').unwrap();
            let say = |name: &str, memory: &str| {
                let outputs = format!("-o @{name}.parquet --permutation @{name}.npy");
                let command = format!("{command} @{input} --column score {options} {outputs} {memory}");
                let out = success(&folder.say(&command));
                let report = out.lines().next().unwrap().to_string();
                (report, folder.read_table(&format!("{name}.parquet")), folder.read(&format!("{name}.npy")))
            };
            assert!(say("whole", "-d cpu") == say("pieces", LITTLE), "{input} {command} {options}");
        }
        let counts = |memory: &str| {
            success(&folder.say(&format!("histogram @{input} --column score --null drop --bins 5 -o @c.npy {memory}")));
            folder.read("c.npy")
        };
        assert_eq!(counts("-d cpu"), counts("--memory 8KiB -d cpu"));
    }
    let before = folder.names();
    for (output, message) in [
        ("-o @out.npy --null last", "rows of a table can be written to .parquet, .arrow, .csv and .tsv files only"),
        ("-o @out.npy --null drop --values @in.arrow --values-output @v.npy", "some rows have no key"),
    ] {
        let said = failure(&folder.say(&format!("sort @in.arrow --column score {output} {LITTLE}")));
        assert!(said.contains(message), "{said}");
    }
    assert_eq!(folder.names(), before, "nothing is written");
}

/// Each column has the type that its fields have, wherever in the file that shows.
#[test]
fn text_as_tables() {
    let folder = Folder::new("tables", "large-text");
    let row = |i: usize| {
        let late = if i == 180 { "0.5".into() } else { i.to_string() };
        let long = if i == 190 { "1.5".into() } else { format!("90071992547409{}", 93 + i % 5) };
        let (code, day) = (format!("{:05}", i * 490), format!("2024-02-{:02}", 1 + i % 28));
        let empty = if i % 3 == 0 { String::new() } else { (i % 5 == 0).to_string() };
        format!("{},{late},{long},{code},{day},{empty},,\"a, {i}\"", i * 7919 % 97)
    };
    let rows: String = (0..N).map(|i| row(i) + "\n").collect();
    for (name, text) in
        [("named.csv", format!("key,late,long,code,day,empty,nothing,words\n{rows}")), ("plain.csv", rows.clone())]
    {
        folder.raw(name, text.as_bytes());
        for (format, options) in
            [("parquet", ""), ("arrow", "--descending --null last"), ("arrows", "--null drop --type f32")]
        {
            let say = |output: &str, memory: &str| {
                let outputs = format!("-o @{output}.{format} --permutation @p.npy");
                success(&folder.say(&format!("sort @{name} --column 1 {options} {outputs} {memory}")));
                folder.read_table(&format!("{output}.{format}"))
            };
            let (whole, pieces) = (say("whole", "-d cpu"), say("pieces", "--memory 6KiB -d cpu"));
            assert_eq!(whole.schema(), pieces.schema(), "{name} to {format}");
            assert!(whole == pieces, "{name} to {format}");
        }
    }
    for (name, memory) in [("whole", "-d cpu"), ("parts", "--memory 6KiB -d cpu")] {
        let outputs = format!("-o @{name}.parquet --output-dir @{name} --output-format parquet");
        success(&folder.say(&format!("split @named.csv --column key -b 3 {outputs} {memory}")));
    }
    for bucket in 0..3 {
        let [whole, parts] =
            ["whole", "parts"].map(|name| folder.read_table(&format!("{name}/bucket-{bucket}.parquet")));
        assert!(whole == parts, "bucket {bucket}");
    }
}

/// Strings in dictionaries, a file for each bucket, and pipes.
#[test]
fn dictionaries_and_buckets() {
    let (folder, batches) =
        (Folder::new("tables", "large-buckets"), batches(&["key", "city", "word", "large", "list", "home"]));
    let sorted = picked(&batches, &order());
    for (from, to) in [("parquet", "parquet"), ("arrow", "arrows"), ("arrows", "parquet")] {
        folder.table(&format!("in.{from}"), &batches);
        success(&folder.say(&format!("sort @in.{from} --column key -o @out.{to} {MORE}")));
        let found = folder.read_table(&format!("out.{to}"));
        assert!(found.schema() == sorted.schema() && found == sorted, "{from} to {to}");
    }
    let few: Vec<u32> = (0..N as u32).filter(|&row| key(row as usize) < 3).collect();
    success(&folder.say(&format!("partition @in.arrows --column key --below 3 --select -o @few.parquet {MORE}")));
    assert!(folder.read_table("few.parquet") == picked(&batches, &few));
    success(&folder.say(&format!("split @in.parquet --column key -b 5 --by hash --output-dir @parts {MORE}")));
    success(&folder.say("split @in.parquet --column key -b 5 --by hash --output-dir @whole -d cpu"));
    for bucket in 0..5 {
        let [whole, pieces] =
            ["whole", "parts"].map(|name| folder.read_table(&format!("{name}/bucket-{bucket}.parquet")));
        assert!(whole == pieces, "bucket {bucket}");
    }
    let out = piped(&format!("sort - --column key -o - {MORE}"), &folder.read("in.parquet"));
    folder.raw("piped.parquet", &out.stdout);
    assert!(folder.read_table("piped.parquet") == sorted, "{}", text(&out.stderr));
}

#[test]
fn what_is_wrong_with_large_tables() {
    let folder = Folder::new("tables", "large-bad");
    let all = batches(&["key", "city", "word", "score", "list", "paid"]);
    folder.table("in.arrow", &all);
    folder.table("in.parquet", &all);
    folder.table("one.arrow", &[picked(&all, &(0..N as u32).collect::<Vec<_>>())]);
    let strings = || StringArray::from_iter_values((0..N).map(|row| format!("a string of row {row}")));
    let rows = |key: ArrayRef| RecordBatch::try_from_iter([("key", key), ("word", Arc::new(strings()) as _)]).unwrap();
    let of_keys = |key: ArrayRef| -> Vec<RecordBatch> {
        let rows = rows(key);
        (0..N).step_by(20).map(|begin| rows.slice(begin, 20)).collect()
    };
    folder
        .table("null.arrow", &of_keys(Arc::new(Int32Array::from_iter((0..N as i32).map(|i| (i != 177).then_some(i))))));
    let large = |row: usize| if row == 150 { i128::MAX } else { row as i128 };
    let decimals = Decimal128Array::from_iter_values((0..N).map(large)).with_precision_and_scale(38, 2).unwrap();
    folder.table("large.parquet", &of_keys(Arc::new(decimals)));
    folder.table("in.arrows", &all);
    let file = folder.read("in.arrows");
    folder.raw("cut.arrows", &file[..file.len() * 3 / 4]);
    folder.raw("cut.parquet", &folder.read("in.parquet")[..3000]);
    folder.raw("out.parquet", b"old");
    let before = folder.names();
    for (arguments, message) in [
        ("sort @null.arrow --column key", "null.arrow: column 'key': row 177 is null, counted from 0"),
        (
            "sort @large.parquet --column key",
            "column 'key': row 150, counted from 0, has more digits than 64 bits have",
        ),
        ("sort @in.arrow --column score", "column 'score': row 0 is null, counted from 0"),
        ("sort @in.arrow --column none", "there is no column 'none'"),
        ("sort @in.arrow --column list", "cannot be keys"),
        ("sort @one.arrow --column key", "a batch of it takes"),
        ("sort @cut.arrows --column key", "it is damaged or cut short"),
        ("sort @cut.parquet --column key", "cut short or damaged"),
        ("split @in.arrow --column key --expression key<score", "column 'score': row 0 is null, counted from 0"),
    ] {
        let said = failure(&folder.say(&format!("{arguments} -o @out.parquet {MORE}")));
        assert!(said.contains(message), "{arguments}: {said}");
    }
    for (output, message) in [
        (
            "arrow",
            "column 'city' is of type Dictionary(Int32, Utf8), of which a dictionary is in memory as a whole here; name a",
        ),
        ("csv", "which text does not have; name a .parquet or .arrow file"),
    ] {
        let said = failure(&folder.say(&format!("sort @in.arrow --column key -o @out.{output} {MORE}")));
        assert!(said.contains(message), "{output}: {said}");
    }
    assert_eq!(folder.names(), before, "nothing is written");
    assert_eq!(folder.read("out.parquet"), b"old");
}
