//! What files can be like.

use super::folder::{Folder, npy};
use crate::program::success;

#[test]
fn values_of_any_type_keep_it() {
    let folder = Folder::new("formats", "values");
    folder.npy("keys.npy", "<u4", &[3u32, 1, 2]);
    // Nothing looks into values, so that their bytes may be in any order.
    for dtype in [">i4", "<f4", "|S4", "<U1", "|V4"] {
        folder.npy("v.npy", dtype, &[30u32, 10, 20]);
        success(&folder.say("sort @keys.npy --output @k.npy --values @v.npy --values-output @w.npy --device cpu"));
        folder.expect("w.npy", dtype, &[10u32, 20, 30]);
    }
    for dtype in ["<i2", ">u2", "<f2"] {
        folder.npy("v.npy", dtype, &[30u16, 10, 20]);
        success(&folder.say("sort @keys.npy --output @k.npy --values @v.npy --values-output @w.npy --device cpu"));
        folder.expect("w.npy", dtype, &[10u16, 20, 30]);
    }
    for dtype in [">u8", "<f8", "<c8", "<M8[ns]", "<m8[s]", "|S8", "<U2"] {
        folder.npy("v.npy", dtype, &[30u64, 10, 20]);
        success(
            &folder.say("split @keys.npy -b 3 --output @k.npy --values @v.npy --values-output @w.npy --device cpu"),
        );
        folder.expect("w.npy", dtype, &[10u64, 20, 30]);
    }
    // Fields, as long as they are 4 or 8 bytes together.
    let fields = npy("", "(3,)", &[3, 3, 3, 3, 1, 1, 1, 1, 2, 2, 2, 2]);
    let fields = String::from_utf8_lossy(&fields[10..]).replace("''", "[('a','<u2'),('b','<i2')]");
    let mut file = b"\x93NUMPY\x01\x00".to_vec();
    file.extend((fields.len() as u16 - 12).to_le_bytes());
    file.extend(fields.as_bytes());
    folder.raw("v.npy", &file);
    success(&folder.say("sort @keys.npy --output @k.npy --values @v.npy --values-output @w.npy --device cpu"));
    let written = folder.read("w.npy");
    assert!(String::from_utf8_lossy(&written).contains("('a', '<u2'), ('b', '<i2')"));
    assert!(written.ends_with(&[1, 1, 1, 1, 2, 2, 2, 2, 3, 3, 3, 3]));
}

#[test]
fn numbers_alone() {
    let folder = Folder::new("formats", "raw");
    folder.raw("keys.u16", &[3u16, 1, 2]);
    folder.raw("narrow", &[30u32, 10, 20]);
    folder.raw("wide", &[30u64, 10, 20]);
    let values = "--values @narrow --values-output @n.npy --values @wide --values-output @w.npy";
    success(&folder.say(&format!("sort @keys.u16 --type u16 --output @k {values} --argsort @p --device cpu")));
    assert_eq!(folder.read("k"), [1, 0, 2, 0, 3, 0]);
    assert_eq!(folder.read("p"), [1, 0, 0, 0, 2, 0, 0, 0, 0, 0, 0, 0]);
    // How wide they are follows from how many keys there are; what else they are is not known.
    folder.expect("n.npy", "<u4", &[10u32, 20, 30]);
    folder.expect("w.npy", "<u8", &[10u64, 20, 30]);
}

#[test]
fn headers_of_other_kinds() {
    let folder = Folder::new("formats", "headers");
    let good = npy("<u4", "(2,)", &[2, 0, 0, 0, 1, 0, 0, 0]);
    let expect_sorted = |file: &[u8]| {
        folder.raw("keys.npy", file);
        success(&folder.say("sort @keys.npy --output @sorted.npy --device cpu"));
        folder.expect("sorted.npy", "<u4", &[1u32, 2]);
    };
    expect_sorted(&good);
    // The other order of bytes.
    expect_sorted(&npy(">u4", "(2,)", &[0, 0, 0, 2, 0, 0, 0, 1]));
    // The order of dimensions means nothing where there is one.
    let fortran = String::from_utf8_lossy(&good[10..127]).replace("False", "True") + " \n";
    expect_sorted(&[&good[..10], fortran.as_bytes(), &good[128..]].concat()[..]);
    // Version 2, with a longer length.
    expect_sorted(&[b"\x93NUMPY\x02\x00", &good[8..10], &[0, 0], &good[10..]].concat());
    // Arrays may follow each other; NumPy reads the first too.
    expect_sorted(&[&good[..], &good[..]].concat());
    // Capitals are no other name, and the type may be given again.
    folder.raw("KEYS.NPY", &good);
    success(&folder.say("sort @KEYS.NPY --type u32 --output @sorted.npy --device cpu"));
    folder.expect("sorted.npy", "<u4", &[1u32, 2]);
}

#[test]
fn a_table_of_bins() {
    let folder = Folder::new("formats", "table");
    folder.npy("keys.npy", "<f4", &[0.5f32, 1.0, 1.5, 1.75, 9.0, f32::NAN]);
    let out = success(&folder.say("histogram @keys.npy --bins 3 --from 0 --to 3 --device cpu"));
    let row =
        |range: &str, count: u32, bar: usize| format!("  {range} {count} {}", "#".repeat(bar)).trim_end().to_string();
    for row in [row("0 .. 1", 1, 14), row("1 .. 2", 3, 40), row("2 .. 3", 0, 0)] {
        assert!(out.lines().any(|line| line == row), "{row}\n{out}");
    }
    assert!(out.contains("inside       4 keys") && out.contains("outside      2 keys: 1 above, 1 NaN"), "{out}");
    let out = success(&folder.say("histogram @keys.npy --bins 100 --device cpu"));
    assert!(out.contains("most         1 key in bin 0, 0.5 ..") && out.contains("empty        95 bins"), "{out}");
}

#[cfg(unix)]
#[test]
fn links_and_devices_stay_what_they_are() {
    use std::os::unix::fs::PermissionsExt;
    let folder = Folder::new("formats", "links");
    folder.npy("keys.npy", "<u4", &[2u32, 1]);
    folder.npy("target.npy", "<u4", &[7u32]);
    let [target, link] = ["@target.npy", "@link.npy"].map(|name| folder.say(name));
    std::fs::set_permissions(&target, PermissionsExt::from_mode(0o640)).unwrap();
    std::os::unix::fs::symlink(&target, &link).unwrap();
    success(&folder.say("sort @keys.npy --output @link.npy --device cpu"));
    folder.expect("target.npy", "<u4", &[1u32, 2]);
    assert!(std::fs::symlink_metadata(&link).unwrap().is_symlink());
    assert_eq!(std::fs::metadata(&target).unwrap().permissions().mode() & 0o777, 0o640);
    success(&folder.say("sort @keys.npy --output /dev/null --device cpu"));
    assert!(!std::fs::metadata("/dev/null").unwrap().is_file());
    assert_eq!(folder.names(), ["keys.npy", "link.npy", "target.npy"], "nothing else is left behind");
}
