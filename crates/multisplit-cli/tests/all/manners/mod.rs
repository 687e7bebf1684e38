//! What holds for all commands: how they end, what they say where, and what they leave.

mod codes;
mod devices;
mod examples;
mod json;
mod pages;
mod places;
mod quiet;
#[cfg(unix)]
mod signals;
#[cfg(target_os = "linux")]
mod terminal;

use crate::files::folder::Folder;

/// A folder with a graph, tables and arrays, as examples have them.
fn folder(test: &str) -> Folder {
    let folder = Folder::new("manners", test);
    folder.npy("keys.npy", "<u4", &(0..1000u32).map(|i| i * 7919 % 41).collect::<Vec<_>>());
    folder.raw("people.csv", b"name,age\nada,36\nalan,41\ngrace,85\nedsger,72\n");
    folder.raw("road.gr", b"p sp 4 4\na 1 2 7\na 2 3 0\na 1 3 9\na 4 3 1\n");
    folder
}
