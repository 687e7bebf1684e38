//! Outputs are all there or none is, and are never an input or each other.

use super::{SQUARE, done, folder, refused, said_in};
use std::path::Path;

#[test]
fn an_output_is_neither_the_input_nor_another_output() {
    let folder = folder("same", &[("in.gr", SQUARE), ("there.txt", "kept")]);
    let (graph, link) = (folder.say("@in.gr"), folder.say("@link.gr"));
    std::fs::create_dir(folder.say("@sub")).unwrap();
    std::fs::write(folder.say("@sub/in.gr"), SQUARE).unwrap();
    let inside = |path: &str| format!("--output {path} is the same file as the graph {graph}; write to another file");
    for path in ["@in.gr", "@./in.gr", "@sub/../in.gr"] {
        same(&folder, &format!("sssp @in.gr --output {path}"), &inside(path));
        same(&folder, &format!("graph convert @in.gr --output {path} --input-format dimacs"), "is the name of a file");
        same(&folder, &format!("graph export @in.gr --output {path}"), &inside(path));
    }
    let before = "--predecessors @a is the same file as --output @./a; name a file for each";
    same(&folder, "sssp @in.gr --output @./a --predecessors @a", before);
    same(
        &folder,
        "sssp @in.gr --output @a --predecessors @in.gr",
        "--predecessors @in.gr is the same file as the graph",
    );
    same(
        &folder,
        "graph export @in.gr --output @a.mtx --labels @a.mtx",
        "--labels @a.mtx is the same file as --output",
    );
    same(
        &folder,
        "graph export @in.gr --output @a.mtx --labels @in.gr",
        "--labels @in.gr is the same file as the graph",
    );
    same(&folder, "sssp @in.gr --output - --predecessors -", "--predecessors - is the same file as --output -");
    #[cfg(unix)]
    {
        std::os::unix::fs::symlink(&graph, &link).unwrap();
        same(&folder, "sssp @in.gr --output @link.gr", &inside("@link.gr"));
        same(&folder, "sssp @link.gr --output @in.gr", "--output @in.gr is the same file as the graph @link.gr");
        std::fs::remove_file(&link).unwrap();
        std::fs::hard_link(&graph, &link).unwrap();
        same(&folder, "sssp @in.gr --output @link.gr", &inside("@link.gr"));
        std::fs::hard_link(folder.say("@there.txt"), folder.say("@other.txt")).unwrap();
        same(&folder, "sssp @in.gr --output @there.txt --predecessors @other.txt", "is the same file as --output");
        // A link to what is not there yet.
        std::os::unix::fs::symlink("later.txt", folder.say("@dangling.txt")).unwrap();
        let message = "--predecessors @later.txt is the same file as --output @dangling.txt";
        let (code, said) = crate::program::code_and_notes(&folder.say("sssp @in.gr -o @dangling.txt -p @later.txt"));
        assert!(code == Some(2) && said.contains(&folder.say(message)), "{said}");
        done(&folder, "sssp @in.gr --source 1 --output @dangling.txt");
        assert!(Path::new(&folder.say("@dangling.txt")).is_symlink());
        assert_eq!(said_in(&folder, "later.txt"), "1 0\n2 7\n3 7\n4 inf\n");
    }
}

/// That a run is refused because of how it names its files.
fn same(folder: &crate::files::folder::Folder, arguments: &str, message: &str) {
    let (graph, names) = (said_in(folder, "in.gr"), folder.names());
    let (code, said) = crate::program::code_and_notes(&folder.say(arguments));
    assert!(said.contains(&folder.say(message)), "{arguments}: {said}\nwithout: {message}");
    assert_eq!(code, Some(2), "{arguments}: {said}");
    assert_eq!((said_in(folder, "in.gr"), folder.names()), (graph, names), "{arguments}");
}

#[test]
fn what_cannot_be_written_leaves_nothing() {
    let folder = folder("unwritable", &[("in.gr", SQUARE), ("kept.txt", "kept"), ("kept.mtx", "kept")]);
    for name in ["kept.txt", "kept.mtx"] {
        let mut permissions = std::fs::metadata(folder.say(&format!("@{name}"))).unwrap().permissions();
        permissions.set_readonly(true);
        std::fs::set_permissions(folder.say(&format!("@{name}")), permissions).unwrap();
    }
    let read_only = "the file is read-only; allow writing, or name another";
    for (arguments, message) in [
        ("sssp @in.gr --output @kept.txt", read_only),
        ("sssp @in.gr --output @new.txt --predecessors @kept.txt", read_only),
        ("graph export @in.gr --output @kept.mtx", read_only),
        ("graph export @in.gr --output @new.mtx --labels @kept.txt", read_only),
        ("graph generate path -n 9 --output @kept.txt", read_only),
        ("sssp @in.gr --output @no/such/folder", "no/such/folder: No such file"),
        ("sssp @in.gr --output @new.txt --predecessors @no/such/folder", "no/such/folder: No such file"),
        ("graph generate path -n 9 --output @no/such.bin", "no/such.bin: No such file"),
        ("sssp @in.gr --output @", "this is a directory; name a file"),
        ("graph convert @in.gr --output @", "this is a directory; name a file"),
    ] {
        refused(&folder, arguments, 1, message);
    }
    #[cfg(target_os = "linux")]
    for arguments in [
        "sssp @in.gr --output /dev/full",
        "sssp @in.gr --output @new.txt --predecessors /dev/full",
        "sssp @in.gr --output /dev/full --predecessors @new.txt --format npy",
        "graph convert @in.gr --output /dev/full",
        "graph export @in.gr --output /dev/full --format edge-list",
        "graph export @in.gr --output @new.mtx --labels /dev/full",
        "graph generate path -n 9 --output /dev/full",
    ] {
        refused(&folder, arguments, 1, "/dev/full: No space left on device");
    }
}

/// A file is replaced only when the whole command has succeeded.
#[test]
fn a_failed_search_keeps_what_was_there() {
    let far = "p sp 3 2\na 1 2 4294967295\na 2 3 4294967295\n";
    let folder = folder("kept", &[("in.gr", SQUARE), ("far.gr", far), ("old.txt", "old"), ("new.txt", "old")]);
    refused(&folder, "sssp @far.gr --output @old.txt", 1, "the distance of vertex 2 is beyond 4294967294");
    refused(&folder, "sssp @in.gr --source 1,9 --output @old.txt", 1, "--source 9 is not in the graph");
    done(&folder, "sssp @in.gr --source 4 --output @new.txt");
    assert_eq!(said_in(&folder, "new.txt"), "1 1\n2 8\n3 8\n4 0\n");
    assert_eq!(folder.names(), ["far.gr", "in.gr", "new.txt", "old.txt"]);
}

#[test]
fn standard_input_and_output() {
    let folder = folder("standard", &[("in.gr", SQUARE)]);
    let (out, said) = done(&folder, "sssp @in.gr --source 1 --output -");
    assert_eq!(out, "1 0\n2 7\n3 7\n4 inf\n");
    assert!(said.contains("reached      3 of 4 vertices") && said.contains("distances    standard output"), "{said}");
    let (out, said) = done(&folder, "graph export @in.gr --output - --format matrix-market");
    assert_eq!(out, "%%MatrixMarket matrix coordinate integer general\n4 4 4\n1 2 7\n1 3 9\n2 3 0\n4 1 1\n");
    assert!(said.contains("standard output: in the format matrix-market"), "{said}");
    let mut search = crate::program::command();
    search.args("sssp - --source 4 --device cpu --output -".split(' '));
    let output = search.stdin(std::fs::File::open(folder.say("@in.gr")).unwrap()).output().unwrap();
    assert_eq!(crate::program::text(&output.stdout), "1 1\n2 8\n3 8\n4 0\n");
    assert!(crate::program::text(&output.stderr).starts_with("standard input (dimacs): 4 vertices"));
    // An output may have the name of the file that standard output goes to.
    #[cfg(unix)]
    {
        let mut search = crate::program::command();
        search.args(folder.say("sssp @in.gr --source 4 --device cpu --output @redirected.txt").split(' '));
        search.stdout(std::fs::File::create(folder.say("@redirected.txt")).unwrap());
        search.stderr(std::process::Stdio::null());
        assert!(search.status().unwrap().success());
        assert_eq!(said_in(&folder, "redirected.txt"), "1 1\n2 8\n3 8\n4 0\n");
    }
}
