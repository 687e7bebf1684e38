//! Rows that an earlier run left, and the file that further ones are added to.

use crate::bench::harness::batch::ABSENT;
use crate::bench::harness::row::Row;
use crate::report::parse_row;
use crate::shared::version::COMMIT;
use anyhow::{Context, Result, ensure};
use std::fs::{File, OpenOptions};
use std::io::{ErrorKind, Write};
use std::path::Path;

/// The rows of a folder.
pub struct Earlier {
    /// Those of the same settings, by the same program, on the same device.
    pub rows: Vec<Row>,
    /// How many others there are.
    pub others: usize,
    /// Whether the last line was torn, and is dropped.
    pub torn: bool,
    /// Takes further rows.
    file: File,
}

impl Earlier {
    /// Reads the rows that a file has, if there is one. `devices` are those that rows can be of.
    pub fn open(path: &Path, command: &str, devices: &[String]) -> Result<Self> {
        let text = match std::fs::read(path) {
            Ok(bytes) => bytes,
            Err(error) if error.kind() == ErrorKind::NotFound => Vec::new(),
            Err(error) => return Err(error).with_context(|| path.display().to_string()),
        };
        let (rows, whole) = whole_rows(&text).with_context(|| path.display().to_string())?;
        let file = OpenOptions::new().create(true).append(true).open(path);
        let file = file.with_context(|| path.display().to_string())?;
        let torn = whole < text.len();
        if torn {
            file.set_len(whole as u64).with_context(|| path.display().to_string())?;
        }
        let all = rows.len();
        let of_this_run = |row: &Row| {
            row.command.as_deref() == Some(command)
                && row.commit.as_deref() == Some(COMMIT)
                && devices.contains(&row.device)
                // What was wrong is measured again.
                && (row.verified || row.op == ABSENT)
        };
        let rows: Vec<Row> = rows.into_iter().filter(of_this_run).collect();
        Ok(Self { others: all - rows.len(), rows, torn, file })
    }

    /// Returns what adds a row to the file. What is written is there when a run is interrupted.
    pub fn writer(self) -> impl FnMut(&Row) -> Result<()> {
        let mut file = self.file;
        move |row| {
            let line = serde_json::to_string(row)? + "\n";
            let whole = file.metadata()?.len();
            let written = file.write_all(line.as_bytes());
            if written.is_err() {
                // A part of the row could be there, and others could follow it.
                let _ = file.set_len(whole);
            }
            written.context("rows.jsonl cannot be written")
        }
    }
}

/// Reads the rows of whole lines, and returns how many bytes these have. Only the last line can be torn.
fn whole_rows(text: &[u8]) -> Result<(Vec<Row>, usize)> {
    let (mut rows, mut whole) = (Vec::new(), 0);
    for (i, line) in text.split_inclusive(|&byte| byte == b'\n').enumerate() {
        let row = match std::str::from_utf8(line) {
            Ok(text) if text.trim().is_empty() => Ok(None),
            Ok(text) => parse_row(text),
            Err(error) => Err(error.into()),
        };
        let is_last = whole + line.len() == text.len();
        if is_last && (row.is_err() || !line.ends_with(b"\n")) {
            break;
        }
        rows.extend(row.with_context(|| format!("line {}", i + 1))?);
        whole += line.len();
    }
    // A file of something else is not taken for a torn row.
    ensure!(whole > 0 || text.is_empty() || text.starts_with(b"{"), "this is not a file of rows");
    Ok((rows, whole))
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs;
    use std::io::Seek;

    fn row(m: u32, command: &str) -> Row {
        let (command, commit) = (Some(command.into()), Some(COMMIT.into()));
        Row {
            op: "split".into(),
            by: "multisplit".into(),
            device: "a".into(),
            m: Some(m),
            command,
            commit,
            verified: true,
            ..Row::default()
        }
    }

    fn line(row: &Row) -> String {
        serde_json::to_string(row).unwrap() + "\n"
    }

    #[test]
    fn a_torn_line_is_dropped_and_others_stay() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("rows.jsonl");
        let open = || Earlier::open(&path, "c", &["a".into()]);
        assert_eq!(open().unwrap().rows, []);
        let old = Row { commit: Some("older".into()), ..row(4, "c") };
        let elsewhere = Row { device: "b".into(), ..row(5, "c") };
        let whole = line(&row(2, "c")) + &line(&row(3, "another")) + &line(&old) + &line(&elsewhere);
        let torn = line(&row(8, "c"));
        for cut in [1, torn.len() / 2, torn.len() - 1] {
            fs::write(&path, whole.clone() + &torn[..cut]).unwrap();
            let earlier = open().unwrap();
            assert_eq!((earlier.rows.len(), earlier.rows[0].m, earlier.others, earlier.torn), (1, Some(2), 3, true));
            assert_eq!(fs::read_to_string(&path).unwrap(), whole);
            earlier.writer()(&row(16, "c")).unwrap();
            assert_eq!(fs::read_to_string(&path).unwrap(), whole.clone() + &line(&row(16, "c")));
        }
        assert_eq!(open().unwrap().rows.len(), 2);
    }

    #[test]
    fn what_is_no_file_of_rows_is_refused() {
        let mut file = tempfile::NamedTempFile::new().unwrap();
        for (text, message) in [("notes of mine", "not a file of rows"), ("{\"op\":\"split\"}\n{}\n", "line 1")] {
            file.as_file_mut().set_len(0).unwrap();
            file.rewind().unwrap();
            file.write_all(text.as_bytes()).unwrap();
            let error = Earlier::open(file.path(), "c", &[]).err().unwrap();
            assert!(format!("{error:#}").contains(message), "{error:#}");
            assert_eq!(fs::read_to_string(file.path()).unwrap(), text);
        }
    }
}
