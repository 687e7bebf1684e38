//! Lines that the reports of several commands have.

use super::input::Input;
use super::key::FileKey;
use super::paths::OutputPaths;
use anyhow::Result;
use multisplit::DeviceKind;
use std::io::Write;
use std::path::Path;
use std::time::Duration;

/// Writes what the keys are.
pub fn keys<K: FileKey>(out: &mut impl Write, input: &Input, n: usize, columns: usize) -> Result<()> {
    write!(out, "{}: {n} {} keys", input.path.display(), K::TYPE)?;
    match columns {
        0 => writeln!(out)?,
        1 => writeln!(out, " with values")?,
        _ => writeln!(out, " with {columns} columns of values")?,
    }
    Ok(())
}

/// Writes how long it took.
pub fn time(out: &mut impl Write, input: &Input, n: usize, time: Duration) -> Result<()> {
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
pub fn outputs(out: &mut impl Write, paths: &OutputPaths) -> Result<()> {
    let mut line = |what: &str, path: &Path| writeln!(out, "  {what:<12} {}", path.display());
    let mut line_if =
        |what: &str, path: &Option<std::path::PathBuf>| path.as_deref().map_or(Ok(()), |path| line(what, path));
    line_if("keys", &paths.keys)?;
    line_if("offsets", &paths.offsets)?;
    line_if("permutation", &paths.permutation)?;
    for (_, path) in &paths.values {
        line("values", path)?;
    }
    Ok(())
}

/// Formats a number of things, in the singular where it is 1.
pub fn counted(n: usize, what: &str) -> String {
    format!("{n} {what}{}", if n == 1 { "" } else { "s" })
}
