//! The program under test, and files of a test's own.

use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};

/// The program, with nothing to do yet.
pub fn command() -> Command {
    Command::new(env!("CARGO_BIN_EXE_multisplit"))
}

fn run(arguments: &str) -> Output {
    command().arg("--no-kernel-cache").args(arguments.split_whitespace()).output().unwrap()
}

/// A run that reads this from standard input.
pub fn piped(arguments: &str, input: &[u8]) -> Output {
    let mut command = command();
    command.arg("--no-kernel-cache").args(arguments.split_whitespace());
    let command = command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut running = command.spawn().unwrap();
    // A run that fails may not read it all.
    let _ = running.stdin.take().unwrap().write_all(input);
    running.wait_with_output().unwrap()
}

/// What was printed.
pub fn text(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}

/// Standard output of a run that must succeed.
pub fn success(arguments: &str) -> String {
    success_and_notes(arguments).0
}

/// Standard output of a run that must succeed, and standard error.
pub fn success_and_notes(arguments: &str) -> (String, String) {
    let output = run(arguments);
    assert!(output.status.success(), "{arguments}: {}", text(&output.stderr));
    (text(&output.stdout), text(&output.stderr))
}

/// Standard error of a run that must fail.
pub fn failure(arguments: &str) -> String {
    let output = run(arguments);
    assert!(!output.status.success(), "{arguments}: {}", text(&output.stdout));
    text(&output.stderr)
}

/// Exit code and standard error of a run.
pub fn code_and_notes(arguments: &str) -> (Option<i32>, String) {
    let output = run(arguments);
    (output.status.code(), text(&output.stderr))
}

/// That a command fails with each of these arguments, and says this.
pub fn refused<A: AsRef<str>>(command: &str, cases: impl IntoIterator<Item = (A, &'static str)>) {
    for (arguments, message) in cases {
        let arguments = format!("{command} {}", arguments.as_ref());
        let said = failure(&arguments);
        assert!(said.contains(message), "{arguments}: {said}");
    }
}

/// A file of a test's own.
pub fn file(name: &str) -> PathBuf {
    Path::new(env!("CARGO_TARGET_TMPDIR")).join(name)
}

/// The name of a GPU that the program lists. `./test` sets `MULTISPLIT_REQUIRE_GPU`: then there must be one.
pub fn gpu() -> Option<String> {
    let devices = success("devices");
    let found = devices.split_whitespace().find(|word| word.starts_with("wgpu:") || word.starts_with("cuda:"));
    if found.is_none() {
        test_support::no_gpu(&devices);
    }
    found.map(str::to_string)
}
