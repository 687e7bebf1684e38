//! What is wrong with a table is said, and nothing is written.

use super::{FORMATS, Folder, made, single};
use crate::program::{code_and_notes, failure};
use arrow_array::{ArrayRef, Decimal128Array, Int32Array, NullArray, RecordBatch, StringArray, UnionArray};
use arrow_schema::{DataType, Field, UnionFields};
use std::sync::Arc;

#[test]
fn what_is_wrong_is_said() {
    let folder = Folder::new("tables", "bad");
    let column = |name: &'static str, array: ArrayRef| RecordBatch::try_from_iter([(name, array)]).unwrap();
    folder.table("keys.parquet", &single("key", vec![3, 1, 2]));
    folder.table("keys.arrow", &single("key", vec![3, 1, 2]));
    folder.table("nulls.arrow", &[column("key", Arc::new(Int32Array::from(vec![Some(3), Some(1), None])))]);
    folder.table("nothing.arrow", &[column("key", Arc::new(NullArray::new(3)))]);
    let wide = Decimal128Array::from(vec![1, i128::from(i64::MAX) + 1]).with_precision_and_scale(38, 3).unwrap();
    folder.table("wide.parquet", &[column("key", Arc::new(wide))]);
    folder.table("words.parquet", &[column("word", Arc::new(StringArray::from(vec!["b", "a", "b"])))]);
    let union = UnionFields::try_new([0], [Field::new("a", DataType::Int32, false)]).unwrap();
    let ones = Arc::new(Int32Array::from(vec![1, 1, 1])) as ArrayRef;
    let union = UnionArray::try_new(union, vec![0i8, 0, 0].into(), None, vec![ones.clone()]).unwrap();
    let several = [("key", ones), ("either", Arc::new(union) as ArrayRef)];
    folder.table("either.arrow", &[RecordBatch::try_from_iter(several).unwrap()]);
    for (name, bytes) in [("empty.parquet", &b""[..]), ("text.arrow", b"text"), ("raw.arrows", &[0, 1, 2, 3])] {
        folder.raw(name, bytes);
    }
    folder.raw("other.csv", &folder.read("keys.parquet"));
    folder.raw("other.arrow", &folder.read("keys.parquet"));
    // What tells that it is text is valid, and what follows is not.
    folder.raw("latin.csv", &[b"name,age\n", &b"x".repeat(5000)[..], b"\xff,31\n"].concat());
    folder.npy("many.npy", "<u4", &[1u32; 3000]);
    let before = folder.names();
    let people = made("people.parquet");
    for (arguments, message) in [
        (
            format!("sort {people} -o @out.parquet"),
            "which column, --column NAME or NUMBER? There are 1 (name), 2 (age)",
        ),
        (format!("sort {people} --column x -o @out.parquet"), "there is no column 'x'; there are 1 (name), 2 (age),"),
        (format!("sort {people} --column 11 -o @out.parquet"), "there is no column '11'"),
        (
            format!("sort {people} --column tags -o @out.parquet"),
            "column 'tags': values of type List(Utf8, field: 'element') cannot be keys; whole numbers, floats,",
        ),
        (format!("sort {people} --column home -o @out.parquet"), "column 'home': values of type Struct("),
        (
            format!("sort {people} --column score -o @out.parquet"),
            "people.parquet: column 'score': row 1 is null, counted from 0; fill it in, or leave such rows out by --null",
        ),
        (format!("split {people} --column city --by hash -b 2 -o @out.arrow"), "column 'city': row 3 is null"),
        (format!("histogram {people} --column score"), "column 'score': row 1 is null"),
        (format!("sort {people} --column name -o @out.arrow"), "strings have no order here; split them with --by hash"),
        (format!("sort {people} --column age --type f32 -o @out.arrow"), "--type is f32, but the file has i32 keys"),
        ("sort @nulls.arrow -o @out.arrow".into(), "nulls.arrow: column 'key': row 2 is null, counted from 0"),
        ("sort @nothing.arrow -o @out.arrow".into(), "column 'key': all of it is null, which is no key"),
        (
            "sort @wide.parquet -o @out.arrow".into(),
            "column 'key': row 1, counted from 0, has more digits than 64 bits have; convert it to float64",
        ),
        (
            "split @words.parquet --by hash -b 2 -o @out.npy".into(),
            "rows of a table can be written to .parquet, .arrow, .csv and .tsv files only",
        ),
        (
            format!("sort {people} --column age -o @out.csv"),
            "column 'tags' is of type List(Utf8, field: 'element'), which text does not have; name a .parquet or .arrow",
        ),
        (
            "sort @many.npy -o @out.arrow --memory 4KiB".into(),
            "so many keys are written in parts, which .arrow files cannot be; name a .npy file, or give more --memory",
        ),
        ("sort @latin.csv --column age -o @out.arrow".into(), "row 0, counted from 0, is no UTF-8"),
        (
            format!("sort {people} --column score --null last -o @out.npy"),
            "rows of a table can be written to .parquet, .arrow, .csv and .tsv files only",
        ),
        (
            format!("split {people} --column score -b 2 --null last -o @out.arrow"),
            "--null first and last are for sorts",
        ),
        (format!("sort {people} --column nothing --null drop -o @out.arrow"), "all of it is null, which is no key"),
        (
            "sort @either.arrow --column key -o @out.parquet".into(),
            "column 'either' is of type Union(Sparse, 0: (\"a\": non-null Int32)), which Parquet does not have",
        ),
        (
            "sort @keys.arrow -o @out.arrow --values @words.parquet --values-output @v.npy".into(),
            "strings can be written in the format that they were read from",
        ),
        (
            "sort @keys.arrow -o @out.arrow --values @either.arrow --values-output @v.npy".into(),
            "there must be one column, or it must be named, but there are 1 (key), 2 (either)",
        ),
        ("sort @keys.arrow -o @out.h5".into(), ".h5 files are not written"),
        (format!("sort {} -o @out.npy", made("encrypted.parquet")), "this is an encrypted Parquet file"),
        (format!("sort {} -o @out.npy", made("half-encrypted.parquet")), "it is damaged, or encrypted"),
        (
            format!("sort {} -o @out.npy", made("old.feather")),
            "this is a Feather file of version 1; save it as version 2",
        ),
        (
            format!("sort {} -o @out.npy", made("brotli.parquet")),
            "column 'age' is compressed by brotli, which is not read; write it with snappy, gzip, lz4 or zstd",
        ),
        ("sort @empty.parquet -o @out.npy".into(), "empty.parquet: the file is empty"),
        ("sort @text.arrow -o @out.npy".into(), "text.arrow: this is not an Arrow file: it is text"),
        ("sort @raw.arrows -o @out.npy".into(), "raw.arrows: this is not an Arrow stream"),
        ("sort @other.csv -o @out.npy".into(), "this is a Parquet file under another name; name it"),
        ("sort @other.arrow -o @out.npy".into(), "this is a Parquet file under another name; name it"),
        ("sort @keys.arrow -o @out.npy --output-format json".into(), "txt, parquet, arrow, arrows and raw"),
    ] {
        let said = failure(&folder.say(&format!("{arguments} --device cpu")));
        assert!(said.contains(message), "{arguments}: {said}");
        assert_eq!(folder.names(), before, "{arguments}");
    }
    #[cfg(not(feature = "zstd"))]
    for name in ["zstd.parquet", "zstd.feather"] {
        let said = failure(&folder.say(&format!("sort {} -o @out.npy -d cpu", made(name))));
        let advice = "is compressed by zstd, which this program was built without: build it with `--features zstd`";
        assert!(said.contains(advice), "{said}");
    }
}

#[test]
fn exit_codes() {
    let folder = Folder::new("tables", "codes");
    folder.table("keys.parquet", &single("key", vec![3, 1, 2]));
    for (arguments, code) in [
        ("sort @keys.parquet -o @out.parquet --output-format json", 2),
        ("sort @keys.parquet -o @out.parquet --permutation @out.parquet", 2),
        ("histogram @keys.parquet --null first", 2),
        ("sort @keys.parquet --column x -o @out.parquet", 1),
        ("sort @keys.parquet --type u8 -o @out.parquet", 1),
        ("sort @missing.parquet -o @out.parquet", 1),
    ] {
        let (found, said) = code_and_notes(&folder.say(&format!("{arguments} -d cpu")));
        assert_eq!(found, Some(code), "{arguments}: {said}");
    }
    assert_eq!(folder.names(), ["keys.parquet"]);
}

/// Files that end too early, or that say what cannot be true, never make the program panic.
#[test]
fn damaged_tables() {
    for format in FORMATS {
        let folder = Folder::new("tables", "damaged");
        let (name, out) = (format!("in.{format}"), format!("out.{format}"));
        folder.table(&name, &single("key", (0..60).rev().collect()));
        let sound = folder.read(&name);
        let run = |bytes: &[u8]| -> (Option<i32>, String) {
            folder.raw(&name, bytes);
            code_and_notes(&folder.say(&format!("sort @{name} -o @{out} -d cpu")))
        };
        let refused = |bytes: &[u8], message: &str| {
            let (code, said) = run(bytes);
            assert!(code == Some(1) && said.contains(message), "{format} {code:?}: {said}");
            assert_eq!(folder.names(), [&name[..]]);
        };
        if format != "arrows" {
            refused(&sound[..sound.len() - 1], "it is cut short or damaged: it does not end as");
            refused(&sound[..sound.len() / 2], "it is cut short or damaged: it does not end as");
            let size = sound.len() - if format == "parquet" { 8 } else { 10 };
            let mut lies = sound.clone();
            lies[size..size + 4].copy_from_slice(&0x7fff_ffffu32.to_le_bytes());
            refused(&lies, "its end says that it is of 2147483647 bytes, but the file has");
            refused(&sound[..8], "it ");
        } else {
            refused(
                &sound[..sound.len() - 20],
                "it is damaged or cut short: a part of it is said to be where the file has ended",
            );
        }
        // Bytes that are wrong, one after the other: more of them where the table is described.
        for at in (8..sound.len()).step_by(sound.len() / 12) {
            let mut damaged = sound.clone();
            damaged[at..sound.len().min(at + 4)].fill(0xff);
            let (code, said) = run(&damaged);
            assert!(matches!(code, Some(0 | 1)) && !said.contains("panicked"), "{format} {at} {code:?}: {said}");
            if code == Some(0) {
                std::fs::remove_file(folder.say(&format!("@{out}"))).unwrap();
            }
            assert_eq!(folder.names(), [&name[..]], "{at}");
        }
    }
}
