//! Whether there is room for the outputs of a command on keys, before it does any work.

use super::formats::Format;
use super::input::FileKeys;
use super::key_type::KeyType;
use super::paths::OutputPaths;
use crate::shared::room::ensure_room;
use anyhow::Result;
use std::fs;
use std::path::Path;

/// The least bytes of an element that is written as text: a digit, and the end of its line.
const LEAST_OF_TEXT: u64 = 2;

/// Refuses outputs of all keys that there is no room for.
pub fn check(paths: &OutputPaths, keys: &FileKeys) -> Result<()> {
    let n = keys.len() as u64;
    let size = |path: &Path, width: u64| match paths.format(path, keys.format) {
        Ok(Format::Npy | Format::Npz | Format::Raw) => n * width,
        Ok(Format::Text(_)) => n * LEAST_OF_TEXT,
        // Nobody knows.
        _ => 0,
    };
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
