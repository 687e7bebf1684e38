//! Whether there is room for the outputs of a command on keys, before it does any work.

use super::formats::Format;
use super::input::FileKeys;
use super::key_type::KeyType;
use super::large::StoredRows;
use super::large::partition::are_in_memory;
use super::large::table::Table;
use super::paths::OutputPaths;
use crate::shared::room::ensure_room;
use anyhow::Result;
use std::fs;
use std::path::{Path, PathBuf};

/// The least bytes of an element that is written as text: a digit, and the end of its line.
const LEAST_OF_TEXT: u64 = 2;

/// Refuses outputs of all keys that there is no room for.
pub fn check(paths: &OutputPaths, keys: &FileKeys) -> Result<()> {
    let size = |path: &Path, width: u64| bytes_of(paths, path, keys.format, keys.len() as u64, width);
    // What is known of strings is their hash.
    let keys_width = if keys.key_type == KeyType::Text { 1 } else { keys.key_type.width() as u64 };
    let mut outputs: Vec<(&Path, u64)> = Vec::new();
    outputs.extend(paths.keys.as_deref().map(|path| (path, size(path, keys_width))));
    outputs.extend(paths.permutation.as_deref().map(|path| (path, size(path, 4))));
    for ((from, _), to) in paths.values.iter().zip(&paths.values_outputs) {
        // Arrays and numbers alone are as large as they were. The least that others have is a byte each.
        let [format, wanted] = [from, to].map(|path| Format::of_name(path));
        let stays = format == wanted && matches!(format, None | Some(Format::Npy)) && paths.asked.is_none();
        let there = fs::metadata(from).ok().filter(|there| stays && there.is_file());
        outputs.push((to, there.map_or(size(to, 1), |there| there.len())));
    }
    ensure_room(outputs)
}

/// The same for rows that are read in pieces, and for the temporary file that they are split into. `all` says whether
/// all rows are written.
pub fn check_pieces(paths: &OutputPaths, table: &Table, all: bool) -> Result<()> {
    let widths: Vec<u64> = table.widths().into_iter().map(|width| width as u64).collect();
    let size = |path: &Path, width: u64| bytes_of(paths, path, table.keys.format, table.len(), width);
    let mut outputs: Vec<(PathBuf, u64)> = Vec::new();
    if !are_in_memory(table, table.budget) {
        outputs.push((table.folder.join("rows"), table.len() * widths.iter().sum::<u64>()));
    }
    let records = table.records.as_ref().map(|(records, _)| records.bytes());
    if let Some(bytes) = records {
        // The records, where each goes, and their numbers in two orders.
        outputs.push((table.folder.join("records"), bytes + table.len() * (8 + 3 * table.number_width() as u64)));
    }
    if all {
        let values = paths.values_outputs.iter().zip(&widths[1..]).map(|(path, &width)| (path.as_path(), width));
        let format = paths.keys.as_deref().and_then(|path| paths.format(path, table.keys.format).ok());
        let whole = format.is_some_and(|format| table.writes_records(format).unwrap_or(false));
        let keys = paths.keys.as_deref().filter(|_| !whole).map(|path| (path, widths[0]));
        // What rows of a table take in a file, nobody knows.
        let is_text = matches!((table.keys.format, format), (Format::Text(_), Some(Format::Text(_))));
        outputs.extend(paths.keys.clone().zip(records).filter(|_| whole && is_text));
        let permutation = paths.permutation.as_deref().map(|path| (path, table.number_width() as u64));
        let columns = keys.into_iter().chain(values).chain(permutation);
        outputs.extend(columns.map(|(path, width)| (path.to_path_buf(), size(path, width))));
    }
    ensure_room(outputs.iter().map(|(path, bytes)| (path.as_path(), *bytes)))
}

/// Returns how many bytes `n` elements of so many bytes take in an output, or the least that they take.
fn bytes_of(paths: &OutputPaths, path: &Path, of_input: Format, n: u64, width: u64) -> u64 {
    match paths.format(path, of_input) {
        Ok(Format::Npy | Format::Npz | Format::Raw) => n * width,
        Ok(Format::Text(_)) => n * LEAST_OF_TEXT,
        // Nobody knows.
        _ => 0,
    }
}
