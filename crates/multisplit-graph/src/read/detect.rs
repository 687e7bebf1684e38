//! Finding out the format of a file.

use super::binary;
use crate::format::Format;
use std::ffi::OsStr;
use std::path::Path;

/// The format of a file that begins with `head`, decompressed. The content decides; where it says nothing, or nothing
/// but numbers, the name does.
pub(super) fn detect(head: &[u8], path: Option<&Path>) -> Option<Format> {
    if head.starts_with(&binary::MAGIC) {
        return Some(Format::Binary);
    }
    if head.get(..14).is_some_and(|banner| banner.eq_ignore_ascii_case(b"%%MatrixMarket")) {
        return Some(Format::MatrixMarket);
    }
    let lines = || head.split(|&byte| byte == b'\n').map(<[u8]>::trim_ascii);
    let is_comment =
        |line: &&[u8]| line.is_empty() || line == b"c" || line.starts_with(b"c ") || b"#%".contains(&line[0]);
    let telling = lines().find(|line| !is_comment(line)).and_then(of_line);
    let named = path.and_then(of_name);
    if let (Some(Format::EdgeList), Some(Format::MatrixMarket | Format::Dimacs)) = (telling, named) {
        // Numbers alone: such a file has lost its header, and would be taken for another graph.
        return named;
    }
    telling.or(named).or_else(|| {
        // Nothing but comments, so far.
        let comment = lines().find(|line| !line.is_empty())?;
        matches!(comment[0], b'#' | b'%').then_some(Format::EdgeList)
    })
}

/// The format that a line which is no comment belongs to.
fn of_line(line: &[u8]) -> Option<Format> {
    let mut words = line.split(u8::is_ascii_whitespace).filter(|word| !word.is_empty());
    match (words.next()?, words.next()) {
        (b"p", Some(b"sp")) => Some(Format::Dimacs),
        (b"p", Some(b"tw")) => Some(Format::Pace),
        (first, _) if first[0].is_ascii_digit() => Some(Format::EdgeList),
        _ => None,
    }
}

fn of_name(path: &Path) -> Option<Format> {
    let extension = |path: &Path| path.extension().and_then(OsStr::to_str).map(str::to_ascii_lowercase);
    match extension(path)?.as_str() {
        "gz" | "xz" => of_name(&path.with_extension("")),
        "mtx" => Some(Format::MatrixMarket),
        "gr" => Some(Format::Dimacs),
        "txt" | "el" | "wel" | "edges" | "csv" | "tsv" => Some(Format::EdgeList),
        _ => None,
    }
}
