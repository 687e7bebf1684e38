//! Files that are not what they seem are refused by name, and nothing is written.

use super::folder::{Folder, npy};
use crate::program::{command, failure, piped, success, text};

#[test]
fn other_kinds_are_refused_by_name() {
    let folder = Folder::new("kinds", "foreign");
    for (head, said) in [
        (&b"PARE\x15\x04\x15"[..], "this is an encrypted Parquet file; save the column as a .npy or .csv file"),
        (b"FEA1\0\0\0\0", "this is a Feather file of version 1; save it as version 2"),
        (b"\x1f\x8b\x08\x00\x00", "this is a gzip file; decompress it first"),
        (b"BZh91AY&SY\x01\x02", "this is a bzip2 file; decompress it first"),
        (b"\x28\xb5\x2f\xfd\x24", "this is a zstd file"),
        (b"\xfd7zXZ\0\0\x04", "this is an xz file"),
        (b"\x89HDF\r\n\x1a\n\0", "this is an HDF5 file"),
        (b"PK\x03\x04\x14\0\0\0", "this is a zip archive; extract the file first, or name it .npz if NumPy saved it"),
        (b"\x93NUMPY\x01\0v\0", "this is a NumPy file under another name; name it"),
        (b"SQLite format 3\0\x10", "this is an SQLite database"),
    ] {
        // Whatever the name, and with a type too.
        for (name, options) in
            [("keys.bin", "--type u8"), ("keys", "--type u8"), ("keys.csv", "--column 1"), ("keys.dat", "")]
        {
            folder.raw(name, head);
            let said_so = failure(&folder.say(&format!("sort @{name} {options} -o @out.npy -d cpu")));
            assert!(said_so.contains(said) && said_so.contains(name), "{name}: {said_so}");
            assert!(!folder.has("out.npy"));
        }
    }
    if cfg!(target_os = "linux") {
        // There, and not to be read.
        let said = failure(&folder.say("sort /proc/self/mem --type u8 -o @out.npy -d cpu"));
        assert!(said.contains("/proc/self/mem: Input/output error"), "{said}");
    }
    folder.raw("keys.npy", b"\x1f\x8b\x08\x00\x00");
    assert!(failure(&folder.say("sort @keys.npy -o @out.npy -d cpu")).contains("this is a gzip file"));
    folder.raw("keys.npy", &[1u32, 2]);
    assert!(failure(&folder.say("sort @keys.npy -o @out.npy -d cpu")).contains("this is no NumPy file"));
    folder.raw("keys.csv", &[1u32, 2]);
    assert!(failure(&folder.say("sort @keys.csv -o @out.npy -d cpu")).contains("this is no text in UTF-8"));
    folder.raw("keys.npz", &[1u32, 2]);
    assert!(failure(&folder.say("sort @keys.npz -o @out.npy -d cpu")).contains("this is no archive of NumPy's"));
}

/// Tables are known by what they have, too. What reads them is not always built.
#[cfg(not(feature = "arrow"))]
#[test]
fn tables_are_refused_by_name() {
    let folder = Folder::new("kinds", "tables");
    let stream =
        b"\xff\xff\xff\xff\x20\0\0\0\x10\0\0\0\0\0\x0a\0\x0c\0\x06\0\x05\0\x08\0\x0a\0\0\0\0\x01\x04\0\x0c\0\0\0";
    for (name, head, said) in [
        ("keys.parquet", &b"PAR1\x15\x04\x15"[..], "this is a Parquet file"),
        ("keys", b"PAR1\x15\x04\x15", "this is a Parquet file"),
        ("keys.feather", b"ARROW1\0\0\xff\xff", "this is an Arrow file"),
        ("keys.arrows", stream, "this is an Arrow stream"),
        ("keys", stream, "this is an Arrow stream"),
    ] {
        folder.raw(name, head);
        let said_so = failure(&folder.say(&format!("sort @{name} --type u8 -o @out.npy -d cpu")));
        let advice = "which this program was built without: build it with `--features arrow`, as in `cargo install";
        assert!(said_so.contains(&format!("{name}: {said}, {advice}")), "{said_so}");
    }
    folder.npy("keys.npy", "<u4", &[3u32, 1, 2]);
    let said = failure(&folder.say("sort @keys.npy -o @out.parquet -d cpu"));
    assert!(said.contains(".parquet is the name of a Parquet file, which this program was built without"), "{said}");
    assert!(!folder.has("out.npy") && !folder.has("out.parquet"));
}

/// Text is never taken for numbers alone.
#[test]
fn text_under_any_name() {
    let folder = Folder::new("kinds", "text");
    folder.raw("keys.u64", b"30\n10\n20\n");
    success(&folder.say("sort @keys.u64 --type u64 -o @out.npy -d cpu"));
    folder.expect("out.npy", "<u8", &[10u64, 20, 30]);
}

#[test]
fn standard_input_and_output() {
    let folder = Folder::new("kinds", "pipes");
    let numpy = npy("<u4", "(3,)", &[3, 0, 0, 0, 1, 0, 0, 0, 2, 0, 0, 0]);
    let sorted = npy("<u4", "(3,)", &[1, 0, 0, 0, 2, 0, 0, 0, 3, 0, 0, 0]);
    let out = piped("sort - -o - -d cpu", &numpy);
    assert!(out.status.success(), "{}", text(&out.stderr));
    assert_eq!(text(&out.stdout[128..]), text(&sorted[128..]));
    assert!(text(&out.stderr).contains("standard input: 3 u32 keys"), "{}", text(&out.stderr));
    assert_eq!(piped("sort - -o - -d cpu --output-format txt", &numpy).stdout, b"1\n2\n3\n");
    assert_eq!(piped("sort - -o - -d cpu --type u8", &[3, 1, 2]).stdout, [1, 2, 3]);
    let lines = piped("sort - -o - -d cpu --column age", b"name,age\nAnn,31\nBob,7\n");
    assert_eq!(text(&lines.stdout), "name,age\nBob,7\nAnn,31\n");
    // What is counted goes there too.
    assert_eq!(piped("histogram - --bins 2 -o - -d cpu", b"1\n2\n3\n4\n").stdout, b"2\n2\n");

    let twice = piped(&folder.say("sort - -o - --permutation - -d cpu"), &numpy);
    assert_eq!(twice.status.code(), Some(2));
    assert!(
        text(&twice.stderr).contains("--permutation - is the same file as --output -; name a file for each"),
        "{}",
        text(&twice.stderr)
    );
    let short = piped("sort - -o - -d cpu", &numpy[..130]);
    assert!(
        text(&short.stderr).contains("its header says 3 elements, but only 0 are there") && short.stdout.is_empty()
    );
    assert!(text(&piped("sort - -o - -d cpu", b"").stderr).contains("tell of which --type"));
}

/// A full disk: nothing else is written either.
#[cfg(target_os = "linux")]
#[test]
fn a_full_disk() {
    let folder = Folder::new("kinds", "full");
    folder.npy("keys.npy", "<u4", &[3u32, 1, 2]);
    let said = failure(&folder.say("sort @keys.npy -o @keys.npy --permutation /dev/full -d cpu"));
    assert!(said.contains("/dev/full: No space left on device"), "{said}");
    assert!(folder.read("keys.npy").ends_with(&[3, 0, 0, 0, 1, 0, 0, 0, 2, 0, 0, 0]));
    assert_eq!(folder.names(), ["keys.npy"]);
    let full = std::fs::File::options().write(true).open("/dev/full").unwrap();
    let arguments = folder.say("sort @keys.npy -o - -d cpu");
    let out = command().args(arguments.split_whitespace()).stdout(full).output().unwrap();
    assert_eq!(out.status.code(), Some(1));
    assert!(text(&out.stderr).contains("standard output: No space left on device"), "{}", text(&out.stderr));
}

#[cfg(unix)]
#[test]
fn read_only_files_stay_as_they_are() {
    use std::os::unix::fs::{PermissionsExt, symlink};
    let folder = Folder::new("kinds", "read-only");
    folder.npy("keys.npy", "<u4", &[3u32, 1, 2]);
    folder.npy("kept.npy", "<u4", &[7u32]);
    let kept = folder.say("@kept.npy");
    std::fs::set_permissions(&kept, PermissionsExt::from_mode(0o444)).unwrap();
    symlink(&kept, folder.say("@link.npy")).unwrap();
    for name in ["kept.npy", "link.npy"] {
        let said = failure(&folder.say(&format!("sort @keys.npy -o @{name} -d cpu")));
        assert!(said.contains(&format!("{name}: the file is read-only")), "{said}");
        folder.expect("kept.npy", "<u4", &[7u32]);
    }
    // Two names of one file.
    symlink(folder.say("@out.npy"), folder.say("@other.npy")).unwrap();
    folder.npy("out.npy", "<u4", &[7u32]);
    for other in ["other.npy", "./out.npy"] {
        let said = failure(&folder.say(&format!("sort @keys.npy -o @out.npy --permutation @{other} -d cpu")));
        assert!(said.contains("is the same file as"), "{said}");
        folder.expect("out.npy", "<u4", &[7u32]);
    }
}

/// Whatever is read is read before anything is written.
#[test]
fn outputs_that_are_inputs() {
    let folder = Folder::new("kinds", "in-place");
    folder.npy("keys.npy", "<u4", &[3u32, 1, 2]);
    folder.npy("rows.npy", "<u4", &[30u32, 10, 20]);
    folder.npy("between.npy", "<u4", &[2u32]);
    success(&folder.say(
        "split @keys.npy --splitters @between.npy -o @between.npy --values @keys.npy --values-output @rows.npy
         --values @rows.npy --values-output @keys.npy -d cpu",
    ));
    folder.expect("between.npy", "<u4", &[1u32, 3, 2]);
    folder.expect("rows.npy", "<u4", &[1u32, 3, 2]);
    folder.expect("keys.npy", "<u4", &[10u32, 30, 20]);
}
