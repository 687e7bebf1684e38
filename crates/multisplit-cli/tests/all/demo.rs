//! The demo.

use crate::program::{command, file, gpu, text};
use std::path::{Path, PathBuf};
use std::process::Command;
use std::{env, fs, thread};

/// Standard output of a demo that must succeed, with its compiled kernels in a cache.
fn demo(cache: &Path, arguments: &str) -> String {
    let mut command = command();
    command.env("XDG_CACHE_HOME", cache).arg("demo").args(arguments.split_whitespace());
    let output = command.output().unwrap();
    assert!(output.status.success(), "{arguments}: {}", text(&output.stderr));
    text(&output.stdout)
}

/// A cache with nothing in it, in a folder of its own.
fn cache(test: &str) -> PathBuf {
    let folder = file(test);
    let _ = fs::remove_dir_all(&folder);
    folder
}

fn has_row(table: &str, m: u32) -> bool {
    table.lines().any(|line| line.split('|').next().is_some_and(|first| first.trim() == m.to_string()))
}

#[test]
fn on_the_cpu() {
    let table = demo(&cache("demo-on-the-cpu"), "--device cpu --n 10000 --buckets 3,256 --runs 1");
    assert!(table.contains("Every result equals the reference."), "{table}");
    assert!(has_row(&table, 3) && has_row(&table, 256), "{table}");
    assert!(!table.contains("compiled") && !table.contains("interquartile"), "{table}");
    let table = demo(&cache("demo-on-the-cpu"), "--device cpu --n 10000 --buckets 3 --runs 5");
    assert!(table.contains("The interquartile ranges of the runs are "), "{table}");
}

#[test]
fn only_compiling_prints_nothing() {
    if let Some(name) = gpu() {
        let printed =
            demo(&cache("demo-only-compiling"), &format!("--compile-only --device {name} --n 5000 --buckets 8"));
        assert_eq!(printed, "");
    }
}

/// `./test` runs it on emulated CUDA.
#[test]
fn kernels_are_compiled_ahead() {
    if env::var("MULTISPLIT_TEST_DEVICE").as_deref() != Ok("cuda:0") {
        println!("kernels_are_compiled_ahead: only on CUDA");
        return;
    }
    let cache = cache("demo-compiled-ahead");
    let arguments = "--device cuda:0 --n 20000 --buckets 2,8 --runs 1";
    let first = demo(&cache, arguments);
    let several = thread::available_parallelism().is_ok_and(|cores| cores.get() > 1);
    assert_eq!(first.contains("Kernels were compiled before, in 2 processes"), several, "{first}");
    assert!(has_row(&first, 2) && has_row(&first, 8), "{first}");
    // There is a cache now.
    let second = demo(&cache, arguments);
    assert!(!second.contains("compiled"), "{second}");
    assert!(has_row(&second, 2) && has_row(&second, 8), "{second}");
}

/// `cargo run`, the first command of the README, must know which program of the workspace is meant.
#[test]
fn is_what_cargo_runs() {
    let mut cargo = Command::new(env!("CARGO"));
    cargo.args(["metadata", "--no-deps", "--offline", "--format-version", "1"]);
    let output = cargo.current_dir(env!("CARGO_MANIFEST_DIR")).output().unwrap();
    let metadata: serde_json::Value = serde_json::from_slice(&output.stdout).unwrap();
    let packages = metadata["packages"].as_array().unwrap();
    let named: Vec<_> = packages.iter().filter_map(|package| package["default_run"].as_str()).collect();
    assert_eq!(named, ["multisplit"]);
}
