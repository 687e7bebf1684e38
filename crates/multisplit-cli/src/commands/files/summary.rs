//! Lines that the reports of several commands have.

use super::formats::NullPlace;
use super::input::{Input, KeysInShort};
use super::paths::OutputPaths;
use crate::shared::facts::Facts;
use crate::shared::output_files::shown;
use anyhow::Result;
use multisplit::DeviceKind;
use std::io::Write;
use std::path::Path;
use std::time::Duration;

/// Writes what the keys are.
pub fn keys(out: &mut dyn Write, input: &Input, keys: &KeysInShort, columns: usize) -> Result<()> {
    write!(out, "{}: {} {} keys", input.name(), keys.n, keys.key_type)?;
    if let Some(name) = &keys.name {
        write!(out, " in '{name}'")?;
    }
    if let Some((n, place)) = keys.nulls {
        let place = match place {
            NullPlace::First => "first",
            NullPlace::Last => "last",
            NullPlace::Drop | NullPlace::Error => "left out",
        };
        write!(out, ", and {} {place}", counted(n as usize, "null"))?;
    }
    match columns {
        0 => writeln!(out)?,
        1 => writeln!(out, " with values")?,
        _ => writeln!(out, " with {columns} columns of values")?,
    }
    Ok(())
}

/// Writes how long it took.
pub fn time(out: &mut dyn Write, input: &Input, n: usize, time: Duration) -> Result<()> {
    write!(out, "  time         {:.2} ms", 1e3 * time.as_secs_f64())?;
    if input.device.info().kind != DeviceKind::Cpu {
        // A rate would be that of the compiler.
        writeln!(out, ", with the compilation of kernels that were not cached")?;
    } else {
        writeln!(out, ": {:.1} million keys per second", 1e-6 * n as f64 / time.as_secs_f64().max(1e-9))?;
    }
    Ok(())
}

/// Writes where the results are.
pub fn outputs(out: &mut dyn Write, paths: &OutputPaths) -> Result<()> {
    let mut line = |what: &str, path: &Path| writeln!(out, "  {what:<12} {}", shown(path));
    for (what, _, path) in paths.named() {
        line(what, path)?;
    }
    Ok(())
}

/// Returns what reports for programs have of every command.
pub fn facts(command: &str, input: &Input, keys: &KeysInShort, paths: &OutputPaths, time: Duration) -> Facts {
    let of = |values: bool| paths.named().filter(move |(what, ..)| (*what == "values") == values);
    let name = |path: &Path| path.display().to_string();
    let outputs = of(false).fold(Facts::none(), |facts, (what, _, path)| facts.with(what, name(path)));
    let values: Vec<String> = of(true).map(|(.., path)| name(path)).collect();
    Facts::of(command)
        .with("input", name(&input.path))
        .with("column", keys.name.clone())
        .with("n", keys.n)
        .with("key", keys.key_type.to_string())
        .with("values", paths.values.len())
        .with_device(input.device.info())
        .with("seconds", time.as_secs_f64())
        .with_facts("outputs", &if values.is_empty() { outputs } else { outputs.with("values", values) })
}

/// Formats a number of things, in the singular where it is 1.
pub fn counted(n: usize, what: &str) -> String {
    format!("{n} {what}{}", if n == 1 { "" } else { "s" })
}
