//! Keys of types that few files have.

use super::folder::Folder;
use crate::program::{failure, success};

#[test]
fn floats_of_16_bits() {
    let folder = Folder::new("types", "f16");
    // 1.5, −2, NaN with a payload, −∞, 65504, 2^-24, −0, 0.
    let keys = [0x3e00u16, 0xc000, 0x7c01, 0xfc00, 0x7bff, 0x0001, 0x8000, 0];
    folder.npy("keys.npy", "<f2", &keys);
    let out = success(&folder.say("sort @keys.npy -o @out.npy -d cpu"));
    assert!(out.contains("8 f16 keys"), "{out}");
    folder.expect("out.npy", "<f2", &[0xfc00u16, 0xc000, 0x8000, 0, 0x0001, 0x3e00, 0x7bff, 0x7c01]);
    success(&folder.say("partition @keys.npy --below 0.5 -o @out.npy -d cpu"));
    folder.expect("out.npy", "<f2", &[0xc000u16, 0xfc00, 0x0001, 0x8000, 0, 0x3e00, 0x7c01, 0x7bff]);
    success(&folder.say("split @keys.npy --by bits --bits 15..16 -o @out.npy --offsets @o.npy -d cpu"));
    folder.expect("o.npy", "<u8", &[0u64, 3, 8]);
    let out = success(&folder.say("histogram @keys.npy --from -4 --to 4 --bins 2 -o @c.npy -d cpu"));
    folder.expect("c.npy", "<u8", &[1u64, 4]);
    assert!(out.contains("outside      3 keys: 1 above, 1 -inf, 1 NaN"), "{out}");
    success(&folder.say("sort @keys.npy -o @out.csv -d cpu"));
    success(&folder.say("sort @out.csv --type f16 -o @again.npy -d cpu"));
    folder.expect("again.npy", "<f2", &[0xfc00u16, 0xc000, 0x8000, 0, 0x0001, 0x3e00, 0x7bff, 0x7e00]);
}

#[test]
fn true_and_false() {
    let folder = Folder::new("types", "bool");
    folder.npy("keys.npy", "|b1", &[1u8, 0, 1, 0]);
    success(&folder.say("sort @keys.npy -o @out.npy --permutation @p.npy -d cpu"));
    folder.expect("out.npy", "|b1", &[0u8, 0, 1, 1]);
    folder.expect("p.npy", "<u4", &[1u32, 3, 0, 2]);
    success(&folder.say("split @keys.npy --by identity -b 2 -o @out.csv -d cpu"));
    assert_eq!(folder.read("out.csv"), b"key\nfalse\nfalse\ntrue\ntrue\n");
    let out = success(&folder.say("histogram @keys.npy -o @c.npy -d cpu"));
    folder.expect("c.npy", "<u8", &[2u64, 2]);
    assert!(out.contains("false .. true"), "{out}");
    success(&folder.say("partition @keys.npy --below true --select -o @out.npy -d cpu"));
    folder.expect("out.npy", "|b1", &[0u8, 0]);
}

#[test]
fn dates() {
    let folder = Folder::new("types", "dates");
    // 2024-02-29, NaT, the day before 1970, 2000-01-01.
    let days = [19_782i64, i64::MIN, -1, 10_957];
    folder.npy("days.npy", "<M8[D]", &days);
    let out = success(&folder.say("sort @days.npy -o @out.npy -d cpu"));
    assert!(out.contains("4 datetime64[D] keys"), "{out}");
    folder.expect("out.npy", "<M8[D]", &[i64::MIN, -1, 10_957, 19_782]);
    success(&folder.say("sort @days.npy -o @out.txt -d cpu"));
    assert_eq!(folder.read("out.txt"), b"NaT\n1969-12-31\n2000-01-01\n2024-02-29\n");
    success(&folder.say("partition @days.npy --below 2000-01-02 -o @out.npy -d cpu"));
    folder.expect("out.npy", "<M8[D]", &[i64::MIN, -1, 10_957, 19_782]);
    let out =
        success(&folder.say("histogram @days.npy --bins 2 --to 2024-03-01 -o @c.npy --edges-output @e.npy -d cpu"));
    folder.expect("c.npy", "<u8", &[1u64, 2]);
    folder.expect("e.npy", "<M8[D]", &[-1i64, 9_891, 19_783]);
    assert!(out.contains("1969-12-31 .. 1997-01-30 1 ####") && out.contains("outside      1 key: 1 NaT"), "{out}");
    let said = failure(&folder.say("partition @days.npy --below 2023-02-30 -o @out.npy -d cpu"));
    assert!(said.contains("or a date such as 2024-02-29T12:30"), "{said}");

    folder.npy("spans.npy", ">m8[ms]", &[5i64, -7, 3].map(i64::swap_bytes));
    success(&folder.say("sort @spans.npy -o @out.npy -d cpu"));
    folder.expect("out.npy", "<m8[ms]", &[-7i64, 3, 5]);
}

#[test]
fn strings_by_hash() {
    let folder = Folder::new("types", "strings");
    let words = ["pear", "fig", "apple", "fig", "pear", "fig"];
    let codes = |word: &str| (0..5).map(|i| word.chars().nth(i).map_or(0, u32::from)).collect::<Vec<u32>>();
    let wide: Vec<u32> = words.iter().flat_map(|word| codes(word)).collect();
    let bytes: Vec<u8> = wide.iter().map(|&code| code as u8).collect();
    folder.npy_of("wide.npy", "<U5", 6, &wide);
    folder.npy_of("big.npy", ">U5", 6, &wide.iter().map(|code| code.swap_bytes()).collect::<Vec<u32>>());
    folder.npy_of("bytes.npy", "|S5", 6, &bytes);
    folder.raw("words.csv", format!("word\n{}\n", words.join("\n")).as_bytes());
    let order_of = |file: &str, out: &str| {
        let options = "--by hash -b 100 --permutation @p.npy --offsets @o.npy -d cpu";
        success(&folder.say(&format!("split @{file} {options} -o @{out}")));
        (folder.read("p.npy"), folder.read("o.npy"))
    };
    // The same buckets, whatever the format.
    let expected = order_of("words.csv", "out.csv");
    assert_eq!(order_of("wide.npy", "out.npy"), expected);
    assert_eq!(order_of("big.npy", "out.npy"), expected);
    assert_eq!(order_of("bytes.npy", "out.npy"), expected);
    let order: Vec<u32> = expected.0[128..].chunks_exact(4).map(bytemuck::pod_read_unaligned).collect();
    let moved: Vec<u8> = order.iter().flat_map(|&i| bytes[5 * i as usize..][..5].to_vec()).collect();
    assert!(folder.read("out.npy").ends_with(&moved));
    let text: String = order.iter().map(|&i| format!("{}\n", words[i as usize])).collect();
    assert_eq!(folder.read("out.csv"), format!("word\n{text}").as_bytes());
    let ends: Vec<u64> = expected.1[128..].chunks_exact(8).map(bytemuck::pod_read_unaligned).collect();
    let out = success(&folder.say("histogram @words.csv --bins 100 -o @c.npy -d cpu"));
    folder.expect("c.npy", "<u8", &ends.windows(2).map(|pair| pair[1] - pair[0]).collect::<Vec<_>>());
    assert!(out.contains("6 string keys in 'word'") && out.contains("Counted in 100 buckets by a hash"), "{out}");
    // Equal ones are together, in order.
    let places: Vec<usize> = [1, 3, 5].iter().map(|&i| order.iter().position(|&o| o == i).unwrap()).collect();
    assert_eq!(places, [places[0], places[0] + 1, places[0] + 2]);
}

#[test]
fn nan_first_last_or_refused() {
    let folder = Folder::new("types", "nan");
    let keys = [1.0f32, f32::NAN, -f32::NAN, f32::INFINITY, -0.0, f32::NEG_INFINITY, 0.0];
    folder.npy("keys.npy", "<f4", &keys);
    let sorted = |options: &str, order: &[usize]| {
        success(&folder.say(&format!("sort @keys.npy {options} -o @out.npy --permutation @p.npy -d cpu")));
        folder.expect("out.npy", "<f4", &order.iter().map(|&i| keys[i]).collect::<Vec<_>>());
        folder.expect("p.npy", "<u4", &order.iter().map(|&i| i as u32).collect::<Vec<_>>());
    };
    sorted("", &[2, 5, 4, 6, 0, 3, 1]);
    sorted("--nan last", &[5, 4, 6, 0, 3, 1, 2]);
    sorted("--nan first", &[1, 2, 5, 4, 6, 0, 3]);
    sorted("--nan last --descending", &[3, 0, 6, 4, 5, 2, 1]);
    sorted("--nan first --descending", &[2, 1, 3, 0, 6, 4, 5]);
    let said = failure(&folder.say("sort @keys.npy --nan error -o @no.npy -d cpu"));
    assert!(said.contains("keys.npy: key 1 is NaN, counted from 0") && !folder.has("no.npy"), "{said}");
    folder.npy("days.npy", "<M8[D]", &[3i64, i64::MIN, 1]);
    success(&folder.say("sort @days.npy --nan last -o @out.npy -d cpu"));
    folder.expect("out.npy", "<M8[D]", &[1i64, 3, i64::MIN]);
    success(&folder.say("sort @days.npy --nan first --descending -o @out.npy -d cpu"));
    folder.expect("out.npy", "<M8[D]", &[i64::MIN, 3, 1]);
    assert!(failure(&folder.say("sort @days.npy --nan error -o @no.npy -d cpu")).contains("key 1 is NaT"));
    folder.npy("halves.npy", "<f2", &[0x7e00u16, 0x3c00, 0xfe00]);
    success(&folder.say("sort @halves.npy --nan last -o @out.npy -d cpu"));
    folder.expect("out.npy", "<f2", &[0x3c00u16, 0x7e00, 0xfe00]);
    // Whole numbers have none.
    folder.npy("whole.npy", "<i4", &[3i32, -1]);
    success(&folder.say("sort @whole.npy --nan error -o @out.npy -d cpu"));
}
