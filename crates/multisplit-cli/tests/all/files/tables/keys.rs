//! Columns of every type that can be a key, and what else is read from tables and written to them.

use super::super::order_by;
use super::{FORMATS, Folder, made, picked, single};
use crate::program::{failure, success, text};
use arrow_array::cast::AsArray;
use arrow_array::types::{Int32Type, Int64Type, UInt64Type};
use arrow_array::{
    Array, ArrayRef, BooleanArray, Date32Array, Date64Array, Decimal32Array, Decimal64Array, Decimal128Array,
    Decimal256Array, DictionaryArray, DurationSecondArray, Float16Array, Float32Array, Float64Array, Int8Array,
    Int16Array, Int32Array, Int64Array, RecordBatch, StringArray, Time32MillisecondArray, Time64NanosecondArray,
    TimestampMillisecondArray, UInt8Array, UInt16Array, UInt32Array, UInt64Array,
};
use arrow_buffer::i256;
use arrow_schema::DataType;
use std::sync::Arc;

/// A column for each type of numbers, with these numbers in it.
fn columns(numbers: &[i64]) -> Vec<(&'static str, ArrayRef)> {
    macro_rules! of {
        ($array:ident, $convert:expr) => {
            Arc::new($array::from_iter_values(numbers.iter().map($convert))) as ArrayRef
        };
    }
    let half = |number: i64| Float32Array::from_iter_values([number as f32]).value(0);
    let halves: Vec<_> = numbers.iter().map(|&number| half_of(half(number))).collect();
    vec![
        ("i8", of!(Int8Array, |&n| n as i8)),
        ("i16", of!(Int16Array, |&n| n as i16)),
        ("i32", of!(Int32Array, |&n| n as i32)),
        ("i64", of!(Int64Array, |&n| n << 40)),
        ("u8", of!(UInt8Array, |&n| (n + 128) as u8)),
        ("u16", of!(UInt16Array, |&n| (n + 40_000) as u16)),
        ("u32", of!(UInt32Array, |&n| (n + (1 << 31)) as u32)),
        ("u64", of!(UInt64Array, |&n| (n as u64).wrapping_add(1 << 63))),
        ("f16", Arc::new(Float16Array::from(halves))),
        ("f32", of!(Float32Array, |&n| n as f32 / 3.0)),
        ("f64", of!(Float64Array, |&n| n as f64 / 3.0)),
        ("date32", of!(Date32Array, |&n| n as i32)),
        ("date64", of!(Date64Array, |&n| n * 86_400_000)),
        ("timestamp", of!(TimestampMillisecondArray, |&n| n)),
        ("time32", of!(Time32MillisecondArray, |&n| (n + 200) as i32)),
        ("time64", of!(Time64NanosecondArray, |&n| n + 200)),
        ("duration", of!(DurationSecondArray, |&n| n)),
        ("decimal32", of!(Decimal32Array, |&n| n as i32)),
        ("decimal64", of!(Decimal64Array, |&n| n)),
        ("decimal128", of!(Decimal128Array, |&n| n.into())),
        ("decimal256", of!(Decimal256Array, |&n| i256::from_i128(n.into()))),
        ("dictionary", dictionary(numbers)),
    ]
}

/// A float of 16 bits, by the type that the arrays have.
fn half_of(number: f32) -> <arrow_array::types::Float16Type as arrow_array::ArrowPrimitiveType>::Native {
    use arrow_array::types::Float16Type;
    type Half = <Float16Type as arrow_array::ArrowPrimitiveType>::Native;
    Half::from_f32(number)
}

fn dictionary(numbers: &[i64]) -> ArrayRef {
    let places = Int32Array::from_iter_values((0..numbers.len() as i32).rev());
    let reversed = Int64Array::from_iter_values(numbers.iter().rev().copied());
    Arc::new(DictionaryArray::<Int32Type>::new(places, Arc::new(reversed)))
}

#[test]
fn keys_of_every_type() {
    let (folder, numbers) = (Folder::new("tables", "types"), [5, -3, 100, 0, -128, 5, 127, -3]);
    let table = RecordBatch::try_from_iter(columns(&numbers)).unwrap();
    let parts = [table.slice(0, 3), table.slice(3, 5)];
    let order: Vec<u32> = order_by(8, |i| numbers[i]).into_iter().map(|i| i as u32).collect();
    for format in ["parquet", "arrow"] {
        folder.table(&format!("in.{format}"), &parts);
        for (name, _) in columns(&[]) {
            let out = success(&folder.say(&format!("sort @in.{format} --column {name} --permutation @p.npy -d cpu")));
            assert_eq!(folder.numbers("p.npy"), order, "{format} {name}: {out}");
        }
    }
    // As other files have them.
    success(&folder.say("sort @in.arrow --column date32 -o @out.npy -d cpu"));
    folder.expect("out.npy", "<M8[D]", &order.iter().map(|&i| numbers[i as usize]).collect::<Vec<_>>());
    success(&folder.say("sort @in.parquet --column f16 -o @out.npy -d cpu"));
    folder.expect("out.npy", "<f2", &[0xd800u16, 0xc200, 0xc200, 0, 0x4500, 0x4500, 0x5640, 0x57f0]);
    success(&folder.say("sort @in.parquet --column u64 -o @out.npy -d cpu"));
    let biased = |number: i64| (number as u64).wrapping_add(1 << 63);
    folder.expect("out.npy", "<u8", &order.iter().map(|&i| biased(numbers[i as usize])).collect::<Vec<_>>());
}

#[test]
fn true_false_and_strings() {
    let folder = Folder::new("tables", "strings");
    let words = ["pear", "fig", "apple", "fig", "pear", "fig"];
    let flags = Arc::new(BooleanArray::from_iter(words.iter().map(|word| Some(word.len() > 3)))) as ArrayRef;
    let string = Arc::new(StringArray::from_iter_values(words)) as ArrayRef;
    let places = Int32Array::from(vec![1, 0, 2, 0, 1, 0]);
    let texts = Arc::new(StringArray::from_iter_values(["fig", "pear", "apple"])) as ArrayRef;
    let coded = Arc::new(DictionaryArray::<Int32Type>::new(places, texts)) as ArrayRef;
    let view = Arc::new(string.as_string::<i32>().iter().collect::<arrow_array::StringViewArray>()) as ArrayRef;
    let bytes = words.map(|word| Some(word.as_bytes()));
    let bytes = Arc::new(bytes.into_iter().collect::<arrow_array::LargeBinaryArray>()) as ArrayRef;
    let columns = [("flag", flags), ("string", string), ("coded", coded), ("view", view), ("bytes", bytes)];
    let table = RecordBatch::try_from_iter(columns).unwrap();
    folder.raw("words.csv", format!("word\n{}\n", words.join("\n")).as_bytes());
    let by_hash = "--by hash -b 100 --permutation @p.npy --offsets @o.npy -d cpu";
    success(&folder.say(&format!("split @words.csv {by_hash}")));
    let expected = (folder.read("p.npy"), folder.read("o.npy"));
    for format in ["parquet", "arrows"] {
        folder.table(&format!("in.{format}"), &[table.slice(0, 2), table.slice(2, 4)]);
        // The same buckets as of text, whatever the column.
        for name in ["string", "coded", "view", "bytes"] {
            success(&folder.say(&format!("split @in.{format} --column {name} {by_hash}")));
            assert_eq!((folder.read("p.npy"), folder.read("o.npy")), expected, "{format} {name}");
        }
        success(&folder.say(&format!("sort @in.{format} --column flag -o @out.npy --permutation @p.npy -d cpu")));
        folder.expect("out.npy", "|b1", &[0u8, 0, 0, 1, 1, 1]);
        assert_eq!(folder.numbers("p.npy"), [1, 3, 5, 0, 2, 4]);
    }
    let out = success(&folder.say("histogram @in.arrows --column coded --bins 100 -d cpu"));
    assert!(out.contains("6 string keys in 'coded'") && out.contains("Counted in 100 buckets by a hash"), "{out}");
}

#[test]
fn decimals() {
    let folder = Folder::new("tables", "decimals");
    let prices = Decimal128Array::from(vec![1999, -5, 250, 100, 0]).with_precision_and_scale(20, 2).unwrap();
    folder.table("in.parquet", &[RecordBatch::try_from_iter([("price", Arc::new(prices) as _)]).unwrap()]);
    let out = success(&folder.say("histogram @in.parquet --from -1 --to 20.5 --bins 2 -o @c.npy -d cpu"));
    folder.expect("c.npy", "<u8", &[4u64, 1]);
    assert!(out.contains("Counted in 2 bins from -1.00 to 20.50"), "{out}");
    folder.raw("between.txt", b"0\n2.5\n");
    let split = "split @in.parquet --splitters @between.txt --permutation @p.npy -d cpu";
    success(&folder.say(split));
    assert_eq!(folder.numbers("p.npy"), [1, 3, 4, 0, 2]);
    folder.raw("table.csv", b"price,bucket\n19.99,1\n-0.05,0\n2.5,0\n1,1\n0.00,0\n");
    success(&folder.say("split @in.parquet --table @table.csv --permutation @p.npy -d cpu"));
    assert_eq!(folder.numbers("p.npy"), [1, 2, 4, 0, 3]);
    for (options, said) in [
        ("--below 2.505", "--below: '2.505' is not a key of type decimal2: a decimal from -92233720368547758.08 to"),
        ("--below x", "--below: 'x' is not a key of type decimal2"),
        ("--below 1 --type f64", "--type is f64, but the file has decimal2 keys"),
    ] {
        let said_so = failure(&folder.say(&format!("partition @in.parquet -o @no.parquet -d cpu {options}")));
        assert!(said_so.contains(said), "{said_so}");
    }
    let said = failure(&folder.say("sort @in.parquet -o @no.npy -d cpu"));
    assert!(said.contains("rows of a table can be written to .parquet, .arrow, .csv and .tsv files only"), "{said}");
    assert!(!folder.has("no.npy") && !folder.has("no.parquet"));
}

/// What goes beside keys can come from tables.
#[test]
fn values_splitters_and_tables_of_buckets() {
    let folder = Folder::new("tables", "beside");
    folder.npy("keys.npy", "<i4", &[30i32, -10, 20]);
    let key = Arc::new(Int32Array::from(vec![20, 30, -10])) as ArrayRef;
    let bucket = Arc::new(Int64Array::from(vec![1, 0, 1])) as ArrayRef;
    folder.table("pairs.parquet", &[RecordBatch::try_from_iter([("key", key), ("bucket", bucket)]).unwrap()]);
    let values = "--values @pairs.parquet --values-column bucket --values-output @v.npy";
    success(&folder.say(&format!("sort @keys.npy -o @k.arrow {values} -d cpu")));
    folder.expect("v.npy", "<i8", &[0i64, 1, 1]);
    assert_eq!(folder.read_table("k.arrow")["key"].as_primitive::<Int32Type>().values()[..], [-10, 20, 30]);
    success(&folder.say("split @keys.npy --table @pairs.parquet -o @k.npy -d cpu"));
    folder.expect("k.npy", "<i4", &[30i32, -10, 20]);
    folder.table("between.arrow", &single("at", vec![20]));
    success(&folder.say("split @keys.npy --splitters @between.arrow -o @k.npy --offsets @o.parquet -d cpu"));
    folder.expect("k.npy", "<i4", &[-10i32, 30, 20]);
    assert_eq!(folder.read_table("o.parquet")["offset"].as_primitive::<UInt64Type>().values()[..], [0, 1, 3]);
}

/// Keys of arrays and texts in tables, and back.
#[test]
fn keys_alone() {
    let folder = Folder::new("tables", "keys");
    for (dtype, expected) in [
        ("|i1", DataType::Int8),
        ("<u2", DataType::UInt16),
        ("<i4", DataType::Int32),
        ("<u8", DataType::UInt64),
        ("<f2", DataType::Float16),
        ("<f8", DataType::Float64),
        ("|b1", DataType::Boolean),
        ("<M8[D]", DataType::Date32),
        ("<M8[us]", DataType::Timestamp(arrow_schema::TimeUnit::Microsecond, None)),
        ("<m8[ns]", DataType::Duration(arrow_schema::TimeUnit::Nanosecond)),
    ] {
        let width: usize = if dtype.contains('8') && !dtype.contains("|") { 8 } else { dtype[2..3].parse().unwrap() };
        let elements: Vec<u8> = [1u64, 0, 1].iter().flat_map(|n| n.to_le_bytes()[..width].to_vec()).collect();
        let sorted: Vec<u8> = [0u64, 1, 1].iter().flat_map(|n| n.to_le_bytes()[..width].to_vec()).collect();
        folder.npy_of("keys.npy", dtype, 3, &elements);
        for format in ["parquet", "arrows"] {
            success(&folder.say(&format!("sort @keys.npy -o @out.{format} -d cpu")));
            let found = folder.read_table(&format!("out.{format}"));
            assert_eq!(found.schema().field(0).data_type(), &expected, "{dtype}");
            // There and back.
            success(&folder.say(&format!("sort @out.{format} -o @again.npy -d cpu")));
            assert!(folder.read("again.npy").ends_with(&sorted), "{dtype} {format}");
        }
    }
    // NaT is null.
    folder.npy("days.npy", "<M8[D]", &[3i64, i64::MIN]);
    success(&folder.say("sort @days.npy -o @out.arrow -d cpu"));
    assert_eq!(folder.read_table("out.arrow").column(0).null_count(), 1);
    folder.npy("days.npy", "<M8[D]", &[3i64, 1 << 40]);
    let said = failure(&folder.say("sort @days.npy -o @no.parquet -d cpu"));
    assert!(said.contains("is too far for the dates of Arrow"), "{said}");
    folder.npy("months.npy", "<M8[M]", &[3i64]);
    let said = failure(&folder.say("sort @months.npy -o @no.parquet -d cpu"));
    assert!(said.contains("elements of '<M8[M]' cannot be written to a Parquet file; name a .npy file"), "{said}");
    assert!(!folder.has("no.parquet"));
    // A text of one column, and a table of one.
    folder.raw("ages.csv", b"age\n31\n7\n");
    success(&folder.say("sort @ages.csv -o @ages.parquet -d cpu"));
    assert_eq!(folder.read_table("ages.parquet")["age"].as_primitive::<Int64Type>().values()[..], [7, 31]);
    success(&folder.say("sort @ages.parquet --descending -o @ages.csv -d cpu"));
    assert_eq!(text(&folder.read("ages.csv")), "age\n31\n7\n");
    // One column of several, as numbers.
    success(&folder.say(&format!("sort {} --column age -o @ages.npy -d cpu", made("people.parquet"))));
    folder.expect("ages.npy", "<i4", &[7, 7, 18, 31, 31, 45, 64, 90]);
}

/// Rows without a key, which are nulls or empty fields.
#[test]
fn rows_without_a_key() {
    let folder = Folder::new("tables", "nulls");
    let scores = [Some(1.5), None, Some(-2.0), None, Some(1e3), None, Some(0.25)];
    let numbers = Arc::new(Int32Array::from_iter_values(0..7)) as ArrayRef;
    let score = Arc::new(Float64Array::from(scores.to_vec())) as ArrayRef;
    let table = RecordBatch::try_from_iter([("number", numbers), ("score", score)]).unwrap();
    let parts = [table.slice(0, 1), table.slice(1, 4), table.slice(5, 2)];
    let field = |score: Option<f64>| score.map(|score| score.to_string()).unwrap_or_default();
    let rows: Vec<String> = scores.iter().enumerate().map(|(i, &score)| format!("{i},{}\n", field(score))).collect();
    let lines = |order: &[u32]| order.iter().map(|&i| &rows[i as usize][..]).collect::<String>();
    folder.raw("in.csv", format!("number,score\n{}", rows.concat()).as_bytes());
    for (options, order, said) in [
        ("--null last", &[2u32, 6, 0, 4, 1, 3, 5][..], "4 f64 keys in 'score', and 3 nulls last"),
        ("--null first", &[1, 3, 5, 2, 6, 0, 4], ", and 3 nulls first"),
        ("--null last --descending", &[4, 0, 6, 2, 1, 3, 5], ", and 3 nulls last"),
        ("--null drop", &[2, 6, 0, 4], ", and 3 nulls left out"),
    ] {
        for format in FORMATS {
            folder.table(&format!("in.{format}"), &parts);
            let files = format!("@in.{format} --column score -o @out.{format}");
            let out = success(&folder.say(&format!("sort {files} {options} -d cpu")));
            assert!(out.contains(said), "{out}");
            assert!(folder.read_table(&format!("out.{format}")) == picked(&parts, order), "{format} {options}");
        }
        success(&folder.say(&format!("sort @in.arrow --column score {options} --permutation @p.npy -d cpu")));
        assert_eq!(folder.numbers("p.npy"), order, "{options}");
        let out = success(&folder.say(&format!("sort @in.csv --column score {options} -o @out.csv -d cpu")));
        assert!(out.contains(said), "{out}");
        assert_eq!(text(&folder.read("out.csv")), format!("number,score\n{}", lines(order)), "{options}");
    }
    let options = "--column score --null drop --permutation @p.npy -d cpu";
    success(&folder.say(&format!("partition @in.arrow --below 1 -o @out.arrow {options}")));
    assert_eq!(folder.numbers("p.npy"), [2, 6, 0, 4]);
    assert!(folder.read_table("out.arrow") == picked(&parts, &[2, 6, 0, 4]));
    success(&folder.say("sort @in.parquet --column score --null drop -o @out.npy -d cpu"));
    folder.expect("out.npy", "<f8", &[-2.0, 0.25, 1.5, 1e3]);
    let out = success(&folder.say("histogram @in.csv --column score --null drop --bins 2 -o @c.npy -d cpu"));
    folder.expect("c.npy", "<u8", &[3u64, 1]);
    assert!(out.contains("4 f64 keys in 'score', and 3 nulls left out"), "{out}");
    // Of strings, in dictionaries too.
    let city =
        format!("split {} --column city --by hash -b 8 --null drop -o @out.arrow -d cpu", made("people.feather"));
    success(&folder.say(&city));
    assert_eq!(folder.read_table("out.arrow").num_rows(), 7);
    assert_eq!(folder.read_table("out.arrow")["city"].null_count(), 0);
}
