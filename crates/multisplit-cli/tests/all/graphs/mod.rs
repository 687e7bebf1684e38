//! Graphs in files: what is read, written, described and refused.

mod errors;
mod export;
mod info;
mod outputs;
mod searches;

use crate::files::folder::Folder;
use crate::program::{command, text};

/// A directed graph of four vertices, one of which nothing leads to.
pub const SQUARE: &str = "p sp 4 4\na 1 2 7\na 2 3 0\na 1 3 9\na 4 1 1\n";

/// A folder with files of text.
pub fn folder(test: &str, files: &[(&str, &str)]) -> Folder {
    let folder = Folder::new("graphs", test);
    for (name, text) in files {
        folder.raw(name, text.as_bytes());
    }
    folder
}

/// What a file says.
pub fn said_in(folder: &Folder, name: &str) -> String {
    text(&folder.read(name))
}

/// Standard output and standard error of a run on the CPU that must succeed.
pub fn done(folder: &Folder, arguments: &str) -> (String, String) {
    let arguments = folder.say(arguments);
    let on_cpu = if arguments.starts_with("sssp") { " --device cpu" } else { "" };
    let output = command().args(format!("--no-kernel-cache {arguments}{on_cpu}").split_whitespace()).output().unwrap();
    assert!(output.status.success(), "{arguments}: {}", text(&output.stderr));
    (text(&output.stdout), text(&output.stderr))
}

/// That a run ends with this exit code and message, and leaves the folder as it was.
pub fn refused(folder: &Folder, arguments: &str, code: i32, message: &str) {
    let all = || -> Vec<_> { folder.names().into_iter().map(|name| (folder.read(&name), name)).collect() };
    let before = all();
    let (ended, said) = crate::program::code_and_notes(&folder.say(arguments));
    let message = folder.say(message);
    assert!(said.contains(&message), "{arguments}: {said}\nwithout: {message}");
    assert_eq!(ended, Some(code), "{arguments}: {said}");
    assert!(all() == before, "{arguments}: the folder has changed");
}
