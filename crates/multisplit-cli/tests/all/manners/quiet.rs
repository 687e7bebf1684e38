//! With `--quiet` only errors are said; what was asked for stays.

use super::folder;
use crate::program::{code_and_notes, piped, success_and_notes, text};

#[test]
fn nothing_but_errors_is_said() {
    let folder = folder("quiet");
    let run = |arguments: &str| success_and_notes(&folder.say(arguments));
    let rows = "bench split --n 1000 --buckets 2 --values none --runs 1 --peers cub --device cpu --format csv";
    let (loud, notes) = run(rows);
    assert!(notes.contains("without the peer cub"), "{notes}");
    let (quiet, notes) = run(&format!("{rows} --quiet"));
    assert_eq!((quiet.lines().count(), notes.as_str()), (loud.lines().count(), ""));

    let (report, notes) = run("-q sort @keys.npy -o @out.npy -d cpu");
    assert!(report.contains("Sorted, smallest first") && notes.is_empty(), "{report}{notes}");
    let keys = [9u8, 0xff, 1];
    assert!(text(&piped("sort - -o - --type u8 -d cpu", &keys).stderr).contains("Sorted"));
    let output = piped("sort - -o - --type u8 -d cpu --quiet", &keys);
    assert_eq!((output.stdout.as_slice(), text(&output.stderr).as_str()), (&[1, 9, 0xff][..], ""));

    let (code, said) = code_and_notes(&folder.say("sort @missing.npy -o @out.npy --quiet"));
    assert_eq!(code, Some(1));
    assert!(said.contains("missing.npy: No such file") && said.lines().count() == 1, "{said}");
}
