//! Where a graph is written, and how.

use super::degrees::Degrees;
use crate::shared::facts::Facts;
use crate::shared::output_files::{OutputFile, commit, ensure_writable, shown};
use crate::shared::room::ensure_room;
use crate::shared::same_file::{Named, ensure_distinct};
use crate::shared::usage::usage;
use anyhow::{Result, anyhow};
use multisplit_graph::read::{Format, Labels};
use multisplit_graph::write::GraphWriter;
use multisplit_graph::{AnyGraph, Direction, Error};
use std::ffi::OsStr;
use std::io::{self, Write};
use std::path::Path;

/// The files that a graph is written to.
pub struct Destination<'a> {
    output: &'a Path,
    format: Format,
    /// Gets the names of vertices.
    labels: Option<&'a Path>,
}

/// Returns the format that the name of an output says.
pub fn format_of_name(path: &Path) -> Option<Format> {
    match path.extension().and_then(OsStr::to_str)?.to_ascii_lowercase().as_str() {
        "mtx" => Some(Format::MatrixMarket),
        "gr" => Some(Format::Dimacs),
        "bin" => Some(Format::Binary),
        "txt" | "el" | "wel" | "edges" | "csv" | "tsv" => Some(Format::EdgeList),
        _ => None,
    }
}

impl<'a> Destination<'a> {
    /// A destination whose format is given, or follows from its name.
    pub fn new(output: &'a Path, format: Option<Format>, labels: Option<&'a Path>) -> Result<Self> {
        let extension = output.extension().and_then(OsStr::to_str).unwrap_or_default();
        if ["gz", "xz"].iter().any(|packed| extension.eq_ignore_ascii_case(packed)) {
            let name = output.display();
            return Err(usage(format!("{name}: outputs are not compressed; write a plain file, and compress that")));
        }
        let format = format.or_else(|| format_of_name(output)).ok_or_else(|| {
            let name = output.display();
            usage(format!("{name}: the name does not say the format; add --format edge-list, or another"))
        })?;
        Ok(Self { output, format, labels })
    }

    /// Returns the files that are written.
    pub fn files(&self) -> impl Iterator<Item = &'a Path> {
        [Some(self.output), self.labels].into_iter().flatten()
    }

    /// Refuses outputs that are the input or each other, or that cannot be written.
    pub fn check(&self, input: Option<&Path>) -> Result<()> {
        let inputs: Vec<Named<'_>> = input.iter().map(|path| ("the graph", *path)).collect();
        let outputs: Vec<Named<'_>> = ["--output", "--labels"].into_iter().zip(self.files()).collect();
        ensure_distinct(&inputs, &outputs)?;
        self.files().try_for_each(ensure_writable)
    }

    /// Writes a graph, and reports what was written and what the format does not hold. `facts` are added to, if the
    /// report is for programs.
    pub fn save(
        &self,
        graph: &AnyGraph,
        labels: &Labels,
        direction: Option<Direction>,
        facts: Option<Facts>,
        out: &mut dyn Write,
    ) -> Result<()> {
        self.check_room(graph)?;
        let mut writer =
            GraphWriter::new(self.format).separator(match self.output.extension().and_then(OsStr::to_str) {
                Some("csv") => b',',
                Some("tsv") => b'\t',
                _ => b' ',
            });
        if let Some(direction) = direction {
            writer = writer.direction(direction);
        }
        let mut files =
            vec![OutputFile::written(self.output, &mut |to| writer.write(graph, labels, to).map_err(plain))?];
        if let Some(path) = self.labels {
            files.push(OutputFile::written(path, &mut |to| Ok(self.write_labels(graph, labels, to)?))?);
        }
        commit(files)?;

        let bytes = std::fs::metadata(self.output).ok().filter(std::fs::Metadata::is_file).map(|there| there.len());
        if let Some(facts) = facts {
            return Ok(self.facts(facts, bytes, self.notes(graph, labels)).write(out)?);
        }
        let size = bytes.map(|bytes| format!("{:.1} MB, ", 1e-6 * bytes as f64)).unwrap_or_default();
        let form = if self.format == Format::Binary {
            "the binary form".into()
        } else {
            format!("the format {}", self.format)
        };
        writeln!(out, "{}: {size}in {form}", shown(self.output))?;
        if let Some(path) = self.labels {
            writeln!(out, "{}: the names of all vertices", shown(path))?;
        }
        for note in self.notes(graph, labels) {
            writeln!(out, "  note         {note}")?;
        }
        Ok(out.flush()?)
    }

    /// Refuses a graph that there is no room for. In the binary form that is known; a line of text has four bytes, or
    /// more, and is of one arc or of two.
    fn check_room(&self, graph: &AnyGraph) -> Result<()> {
        let (vertices, arcs) = (u64::from(graph.vertices()), graph.arcs() as u64);
        let bytes = if self.format == Format::Binary { 4 * (vertices + 1) + 8 * arcs } else { 2 * arcs };
        ensure_room([(self.output, bytes)])
    }

    fn facts(&self, facts: Facts, bytes: Option<u64>, notes: Vec<String>) -> Facts {
        let name = |path: &Path| path.display().to_string();
        let outputs = Facts::none().with("graph", name(self.output)).with("labels", self.labels.map(name));
        let facts = facts.with("output_format", self.format.to_string()).with("bytes", bytes);
        facts.with("notes", notes).with_facts("outputs", &outputs)
    }

    /// Whether the format numbers vertices from 1 on, whatever they are called.
    pub fn has_numbers(&self) -> bool {
        matches!(self.format, Format::MatrixMarket | Format::Dimacs | Format::Pace)
    }

    fn write_labels(&self, graph: &AnyGraph, labels: &Labels, to: &mut dyn Write) -> io::Result<()> {
        for v in 0..graph.vertices() {
            let label = labels.label(v).unwrap_or_default();
            let written = if self.has_numbers() { u64::from(v) + 1 } else { label };
            writeln!(to, "{written} {label}")?;
        }
        Ok(())
    }

    /// What is not in the file, or not as it was.
    fn notes(&self, graph: &AnyGraph, labels: &Labels) -> Vec<String> {
        let mut notes = Vec::new();
        let n = graph.vertices();
        if self.has_numbers() && n > 0 && (labels.label(0), labels.label(n - 1)) != (Some(1), Some(u64::from(n))) {
            let how = if self.labels.is_some() { "" } else { "; --labels FILE writes which is which" };
            notes.push(format!("vertices are numbered from 1 to {n} there, in the order of their names{how}"));
        }
        if self.format == Format::EdgeList {
            let isolated = Degrees::of(graph).isolated();
            if isolated > 0 {
                notes.push(format!("an edge list has no vertices without edges: {isolated} left out"));
            }
        }
        if self.format == Format::Pace {
            notes.push("a PACE file has no weights: they are left out".into());
        }
        if self.format == Format::Dimacs && matches!(graph, AnyGraph::F32(_)) {
            notes.push("weights are not integers, which programs other than this one may refuse in a .gr file".into());
        }
        notes
    }
}

/// An error of the system as it was, so that it is known to be one: the file is named elsewhere.
fn plain(error: Error) -> anyhow::Error {
    match error {
        Error::Io { kind, .. } if kind == io::ErrorKind::BrokenPipe => io::Error::from(kind).into(),
        Error::Io { reason, .. } => anyhow!(reason),
        other => other.into(),
    }
}
