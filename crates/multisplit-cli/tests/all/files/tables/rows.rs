//! Whole rows go with their keys, whatever they have.

use super::super::{order_by, permute};
use super::{FORMATS, Folder, made, picked, single};
use crate::program::{piped, success, text};
use arrow_array::builder::{ListBuilder, StringBuilder, StringDictionaryBuilder, StringViewBuilder};
use arrow_array::cast::AsArray;
use arrow_array::types::{Float64Type, Int32Type};
use arrow_array::{
    Array, ArrayRef, BinaryArray, Decimal128Array, Float64Array, Int32Array, LargeStringArray, NullArray, RecordBatch,
    StringArray, StringViewArray, StructArray, TimestampMicrosecondArray,
};
use arrow_schema::{DataType, Field, Schema};
use parquet::arrow::arrow_reader::ParquetRecordBatchReaderBuilder;
use std::fs::File;
use std::sync::Arc;

pub const N: usize = 200;

/// Keys of some rows: several of each.
pub fn key(row: usize) -> i32 {
    (row * row % 31) as i32 - 7
}

pub fn word(row: usize) -> Option<String> {
    (row % 5 != 0).then(|| format!("a string of some length, number {}", row * 7 % 40))
}

/// A part of a table that has columns of many types.
pub fn part(rows: std::ops::Range<usize>) -> RecordBatch {
    let (mut lists, mut cities) = (ListBuilder::new(StringBuilder::new()), StringDictionaryBuilder::<Int32Type>::new());
    let mut views = ListBuilder::new(StringViewBuilder::new());
    for row in rows.clone() {
        for i in 0..row % 4 {
            lists.values().append_option(word(row + i));
            views.values().append_option(word(row + i));
        }
        lists.append(row % 7 != 0);
        views.append(row % 6 != 0);
        cities.append_option(word(row));
    }
    let words = || rows.clone().map(word);
    let number = Arc::new(Int32Array::from_iter_values(rows.clone().map(|row| row as i32))) as ArrayRef;
    let street = Arc::new(StringArray::from_iter(words())) as ArrayRef;
    let fields = [Field::new("number", DataType::Int32, false), Field::new("street", DataType::Utf8, true)];
    let home = StructArray::new(fields.to_vec().into(), vec![number, street], None);
    let paid = Decimal128Array::from_iter_values(rows.clone().map(|row| row as i128 - 70));
    let seen = TimestampMicrosecondArray::from_iter_values(rows.clone().map(|row| 1 << row.min(60)));
    let columns: [(&str, ArrayRef); 13] = [
        ("word", Arc::new(StringArray::from_iter(words()))),
        ("key", Arc::new(Int32Array::from_iter_values(rows.clone().map(key)))),
        ("large", Arc::new(LargeStringArray::from_iter(words()))),
        ("view", Arc::new(StringViewArray::from_iter(words()))),
        ("bytes", Arc::new(BinaryArray::from_iter(rows.clone().map(|row| word(row).map(String::into_bytes))))),
        ("score", Arc::new(Float64Array::from_iter(rows.clone().map(|row| (row % 3 != 0).then_some(row as f64))))),
        ("list", Arc::new(lists.finish())),
        ("views", Arc::new(views.finish())),
        ("city", Arc::new(cities.finish())),
        ("home", Arc::new(home)),
        ("paid", Arc::new(paid.with_precision_and_scale(12, 2).unwrap())),
        ("seen", Arc::new(seen.with_timezone("Europe/Rome"))),
        ("nothing", Arc::new(NullArray::new(rows.len()))),
    ];
    let fields: Vec<Field> =
        columns.iter().map(|(name, column)| Field::new(*name, column.data_type().clone(), *name != "key")).collect();
    let schema = Schema::new_with_metadata(fields, [("made by".to_string(), "a test".to_string())]);
    RecordBatch::try_new(schema.into(), columns.into_iter().map(|(_, column)| column).collect()).unwrap()
}

pub fn parts() -> Vec<RecordBatch> {
    (0..N).step_by(30).map(|begin| part(begin..N.min(begin + 30))).collect()
}

#[test]
fn from_every_format_to_every_format() {
    let (folder, parts) = (Folder::new("tables", "rows"), parts());
    let order: Vec<u32> = order_by(N, key).into_iter().map(|row| row as u32).collect();
    let (sorted, few) = (picked(&parts, &order), order.iter().copied().filter(|&row| key(row as usize) < 3).count());
    for from in FORMATS {
        folder.table(&format!("in.{from}"), &parts);
        for to in FORMATS {
            let out = success(&folder.say(&format!("sort @in.{from} --column key -o @out.{to} -d cpu")));
            assert!(out.contains(&format!("in.{from}: 200 i32 keys in 'key'")), "{out}");
            let found = folder.read_table(&format!("out.{to}"));
            assert_eq!(found.schema(), sorted.schema(), "{from} to {to}");
            assert!(found == sorted, "{from} to {to}");
        }
        // In place, by the number of the column; and only some rows.
        success(&folder.say(&format!("sort @in.{from} --column 2 -o @in.{from} --permutation @p.npy -d cpu")));
        assert!(folder.read_table(&format!("in.{from}")) == sorted, "{from}");
        assert_eq!(folder.numbers("p.npy"), order);
        let select = format!("partition @in.{from} --column key --below 3 --select -o @few.{from} -d cpu");
        success(&folder.say(&select));
        assert!(folder.read_table(&format!("few.{from}")) == sorted.slice(0, few), "{from}");
    }
}

#[test]
fn through_pipes() {
    let (folder, parts) = (Folder::new("tables", "pipes"), parts());
    let order: Vec<u32> = order_by(N, |row| -key(row)).into_iter().map(|row| row as u32).collect();
    for format in FORMATS {
        let (input, output) = (format!("in.{format}"), format!("out.{format}"));
        folder.table(&input, &parts);
        let out = piped("sort - --column key --descending -o - -d cpu", &folder.read(&input));
        assert!(text(&out.stderr).contains("standard input: 200 i32 keys in 'key'"), "{}", text(&out.stderr));
        folder.raw(&output, &out.stdout);
        assert!(folder.read_table(&output) == picked(&parts, &order), "{format}");
    }
    let out = piped("sort - --column key -o - --output-format arrows -d cpu", &folder.read("in.parquet"));
    folder.raw("out.arrows", &out.stdout);
    assert_eq!(folder.read_table("out.arrows").num_rows(), N);
}

/// More rows than are put in order at a time.
#[test]
fn many_rows() {
    let (folder, n) = (Folder::new("tables", "many"), 70_000);
    let keys: Vec<i32> = (0..n as i64).map(|i| (i * 7919 % 1009) as i32).collect();
    let mut cities = StringDictionaryBuilder::<Int32Type>::new();
    keys.iter().for_each(|key| cities.append_value(format!("city {}", key % 12)));
    let key = Arc::new(Int32Array::from(keys.clone())) as ArrayRef;
    let batch = RecordBatch::try_from_iter([("key", key), ("city", Arc::new(cities.finish()))]).unwrap();
    let parts = [batch.slice(0, 40_000), batch.slice(40_000, 30_000)];
    let order: Vec<u32> = order_by(n, |i| keys[i]).into_iter().map(|i| i as u32).collect();
    for format in ["arrow", "parquet"] {
        folder.table("in.arrow", &parts);
        success(&folder.say(&format!("sort @in.arrow --column key -o @out.{format} -d cpu")));
        assert!(folder.read_table(&format!("out.{format}")) == picked(&parts, &order), "{format}");
    }
}

#[test]
fn a_file_for_each_bucket() {
    let (folder, parts) = (Folder::new("tables", "folder"), parts());
    folder.table("in.parquet", &parts);
    // The same buckets as those of a text.
    let lines: String = (0..N).map(|row| format!("{}\n", key(row))).collect();
    folder.raw("keys.txt", lines.as_bytes());
    let buckets = "--by hash -b 40 -d cpu";
    success(&folder.say(&format!("split @keys.txt --type i32 {buckets} --permutation @p.npy --offsets @o.npy")));
    let (order, offsets) = (folder.numbers("p.npy"), folder.read("o.npy"));
    let offsets: Vec<u64> = offsets[128..].chunks_exact(8).map(bytemuck::pod_read_unaligned).collect();
    for (options, extension) in [("", "parquet"), (" --output-format arrow", "arrow")] {
        let options = format!("--column key --output-dir @{extension}{options}");
        success(&folder.say(&format!("split @in.parquet {options} {buckets}")));
        for (b, pair) in offsets.windows(2).enumerate() {
            let found = folder.read_table(&format!("{extension}/bucket-{b:02}.{extension}"));
            assert!(found == picked(&parts, &order[pair[0] as usize..pair[1] as usize]), "bucket {b}");
        }
    }
}

/// Files of other programs, with nulls, dictionaries and nested columns.
#[test]
fn tables_of_pyarrow() {
    let folder = Folder::new("tables", "pyarrow");
    let ages = [31, 7, 64, 31, 18, 7, 90, 45];
    let order = order_by(8, |row| ages[row]);
    let names = permute(&order, &["Ann", "Bob", "Cleo", "Dan", "Eve", "Fay", "Gus", "Hal"]);
    let none = None;
    let scores = [Some(1.5), none, Some(-2.0), Some(1e3), none, Some(0.25), Some(8.0), Some(3.0)];
    for file in ["people.parquet", "people.feather", "people.arrows"] {
        let format = if file.ends_with(".feather") { "arrow" } else { file.split('.').nth(1).unwrap() };
        let out = folder.say(&format!("-o @out.{format} -d cpu"));
        success(&format!("sort {} --column age {out}", made(file)));
        let found = folder.read_table(&format!("out.{format}"));
        assert_eq!(found.schema().metadata()["made by"], "make.py", "{file}");
        assert_eq!(found["name"].as_string::<i32>().iter().flatten().collect::<Vec<_>>(), names, "{file}");
        let found_scores: Vec<Option<f64>> = found["score"].as_primitive::<Float64Type>().iter().collect();
        assert_eq!(found_scores, permute(&order, &scores), "{file}");
        let cities = found["city"].as_dictionary::<Int32Type>().downcast_dict::<StringArray>().unwrap();
        let cities: Vec<Option<&str>> = cities.into_iter().collect();
        let expected =
            [Some("Rome"), Some("Oslo"), Some("Rome"), None, Some("Lima"), Some("Oslo"), Some("Rome"), Some("Lima")];
        assert_eq!(cities, permute(&order, &expected), "{file}");
        let tags: Vec<Option<usize>> =
            found["tags"].as_list::<i32>().iter().map(|tags| tags.map(|tags| tags.len())).collect();
        let expected = [Some(1), Some(0), None, Some(2), Some(1), Some(1), Some(1), Some(0)];
        assert_eq!(tags, permute(&order, &expected), "{file}");

        // Other keys: dates, moments, decimals, by hash and by ranges.
        for (column, descending) in [("born", true), ("seen", true)] {
            let descending = if descending { "--descending" } else { "" };
            let sort = format!("sort {} --column {column} {descending} -d cpu --permutation", made(file));
            success(&folder.say(&format!("{sort} @p.npy")));
            let order: Vec<usize> = folder.numbers("p.npy").into_iter().map(|row| row as usize).collect();
            assert_eq!(order, order_by(8, |row| ages[row]), "{file} {column}");
        }
        let out = success(&folder.say(&format!(
            "partition {} --column paid --below 0.03 --and-below 12.5 -d cpu --permutation @p.npy",
            made(file)
        )));
        assert_eq!(folder.numbers("p.npy"), [1, 2, 3, 5, 6, 7, 0, 4], "{out}");
        assert!(out.contains("8 decimal2 keys in 'paid'") && out.contains("below 0.03, then below 12.50"), "{out}");
    }
}

/// Columns stay compressed as they were.
#[test]
fn compressed_tables() {
    let folder = Folder::new("tables", "codecs");
    let mut codecs = vec![("gzip", "GZIP"), ("lz4", "LZ4_RAW"), ("people", "SNAPPY")];
    if cfg!(feature = "zstd") {
        codecs.push(("zstd", "ZSTD"));
        success(&folder.say(&format!("sort {} -o @out.arrow -d cpu", made("zstd.feather"))));
    }
    for (name, codec) in codecs {
        success(&folder.say(&format!("sort {} --column age -o @out.parquet -d cpu", made(&format!("{name}.parquet")))));
        let file = File::open(folder.say("@out.parquet")).unwrap();
        let reader = ParquetRecordBatchReaderBuilder::try_new(file).unwrap();
        let found = reader.metadata().row_group(0).column(0).compression_codec();
        assert_eq!(format!("{found:?}"), codec);
        let found = folder.read_table("out.parquet");
        let ages = found["age"].as_primitive::<Int32Type>();
        assert_eq!(ages.values()[..], [7, 7, 18, 31, 31, 45, 64, 90], "{name}");
    }
}

/// Only the keys are read where they are all that is wanted.
#[test]
fn damage_in_another_column() {
    let folder = Folder::new("tables", "beside");
    let words = StringArray::from_iter_values((0..50).map(|i| format!("word {i}")));
    let keys = Arc::new(Int32Array::from_iter_values(0..50)) as ArrayRef;
    let table = RecordBatch::try_from_iter([("key", keys), ("word", Arc::new(words))]).unwrap();
    folder.table("in.parquet", &[table]);
    let mut file = folder.read("in.parquet");
    let at = file.windows(7).position(|window| window == b"word 17").unwrap();
    file[at - 100..at - 90].fill(0xff);
    folder.raw("in.parquet", &file);
    let out = success(&folder.say("histogram @in.parquet --column key --bins 5 -o @c.npy -d cpu"));
    folder.expect("c.npy", "<u8", &[10u64; 5]);
    assert!(out.contains("50 i32 keys in 'key'"), "{out}");
    success(&folder.say("sort @in.parquet --column key --descending -o @out.npy -d cpu"));
    folder.expect("out.npy", "<i4", &(0..50).rev().collect::<Vec<i32>>());
}

#[test]
fn no_rows() {
    let (folder, empty) = (Folder::new("tables", "empty"), [part(0..0)]);
    for format in FORMATS {
        folder.table(&format!("in.{format}"), &empty);
        let files = format!("@in.{format} --column key -o @out.{format}");
        success(&folder.say(&format!("sort {files} -d cpu")));
        assert!(folder.read_table(&format!("out.{format}")) == empty[0], "{format}");
        success(&folder.say(&format!("split {files} -b 3 --by hash --offsets @o.npy -d cpu")));
        folder.expect("o.npy", "<u8", &[0u64; 4]);
    }
    folder.table("one.arrow", &single("key", vec![5]));
    success(&folder.say("sort @one.arrow -o @out.npy -d cpu"));
    folder.expect("out.npy", "<i4", &[5]);
}
