//! Where rows come from, and documents of rows.

use crate::program::{command, file, refused, success, text};
use serde_json::Value;
use std::fs;
use std::process::Command;

/// Rows have the commit that the program was built from, not that of the folder that it runs in.
#[test]
fn the_commit_is_of_the_program() {
    let said = success("-V");
    let version = said.trim().strip_prefix("multisplit ").unwrap();
    let (number, commit) = version.split_once(" (").unwrap();
    let commit = commit.strip_suffix(')').unwrap();
    assert_eq!(number, env!("CARGO_PKG_VERSION"));
    assert!(commit == "unknown" || commit.len() >= 7, "{said}");

    let folder = file("another-project");
    fs::create_dir_all(&folder).unwrap();
    let git = |arguments: &str| {
        let output = Command::new("git").current_dir(&folder).args(arguments.split(' ')).output().unwrap();
        assert!(output.status.success(), "{}", text(&output.stderr));
    };
    git("init -q");
    git("-c user.name=a -c user.email=a@b commit -q --allow-empty -m x");
    let bench = "--no-kernel-cache bench split --device cpu --n 100 --buckets 2 --runs 1 --format jsonl";
    let output = command().current_dir(&folder).args(bench.split(' ')).output().unwrap();
    let out = text(&output.stdout);
    assert_eq!(out.lines().count(), 4, "{out}{}", text(&output.stderr));
    for line in out.lines() {
        let row: Value = serde_json::from_str(line).unwrap();
        assert_eq!(row["commit"], commit, "{line}");
    }
}

/// A page of any rows: it needs nothing but itself, and nothing in a row can get out of its place.
#[test]
fn a_page_of_any_rows() {
    let (rows, page) = (file("page-rows.jsonl"), file("page/report.html"));
    let split = "bench split --device cpu --n 5000,2^12 --buckets 2,8,100 --values none,u32 --runs 5 --format jsonl";
    let histogram = "bench histogram --device cpu --n 5000 --bins 2,8 --keys f32 --runs 5 --format jsonl";
    let sort = "bench sort --device cpu --n 5000 --keys u32 --runs 5 --format jsonl";
    let paths = "bench sssp grid:20,20 --device cpu --runs 5 --format jsonl";
    let mut text: String = [split, histogram, sort, paths].iter().map(|bench| success(bench)).collect();
    let evil = text.lines().find(|line| line.contains("\"split\"")).unwrap();
    text += &evil.replace("\"driver\":null", "\"driver\":\"<script>alert(1)</script>&\"");
    fs::write(&rows, text).unwrap();
    success(&format!("report {} --output {}", rows.display(), page.display()));
    let html = fs::read_to_string(&page).unwrap();
    check_page(&html);
    for part in [
        "<h1>Measured by multisplit</h1>",
        "Rates",
        "Histograms",
        "Sorts",
        "Shortest paths",
        "prefers-color-scheme:dark",
        "@media print",
        "multisplit --no-kernel-cache bench split --device cpu",
        "&lt;script&gt;alert(1)&lt;/script&gt;&amp;",
        "each with its quartiles",
        "<details>",
    ] {
        assert!(html.contains(part), "'{part}' is not in the page");
    }
    assert!(html.matches("<svg").count() >= 5 && html.matches("<circle").count() > 10, "charts are missing");

    // The old name, and Markdown by its extension.
    let markdown = file("page/report.md");
    success(&format!("bench report {} --output {}", rows.display(), markdown.display()));
    assert!(fs::read_to_string(&markdown).unwrap().contains("![report-keys.svg](report-keys.svg)"));
    assert!(fs::read_to_string(file("page/report-keys.svg")).unwrap().starts_with("<svg"));
    let rows = rows.display();
    refused(
        "report",
        [
            (format!("{rows} --output report.pdf"), "must end with .html (a page) or .md (Markdown)"),
            ("no-such-file.jsonl".into(), "no-such-file.jsonl"),
            (format!("{rows} --output {}/report.html", rows), "page-rows.jsonl"),
        ],
    );
}

/// That a page is whole, and asks for nothing that is not in it.
pub fn check_page(html: &str) {
    assert!(html.starts_with("<!DOCTYPE html>") && html.ends_with("</html>\n"));
    for outside in ["<script", "http-equiv", "src=", "@import", "url(", "<iframe", "onload="] {
        assert!(!html.contains(outside), "{outside}");
    }
    let links = html.matches("href=\"").count();
    let within = html.matches("href=\"#").count() + html.matches("href=\"data:").count();
    assert_eq!(links, within, "links lead into the page");
    assert_eq!(html.matches("http").count(), html.matches("xmlns=\"http://www.w3.org/2000/svg\"").count());
    // Elements are closed, in their order.
    let mut open: Vec<&str> = Vec::new();
    for tag in html.split('<').skip(1) {
        let (tag, _) = tag.split_once('>').unwrap();
        let name = tag.trim_start_matches('/').split([' ', '\n']).next().unwrap();
        if tag.starts_with('/') {
            assert_eq!(open.pop(), Some(name), "{tag}");
        } else if !tag.ends_with('/') && !["!DOCTYPE", "meta", "link"].contains(&name) {
            open.push(name);
        }
    }
    assert!(open.is_empty(), "{open:?}");
}
