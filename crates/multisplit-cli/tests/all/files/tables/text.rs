//! Tables as text, and text as tables.

use super::super::order_by;
use super::rows::{N, key, parts, word};
use super::{FORMATS, Folder, single};
use crate::program::{success, text};
use arrow_array::cast::AsArray;
use arrow_array::types::{Decimal128Type, Float64Type};
use arrow_array::{Array, ArrayRef, RecordBatch, StringArray};
use arrow_schema::DataType;
use std::sync::Arc;

/// Rows as text, which can be read again.
#[test]
fn tables_as_text() {
    let folder = Folder::new("tables", "text");
    let columns = ["word", "key", "view", "score", "city", "paid", "seen", "nothing"];
    let parts: Vec<RecordBatch> = parts()
        .iter()
        .map(|part| {
            let indices: Vec<usize> = columns.iter().map(|name| part.schema().index_of(name).unwrap()).collect();
            part.project(&indices).unwrap()
        })
        .collect();
    let order = order_by(N, key);
    let text_of = |field: Option<String>| field.map(|field| format!("\"{field}\"")).unwrap_or_default();
    let line = |&row: &usize| {
        let (word, n) = (text_of(word(row)), row as i64 - 70);
        let score = if row % 3 == 0 { String::new() } else { format!("{row}.0") };
        let paid = format!("{}{}.{:02}", if n < 0 { "-" } else { "" }, n.abs() / 100, n.abs() % 100);
        (format!("{word},{},{word},{score},{word},{paid},", key(row)), ",\n")
    };
    for format in FORMATS {
        folder.table(&format!("in.{format}"), &parts);
        success(&folder.say(&format!("sort @in.{format} --column key -o @out.csv -d cpu")));
        let out = text(&folder.read("out.csv"));
        let mut lines = out.split_inclusive('\n');
        assert_eq!(lines.next(), Some("word,key,view,score,city,paid,seen,nothing\n"));
        for (found, row) in lines.zip(&order) {
            let (begin, end) = line(row);
            assert!(found.starts_with(&begin) && found.ends_with(end), "{found} {begin}");
            if *row == 20 {
                assert_eq!(&found[begin.len()..], "1970-01-01T00:00:01.048576,\n");
            }
        }
        assert_eq!(out.lines().count(), N + 1);
        success(&folder.say(&format!("sort @in.{format} --column key --descending -o @down.tsv -d cpu")));
        success(&folder.say("sort @down.tsv --column key --type i32 -o @again.npy -d cpu"));
        folder.expect("again.npy", "<i4", &order.iter().map(|&row| key(row)).collect::<Vec<i32>>());
    }
    // One column of it, of which a number is in each line.
    folder.table("one.parquet", &single("key", vec![2, 1]));
    success(&folder.say("sort @one.parquet -o @out.txt -d cpu"));
    assert_eq!(text(&folder.read("out.txt")), "1\n2\n");
    let words = Arc::new(StringArray::from(vec![Some("a"), None, Some("")])) as ArrayRef;
    folder.table("words.arrow", &[RecordBatch::try_from_iter([("word", words)]).unwrap()]);
    success(&folder.say("split @words.arrow --by hash -b 1 --null drop -o @out.csv -d cpu"));
    assert_eq!(text(&folder.read("out.csv")), "word\na\n\"\"\n");
}

/// Rows of a text as a table, and back.
#[test]
fn text_as_tables() {
    let folder = Folder::new("tables", "of-text");
    let rows = [
        "Ann,31,1993-05-01,1.5,01234,true,9.99,,12345678901234567890123",
        "\"Bob, Jr.\",7,2017-12-24T12:30,,99999,false,-0.05,,1",
        ",31,1993-04-30,1e3,00007,,100.00,,2.5",
    ];
    let header = "name,age,born,score,code,\"is \"\"it\"\"\",paid,nothing,large";
    folder.raw("in.csv", format!("{header}\n{}\n", rows.join("\n")).as_bytes());
    let types = "Utf8 Int64 Timestamp(µs) Float64 Utf8 Boolean Float64 Utf8 Utf8";
    for format in FORMATS {
        success(&folder.say(&format!("sort @in.csv --column age -o @out.{format} -d cpu")));
        let found = folder.read_table(&format!("out.{format}"));
        let found_types: Vec<String> =
            found.schema().fields().iter().map(|field| field.data_type().to_string()).collect();
        assert_eq!(found_types.join(" "), types);
        assert_eq!(found.schema().field(5).name(), "is \"it\"");
        let names: Vec<_> = found["name"].as_string::<i32>().iter().flatten().collect();
        assert_eq!(names, ["Bob, Jr.", "Ann", ""]);
        assert_eq!(
            found["score"].as_primitive::<Float64Type>().iter().collect::<Vec<_>>(),
            [None, Some(1.5), Some(1e3)]
        );
        let flags: Vec<_> = found.column(5).as_boolean().iter().collect();
        assert_eq!(flags, [Some(false), Some(true), None]);
        success(&folder.say(&format!("sort @out.{format} --column born -o @back.csv -d cpu")));
        let expected = [
            header,
            ",31,1993-04-30,1000.0,00007,,100.0,,2.5",
            "Ann,31,1993-05-01,1.5,01234,true,9.99,,12345678901234567890123",
            "\"Bob, Jr.\",7,2017-12-24T12:30,,99999,false,-0.05,,1",
        ];
        assert_eq!(text(&folder.read("back.csv")).lines().collect::<Vec<_>>(), expected);
    }
    // The keys keep the type that was named.
    success(&folder.say("sort @in.csv --column paid --type decimal2 -o @out.parquet -d cpu"));
    let found = folder.read_table("out.parquet");
    assert_eq!(found["paid"].as_primitive::<Decimal128Type>().values()[..], [-5, 999, 10_000]);
    success(&folder.say("sort @in.csv --column age --type u8 -o @out.arrow -d cpu"));
    assert_eq!(folder.read_table("out.arrow")["age"].data_type(), &DataType::UInt8);
    success(&folder.say("sort @in.csv --column score --null first -o @out.arrow -d cpu"));
    assert!(folder.read_table("out.arrow")["score"].is_null(0));
    success(
        &folder.say("split @in.csv --column name --by hash -b 2 --output-dir @parts --output-format parquet -d cpu"),
    );
    let found = [0, 1].map(|b| folder.read_table(&format!("parts/bucket-{b}.parquet")));
    assert_eq!(found[0].num_rows() + found[1].num_rows(), 3);
    assert_eq!(found[0].schema(), found[1].schema());
    // Without names.
    folder.raw("in.txt", b"3;x\n1;y\n");
    success(&folder.say("sort @in.txt --column 1 -o @out.arrow -d cpu"));
    let found = folder.read_table("out.arrow");
    assert_eq!(found.schema().field(1).name(), "column 2");
    assert_eq!(found.column(1).as_string::<i32>().iter().flatten().collect::<Vec<_>>(), ["y", "x"]);
}
