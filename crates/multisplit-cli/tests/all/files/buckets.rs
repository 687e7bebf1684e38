//! Which bucket keys go to, and where buckets go.

use super::data::{TestKey, random_keys};
use super::folder::{Folder, bytes};
use crate::program::{failure, success, text};
use bytemuck::Pod;

const N: usize = 1000;

impl Folder {
    fn elements<T: Pod>(&self, name: &str) -> Vec<T> {
        let file = self.read(name);
        let begin = 10 + usize::from(u16::from_le_bytes([file[8], file[9]]));
        file[begin..].chunks_exact(size_of::<T>()).map(bytemuck::pod_read_unaligned).collect()
    }
}

/// Splits by quantiles and by ranges, and again between the keys that those wrote.
fn splitters_again<K: TestKey + Pod>(name: &str) {
    let (folder, keys) = (Folder::new("buckets", name), random_keys::<K>(N));
    folder.npy("keys.npy", K::DTYPE, &keys);
    for options in ["--by quantiles -b 7", "-b 7", "-b 300", "-b 7 --from 20 --to 90"] {
        let split = |options: &str, out: &str| {
            success(
                &folder.say(&format!("split @keys.npy {options} -o @{out}.npy --offsets @{out}-offsets.npy -d cpu")),
            );
            (folder.elements::<K>(&format!("{out}.npy")), folder.elements::<u64>(&format!("{out}-offsets.npy")))
        };
        let (moved, offsets) = split(&format!("{options} --splitters-output @splitters.npy"), "first");
        let (again, mut offsets_again) = split("--splitters @splitters.npy", "second");
        assert!(bytes(&moved) == bytes(&again), "{options}");
        // Buckets that no key of the type can be in have no splitters.
        offsets_again.resize(offsets.len(), N as u64);
        assert_eq!(offsets, offsets_again, "{options}");
    }
}

#[test]
fn splitters_that_were_used() {
    splitters_again::<u8>("u8");
    splitters_again::<i16>("i16");
    splitters_again::<i64>("i64");
    splitters_again::<f32>("f32");
    splitters_again::<f64>("f64");
}

#[test]
fn quantiles_have_equal_counts() {
    let folder = Folder::new("buckets", "quantiles");
    let keys: Vec<u32> = (0..N as u32).map(|i| (i * 7919) % N as u32).collect();
    folder.npy("keys.npy", "<u4", &keys);
    let out = success(
        &folder
            .say("split @keys.npy --by quantiles -b 4 -o @out.npy --offsets @o.npy --splitters-output @s.npy -d cpu"),
    );
    assert!(out.contains("Split into 4 buckets of equal counts"), "{out}");
    folder.expect("o.npy", "<u8", &[0u64, 250, 500, 750, 1000]);
    folder.expect("s.npy", "<u4", &[250u32, 500, 750]);
    // Equal keys stay together, and NaN is last.
    folder.npy("keys.npy", "<f4", &[2.0f32, -f32::NAN, 2.0, 1.0, 2.0, f32::NAN, 2.0, -0.0]);
    success(&folder.say("split @keys.npy --by quantiles -b 4 --offsets @o.npy --splitters-output @s.txt -d cpu"));
    folder.expect("o.npy", "<u8", &[0u64, 2, 2, 6, 8]);
    assert_eq!(text(&folder.read("s.txt")), "2.0\n2.0\ninf\n");
    folder.npy::<f32>("keys.npy", "<f4", &[]);
    success(&folder.say("split @keys.npy --by quantiles -b 3 --offsets @o.npy -d cpu"));
    folder.expect("o.npy", "<u8", &[0u64, 0, 0, 0]);
}

#[test]
fn tables() {
    let folder = Folder::new("buckets", "tables");
    folder.npy("keys.npy", "<i4", &[5i32, -3, 5, 0, 7]);
    folder.npy("values.npy", "<i8", &[0i64, 1, 2, 3, 4]);
    folder.raw("table.csv", b"key,bucket\n-3,2\n0,0\n5,1\n7,0\n");
    let values = "--values @values.npy --values-output @v.npy -d cpu";
    success(&folder.say(&format!("split @keys.npy --table @table.csv -o @out.npy --offsets @o.npy {values}")));
    folder.expect("out.npy", "<i4", &[0i32, 7, 5, 5, -3]);
    folder.expect("v.npy", "<i8", &[3i64, 4, 0, 2, 1]);
    folder.expect("o.npy", "<u8", &[0u64, 2, 4, 5]);
    folder.raw("table.csv", b"5;1\n7;0\n");
    success(&folder.say(&format!("split @keys.npy --table @table.csv --otherwise 3 --offsets @o.npy {values}")));
    folder.expect("o.npy", "<u8", &[0u64, 1, 3, 3, 5]);
    let said = failure(&folder.say("split @keys.npy --table @table.csv -o @no.npy -d cpu"));
    assert!(said.contains("table.csv: 2 keys are not in the table, the first is number 1, -3; give"), "{said}");
    for (table, said) in [
        ("5,1\n5,2\n", "5 is in the table twice"),
        ("5,1\n7,x\n", "line 2, column 2: 'x' is not"),
        ("5,16777216\n", "there is no bucket 16777216: they are from 0 to 16777215"),
        ("5\n", "there is no column '2'"),
    ] {
        folder.raw("bad.csv", table.as_bytes());
        let said_so = failure(&folder.say("split @keys.npy --table @bad.csv -o @no.npy -d cpu"));
        assert!(said_so.contains(said), "{table}: {said_so}");
    }
    let said = failure(&folder.say("split @keys.npy --table @table.csv -b 1 -o @no.npy -d cpu"));
    assert!(said.contains("the table has bucket 1, but --buckets 1 are from 0 to 0"), "{said}");

    // The buckets of 0, 1, 2 and so on.
    folder.npy("bytes.npy", "|u1", &[2u8, 0, 1, 2]);
    folder.npy("table.npy", "|u1", &[1u8, 0, 4]);
    success(&folder.say("split @bytes.npy --table @table.npy -b 6 -o @out.npy --offsets @o.npy -d cpu"));
    folder.expect("out.npy", "|u1", &[1u8, 0, 2, 2]);
    folder.expect("o.npy", "<u8", &[0u64, 1, 2, 2, 2, 4, 4]);
    // Strings.
    folder.raw("fruit.csv", b"fruit,n\npear,1\nfig,2\npear,3\n");
    folder.raw("table.csv", b"fruit,bucket\nfig,0\npear,1\n");
    success(&folder.say("split @fruit.csv --column fruit --table @table.csv -o @out.csv -d cpu"));
    assert_eq!(text(&folder.read("out.csv")), "fruit,n\nfig,2\npear,1\npear,3\n");
    let said = failure(&folder.say("split @keys.npy --table @table.npy --splitters-output @s.npy -d cpu"));
    assert!(said.contains("--splitters-output is for --by delta"), "{said}");
}

#[test]
fn a_file_for_each_bucket() {
    let folder = Folder::new("buckets", "files");
    folder.npy("keys.npy", "<u2", &[25u16, 3, 17, 8, 12]);
    folder.npy("values.npy", "<f4", &[0.0f32, 1.0, 2.0, 3.0, 4.0]);
    let split = "split @keys.npy -b 3 --from 0 --to 30 --values @values.npy";
    let out = success(&folder.say(&format!("{split} --output-dir @parts --permutation @p.npy -d cpu")));
    assert!(out.contains("buckets      ") && out.contains("parts"), "{out}");
    folder.expect("parts/bucket-0.npy", "<u2", &[3u16, 8]);
    folder.expect("parts/bucket-1.npy", "<u2", &[17u16, 12]);
    folder.expect("parts/bucket-2.npy", "<u2", &[25u16]);
    folder.expect("parts/bucket-1-values.npy", "<f4", &[2.0f32, 4.0]);
    folder.expect("p.npy", "<u4", &[1u32, 3, 2, 4, 0]);
    let names = || -> Vec<String> {
        let mut names: Vec<String> = std::fs::read_dir(folder.say("@parts"))
            .unwrap()
            .map(|file| file.unwrap().file_name().into_string().unwrap())
            .collect();
        names.sort();
        names
    };
    assert_eq!(names().len(), 6);
    // Nothing is lost of a folder that has buckets.
    let said = failure(&folder.say(&format!("{split} --output-dir @parts -d cpu")));
    assert!(said.contains("there is already") && said.contains("bucket-"), "{said}");
    assert_eq!(names().len(), 6);
    // Another folder that is there gets them beside what it has, in another format.
    std::fs::create_dir(folder.say("@others")).unwrap();
    folder.raw("others/note", b"here");
    success(&folder.say("split @keys.npy -b 12 --by hash --output-dir @others --output-format csv -d cpu"));
    assert!(folder.has("others/note") && folder.has("others/bucket-00.csv") && folder.has("others/bucket-11.csv"));
    let all: usize =
        (0..12).map(|b| text(&folder.read(&format!("others/bucket-{b:02}.csv"))).lines().count() - 1).sum();
    assert_eq!(all, 5);

    for (options, said) in [
        ("-b 3 --output-dir @keys.npy", "this is not a folder"),
        ("-b 3 --output-dir @no/such/folder", "there is no folder"),
        ("-b 2^17 --output-dir @many", "at most 65536, not 131072"),
        ("-b 3 --output-dir @parts2 --permutation @no/such/p.npy", "no/such/p.npy: No such file"),
        ("-b 3 --output-dir @parts2 --permutation /dev/full", "/dev/full: No space left on device"),
    ] {
        let before = folder.names();
        let said_so = failure(&folder.say(&format!("split @keys.npy {options} -d cpu")));
        assert!(said_so.contains(said), "{options}: {said_so}");
        assert_eq!(folder.names(), before, "{options}");
    }
    // Rows of text.
    folder.raw("rows.csv", b"n,name\n1,a\n9,b\n2,c\n");
    success(&folder.say("split @rows.csv --column n -b 2 --output-dir @rows -d cpu"));
    assert_eq!(text(&folder.read("rows/bucket-0.csv")), "n,name\n1,a\n2,c\n");
    assert_eq!(text(&folder.read("rows/bucket-1.csv")), "n,name\n9,b\n");
}

#[test]
fn histograms_pick_their_bins() {
    let folder = Folder::new("buckets", "histograms");
    folder.npy("keys.npy", "<f8", &(0..1000).map(|i| f64::from(i) * 0.0137 - 3.0).collect::<Vec<_>>());
    let out = success(&folder.say("histogram @keys.npy -o @c.npy --edges-output @e.npy --svg @picture.svg -d cpu"));
    // Twice the cube root of 1000 are 20 at most: of width 1, from -3 to 11.
    let counts: Vec<u64> = (-3..11)
        .map(|low| (0..1000).filter(|&i| (f64::from(i) * 0.0137 - 3.0).floor() == f64::from(low)).count() as u64)
        .collect();
    folder.expect("c.npy", "<u8", &counts);
    folder.expect("e.npy", "<f8", &(-3..=11).map(f64::from).collect::<Vec<_>>());
    assert!(out.contains("Counted in 14 bins from -3 to 11"), "{out}");
    let picture = text(&folder.read("picture.svg"));
    assert_eq!(picture.matches("class=\"bar\"").count(), 14);
    assert!(picture.starts_with("<svg xmlns") && picture.ends_with("</svg>\n") && picture.contains("keys.npy</text>"));
    // The same bins again, whatever was rounded.
    for bins in ["--bins 7", "--bins 1000", "--bins 3 --from -1.1 --to 0.7"] {
        success(&folder.say(&format!("histogram @keys.npy {bins} -o @c.npy --edges-output @e.npy -d cpu")));
        success(&folder.say("histogram @keys.npy --edges @e.npy -o @again.npy -d cpu"));
        assert_eq!(folder.read("c.npy"), folder.read("again.npy"), "{bins}");
    }
    // Small whole numbers have a bin each.
    folder.npy("keys.npy", "|i1", &[3i8, -2, 3, 0]);
    success(&folder.say("histogram @keys.npy -o @c.npy --edges-output @e.npy -d cpu"));
    folder.expect("c.npy", "<u8", &[1u64, 0, 1, 0, 0, 2]);
    folder.expect("e.npy", "|i1", &[-2i8, -1, 0, 1, 2, 3, 4]);
    folder.npy("keys.npy", "|i1", &[-128i8, 127]);
    success(&folder.say("histogram @keys.npy -o @c.npy -d cpu"));
    folder.npy("keys.npy", "<u8", &[u64::MAX, 0]);
    success(&folder.say("histogram @keys.npy -o @c.npy -d cpu"));
    folder.npy("keys.npy", "<f4", &[f32::NAN, f32::INFINITY, f32::NEG_INFINITY, 1.0]);
    let out = success(&folder.say("histogram @keys.npy --svg @picture.svg -d cpu"));
    assert!(out.contains("outside      3 keys: 1 -inf, 1 inf, 1 NaN"), "{out}");
}
