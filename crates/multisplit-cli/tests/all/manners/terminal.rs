//! Progress, which only a terminal shows. `script` makes one.

use super::folder;
use crate::files::folder::Folder;
use crate::program::text;
use std::io::Read;
use std::process::{Child, Command, Stdio};
use std::sync::mpsc::{self, Receiver};
use std::thread;
use std::time::{Duration, Instant};

/// A run on a terminal, and what appears there.
struct OnTerminal {
    run: Child,
    parts: Receiver<Vec<u8>>,
    shown: String,
}

impl OnTerminal {
    /// Starts a run. None if there is no `script`.
    fn start(folder: &Folder, arguments: &str) -> Option<Self> {
        let program = env!("CARGO_BIN_EXE_multisplit");
        let line = format!("'{program}' --no-kernel-cache {}", folder.say(arguments));
        let mut script = Command::new("script");
        script.args(["-q", "-e", "-f", "-c", &line, "/dev/null"]);
        let mut run = script.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::null()).spawn().ok()?;
        let (send, parts) = mpsc::channel();
        let mut out = run.stdout.take()?;
        thread::spawn(move || {
            let mut bytes = [0; 4096];
            while let Ok(read @ 1..) = out.read(&mut bytes) {
                let _ = send.send(bytes[..read].to_vec());
            }
        });
        Some(Self { run, parts, shown: String::new() })
    }

    /// Waits until it shows something, and returns whether it did.
    fn shows(&mut self, what: &str, patience: Duration) -> bool {
        let end = Instant::now() + patience;
        while !self.shown.contains(what) {
            let Some(left) = end.checked_duration_since(Instant::now()) else { return false };
            match self.parts.recv_timeout(left) {
                Ok(part) => self.shown += &text(&part),
                Err(_) => return false,
            }
        }
        true
    }
}

impl Drop for OnTerminal {
    fn drop(&mut self) {
        let _ = self.run.kill();
        let _ = self.run.wait();
    }
}

/// An input that nobody writes to takes for ever to read.
#[test]
fn what_takes_long_is_shown() {
    let folder = folder("terminal");
    assert!(Command::new("mkfifo").arg(folder.say("@input")).status().unwrap().success());
    let start =
        |options: &str| OnTerminal::start(&folder, &format!("sort @input --type u8 -o @out.bin -d cpu {options}"));
    let (Some(mut quiet), Some(mut loud)) = (start("--quiet"), start("")) else { return };
    assert!(loud.shows("reading", Duration::from_secs(20)), "{}", loud.shown);
    assert!(loud.shown.contains("input"), "{}", loud.shown);
    assert!(!quiet.shows("reading", Duration::from_millis(50)) && quiet.shown.is_empty(), "{}", quiet.shown);
}
