//! A proof that paths are shortest, by rules that hold for those alone.

use super::paths::{NO_PREDECESSOR, Paths};
use crate::error::{Error, Result};
use crate::graph::{Graph, Weight, first, sweep};
use crate::parallel;
use crate::read::Labels;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};

/// What a vertex is called.
type Name<'a> = &'a dyn Fn(u32) -> u64;

impl<W: Weight> Paths<W> {
    /// Proves that these are the shortest paths, by rules that know nothing of how they were found: every distance is a
    /// number from 0 on or [`Weight::UNREACHABLE`], no arc leads to a vertex faster (the triangle rule), and every
    /// distance is that of a path in the tree of predecessors.
    ///
    /// Without predecessors, the last rule is a weaker one: every vertex but the source has an arc that its distance
    /// can come from.
    ///
    /// # Errors
    /// [`Error::NotShortest`](crate::Error::NotShortest) names the first that is wrong.
    pub fn verify(&self, graph: &Graph<W>) -> Result<()> {
        self.verify_named(graph, &Labels::from(0, graph.vertices()))
    }

    /// The same, with vertices named by their labels if something is wrong.
    ///
    /// # Errors
    /// As [`Paths::verify`].
    pub fn verify_named(&self, graph: &Graph<W>, labels: &Labels) -> Result<()> {
        verify(graph, self, &|v| labels.label(v).unwrap_or_default())
    }
}

fn verify<W: Weight>(graph: &Graph<W>, paths: &Paths<W>, name: Name<'_>) -> Result<()> {
    let n = graph.vertices() as usize;
    ensure(paths.distances.len() == n, || format!("{} distances for {n} vertices", paths.distances.len()))?;
    if let Some(v) = first(&paths.distances, |&distance| !is_distance(distance)) {
        return wrong(format!("vertex {} is at distance {}, which is none", name(v as u32), paths.distances[v]));
    }
    ensure(paths.distance(paths.source) == Some(W::default()), || "the source is not at distance 0".into())?;
    let explained = triangle_rule(graph, paths, name)?;
    match &paths.predecessors {
        Some(predecessors) => {
            ensure(predecessors.len() == n, || format!("{} predecessors for {n} vertices", predecessors.len()))?;
            tree_rule(paths, predecessors, name)
        }
        None => Ok(()),
    }?;
    let is_odd =
        |v: usize| v != paths.source as usize && paths.distance(v as u32).is_some() && !explained[v].load(Relaxed);
    match parallel::position(n, is_odd) {
        Some(v) => wrong(format!("no arc explains the distance {} of vertex {}", paths.distances[v], name(v as u32))),
        None => Ok(()),
    }
}

/// Whether it is a number from 0 on, or unreachable. All comparisons with NaN are false, so no other rule finds it.
fn is_distance<W: Weight>(distance: W) -> bool {
    distance == W::UNREACHABLE || distance.checked().is_some()
}

/// Checks that no arc leads to a vertex faster. Returns the vertices whose distance comes from an arc: the one from the
/// predecessor, if predecessors are known.
fn triangle_rule<W: Weight>(graph: &Graph<W>, paths: &Paths<W>, name: Name<'_>) -> Result<Vec<AtomicBool>> {
    let explained = parallel::fill(paths.distances.len(), |_| AtomicBool::new(false));
    let of_tree = |from: u32, to: u32| match &paths.predecessors {
        Some(predecessors) => predecessors.get(to as usize) == Some(&from),
        None => true,
    };
    let is_faster = |&(from, to, weight): &(u32, u32, W)| {
        let (by_arc, known) = (paths.distances[from as usize].plus(weight), paths.distances[to as usize]);
        if by_arc == known && of_tree(from, to) {
            explained[to as usize].store(true, Relaxed);
        }
        by_arc < known
    };
    match sweep::find(graph, is_faster) {
        Some((from, to, weight)) => {
            let [near, far] = [from, to].map(|v| paths.distances[v as usize]);
            let [from, to] = [from, to].map(name);
            wrong(format!("vertex {to} is at distance {far}, but {near} + {weight} by the arc from vertex {from}"))
        }
        None => Ok(explained),
    }
}

/// Checks that predecessors lead to the source from every vertex that has a distance, and that no other vertex has one.
fn tree_rule<W: Weight>(paths: &Paths<W>, predecessors: &[u32], name: Name<'_>) -> Result<()> {
    let root = paths.source;
    ensure(predecessors[root as usize] == NO_PREDECESSOR, || "the source has a predecessor".into())?;
    let mut safe = vec![false; predecessors.len()];
    safe[root as usize] = true;
    for v in 0..predecessors.len() as u32 {
        if paths.distance(v).is_none() {
            let none = predecessors[v as usize] == NO_PREDECESSOR;
            ensure(none, || format!("vertex {} has a predecessor, but no distance", name(v)))?;
            continue;
        }
        let (mut at, mut way) = (v, Vec::new());
        while !safe.get(at as usize).copied().unwrap_or(true) {
            ensure(way.len() < predecessors.len(), || format!("the predecessors of vertex {} form a cycle", name(v)))?;
            way.push(at);
            at = predecessors[at as usize];
        }
        ensure((at as usize) < safe.len(), || {
            format!("the predecessors of vertex {} do not lead to the source", name(v))
        })?;
        way.iter().for_each(|&v| safe[v as usize] = true);
    }
    Ok(())
}

fn ensure(holds: bool, otherwise: impl FnOnce() -> String) -> Result<()> {
    if holds { Ok(()) } else { wrong(otherwise()) }
}

fn wrong<T>(reason: String) -> Result<T> {
    Err(Error::NotShortest(reason))
}
