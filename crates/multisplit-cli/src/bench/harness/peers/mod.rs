//! Peers: programs that are timed on the same data in the same run, and print rows.
//!
//! [`build`] makes one of its sources in `peers/`. [`cub`] runs on keys; what runs on graphs is with its operation.

pub mod build;
mod cub;
pub use cub::{Peer, PeerTask};

use super::keys::LittleEndian;
use super::row::Row;
use crate::shared::interrupts::{self, Temporary};
use crate::shared::messages::is_quiet;
use anyhow::{Context, Result, ensure};
use std::fs::File;
use std::io::{BufWriter, Write};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use tempfile::TempDir;

/// Runs a peer's program, and returns the rows that it prints. What it has to say goes to standard error, unless
/// nothing shall.
pub fn rows_of(command: &mut Command) -> Result<Vec<Row>> {
    let said = if is_quiet() { Stdio::null() } else { Stdio::inherit() };
    let output = command.stdin(Stdio::null()).stderr(said).output()?;
    ensure!(output.status.success(), "{} ended with {}", command.get_program().display(), output.status);
    parse(&String::from_utf8_lossy(&output.stdout))
}

/// Reads rows, one on each line.
pub fn parse(text: &str) -> Result<Vec<Row>> {
    let row = |line: &str| serde_json::from_str(line).with_context(|| format!("a peer printed '{line}'"));
    text.lines().filter(|line| !line.trim().is_empty()).map(row).collect()
}

/// Joins a list with commas.
pub fn list(all: &[impl ToString]) -> String {
    all.iter().map(ToString::to_string).collect::<Vec<_>>().join(",")
}

/// Writes little-endian numbers to a file of a folder.
pub fn write_numbers<K: LittleEndian>(folder: &Path, name: &str, numbers: &[K]) -> Result<PathBuf> {
    let path = folder.join(name);
    let mut file = BufWriter::new(File::create(&path).with_context(|| path.display().to_string())?);
    for part in numbers.chunks(1 << 16) {
        let mut bytes = Vec::with_capacity(size_of_val(part));
        part.iter().for_each(|number| number.extend_le(&mut bytes));
        file.write_all(&bytes).with_context(|| path.display().to_string())?;
    }
    file.flush().with_context(|| path.display().to_string())?;
    Ok(path)
}

/// Creates a folder for such files, which is removed when the value is dropped.
pub fn temporary_folder() -> Result<Temporary<TempDir>> {
    Ok(interrupts::create(|| tempfile::Builder::new().prefix("multisplit-").tempdir())?)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs;

    #[test]
    fn numbers_are_little_endian() {
        let folder = temporary_folder().unwrap();
        let path = write_numbers(folder.path(), "keys", &[1u32, 0x0203]).unwrap();
        assert_eq!(fs::read(&path).unwrap(), [1, 0, 0, 0, 3, 2, 0, 0]);
        let wide = write_numbers(folder.path(), "wide", &[1u64 << 40]).unwrap();
        assert_eq!(fs::read(wide).unwrap(), [0, 0, 0, 0, 0, 1, 0, 0]);
        drop(folder);
        assert!(!path.exists());
    }

    #[test]
    fn what_a_peer_prints() {
        let row = r#"{"op":"split","impl":"cub","method":"onesweep","bucket":"delta","dist":"uniform","graph":null,"device":"a","n":8,"m":2,"key":"u32","value":null,"ms":2.5,"rate":1e-6,"verified":true}"#;
        let rows = parse(&format!("{row}\n\n{row}\n")).unwrap();
        assert_eq!((rows.len(), rows[0].ms, rows[0].by.as_str()), (2, 2.5, "cub"));
        let error = parse("Segmentation fault").unwrap_err();
        assert!(error.to_string().contains("Segmentation fault"), "{error}");
    }
}
