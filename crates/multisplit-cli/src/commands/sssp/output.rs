//! Files of distances and predecessors.

use super::options::OutputFormat;
use crate::shared::npy;
use anyhow::Result;
use multisplit_graph::read::Labels;
use multisplit_graph::{Paths, Weight};
use std::fs::File;
use std::io::{self, BufWriter, Write};
use std::path::Path;

/// Writes the distances of all vertices.
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
            let kind = if W::NAME == f32::NAME { "<f4" } else { "<u4" };
            npy::write_header(&mut to, &npy::dtype(kind)?, paths.distances.len())?;
            numbers(&mut to, bytemuck::cast_slice(&paths.distances))?;
        }
        OutputFormat::Binary => numbers(&mut to, bytemuck::cast_slice(&paths.distances))?,
    }
    Ok(to.flush()?)
}

/// Writes the predecessors of all vertices.
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
            npy::write_header(&mut to, &npy::dtype("<u4")?, tree.len())?;
            numbers(&mut to, tree)?;
        }
        OutputFormat::Binary => numbers(&mut to, tree)?,
    }
    Ok(to.flush()?)
}

/// Writes numbers of four bytes, little-endian.
fn numbers(to: &mut impl Write, numbers: &[u32]) -> io::Result<()> {
    for block in numbers.chunks(1 << 16) {
        let little: Vec<u32> = block.iter().map(|number| number.to_le()).collect();
        to.write_all(bytemuck::cast_slice(&little))?;
    }
    Ok(())
}
