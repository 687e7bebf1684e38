//! Comma and tab separated files.

use super::folder::{Folder, npy};
use crate::program::{failure, success, text};

const PEOPLE: &str =
    "name,age,born,score\nAnn,31,1993-05-01,1.5\n\"Bob, Jr.\",7,2017-12-24,-2\nCleo,31,1993-04-30,1e3\n";

#[test]
fn rows_go_with_their_keys() {
    let folder = Folder::new("text", "rows");
    folder.raw("people.csv", PEOPLE.as_bytes());
    let sorted = |options: &str| {
        success(&folder.say(&format!("sort @people.csv {options} -o @out.csv -d cpu")));
        text(&folder.read("out.csv"))
    };
    let rows: Vec<&str> = PEOPLE.lines().collect();
    let lines = |order: &[usize]| order.iter().map(|&i| format!("{}\n", rows[i])).collect::<String>();
    assert_eq!(sorted("--column age"), lines(&[0, 2, 1, 3]));
    assert_eq!(sorted("--column 2"), lines(&[0, 2, 1, 3]));
    assert_eq!(sorted("--column age --descending"), lines(&[0, 1, 3, 2]));
    assert_eq!(sorted("--column born"), lines(&[0, 3, 1, 2]));
    assert_eq!(sorted("--column score"), lines(&[0, 2, 1, 3]));
    assert_eq!(sorted("--column score --type f16"), lines(&[0, 2, 1, 3]));

    // Another separator, and keys alone in another format.
    success(&folder.say("partition @people.csv --column age --below 10 --select -o @young.tsv -d cpu"));
    assert_eq!(text(&folder.read("young.tsv")), "name\tage\tborn\tscore\nBob, Jr.\t7\t2017-12-24\t-2\n");
    success(&folder.say("sort @people.csv --column age -o @ages.npy --permutation @where.csv -d cpu"));
    folder.expect("ages.npy", "<i8", &[7i64, 31, 31]);
    assert_eq!(text(&folder.read("where.csv")), "permutation\n1\n0\n2\n");
    success(&folder.say("sort @people.csv --column born -o @born.npy -d cpu"));
    folder.expect("born.npy", "<M8[us]", &[8520i64, 8521, 17524].map(|days| days * 86_400_000_000));

    folder.raw("fine.txt", b"2001-09-09T01:46:40\n2001-09-09 01:46:39.999999999\n");
    for options in ["", "--type datetime"] {
        success(&folder.say(&format!("sort @fine.txt {options} -o @born.npy -d cpu")));
        folder.expect("born.npy", "<M8[ns]", &[999_999_999_999_999_999i64, 1_000_000_000_000_000_000]);
    }

    // Buckets of strings, by hash: equal ones together.
    success(&folder.say("split @people.csv --column name --by hash -b 2 -o @out.csv --offsets @o.csv -d cpu"));
    let mut out: Vec<String> = text(&folder.read("out.csv")).lines().map(str::to_string).collect();
    out[1..].sort();
    let mut expected: Vec<&str> = rows.clone();
    expected[1..].sort();
    assert_eq!(out, expected);
    let said = failure(&folder.say("sort @people.csv --column name -o @out.csv -d cpu"));
    assert!(said.contains("strings have no order here; split them with --by hash"), "{said}");
}

#[test]
fn decimals() {
    let folder = Folder::new("text", "decimals");
    folder.raw("in.csv", b"price,id\n19.99,a\n-0.05,b\n2.5,c\n100,d\n");
    success(&folder.say("sort @in.csv --column price --type decimal2 -o @out.csv -d cpu"));
    assert_eq!(text(&folder.read("out.csv")), "price,id\n-0.05,b\n2.5,c\n19.99,a\n100,d\n");
    let out =
        success(&folder.say("histogram @in.csv --column price --type decimal2 --bins 2 --from 0 --to 20.5 -d cpu"));
    assert!(out.contains("4 decimal2 keys in 'price'") && out.contains("from 0.00 to 20.50"), "{out}");
    for (options, said) in [
        (
            "sort @in.csv --column price --type decimal1",
            "line 2, column 'price': '19.99' is not a key of type decimal1",
        ),
        ("sort @in.csv --column price --type decimal2", "lines of text can be written to a text file only"),
        ("sort @in.csv --column price --type decimal19", "there are u8, u16"),
        ("sort @in.raw --type decimal2", "numbers alone are no decimals; name the type of their units, such as i64"),
    ] {
        folder.raw("in.raw", &[0u64, 1]);
        let said_so = failure(&folder.say(&format!("{options} -o @out.npy -d cpu")));
        assert!(said_so.contains(said) && !folder.has("out.npy"), "{said_so}");
    }
}

#[test]
fn empty_fields() {
    let folder = Folder::new("text", "empty");
    folder.raw("in.csv", b"name,age\nAnn,31\nBob,\nCleo,7\nDan,\n");
    for (options, rows) in [
        ("--null last", "Cleo,7\nAnn,31\nBob,\nDan,\n"),
        ("--null first --descending", "Bob,\nDan,\nAnn,31\nCleo,7\n"),
        ("--null drop", "Cleo,7\nAnn,31\n"),
    ] {
        success(&folder.say(&format!("sort @in.csv --column age {options} -o @out.csv --permutation @p.txt -d cpu")));
        assert_eq!(text(&folder.read("out.csv")), format!("name,age\n{rows}"));
        let rows = rows.lines().map(|row| ["Ann", "Bob", "Cleo", "Dan"].iter().position(|name| row.starts_with(name)));
        let rows: String = rows.map(|row| format!("{}\n", row.unwrap())).collect();
        assert_eq!(text(&folder.read("p.txt")), rows);
    }
    success(&folder.say("sort @in.csv --column age --null drop -o @out.npy -d cpu"));
    folder.expect("out.npy", "<i8", &[7i64, 31]);
    let said = failure(&folder.say("sort @in.csv --column age --null last -o @no.npy -d cpu"));
    assert!(said.contains("lines of text can be written to a text file only"), "{said}");
    folder.raw("v.txt", b"1\n2\n3\n4\n");
    let values = "--values @v.txt --values-output @no.npy";
    let said = failure(&folder.say(&format!("sort @in.csv --column age --null last -o @no.csv {values} -d cpu")));
    assert!(said.contains("some rows have no key, so that --values cannot go with them"), "{said}");
    let said = failure(&folder.say("histogram @in.csv --column age --null last -d cpu"));
    assert!(said.contains("--null first and last are for sorts; say drop to leave such rows out"), "{said}");
    assert!(!folder.has("no.npy") && !folder.has("no.csv"));
}

#[test]
fn headers_separators_and_types() {
    let folder = Folder::new("text", "types");
    let sort = |contents: &str, options: &str| -> String {
        folder.raw("in.txt", contents.as_bytes());
        success(&folder.say(&format!("sort @in.txt {options} -o @out.csv -d cpu")));
        text(&folder.read("out.csv"))
    };
    assert_eq!(sort("3\n1\n2", ""), "1\n2\n3\n");
    assert_eq!(sort("x\n3\r\n1\r\n\r\n2\r\n", ""), "x\n1\n2\n3\n");
    assert_eq!(sort("\u{feff}x\n3\n1\n", ""), "x\n1\n3\n");
    assert_eq!(sort("7;b\n-3;a\n", "--column 1"), "-3,a\n7,b\n");
    assert_eq!(sort("a\tb\n2\t1,5\n1\t2\n", "--column a"), "a,b\n1,2\n2,\"1,5\"\n");
    assert_eq!(sort("1\n18446744073709551615\n0\n", ""), "0\n1\n18446744073709551615\n");
    assert_eq!(sort("3\n2.5\n-inf\n", ""), "-inf\n2.5\n3\n");
    assert_eq!(sort("true\nfalse\nTRUE\n", "--header no"), "false\ntrue\nTRUE\n");
    assert_eq!(sort("1\n3\n2\n", "--header yes"), "1\n2\n3\n");
    assert_eq!(sort("x\n", ""), "x\n");

    // Keys of arrays as text.
    folder.npy("keys.npy", "<f4", &[0.1f32, -1e30, f32::NAN]);
    success(&folder.say("sort @keys.npy -o @keys.csv -d cpu"));
    assert_eq!(text(&folder.read("keys.csv")), "key\n-1e30\n0.1\nNaN\n");
    success(&folder.say("sort @keys.npy -o @keys.txt -d cpu"));
    success(&folder.say("sort @keys.txt --type f32 -o @again.npy -d cpu"));
    folder.expect("again.npy", "<f4", &[-1e30f32, 0.1, f32::NAN]);
    // Values, splitters and edges from text.
    folder.raw("values.csv", b"v\n10\n20\n30\n");
    folder.raw("splitters.txt", b"0\n");
    success(&folder.say(
        "split @keys.npy --splitters @splitters.txt -o @k.npy --values @values.csv --values-output @v.npy -d cpu",
    ));
    folder.expect("v.npy", "<i8", &[20i64, 10, 30]);
    folder.raw("both.csv", b"a,b\n1,1.5\n2,2.5\n3,3.5\n");
    let out = success(&folder.say(
        "sort @both.csv --column a --descending -o @k.npy --values @both.csv --values-column b --values-output @v.npy
         --values @values.csv --values-column 1 --values-output @w.tsv -d cpu",
    ));
    assert!(out.contains("both.csv: 3 i64 keys in 'a' with 2 columns of values"), "{out}");
    folder.expect("v.npy", "<f8", &[3.5f64, 2.5, 1.5]);
    assert_eq!(text(&folder.read("w.tsv")), "value\n30\n20\n10\n");
}

#[test]
fn bad_text_is_refused_by_line_and_column() {
    let folder = Folder::new("text", "bad");
    folder.raw("good.npy", &npy("<u4", "(1,)", &[0; 4]));
    for (contents, options, said) in [
        ("a,b\n1,2\n3,x\n", "--column b", "in.csv: line 3, column 'b': 'x' is not a key of type i64"),
        ("a,b\n1,2\n3,\n", "--column b", "line 3, column 'b': the field is empty, but must be a key of type i64"),
        (
            "a,b\n1,\n3,4\n",
            "--column b",
            "line 2, column 'b': the field is empty, but must be a key of type i64; --null drop",
        ),
        ("1,2\n\n3,x\n", "--column 2", "line 3, column 2: 'x' is not"),
        ("a\n1.5\nx\n", "", "line 3, column 'a': 'x' is not a number"),
        ("a\n1\n300\n", "--type u8", "line 3, column 'a': '300' is not a key of type u8"),
        ("a\n2024-01-01\n2024-02-30\n", "", "line 3, column 'a': '2024-02-30' is not a date such as"),
        ("a\ntrue\nmaybe\n", "--type bool", "line 3, column 'a': 'maybe' is not true or false"),
        ("a,b\n1,2\n3\n", "--column 1", "line 3: the row has 1 field, but the first line has 2"),
        ("a,b\n1,\"2\n3,4\n", "--column 1", "line 2: the quoted field that begins here does not end"),
        ("a,b\n1,2\n", "", "which column, --column NAME or NUMBER? There are 1 (a), 2 (b)"),
        ("a,b\n1,2\n", "--column c", "there is no column 'c'; there are 1 (a), 2 (b)"),
        ("a,b\n1,2\n", "--column 3", "there is no column '3'"),
        ("a,b\n1,2\n", "--column 0", "there is no column '0'"),
        ("a,b\n1,2\n", "--column a --header no", "--column a is a name, but --header no says"),
        ("\n\n", "", "the file has nothing but empty lines"),
        ("", "", "in.csv: the file is empty"),
        ("a\n1\n", "--header maybe", "say yes or no"),
    ] {
        folder.raw("in.csv", contents.as_bytes());
        let said_so = failure(&folder.say(&format!("sort @in.csv {options} -o @out.csv -d cpu")));
        assert!(said_so.contains(said), "{contents:?} {options}: {said_so}");
        assert_eq!(folder.names(), ["good.npy", "in.csv"]);
    }
    folder.raw("in.csv", b"a,b\n1,2\n");
    let said = failure(&folder.say("sort @good.npy -o @o.npy --values @in.csv --values-output @v.npy -d cpu"));
    assert!(
        said.contains("in.csv: there must be one column, or it must be named, but there are 1 (a), 2 (b)"),
        "{said}"
    );
}
