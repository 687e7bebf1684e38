//! What is wrong is said, and nothing is lost.

use super::folder::{Folder, npy};
use crate::program::{code_and_notes, failure};

#[test]
fn what_is_wrong_is_said() {
    let folder = Folder::new("errors", "messages");
    folder.npy("u32.npy", "<u4", &[3u32, 1, 2]);
    folder.npy("u8.npy", "|u1", &[3u8, 1, 2]);
    folder.npy("f32.npy", "<f4", &[3.0f32, 1.0, 2.0]);
    folder.npy("four.npy", "<u4", &[3u32, 1, 2, 4]);
    folder.npy("nan.npy", "<f4", &[0.0, f32::NAN]);
    folder.npy("close.npy", "<f4", &[0.0, f32::from_bits(1)]);
    folder.npy("complex.npy", "<c8", &[3u64, 1, 2]);
    folder.npy("long.npy", "<c16", &[3u64, 1, 2, 3, 1, 2]);
    folder.npy_of("strings.npy", "|S3", 3, b"abcabdabc");
    folder.raw("square.npy", &npy("<u4", "(2, 3)", &[0; 24]));
    folder.raw("single.npy", &npy("<u4", "()", &[0; 4]));
    folder.raw("short.npy", &npy("<u4", "(5,)", &[0; 11]));
    folder.raw("lies.npy", &npy("<u8", "(1000000000000000000,)", &[0; 8]));
    folder.raw("objects.npy", &npy("|O", "(2,)", &[0; 16]));
    folder.raw("no.npy", b"this is text");
    folder.raw::<u8>("nothing.npy", &[]);
    folder.raw("huge.npy", &npy("<u8", "(1152921504606846976,)", &[0; 8]));
    folder.raw("huge.square.npy", &npy("<u8", "(2147483648, 2147483648)", &[0; 8]));
    folder.raw("negative.npy", &npy("<u8", "(-1,)", &[0; 8]));
    folder.raw("version.npy", &[&b"\x93NUMPY\x09\x00"[..], &npy("<u4", "(1,)", &[0; 4])[8..]].concat());
    folder.raw("header.npy", &npy("<u4", "(1,)", &[])[..60]);
    folder.raw("length.npy", b"\x93NUMPY\x02\x00\xff\xff\xff\xff{'descr'");
    folder.raw("seven.bin", &[0u8; 7]);
    let before = folder.names();
    for (arguments, message) in [
        // Files.
        ("sort @missing.npy -o @out.npy", "missing.npy: No such file"),
        ("sort @ -o @out.npy --type u32", "this is a folder, not a file"),
        ("sort @square.npy -o @out.npy", "square.npy: the array has 2 dimensions (2 x 3), but must have one"),
        ("sort @single.npy -o @out.npy", "this is a single number"),
        ("sort @short.npy -o @out.npy", "the file is cut short: its header says 5 elements, but only 2 are there"),
        ("sort @lies.npy -o @out.npy", "its header says 1000000000000000000 elements, but only 1 are there"),
        ("sort @no.npy -o @out.npy", "no.npy: this is no NumPy file"),
        ("sort @nothing.npy -o @out.npy", "nothing.npy: this is no NumPy file"),
        ("sort @huge.npy -o @out.npy", "its header says 1152921504606846976 elements, but only 1 are there"),
        ("sort @huge.square.npy -o @out.npy", "the array has 2 dimensions (2147483648 x 2147483648)"),
        ("sort @negative.npy -o @out.npy", "the header of this NumPy file cannot be read"),
        ("sort @version.npy -o @out.npy", "the NumPy file is of version 9 of the format"),
        ("sort @header.npy -o @out.npy", "the file is cut short: it ends within its header"),
        ("sort @length.npy -o @out.npy", "the header says that it has 4294967307 bytes"),
        (
            "sort @complex.npy -o @out.npy",
            "keys of NumPy's type <c8 cannot be used; save them with array.astype as one of u1, u2",
        ),
        ("sort @strings.npy -o @out.npy", "strings.npy: strings have no order here; split them with --by hash"),
        ("split @strings.npy -o @out.csv -b 3 --by hash", "strings of a NumPy file can be written to a .npy file only"),
        ("sort @u32.npy -o @out.npy --column 2", "a column is named, but this file has one alone"),
        ("sort @u32.npy -o @out.h5", ".h5 files are not written; name a .npy, .npz, .csv or .tsv file"),
        ("sort @u32.npy -o @out.npy --output-format json", "there are npy, npz, csv, tsv, txt"),
        ("sort @objects.npy -o @out.npy", "|O cannot be used"),
        (
            "sort @seven.bin -o @out.npy",
            "seven.bin: this is no NumPy file and no text, so it is taken for numbers alone; tell of which --type",
        ),
        ("sort @seven.bin -o @out.npy --type u32", "the file ends within one of its u32"),
        ("sort @u32.npy -o @out.npy --type f32", "--type is f32, but the file has u32 keys"),
        ("sort @u32.npy -o @out.npy --type u33", "invalid value 'u33'"),
        ("sort @u32.npy -o @no/such/folder/out.npy", "no/such/folder/out.npy: No such file"),
        ("sort @u32.npy -o @", "s a directory"),
        ("sort @u32.npy", "nothing would be written; name --output or --permutation"),
        ("sort @u32.npy -o @out.npy --argsort @out.npy", "is the same file as"),
        // Values.
        (
            "sort @u32.npy -o @out.npy --values @four.npy --values-output @v.npy",
            "four.npy: there are 4 values, but 3 keys",
        ),
        (
            "sort @u32.npy -o @out.npy --values @long.npy --values-output @v.npy",
            "values must be of 1, 2, 4 or 8 bytes, but these are '<c16'",
        ),
        ("sort @u32.npy -o @out.npy --values @objects.npy --values-output @v.npy", "but these are '|O'"),
        (
            "sort @u32.npy -o @out.npy --values @seven.bin --values-output @v.npy",
            "seven.bin: there are 7 bytes, but 3 keys; there must be 1, 2, 4 or 8 for each",
        ),
        ("sort @u8.npy -o @out.npy --values @u32.npy", "there are 1 --values, but 0 --values-output"),
        ("sort @u32.npy -o @out.npy --values @missing --values-output @v.npy", "--values"),
        // Sorts.
        ("sort @u32.npy -o @out.npy --bits 8..40", "--bits 8..40 do not lie within the 32 bits of u32 keys"),
        ("sort @u8.npy -o @out.npy --bits 0..9", "--bits 0..9 do not lie within the 8 bits of u8 keys"),
        ("sort @u32.npy -o @out.npy --bits 8..4", "--bits 8..4 end before they begin"),
        ("sort @u32.npy -o @out.npy --bits 8", "'8' is not a range such as 8..16"),
        ("sort @u32.npy -o @out.npy --digit 9", "--digit 9 is out of range: 4 to 8 bits"),
        ("sort @u32.npy -o @out.npy --device nothing", "--device nothing: there is no device"),
        // Splits.
        (
            "split @u32.npy -o @out.npy",
            "into how many --buckets, or between which --splitters, or by which --table or --expression?",
        ),
        ("split @u32.npy -o @out.npy -b 0", "--buckets 0 is out of range: 1 to 16777216"),
        ("split @u32.npy -o @out.npy -b 2^25", "--buckets 33554432 is out of range"),
        ("split @u32.npy -b 4", "nothing would be written"),
        (
            "split @u32.npy -o @out.npy -b 4 --from x",
            "--from: 'x' is not a key of type u32: a whole number from 0 to 4294967295",
        ),
        ("split @u32.npy -o @out.npy -b 4 --from 5 --to 5", "the range is empty"),
        ("split @u32.npy -o @out.npy -b 4 --from 5 --by hash", "--from and --to are for --by delta"),
        ("split @u32.npy -o @out.npy -b 4 --seed 5", "--seed is for --by hash"),
        ("split @u32.npy -o @out.npy -b 4 --bits 0..2", "--bits is for --by bits"),
        ("split @u32.npy -o @out.npy -b 5 --by bits --bits 0..2", "--bits 0..2 are not 5 buckets"),
        ("split @u32.npy -o @out.npy -b 5 --by bits", "a power of two of buckets, which 5 is not"),
        ("split @u8.npy -o @out.npy -b 512 --by bits", "--buckets 512 are too many for the 8 bits of u8 keys"),
        ("split @u32.npy -o @out.npy --by bits --bits 0..25", "at most 24 bits are possible"),
        ("split @u32.npy -o @out.npy --by bits --bits 20..33", "--bits 20..33 do not lie within"),
        ("split @f32.npy -o @out.npy -b 4 --by identity", "which f32 keys are not; try delta"),
        ("split @u32.npy -o @out.npy -b 3 --by identity", "the keys are from 1 to 3, but"),
        (
            "split @u32.npy -o @out.npy --splitters @four.npy",
            "splitters must ascend, but splitter 1 is below splitter 0",
        ),
        (
            "split @u32.npy -o @out.npy --splitters @f32.npy",
            "these are f32, but the keys are u32; both must be of one type",
        ),
        ("split @f32.npy -o @out.npy --splitters @nan.npy", "splitter 1 is NaN"),
        ("split @u32.npy -o @out.npy --splitters @missing.npy", "--splitters"),
        ("split @u32.npy -o @out.npy --splitters @u32.npy -b 4", "cannot be used with"),
        ("split @close.npy -o @out.npy -b 4", "name other ends with --from and --to: invalid bucket function"),
        ("split @u32.npy -o @out.npy -b 4 --method best", "there is no method 'best'"),
        // Histograms.
        ("histogram @u32.npy --bins 2049 --svg @out.svg", "--svg shows at most 2048 bins, not 2049"),
        ("histogram @strings.npy --from a", "strings are counted by a hash, which has no --from"),
        ("histogram @strings.npy --bins 2^25", "--bins 33554432 is out of range"),
        (
            "histogram @u8.npy --bins 2 --from 0 --to 256 --edges-output @e.npy",
            "the bins begin at 0 and end before 256, but u8 keys do not go so far",
        ),
        ("histogram @u32.npy -o @c.npy --svg @c.npy", "is the same file as"),
        ("histogram @u32.npy --bins 0", "--bins 0 is out of range: 1 to 16777216"),
        ("histogram @u32.npy --bins 2^25", "--bins 33554432 is out of range"),
        ("histogram @u32.npy --bins 4 --from 9", "4 bins from 9 to 4; name other ends with --from and --to"),
        ("histogram @u8.npy --bins 4 --to 300", "--to: '300' is not a key of type u8: a whole number from 0 to 255"),
        ("histogram @f32.npy --bins 4 --to nan", "--to: NaN lies nowhere among the keys"),
        ("histogram @f32.npy --bins 4 --to inf", "the bounds must be finite numbers"),
        ("histogram @f32.npy --bins 4 --to 1e39", "--to: 1e39 is too large for f32"),
        ("histogram @close.npy --bins 4", "name other ends with --from and --to"),
        ("histogram @f32.npy --edges @nan.npy", "is NaN"),
        ("histogram @u32.npy --edges @u8.npy", "these are u8, but the keys are u32"),
        ("histogram @u32.npy --edges @u32.npy", "must ascend"),
        ("histogram @u32.npy --edges @u32.npy --bins 4", "cannot be used with"),
        // Partitions.
        ("partition @u32.npy -o @out.npy", "--below"),
        ("partition @u32.npy -o @out.npy --below -1", "--below: '-1' is not a key of type u32"),
        ("partition @u32.npy -o @out.npy --below 4294967296", "--below: '4294967296' is not a key"),
        ("partition @u32.npy -o @out.npy --below 1.5", "--below: '1.5' is not a key"),
        ("partition @f32.npy -o @out.npy --below nan", "--below: NaN lies nowhere"),
        ("partition @f32.npy -o @out.npy --below x", "--below: 'x' is not a number"),
        ("partition @u32.npy -o @out.npy --below 5 --and-below 4", "--and-below 4 is less than --below 5"),
        ("partition @u32.npy -o @out.npy --below 5 --and-below 6 --select", "cannot be used with"),
        ("partition @u32.npy --below 5", "nothing would be written"),
    ] {
        let said = failure(
            &folder.say(&format!("{arguments}{}", if arguments.contains("--device") { "" } else { " --device cpu" })),
        );
        assert!(said.contains(message), "{arguments}: {said}");
        assert_eq!(folder.names(), before, "{arguments}");
    }
}

/// An output that cannot be written leaves the others as they were.
#[test]
fn all_outputs_or_none() {
    let folder = Folder::new("errors", "outputs");
    folder.npy("keys.npy", "<u4", &[3u32, 1, 2]);
    let said = failure(&folder.say("sort @keys.npy --output @keys.npy --argsort @no/folder/index.npy --device cpu"));
    assert!(said.contains("no/folder/index.npy: No such file"), "{said}");
    folder.expect_unsorted();
    assert_eq!(folder.names(), ["keys.npy"]);
}

impl Folder {
    fn expect_unsorted(&self) {
        assert!(self.read("keys.npy").ends_with(&[3, 0, 0, 0, 1, 0, 0, 0, 2, 0, 0, 0]));
    }
}

/// 2 for mistakes in the command line, 1 for anything else that is wrong.
#[test]
fn exit_codes() {
    let folder = Folder::new("errors", "codes");
    folder.npy("keys.npy", "<u4", &[3u32, 1, 2]);
    for (arguments, code) in [
        ("sort @keys.npy -o @out.npy --type u33", 2),
        ("sort @keys.npy -o @out.npy --digit 9", 2),
        ("sort @keys.npy -o @out.npy --permutation @out.npy", 2),
        ("sort @keys.npy", 2),
        ("sort @keys.npy -o @out.npy --values @keys.npy", 2),
        ("split @keys.npy -o @out.npy -b 4 --seed 5", 2),
        ("split @keys.npy -o @out.npy -b 4 --by hash --splitters-output @s.npy", 2),
        ("histogram @keys.npy --bins 0", 2),
        ("sort @missing.npy -o @out.npy", 1),
        ("sort @keys.npy -o @no/out.npy", 1),
        ("sort @keys.npy -o @out.npy --type f32", 1),
        ("split @keys.npy -o @out.npy -b 4 --from x", 1),
        ("split @keys.npy -o @out.npy -b 2 --by identity", 1),
    ] {
        let (found, said) = code_and_notes(&folder.say(&format!("{arguments} -d cpu")));
        assert_eq!(found, Some(code), "{arguments}: {said}");
    }
    assert_eq!(folder.names(), ["keys.npy"]);
}
