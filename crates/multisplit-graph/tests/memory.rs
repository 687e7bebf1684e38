//! Reading a graph without enough memory is an error, and the sizes that a header claims allocate nothing.
#![cfg(target_os = "linux")] // Where `ulimit -v` holds.

#[path = "common/files.rs"]
mod files;

use files::{checksum, gzip, write};
use multisplit_graph::Error;
use multisplit_graph::read::GraphReader;
use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::process::Command;
use test_support::{FailingAllocator, Random};

/// Buffers of a fixed size are smaller.
#[global_allocator]
static ALLOCATOR: FailingAllocator = FailingAllocator::of_at_least((1 << 18) + 1);

/// Names the file that a process of its own is to read.
const FILE: &str = "MULTISPLIT_TEST_FILE";

const MIB: u64 = 1 << 20;

/// What the other tests start anew, under a limit. Among them, it does nothing.
#[test]
fn child() {
    let Some(path) = std::env::var_os(FILE) else { return };
    rayon::join(|| (), || ()); // threads have stacks, which are not to fail later
    match GraphReader::new().open(Path::new(&path)) {
        Ok(loaded) => println!("<{} vertices, {} arcs>", loaded.graph.vertices(), loaded.graph.arcs()),
        Err(error) => println!("<{error}>"),
    }
}

/// Reads a file in a process that may have `bytes` of addresses, and returns what it printed.
fn within(bytes: u64, path: &Path) -> String {
    let output = Command::new("sh")
        .args(["-c", "ulimit -v \"$1\" && exec \"$0\" --exact child --nocapture"])
        .arg(std::env::current_exe().unwrap())
        .arg((bytes / 1024).to_string())
        .env(FILE, path)
        // As little as possible that depends on the machine.
        .envs([("MALLOC_ARENA_MAX", "1"), ("RAYON_NUM_THREADS", "2"), ("RUST_BACKTRACE", "0")])
        .output()
        .unwrap();
    let [text, errors] = [&output.stdout, &output.stderr].map(|bytes| String::from_utf8_lossy(bytes).into_owned());
    assert!(output.status.success(), "{}: {}\n{text}{errors}", path.display(), output.status);
    let printed = text.split_once('<').and_then(|(_, rest)| rest.rsplit_once('>'));
    printed.unwrap_or_else(|| panic!("{}: {text}", path.display())).0.to_owned()
}

/// A gzip file of `start`, and so many megabytes of `line` after it.
fn bomb(name: &str, start: &[u8], line: &[u8], mib: usize) -> PathBuf {
    let part = line.repeat((1 << 20) / line.len());
    write(name, [gzip(start), gzip(&part).repeat(mib)].concat())
}

#[test]
fn vertices_that_a_header_claims_take_no_memory() {
    let _alone = ALLOCATOR.alone();
    let few = "4000000000 vertices are too many for 1 edges: a header may announce 16777216, or 16 for each edge";
    let banner = "%%MatrixMarket matrix coordinate";
    for (name, line, text) in [
        ("general.mtx", 2, format!("{banner} real general\n4000000000 4000000000 1\n1 2 5\n")),
        ("symmetric.mtx", 3, format!("{banner} pattern symmetric\n%\n4000000000 4000000000 1\n1 2\n")),
        ("sp.gr", 1, "p sp 4000000000 1\na 1 2 5\n".into()),
        ("tw.gr", 2, "c\np tw 4000000000 1\n1 2\n".into()),
    ] {
        let said = within(512 * MIB, &write(&format!("claims-{name}"), text));
        assert!(said.starts_with(&format!("line {line}: {few}")), "{name}: {said}");
    }
}

#[test]
fn small_files_that_are_large_inside_end_in_an_error() {
    let _alone = ALLOCATOR.alone();
    // A binary graph of 2^32 - 1 vertices, without arcs, as far as 2 GiB of offsets go.
    let mut binary = b"\x89MSGRPH\n".to_vec();
    [1u32, 0].iter().for_each(|word| binary.extend(word.to_le_bytes()));
    [u64::from(u32::MAX), 0, 0, 1].iter().for_each(|long| binary.extend(long.to_le_bytes()));
    binary.extend(checksum(&binary));

    let market = b"%%MatrixMarket matrix coordinate real general\n2 2 400000000\n";
    for path in [
        bomb("list.txt.gz", b"1 2\n", b"1 2\n", 2048),
        bomb("weighted.txt.gz", b"1 2 3\n", b"1 2 3\n", 2048),
        bomb("sp.gr.gz", b"p sp 2 400000000\n", b"a 1 2 3\n", 2048),
        bomb("real.mtx.gz", market, b"1 2 3.5\n", 2048),
        bomb("graph.bin.gz", &binary, &[0; 1024], 2048),
    ] {
        let said = within(150 * MIB, &path);
        assert!(said.starts_with("there is no memory for "), "{}: {said}", path.display());
    }
    // What says nothing is passed over, however long it is.
    let comment = [&[b'#'; 1023][..], b"\n"].concat();
    let comments = bomb("comments.txt.gz", b"1 2\n", &comment, 256);
    assert_eq!(within(150 * MIB, &comments), "2 vertices, 1 arcs");
}

/// Each large allocation fails once while a file is read and sorted.
#[test]
fn too_little_memory_is_an_error_at_every_step() {
    let _alone = ALLOCATOR.alone();
    const EDGES: u32 = 200_000;
    let mut random = Random::new(1);
    let mut texts = [
        String::new(),
        String::new(),
        format!("p tw {EDGES} {EDGES}\n"),
        format!("%%MatrixMarket matrix coordinate real symmetric\n{EDGES} {EDGES} {EDGES}\n"),
    ];
    for edge in 0..EDGES {
        let [u, v] = [(); 2].map(|()| u64::from(random.below(EDGES)) + 1);
        writeln!(texts[0], "{} {}", u * 1000, v * 1000).unwrap();
        // The last weight makes real numbers of all.
        writeln!(texts[1], "{u} {v} {}", if edge + 1 == EDGES { "0.5" } else { "7" }).unwrap();
        writeln!(texts[2], "{u} {v}").unwrap();
        writeln!(texts[3], "{u} {v} 0.5").unwrap();
    }
    let [list, weighted, tw, real] = texts.map(String::into_bytes);
    let mut binary = Vec::new();
    let loaded = GraphReader::new().read(&list[..]).unwrap();
    loaded.graph.write(&loaded.labels, &mut binary).unwrap();
    for (name, bytes) in [
        ("steps.txt", &list),
        ("steps-weighted.txt", &weighted),
        ("steps.gr", &tw),
        ("steps.mtx", &real),
        ("steps.bin", &binary),
        ("steps.bin.gz", &gzip(&binary)),
    ] {
        let path = write(name, bytes);
        let whole = GraphReader::new().open(&path).unwrap();
        let mut failures = 0;
        for k in 0.. {
            let (read, failed) = ALLOCATOR.fail(k, || GraphReader::new().open(&path));
            match read {
                Ok(loaded) if !failed => {
                    assert_eq!((loaded.graph, loaded.labels), (whole.graph, whole.labels), "{name}");
                    break;
                }
                Ok(_) => panic!("{name}: allocation {k} failed, and reading did not"),
                Err(Error::OutOfMemory { bytes }) => {
                    assert!(failed && bytes > 0, "{name}: allocation {k}, {bytes} bytes");
                    failures += 1;
                }
                Err(error) => panic!("{name}: allocation {k}: {error}"),
            }
        }
        assert!(failures > 2, "{name}: {failures}");
        println!("{name}: {failures} allocations failed");
    }
}
