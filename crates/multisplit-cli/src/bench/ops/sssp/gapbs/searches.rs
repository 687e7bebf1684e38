//! Searches of GAPBS's program on one graph. It takes turns with our strategies: it waits for a source on its standard
//! input, and says on its standard output when it has searched from there.

use crate::bench::harness::peers::{list, parse, temporary_folder, write_numbers};
use crate::bench::harness::row::Row;
use crate::shared::interrupts::Temporary;
use anyhow::{Context, Error, Result, anyhow, bail, ensure};
use multisplit_graph::{Graph, Paths, Weight};
use std::io::{BufRead, BufReader, Read, Write};
use std::path::Path;
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};
use tempfile::TempDir;

/// The distance of a vertex that no path leads to: 2^30 - 1, for distances are 32-bit integers with a sign. A heavier
/// arc could bring a sum beyond these.
pub const UNREACHABLE: u32 = i32::MAX as u32 / 2;
/// The most bins of a thread, one for each `delta` of distance and of 24 bytes: 400 MB.
const MOST_BINS: u32 = 1 << 24;

/// Searches under way.
pub struct Searches {
    /// What the program reads: the graph, and the right distances.
    folder: Temporary<TempDir>,
    deltas: Vec<u32>,
    arcs: u64,
    program: Child,
    sources: Option<ChildStdin>,
    answers: BufReader<ChildStdout>,
}

impl Searches {
    /// Starts the program, with as many threads as ours have.
    pub fn start<W: Weight>(program: &Path, graph: &Graph<W>, deltas: Vec<u32>, runs: usize) -> Result<Self> {
        check_graph(graph)?;
        let folder = temporary_folder()?;
        write_numbers(folder.path(), "offsets", graph.offsets())?;
        write_numbers(folder.path(), "targets", graph.targets())?;
        write(&folder, "weights", graph.weights())?;
        let mut command = Command::new(program);
        command.arg("--folder").arg(folder.path()).args(["--deltas", &list(&deltas), "--runs", &runs.to_string()]);
        command.args(["--threads", &rayon::current_num_threads().to_string()]);
        command.stdin(Stdio::piped()).stdout(Stdio::piped());
        let mut program = command.spawn().with_context(|| program.display().to_string())?;
        let sources = program.stdin.take();
        let answers = BufReader::new(program.stdout.take().context("it has no standard output")?);
        let mut searches = Self { folder, deltas, arcs: graph.arcs() as u64, program, sources, answers };
        // Not while ours are timed.
        searches.wait_for("ready\n")?;
        Ok(searches)
    }

    /// Searches from the source of these paths, which are right.
    pub fn search<W: Weight>(&mut self, right: &Paths<W>) -> Result<()> {
        check_distances(&right.distances, &self.deltas)?;
        write(&self.folder, &format!("distances-{}", right.source), &right.distances)?;
        let source = format!("{}\n", right.source);
        // Where it has ended already, there is no answer.
        let _ = self.sources.as_ref().map(|mut sources| sources.write_all(source.as_bytes()));
        self.wait_for(&source)
    }

    fn wait_for(&mut self, expected: &str) -> Result<()> {
        let mut answer = String::new();
        self.answers.read_line(&mut answer)?;
        if answer == expected { Ok(()) } else { Err(self.failure()) }
    }

    /// Ends the program, and returns a row for each width.
    pub fn finish(mut self) -> Result<Vec<Row>> {
        drop(self.sources.take());
        let mut answers = String::new();
        self.answers.read_to_string(&mut answers)?;
        if !self.program.wait()?.success() {
            return Err(self.failure());
        }
        let rows = parse(&answers)?;
        let asked = rows.len() == self.deltas.len() && rows.iter().all(|row| row.n == self.arcs);
        ensure!(asked, "its program printed other rows than it was asked for");
        Ok(rows)
    }

    /// Says how the program ended. It says itself why, on standard error.
    fn failure(&mut self) -> Error {
        drop(self.sources.take());
        match self.program.wait() {
            Ok(status) => anyhow!("its program ended with {status}"),
            Err(error) => error.into(),
        }
    }
}

impl Drop for Searches {
    /// Leaves no program behind that nobody waits for.
    fn drop(&mut self) {
        let _ = self.program.kill();
        let _ = self.program.wait();
    }
}

/// Writes weights or distances, which are integers.
fn write<W: Weight>(folder: &TempDir, name: &str, numbers: &[W]) -> Result<()> {
    write_numbers::<u32>(folder.path(), name, bytemuck::cast_slice(numbers)).map(drop)
}

/// Refuses graphs that do not fit its 32-bit integers.
fn check_graph<W: Weight>(graph: &Graph<W>) -> Result<()> {
    ensure!(W::NAME == u32::NAME, "its weights are {}, and GAPBS takes integers", W::NAME);
    let (vertices, weight) = (graph.vertices(), graph.max_weight());
    ensure!(i32::try_from(vertices).is_ok(), "it has {vertices} vertices, and GAPBS takes up to 2^31 - 1");
    ensure!(weight.to_ordered() <= UNREACHABLE, "it has a weight of {weight}, and GAPBS takes up to {UNREACHABLE}");
    Ok(())
}

/// Refuses distances that do not fit either, or take too much memory with one of these widths.
fn check_distances<W: Weight>(distances: &[W], deltas: &[u32]) -> Result<()> {
    let reached = distances.iter().map(|distance| distance.to_ordered()).filter(|&d| d != u32::UNREACHABLE);
    let farthest = reached.max().unwrap_or(0);
    ensure!(farthest < UNREACHABLE, "it has a distance of {farthest}, and GAPBS takes those below {UNREACHABLE}");
    let least = farthest / MOST_BINS + 1;
    if let Some(delta) = deltas.iter().find(|&&delta| delta < least) {
        bail!("with delta {delta}, GAPBS would take too much memory: try {least} or more (--gapbs-deltas)");
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use multisplit_graph::{Direction, EdgeList, Sssp};

    /// Whether two arcs of these weights, one after the other, are taken with a width.
    fn checked<W: Weight>(weights: [W; 2], delta: u32) -> String {
        let edges = EdgeList::weighted(3, vec![[0, 1], [1, 2]], weights.to_vec()).unwrap();
        let graph = Graph::new(&edges, Direction::Directed).unwrap();
        let distances = Sssp::from(0).run(&graph).unwrap().distances;
        let checked = check_graph(&graph).and_then(|()| check_distances(&distances, &[delta, UNREACHABLE]));
        checked.err().map(|error| error.to_string()).unwrap_or_default()
    }

    #[test]
    fn what_fits() {
        let most = UNREACHABLE;
        assert_eq!(checked([0, most - 1], 64), "");
        assert_eq!(checked([most - 2, 1], 64), "");
        assert!(checked([most - 1, 1], 64).contains("a distance of 1073741823, and GAPBS takes those below"));
        assert!(checked([5, most + 1], 1).contains("a weight of 1073741824, and GAPBS takes up to 1073741823"));
        assert!(checked([0, most - 1], 63).contains("with delta 63, GAPBS would take too much memory: try 64 or more"));
        assert!(checked([0.5f32, 1.0], 64).contains("weights are f32"));
    }
}
