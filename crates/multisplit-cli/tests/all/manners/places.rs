//! Where outputs go is looked at before inputs are: here these are not there at all.

use super::folder;
use crate::files::folder::Folder;
use crate::program::code_and_notes;
use std::fs;

fn refused(folder: &Folder, arguments: &str, message: &str) {
    let before = folder.names();
    let (code, said) = code_and_notes(&folder.say(arguments));
    assert_eq!(code, Some(1), "{arguments}: {said}");
    assert!(said.contains(message) && !said.contains("missing"), "{arguments}: {said}");
    assert_eq!(folder.names(), before, "{arguments}");
}

#[test]
fn places_are_looked_at_first() {
    let folder = folder("places");
    folder.raw("kept.npy", b"kept");
    let kept = folder.say("@kept.npy");
    let mut permissions = fs::metadata(&kept).unwrap().permissions();
    permissions.set_readonly(true);
    fs::set_permissions(&kept, permissions).unwrap();
    for (arguments, message) in [
        ("sort @missing.npy -o @no/out.npy", "no/out.npy: No such file"),
        ("sort @missing.npy -o @kept.npy", "kept.npy: the file is read-only; allow writing, or name another"),
        ("split @missing.npy -b 3 -o @out.npy --offsets @kept.npy", "kept.npy: the file is read-only"),
        ("split @missing.npy -b 3 --output-dir @no/parts", "there is no folder"),
        ("split @missing.npy -b 3 --output-dir @kept.npy", "this is not a folder"),
        ("histogram @missing.npy --svg @kept.npy", "kept.npy: the file is read-only"),
        ("partition @missing.npy --below 3 -o @no/out.npy", "No such file"),
        ("sssp @missing.gr --output @kept.npy --device cpu", "kept.npy: the file is read-only"),
        ("graph convert @missing.gr @no/out.bin", "No such file"),
        ("graph export @missing.gr --output @no/out.gr", "No such file"),
    ] {
        refused(&folder, arguments, message);
    }
    assert_eq!(folder.read("kept.npy"), b"kept");
}

/// A folder that nobody may write to. `root` may.
#[cfg(unix)]
#[test]
fn folders_that_are_closed() {
    use std::os::unix::fs::PermissionsExt;
    let folder = folder("closed");
    let closed = folder.say("@closed");
    fs::create_dir(&closed).unwrap();
    fs::set_permissions(&closed, fs::Permissions::from_mode(0o555)).unwrap();
    if fs::write(format!("{closed}/try"), "").is_ok() {
        return;
    }
    refused(&folder, "sort @missing.npy -o @closed/out.npy", "out.npy: Permission denied");
    refused(&folder, "split @missing.npy -b 3 --output-dir @closed/parts", "parts: Permission denied");
    refused(&folder, "split @missing.npy -b 3 --output-dir @closed", "closed: Permission denied");
}
