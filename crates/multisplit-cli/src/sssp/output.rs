//! Distances and predecessors, in files.

use super::args::OutputFormat;
use anyhow::Result;
use multisplit_graph::read::Labels;
use multisplit_graph::{Paths, Weight};
use std::fs::File;
use std::io::{self, BufWriter, Write};
use std::path::Path;

pub fn distances<W: Weight>(path: &Path, format: OutputFormat, paths: &Paths<W>, labels: &Labels) -> Result<()> {
    let mut to = BufWriter::new(File::create(path)?);
    match format {
        OutputFormat::Text => {
            for v in 0..paths.distances.len() as u32 {
                let label = labels.label(v).unwrap_or_default();
                match paths.distance(v) {
                    Some(distance) => writeln!(to, "{label} {distance}")?,
                    None => writeln!(to, "{label} inf")?,
                }
            }
        }
        OutputFormat::Npy => {
            npy_header(&mut to, W::NAME, paths.distances.len())?;
            numbers(&mut to, bytemuck::cast_slice(&paths.distances))?;
        }
        OutputFormat::Binary => numbers(&mut to, bytemuck::cast_slice(&paths.distances))?,
    }
    Ok(to.flush()?)
}

pub fn predecessors(path: &Path, format: OutputFormat, tree: &[u32], labels: &Labels) -> Result<()> {
    let mut to = BufWriter::new(File::create(path)?);
    match format {
        OutputFormat::Text => {
            for (v, &before) in tree.iter().enumerate() {
                let label = labels.label(v as u32).unwrap_or_default();
                match labels.label(before) {
                    Some(before) => writeln!(to, "{label} {before}")?,
                    None => writeln!(to, "{label} -")?,
                }
            }
        }
        OutputFormat::Npy => {
            npy_header(&mut to, u32::NAME, tree.len())?;
            numbers(&mut to, tree)?;
        }
        OutputFormat::Binary => numbers(&mut to, tree)?,
    }
    Ok(to.flush()?)
}

/// The header of NumPy's format, version 1.0: a dictionary, filled up with spaces to a multiple of 64 bytes.
fn npy_header(to: &mut impl Write, name: &str, length: usize) -> io::Result<()> {
    let kind = if name == f32::NAME { "<f4" } else { "<u4" };
    let dictionary = format!("{{'descr': '{kind}', 'fortran_order': False, 'shape': ({length},), }}");
    let before = b"\x93NUMPY\x01\x00".len() + 2;
    let whole = (before + dictionary.len() + 1).next_multiple_of(64);
    to.write_all(b"\x93NUMPY\x01\x00")?;
    to.write_all(&((whole - before) as u16).to_le_bytes())?;
    writeln!(to, "{dictionary:<width$}", width = whole - before - 1)
}

/// Numbers of four bytes, little-endian.
fn numbers(to: &mut impl Write, numbers: &[u32]) -> io::Result<()> {
    for block in numbers.chunks(1 << 16) {
        let little: Vec<u32> = block.iter().map(|number| number.to_le()).collect();
        to.write_all(bytemuck::cast_slice(&little))?;
    }
    Ok(())
}
