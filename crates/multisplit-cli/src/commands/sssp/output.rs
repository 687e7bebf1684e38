//! Files of distances and predecessors.

use super::found::Found;
use super::options::{OutputFormat, SearchOptions};
use crate::shared::npy;
use crate::shared::output_files::OutputFile;
use crate::shared::room::ensure_room;
use anyhow::Result;
use multisplit_graph::AnyGraph;
use multisplit_graph::read::{Labels, Loaded};
use std::io::{self, Write};
use std::path::{Path, PathBuf};

/// The files that a command writes, with a row for each source.
pub struct ResultFiles<'a> {
    distances: Option<ResultFile>,
    predecessors: Option<ResultFile>,
    labels: &'a Labels,
    /// Whether lines begin with the source.
    has_sources: bool,
}

struct ResultFile {
    file: OutputFile,
    format: OutputFormat,
}

impl<'a> ResultFiles<'a> {
    /// Opens the files.
    pub fn create(options: &SearchOptions, loaded: &'a Loaded, sources: usize) -> Result<Self> {
        let n = u64::from(loaded.graph.vertices());
        let shape = if sources == 1 { vec![n] } else { vec![sources as u64, n] };
        // A number has four bytes; a line of text has as many, or more.
        ensure_room(options.outputs().map(|path| (path, 4 * n * sources as u64)))?;
        let create = |path: &Option<PathBuf>, kind| {
            path.as_deref().map(|path| ResultFile::create(path, options.format_of(path), kind, &shape)).transpose()
        };
        let distances = create(&options.output, if matches!(loaded.graph, AnyGraph::F32(_)) { "<f4" } else { "<u4" })?;
        let predecessors = create(&options.predecessors, "<u4")?;
        Ok(Self { distances, predecessors, labels: &loaded.labels, has_sources: sources > 1 })
    }

    /// Writes what a search has found.
    pub fn add(&mut self, found: &Found) -> Result<()> {
        let (source, labels) = (self.has_sources.then_some(found.source), self.labels);
        if let Some(file) = &mut self.distances {
            file.row(source, labels, &found.distances, &|to, bits| writeln!(to, "{}", found.shown(bits)))?;
        }
        if let (Some(file), Some(tree)) = (&mut self.predecessors, &found.predecessors) {
            file.row(source, labels, tree, &|to, before| match labels.label(before) {
                Some(label) => writeln!(to, "{label}"),
                None => writeln!(to, "-"),
            })?;
        }
        Ok(())
    }

    /// Returns the files, which have all rows.
    pub fn finished(self) -> Vec<OutputFile> {
        [self.distances, self.predecessors].into_iter().flatten().map(|result| result.file).collect()
    }
}

impl ResultFile {
    fn create(path: &Path, format: OutputFormat, kind: &str, shape: &[u64]) -> Result<Self> {
        let mut file = OutputFile::create(path)?;
        if format == OutputFormat::Npy {
            let dtype = npy::dtype(kind)?;
            file.fill(&mut |to| Ok(npy::write_header_of(to, &dtype, shape)?))?;
        }
        Ok(Self { file, format })
    }

    /// Writes a number for each vertex; in text, as `show` writes it.
    fn row(
        &mut self,
        source: Option<u32>,
        labels: &Labels,
        numbers: &[u32],
        show: &dyn Fn(&mut dyn Write, u32) -> io::Result<()>,
    ) -> Result<()> {
        if self.format != OutputFormat::Text {
            return self.file.fill(&mut |to| Ok(write_numbers(to, numbers)?));
        }
        let label = |v| labels.label(v).unwrap_or_default();
        let source = source.map(|source| format!("{} ", label(source))).unwrap_or_default();
        self.file.fill(&mut |to| {
            for (v, &number) in numbers.iter().enumerate() {
                write!(to, "{source}{} ", label(v as u32))?;
                show(to, number)?;
            }
            Ok(())
        })
    }
}

/// Writes numbers of four bytes, little-endian.
fn write_numbers(to: &mut dyn Write, numbers: &[u32]) -> io::Result<()> {
    for block in numbers.chunks(1 << 16) {
        let little: Vec<u32> = block.iter().map(|number| number.to_le()).collect();
        to.write_all(bytemuck::cast_slice(&little))?;
    }
    Ok(())
}
