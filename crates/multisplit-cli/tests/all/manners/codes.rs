//! Exit codes: 2 for what is wrong whatever files and devices there are, 1 for what is wrong with those.

use super::folder;
use crate::program::code_and_notes;

#[test]
fn mistakes_in_usage_end_with_2() {
    let folder = folder("usage");
    let before = folder.names();
    for (arguments, message) in [
        ("nothing", "unrecognized subcommand 'nothing'"),
        ("devices --device cpu", "unexpected argument '--device' found"),
        ("demo --n 2^32", "--n 4294967296 is too many: one split takes up to 2^32 - 1 keys"),
        ("demo --runs 0", "--runs must be at least 1"),
        ("demo --buckets 0", "--buckets 0 is out of range: 1 to 16777216"),
        ("demo --device nothing", "--device nothing: there is no device 'nothing'; take cpu, gpu, cuda"),
        ("sort @keys.npy -o @out.npy -d gpu:0", "there is no device 'gpu:0'"),
        ("sort @keys.npy -o @out.npy --bits 8..4", "--bits 8..4 end before they begin"),
        ("sort @keys.npy -o @out.h5", ".h5 files are not written"),
        ("sort @keys.npy -o @out.npy --quiet --verbose", "cannot be used with"),
        ("sort @keys.npy -o - --quiet --json", "--quiet leaves no place for the report of --json"),
        ("split @keys.npy -o @out.npy --by bits --bits 0..25", "--bits 0..25: at most 24 bits are possible"),
        ("split @keys.npy -o @out.npy -b 4 --from 5 --to 5", "--from 5 and --to 5: the range is empty"),
        ("histogram @keys.npy --from 9 --to 4", "--from 9 and --to 4: the range is empty"),
        ("histogram @people.csv --column age --from 9 --to -4", "--from 9 and --to -4: the range is empty"),
        ("partition @keys.npy -o @out.npy --below 5 --and-below 4", "--and-below 4 is less than --below 5"),
        ("sssp @road.gr --device nothing", "there is no device 'nothing'"),
        ("graph generate rmat --shape 1,2 -o @out.bin", "--shape takes four probabilities"),
        ("graph generate rmat --shape 0,0,0,0 -n 9 -m 9 -o @out.bin", "invalid generator"),
        ("graph generate star -n 2^40 -o @out.bin", "1099511627776 is too many: a graph has up to 2^32 - 1 vertices"),
        ("graph generate grid --width 2^20 --height 2^20 -o @out.bin", "vertices are too many"),
        ("bench split --n 0", "--n 0 leaves nothing to measure"),
        ("bench split --n 2^40", "--n 1099511627776 is too many"),
        ("bench split --runs 0", "--runs must be at least 1"),
        ("bench split --buckets 0", "--buckets 0 is out of range"),
        ("bench split --dist binomial --buckets 16777216", "--dist binomial takes up to"),
        ("bench split --device nothing", "there is no device 'nothing'"),
        ("bench split --n 2^10 --peers gapbs --device cpu", "it is for shortest paths, `multisplit bench sssp`"),
        ("bench histogram --bins 0", "--bins 0 is out of range"),
        ("bench sort --digit-bits 3", "--digit-bits 3 is out of range: 4 to 8"),
        ("bench partition --parts 4", "--parts 4 is out of range: 2 or 3"),
        ("bench segments --segments 0", "--segments 0 leaves nothing to measure"),
        ("bench segments --segments 2^24 --buckets 2", "are too many: up to"),
        ("bench sssp --sources 0", "--sources must be at least 1"),
        ("bench sssp --delta 0", "--delta 0 must be a finite number above 0"),
        ("bench sssp rmat:5", "rmat:5: rmat takes two numbers"),
        ("bench sssp --peers cub", "--peers cub: it has no shortest paths"),
        ("bench sssp --strategies near-far --device cpu", "none of --strategies runs on cpu"),
        ("report @rows.jsonl --output @out.txt", "its name must end with .html (a page) or .md (Markdown)"),
        ("completions tcsh", "invalid value 'tcsh' for '<SHELL>'"),
        ("man", "--output <FOLDER>"),
    ] {
        let (code, said) = code_and_notes(&folder.say(arguments));
        assert_eq!(code, Some(2), "{arguments}: {said}");
        assert!(said.starts_with("multisplit: ") && said.contains(message), "{arguments}: {said}");
    }
    assert_eq!(folder.names(), before);
}

#[test]
fn what_is_wrong_with_files_and_devices_ends_with_1() {
    let folder = folder("data");
    folder.raw("no-rows.jsonl", b"\n");
    let before = folder.names();
    for (arguments, message) in [
        ("sort @missing.npy -o @out.npy", "missing.npy: No such file"),
        ("sort @keys.npy -o @out.npy -d cuda:1000", "--device cuda:1000: there is no device 'cuda:1000' here"),
        ("sort @people.csv --column height -o @out.csv", "height"),
        ("sssp @road.gr --source 9", "--source 9 is not in the graph"),
        ("graph info @missing.gr", "missing.gr: No such file"),
        ("bench split --n 2^10 --device cpu --output @no/such/rows.jsonl", "No such file"),
        ("bench sssp @missing.gr --device cpu", "missing.gr: No such file"),
        ("report @missing.jsonl --output @out.html", "missing.jsonl: No such file"),
        ("report @no-rows.jsonl --output @out.html", "there are no rows in these files"),
        ("man --output @keys.npy", "--output"),
    ] {
        let (code, said) = code_and_notes(&folder.say(arguments));
        assert_eq!(code, Some(1), "{arguments}: {said}");
        assert!(said.starts_with("multisplit: ") && said.contains(message), "{arguments}: {said}");
    }
    assert_eq!(folder.names(), before);
}
