//! Finds out which commit the program is built from, for `MULTISPLIT_COMMIT`.
//!
//! `MULTISPLIT_COMMIT` in the environment comes first; then what git says, where this is a checkout of the project; then
//! what `cargo package` noted. Anything else is unknown.

use std::path::Path;
use std::process::Command;

/// Where this package is in the project.
const PREFIX: &str = "crates/multisplit-cli/";
/// What the program is built from, relative to this package.
const SOURCES: [&str; 3] = ["../../crates", "../../Cargo.toml", "../../Cargo.lock"];
/// Where `cargo package` notes the commit.
const NOTE: &str = ".cargo_vcs_info.json";
/// Digits of a commit.
const DIGITS: usize = 12;

fn main() {
    println!("cargo:rerun-if-env-changed=MULTISPLIT_COMMIT");
    println!("cargo:rerun-if-changed=build.rs");
    let set = std::env::var("MULTISPLIT_COMMIT").ok().filter(|commit| !commit.trim().is_empty());
    let commit = set.or_else(of_checkout).or_else(of_package).unwrap_or_else(|| "unknown".into());
    println!("cargo:rustc-env=MULTISPLIT_COMMIT={}", commit.trim());
}

/// Returns the commit of the checkout that this package is in, with `-dirty` if the sources differ from it.
fn of_checkout() -> Option<String> {
    // A package can lie in a checkout of something else.
    git(&["rev-parse", "--show-prefix"]).filter(|prefix| prefix == PREFIX)?;
    git(&["ls-files", "--error-unmatch", "build.rs"])?;
    for source in SOURCES {
        println!("cargo:rerun-if-changed={source}");
    }
    // HEAD names a branch, whose commit is in a file of its own or in a common one.
    let branch = git(&["symbolic-ref", "--quiet", "HEAD"]);
    for name in ["HEAD", "packed-refs"].into_iter().chain(branch.as_deref()) {
        let path = git(&["rev-parse", "--git-path", name]);
        // Cargo takes a file that is not there for one that has changed.
        if let Some(path) = path.filter(|path| Path::new(path).exists()) {
            println!("cargo:rerun-if-changed={path}");
        }
    }
    let commit = git(&["rev-parse", &format!("--short={DIGITS}"), "HEAD"])?;
    let changes = git(&[&["status", "--porcelain", "--"], &SOURCES[..]].concat())?;
    Some(if changes.is_empty() { commit } else { commit + "-dirty" })
}

/// Runs git in this package, and returns what it prints if it succeeds.
fn git(arguments: &[&str]) -> Option<String> {
    let output = Command::new("git").args(arguments).output().ok().filter(|output| output.status.success())?;
    Some(String::from_utf8(output.stdout).ok()?.trim().to_string())
}

/// Returns the commit that this package was made of.
fn of_package() -> Option<String> {
    let note = std::fs::read_to_string(NOTE).ok()?;
    println!("cargo:rerun-if-changed={NOTE}");
    let (_, rest) = note.split_once("\"sha1\"")?;
    let commit = rest.split('"').nth(1)?;
    commit.get(..DIGITS).map(str::to_string)
}
