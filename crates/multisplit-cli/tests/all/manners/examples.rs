//! The examples that `--help` shows: all of them run.

use super::folder;
use crate::files::folder::Folder;
use crate::program::{command, success, text};
use std::thread;

/// It takes minutes. Its own tests run it with less.
const LONG: [&str; 1] = ["paper"];

/// Returns what `--help` of a command says.
fn help(command: &str) -> String {
    success(&format!("{command} --help"))
}

/// Returns the commands without others in them, by their help, which shows those of each.
fn leaves(inside: &str) -> Vec<(String, String)> {
    let help = help(inside);
    let commands = help.lines().skip_while(|line| *line != "Commands:").skip(1).take_while(|line| !line.is_empty());
    let names = commands.filter_map(|line| line.split_whitespace().next()).filter(|name| *name != "help");
    let names: Vec<String> = names.map(|name| format!("{inside} {name}").trim().to_string()).collect();
    if names.is_empty() {
        return vec![(inside.to_string(), help)];
    }
    // A process for each.
    thread::scope(|scope| {
        let all: Vec<_> = names.iter().map(|name| scope.spawn(|| leaves(name))).collect();
        all.into_iter().flat_map(|one| one.join().unwrap()).collect()
    })
}

/// Returns the arguments of the example in a help.
fn example<'a>(command: &str, help: &'a str) -> Vec<&'a str> {
    let (_, example) = help.rsplit_once("Example: multisplit ").unwrap_or_else(|| panic!("{command}: {help}"));
    let arguments: Vec<&str> = example.split_whitespace().collect();
    assert!(arguments.join(" ").starts_with(command), "{command}: {arguments:?}");
    arguments
}

fn run(folder: &Folder, arguments: &[&str]) {
    let mut command = command();
    let output = command.current_dir(folder.say("@")).arg("--no-kernel-cache").args(arguments).output().unwrap();
    assert!(output.status.success(), "{arguments:?}: {}", text(&output.stderr));
}

#[test]
fn examples_run() {
    let folder = folder("examples");
    let rows = "bench split --n 1000 --buckets 2 --runs 1 --device cpu --format jsonl --output rows.jsonl";
    run(&folder, &rows.split(' ').collect::<Vec<_>>());
    let all = leaves("");
    assert!(all.len() >= 24, "{}", all.len());
    for (command, help) in &all {
        let arguments = example(command, help);
        if !LONG.contains(&command.as_str()) {
            run(&folder, &arguments);
        }
    }
    for name in ["by-age.csv", "split.npy", "ages.svg", "small.npy", "distances.txt", "road.bin", "man1", "report.html"]
    {
        assert!(folder.has(name), "{name}: {:?}", folder.names());
    }
}
