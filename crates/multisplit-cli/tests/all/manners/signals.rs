//! Signals end the program as they should, and leave nothing behind.

use super::folder;
use crate::files::folder::Folder;
use crate::program::command;
use std::os::unix::process::ExitStatusExt;
use std::process::{Child, Command, ExitStatus, Stdio};
use std::thread::sleep;
use std::time::{Duration, Instant};
use std::{fs, iter};

const SIGNALS: [(&str, i32); 3] = [("HUP", 1), ("INT", 2), ("TERM", 15)];

/// A run that lasts until it is ended.
struct Running(Child);

impl Running {
    fn start(mut command: Command) -> Self {
        let command = command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
        Self(command.spawn().unwrap())
    }

    fn send(&self, signal: &str) {
        let status = Command::new("sh").args(["-c", &format!("kill -{signal} {}", self.0.id())]).status().unwrap();
        assert!(status.success());
    }

    fn end(&mut self) -> ExitStatus {
        let ended = |_| {
            sleep(Duration::from_millis(2));
            self.0.try_wait().unwrap()
        };
        let status = iter::repeat_n((), 2500).find_map(ended);
        status.unwrap_or_else(|| {
            let _ = self.0.kill();
            panic!("it did not end")
        })
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

fn program(folder: &Folder, arguments: &str) -> Command {
    let mut command = command();
    command.arg("--no-kernel-cache").args(folder.say(arguments).split_whitespace());
    command
}

/// Waits until something is so.
fn wait_for(what: &str, mut is_so: impl FnMut() -> bool) {
    let begin = Instant::now();
    while !is_so() {
        assert!(begin.elapsed() < Duration::from_secs(20), "{what}");
        sleep(Duration::from_millis(2));
    }
}

/// A pipe that nobody reads from: whoever opens it to write waits.
fn folder_with_pipe(test: &str) -> Folder {
    let folder = folder(test);
    let made = Command::new("mkfifo").arg(folder.say("@pipe")).status().unwrap();
    assert!(made.success());
    folder.raw("out.npy", b"old");
    folder
}

fn temporary(folder: &Folder) -> usize {
    folder.names().iter().filter(|name| name.ends_with(".tmp")).count()
}

/// Files that are written, but not in place.
#[test]
fn temporary_files_are_removed() {
    let folder = folder_with_pipe("signal-files");
    let before = folder.names();
    for (name, number) in SIGNALS {
        let mut run = Running::start(program(&folder, "sort @keys.npy -o @out.npy --permutation @pipe -d cpu"));
        wait_for("a temporary file", || temporary(&folder) == 1);
        // Its second output waits.
        sleep(Duration::from_millis(10));
        run.send(name);
        assert_eq!(run.end().signal(), Some(number), "{name}");
        assert_eq!(folder.names(), before, "{name}");
        assert_eq!(folder.read("out.npy"), b"old", "{name}");
    }
}

#[test]
fn temporary_folders_are_removed() {
    let folder = folder_with_pipe("signal-folders");
    let before = folder.names();
    let arguments = "split @keys.npy -b 40 --output-dir @parts --offsets @pipe -d cpu";
    let mut run = Running::start(program(&folder, arguments));
    wait_for("a temporary folder", || temporary(&folder) == 1);
    run.send("TERM");
    assert_eq!(run.end().signal(), Some(15));
    assert_eq!(folder.names(), before);
}

#[test]
fn while_an_input_is_read() {
    let folder = folder("signal-input");
    folder.raw("out.bin", b"old");
    let before = folder.names();
    let mut run = Running::start(program(&folder, "sort - --type u32 -o @out.bin -d cpu"));
    // By then it reads.
    sleep(Duration::from_millis(50));
    run.send("INT");
    assert_eq!(run.end().signal(), Some(2));
    assert_eq!((folder.names(), folder.read("out.bin")), (before, b"old".to_vec()));
}

/// As by `nohup`.
#[cfg(target_os = "linux")]
#[test]
fn what_is_ignored_stays_so() {
    let folder = folder_with_pipe("signal-ignored");
    let mut command = Command::new("sh");
    let arguments = "sort @keys.npy -o @out.npy --permutation @pipe -d cpu --no-kernel-cache";
    command.args(["-c", "trap '' HUP; exec \"$0\" \"$@\"", env!("CARGO_BIN_EXE_multisplit")]);
    command.args(folder.say(arguments).split_whitespace());
    let mut run = Running::start(command);
    wait_for("a temporary file", || temporary(&folder) == 1);
    run.send("HUP");
    sleep(Duration::from_millis(20));
    assert!(run.0.try_wait().unwrap().is_none() && temporary(&folder) == 1, "it was ended");
    // Once somebody reads, all outputs are there.
    fs::read(folder.say("@pipe")).unwrap();
    assert!(run.end().success());
    assert!(folder.read("out.npy").starts_with(b"\x93NUMPY") && temporary(&folder) == 0);
}

/// Rows that were measured stay, whole.
#[test]
fn rows_stay() {
    let folder = folder("signal-rows");
    let rows = || fs::read_to_string(folder.say("@paper/rows.jsonl")).unwrap_or_default();
    let mut run = Running::start(program(&folder, "paper --output @paper --quick --n 2^12 --runs 1 --device cpu"));
    wait_for("rows", || rows().lines().count() > 2);
    run.send("INT");
    assert_eq!(run.end().signal(), Some(2));
    let rows = rows();
    assert!(rows.ends_with('\n') && rows.lines().all(|row| serde_json::from_str::<serde_json::Value>(row).is_ok()));
    let left = fs::read_dir(folder.say("@paper")).unwrap().map(|file| file.unwrap().file_name());
    assert!(left.into_iter().all(|name| !name.to_string_lossy().ends_with(".tmp")));
}
