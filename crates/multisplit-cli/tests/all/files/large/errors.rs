//! What goes wrong in pieces is said, and nothing is lost or left behind.

use super::{LITTLE, keys_of};
use crate::files::N;
use crate::files::archives::archive;
use crate::files::data::random_keys;
use crate::files::folder::{Folder, bytes, npy};
use crate::program::{code_and_notes, command, failure, text};
use std::io::Write;
use std::process::{Command, Stdio};

#[test]
fn what_cannot_be_in_pieces_is_said() {
    let folder = keys_of::<u32>("errors");
    let lines: String = (0..N).map(|i| format!("{i}\n")).collect();
    folder.raw("keys.txt", lines.as_bytes());
    let names: String = (0..N).map(|i| format!("{i:05}")).collect();
    folder.npy_of("names.npy", "|S5", N, names.as_bytes());
    folder.npy("short.npy", "<u4", &[1u32; 5]);
    folder.raw("cut.npy", &npy("<u4", "(3000,)", &[0; 11_999]));
    folder.npy("nan.npy", "<f4", &(0..N).map(|i| if i == 2900 { f32::NAN } else { 1.0 }).collect::<Vec<_>>());
    folder.raw("table.csv", b"0,1\n");
    let array = folder.read("keys.npy");
    folder.raw("two.npz", &archive(&[("x.npy", &array, false), ("y.npy", &array, false)]));
    let before = folder.names();
    for (arguments, message) in [
        (
            "split @names.npy -b 3 --by hash -o @out.npy",
            "a file of strings has to be in memory as a whole, which takes",
        ),
        ("sort @keys.npy -o @out.npz", "so many keys are written in parts, which .npz files cannot be; name a .npy"),
        (
            "sort @keys.npy -o @out.npy --values @keys.txt --values-output @v.npy",
            "keys.txt: values of so many keys are read in pieces, which text and pipes cannot be",
        ),
        ("sort @keys.npy -o @out.npy --values @short.npy --values-output @v.npy", "there are 5 values, but 3000 keys"),
        ("sort @cut.npy -o @out.npy", "its header says 3000 elements, but only 2999 are there"),
        ("sort @nan.npy -o @out.npy --nan error", "key 2900 is NaN, counted from 0"),
        ("split @keys.npy -o @out.npy --table @table.csv", "keys are not in the table, the first is number"),
        ("split @nan.npy -o @out.npy --expression u32(key)", "row 2900, counted from 0 (key = NaN): NaN is no u32"),
        (
            "split @two.npz -o @out.npy --expression x<y",
            "a file of which --expression names several columns has to be in memory as a whole, which takes about",
        ),
        ("split @keys.npy -o @out.npy -b 90 --by identity", "but the buckets of --by identity from 0 to 89"),
        ("split @keys.npy -b 70000 --output-dir @parts", "--output-dir makes a file for each bucket: at most 65536"),
    ] {
        let said = failure(&folder.say(&format!("{arguments} {LITTLE} -d cpu")));
        assert!(said.contains(message), "{arguments}: {said}");
    }
    for (size, message) in [("lots", "'lots' is not a size such as 512MB"), ("1K", "there must be 4 KiB or more")] {
        let (code, said) = code_and_notes(&folder.say(&format!("sort @keys.npy -o @out.npy --memory {size}")));
        assert!(code == Some(2) && said.contains(message), "{said}");
    }
    assert_eq!(folder.names(), before, "nothing is written");
}

/// A disk that is full, or a limit to the size of files.
#[cfg(target_os = "linux")]
#[test]
fn full_disks_lose_nothing() {
    let folder = keys_of::<u32>("full");
    folder.raw("out.npy", b"old");
    let before = folder.names();
    let said = failure(&folder.say(&format!("sort @keys.npy -o /dev/full {LITTLE} -d cpu")));
    assert!(said.contains("/dev/full: No space left on device"), "{said}");
    let line = folder.say(&format!("sort @keys.npy -o @out.npy {LITTLE} -d cpu --no-kernel-cache"));
    let program = command().get_program().to_string_lossy().into_owned();
    let script = format!("trap '' XFSZ; ulimit -f 1; exec {program} {line}");
    let output = Command::new("sh").args(["-c", &script]).output().unwrap();
    let said = text(&output.stderr);
    assert!(
        !output.status.success() && said.contains("temporary file in") && said.contains("File too large"),
        "{said}"
    );
    assert_eq!(folder.names(), before);
    assert_eq!(folder.read("out.npy"), b"old");
}

/// A run that is killed leaves nothing behind: temporary files have no names.
#[cfg(unix)]
#[test]
fn killed_runs_leave_nothing() {
    let folder = Folder::new("large", "killed");
    folder.raw("out.npy", b"old");
    let before = folder.names();
    let line = folder.say(&format!("sort - -o @out.npy --type u32 {LITTLE} -d cpu --no-kernel-cache"));
    let mut run = command();
    let run = run.args(line.split_whitespace()).env("TMPDIR", folder.say("@").trim());
    let mut running = run.stdin(Stdio::piped()).stdout(Stdio::null()).spawn().unwrap();
    // More than a pipe holds, so that some of it was read, and kept.
    running.stdin.as_mut().unwrap().write_all(&bytes(&random_keys::<u32>(1 << 16))).unwrap();
    running.kill().unwrap();
    assert!(!running.wait().unwrap().success());
    assert_eq!(folder.names(), before);
    assert_eq!(folder.read("out.npy"), b"old");
}
