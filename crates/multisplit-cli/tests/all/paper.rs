//! The experiments of the paper, small.

use crate::program::{failure, file, refused, success_and_notes};
use crate::report::check_page;
use serde_json::Value;
use std::collections::BTreeSet;
use std::fs;
use std::path::Path;

const SMALL: &str = "--quick --device cpu --n 3000 --runs 2";

/// Runs the experiments, and returns what is said on the way.
fn paper(folder: &Path) -> String {
    success_and_notes(&format!("paper --output {} {SMALL}", folder.display())).1
}

fn read(folder: &Path, name: &str) -> String {
    fs::read_to_string(folder.join(name)).unwrap()
}

/// What each row measured, without how long it took.
fn cases(rows: &str) -> Vec<String> {
    let case = |line: &str| {
        let row: Value = serde_json::from_str(line).unwrap();
        let fields = ["op", "impl", "method", "bucket", "dist", "graph", "n", "m", "key", "value", "note"];
        fields.map(|field| row[field].to_string()).join(" ")
    };
    rows.lines().map(case).collect()
}

#[test]
fn every_experiment_and_its_page() {
    let folder = file("paper");
    let _ = fs::remove_dir_all(&folder);
    let said = paper(&folder);
    assert!(said.contains("9 of 9: histograms (table 11); ") && said.contains(" left"), "{said}");
    let rows = read(&folder, "rows.jsonl");
    let all = cases(&rows);
    let distinct: BTreeSet<&String> = all.iter().collect();
    assert_eq!(all.len(), distinct.len(), "a case was measured twice");
    for line in rows.lines() {
        let row: Value = serde_json::from_str(line).unwrap();
        assert_eq!(row["verified"], row["op"] != "absent", "{line}");
        assert_eq!(row["command"], "multisplit paper --output paper --quick --device cpu --n 3000 --runs 2");
    }
    let count = |what: &str| all.iter().filter(|case| case.starts_with(what)).count();
    // CUB; 2 scan-based splits, 8 numbers of buckets by 2 ways, uniform and binomial, 2 of 0.25-uniform keys, and 8 of
    // identity buckets, all of keys and of pairs; 6 sorts of both; 2 strategies; 8 even and 8 range histograms.
    assert_eq!(count("\"absent\""), 1);
    assert_eq!(count("\"split\""), 2 * (1 + 8 * 2 + 8 * 2 + 2 + 8));
    assert_eq!((count("\"sort\""), count("\"sssp\""), count("\"histogram\"")), (2 * 6, 2, 2 * 8));

    let csv = read(&folder, "rows.csv");
    assert_eq!(csv.lines().count(), rows.lines().count() + 1);
    assert!(csv.starts_with("op,impl,method,"), "{csv}");

    let page = read(&folder, "paper.html");
    check_page(&page);
    for number in [3, 4, 5, 6, 7, 8, 11] {
        assert!(page.contains(&format!(">Table {number}: ")), "table {number} is missing");
    }
    for part in [
        "Tables 9 and 10",
        "Figure 6",
        "Figure 7",
        "Figure 8",
        ">18.93 (5.57×)<",
        ">CUB: not measured<",
        "it runs on CUDA devices only, not on cpu",
        "A CPU has no stages",
        "This is a quick run",
        "--n 3000 --runs 2",
        "ms (",
        "prefers-color-scheme:dark",
    ] {
        assert!(page.contains(part), "'{part}' is not in the page");
    }
    assert!(page.matches("<svg").count() >= 25, "charts are missing");

    // Nothing is measured again, and a page of any rows takes these.
    let said = paper(&folder);
    assert!(said.contains(&format!("{} rows are there already", rows.lines().count())), "{said}");
    assert_eq!(read(&folder, "rows.jsonl"), rows);
    let report = folder.join("report.html");
    success_and_notes(&format!("report {} --output {}", folder.join("rows.jsonl").display(), report.display()));
    check_page(&fs::read_to_string(report).unwrap());

    // An interrupted run, whose last line is torn, goes on.
    let cut = rows.len() * 2 / 3;
    fs::write(folder.join("rows.jsonl"), &rows[..cut]).unwrap();
    let said = paper(&folder);
    assert!(said.contains("the last line was torn, and is measured again"), "{said}");
    let resumed = read(&folder, "rows.jsonl");
    let whole = rows[..cut].rfind('\n').unwrap() + 1;
    assert_eq!(resumed[..whole], rows[..whole]);
    assert_eq!(cases(&resumed).into_iter().collect::<BTreeSet<_>>(), all.iter().cloned().collect());
    assert_eq!(resumed.lines().count(), rows.lines().count());
}

#[test]
fn what_cannot_be_run() {
    let folder = file("paper-refused");
    let _ = fs::remove_dir_all(&folder);
    fs::create_dir_all(&folder).unwrap();
    let taken = folder.join("taken");
    fs::write(&taken, "mine").unwrap();
    refused(
        "paper",
        [
            (String::new(), "--output"),
            (format!("--output {} {SMALL}", taken.display()), "taken"),
            (format!("--output {} --device none", folder.display()), "--device none"),
            (format!("--output {} --n 0", folder.display()), "--n 0 is out of range"),
            (format!("--output {} --n 2^33", folder.display()), "is out of range"),
            (format!("--output {} --runs 0", folder.display()), "--runs must be at least 1"),
        ],
    );
    assert_eq!(fs::read_to_string(&taken).unwrap(), "mine");
    fs::write(folder.join("rows.jsonl"), "my own notes\nof rows\n").unwrap();
    let said = failure(&format!("paper --output {} {SMALL}", folder.display()));
    assert!(said.contains("rows.jsonl: line 1"), "{said}");
    assert_eq!(read(&folder, "rows.jsonl"), "my own notes\nof rows\n");

    // One experiment that fails does not stop the others.
    let graph = folder.join("no-such-graph.gr");
    let said = failure(&format!(
        "paper --output {} --quick --device cpu --n 500 --runs 1 --graphs {}",
        folder.join("failing").display(),
        graph.display()
    ));
    assert!(said.contains("1 of 9 experiments failed") && said.contains("no-such-graph.gr"), "{said}");
    let page = read(&folder.join("failing"), "paper.html");
    assert!(page.contains("Table 11") && page.contains("no-such-graph.gr"));
}
