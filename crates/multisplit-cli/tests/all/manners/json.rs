//! Reports for programs.

use super::folder;
use crate::files::folder::Folder;
use crate::program::{piped, success_and_notes, text};
use serde_json::{Value, json};

/// The one object that a run prints.
fn facts(folder: &Folder, arguments: &str) -> Value {
    let (printed, said) = success_and_notes(&folder.say(&format!("{arguments} --json")));
    assert_eq!((printed.lines().count(), said.as_str()), (1, ""), "{arguments}: {printed}");
    serde_json::from_str(&printed).unwrap_or_else(|error| panic!("{arguments}: {error}: {printed}"))
}

fn check(found: &Value, expected: &[(&str, Value)]) {
    for (name, value) in expected {
        assert_eq!(found[name], *value, "{name} of {found}");
    }
}

#[test]
fn of_files() {
    let folder = folder("json-files");
    let sorted = facts(&folder, "sort @people.csv --column age --descending -o @out.csv -d cpu");
    check(
        &sorted,
        &[
            ("command", json!("sort")),
            ("input", json!(folder.say("@people.csv"))),
            ("column", json!("age")),
            ("n", json!(4)),
            ("key", json!("i64")),
            ("descending", json!(true)),
            ("bits", Value::Null),
            ("outputs", json!({"keys": folder.say("@out.csv")})),
        ],
    );
    assert_eq!(sorted["device"]["name"], "cpu");
    assert!(sorted["seconds"].as_f64().unwrap() > 0.0);

    let outputs = "-o @out.npy --offsets @o.npy --values @keys.npy --values-output @v.npy";
    let split =
        facts(&folder, &format!("split @keys.npy -b 3 --by identity {outputs} -d cpu").replace("-b 3", "-b 64"));
    let outputs = json!({
        "keys": folder.say("@out.npy"), "offsets": folder.say("@o.npy"), "values": [folder.say("@v.npy")]
    });
    check(&split, &[("n", json!(1000)), ("m", json!(64)), ("values", json!(1)), ("empty", json!(23))]);
    check(&split, &[("outputs", outputs), ("key", json!("u32")), ("rule", json!("by the key itself"))]);
    let offsets: Vec<u64> = split["offsets"].as_array().unwrap().iter().map(|it| it.as_u64().unwrap()).collect();
    assert!(offsets.len() == 65 && offsets[0] == 0 && offsets[64] == 1000 && offsets.is_sorted(), "{split}");
    assert_eq!(split["smallest"], json!({"bucket": 41, "keys": 0}));
    folder.expect("o.npy", "<u8", &offsets);
    let many = facts(&folder, "split @keys.npy -b 2^17 --by hash --offsets @o.npy -d cpu");
    check(&many, &[("m", json!(1 << 17)), ("offsets", Value::Null)]);

    let parts = facts(&folder, "partition @people.csv --column age --below 40 --and-below 80 -o @out.csv -d cpu");
    check(&parts, &[("m", json!(3)), ("offsets", json!([0, 1, 3, 4])), ("kept", Value::Null)]);
    let kept = facts(&folder, "partition @people.csv --column age --below 40 --select -o @out.csv -d cpu");
    check(&kept, &[("m", json!(2)), ("offsets", json!([0, 1, 4])), ("kept", json!(1))]);
}

#[test]
fn of_histograms() {
    let folder = folder("json-histograms");
    let found = facts(&folder, "histogram @people.csv --column age --bins 2 --from 40 --to 80 -d cpu");
    check(&found, &[("m", json!(2)), ("edges", json!([40, 60, 80])), ("counts", json!([1, 1])), ("inside", json!(2))]);
    check(&found, &[("outside", json!(2)), ("why_outside", json!({"below": 1, "above": 1}))]);
    let found = facts(&folder, "histogram @people.csv --column name --bins 3 -o @counts.npy -d cpu");
    let counts: Vec<u64> = found["counts"].as_array().unwrap().iter().map(|it| it.as_u64().unwrap()).collect();
    folder.expect("counts.npy", "<u8", &counts);

    folder.npy("floats.npy", "<f4", &[0.5f32, 1.5, f32::NAN, f32::INFINITY]);
    let found = facts(&folder, "histogram @floats.npy --bins 2 --from 0 --to 2 -d cpu");
    check(&found, &[("edges", json!([0, 1, 2])), ("why_outside", json!({"inf": 1, "NaN": 1}))]);
    folder.npy("large.npy", "<u8", &[0u64, u64::MAX]);
    let line = success_and_notes(&folder.say("histogram @large.npy --bins 1 -d cpu --json")).0;
    assert!(line.contains(r#""edges":[0,18446744073709551616]"#), "{line}");
    folder.raw("days.csv", b"day\n2024-02-28\n2024-03-01\n");
    let found = facts(&folder, "histogram @days.csv -d cpu");
    assert!(found["edges"][0].as_str().unwrap().starts_with("2024-02"), "{found}");
}

#[test]
fn of_graphs() {
    let folder = folder("json-graphs");
    let found = facts(&folder, "sssp @road.gr --source 1,4 --target 3,2 --device cpu --output @d.txt --verify");
    check(
        &found,
        &[("vertices", json!(4)), ("arcs", json!(4)), ("format", json!("dimacs")), ("verified", json!(true))],
    );
    check(&found, &[("edges", json!("directed")), ("outputs", json!({"distances": folder.say("@d.txt")}))]);
    let [first, second] = [0, 1].map(|i| found["searches"][i].clone());
    let expected = json!([
        {"target": 3, "distance": 7, "path": [1, 2, 3]}, {"target": 2, "distance": 7, "path": [1, 2]}
    ]);
    check(&first, &[("source", json!(1)), ("reached", json!(3)), ("paths", expected)]);
    check(&second, &[("source", json!(4)), ("reached", json!(2)), ("farthest_distance", json!(1))]);
    assert_eq!(second["paths"][1], json!({"target": 2, "distance": null, "path": null}));

    let found = facts(&folder, "graph info @road.gr --source 4");
    check(
        &found,
        &[("symmetric", json!(false)), ("components", json!(1)), ("reachable", json!(2)), ("loops", json!(0))],
    );
    assert_eq!(found["degrees_out"], json!({"least": 0, "median": 1.0, "most": 2, "mean": 1.0}));
    folder.raw("empty.gr", b"p sp 0 0\n");
    check(&facts(&folder, "graph info @empty.gr"), &[("vertices", json!(0)), ("symmetric", json!(true))]);

    let found = facts(&folder, "graph convert @road.gr --output @road.bin");
    check(&found, &[("output_format", json!("binary")), ("bytes", json!(folder.read("road.bin").len()))]);
    let found = facts(&folder, "graph export @road.gr --output @road.txt");
    assert_eq!(found["outputs"]["graph"], json!(folder.say("@road.txt")));
    let found = facts(&folder, "graph generate path -n 3 --output @path.gr");
    check(&found, &[("vertices", json!(3)), ("arcs", json!(4)), ("notes", json!([]))]);
}

/// An output that is standard output leaves standard error for the report.
#[test]
fn beside_an_output() {
    let output = piped("sort - -o - --type u8 --json -d cpu", &[0xff, 3, 1]);
    assert_eq!(output.stdout, [1, 3, 0xff]);
    let found: Value = serde_json::from_str(&text(&output.stderr)).unwrap();
    check(&found, &[("n", json!(3)), ("outputs", json!({"keys": "-"}))]);
}
