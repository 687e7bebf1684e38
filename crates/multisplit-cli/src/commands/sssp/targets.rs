//! The paths to vertices that the command line names.

use super::options::SearchOptions;
use multisplit_graph::read::Loaded;
use multisplit_graph::{Paths, Weight};

/// Vertices of a path that are shown before and after those that are left out.
const ENDS: usize = 6;

/// Returns what a search has found of a vertex: its distance, and the path there.
pub fn line<W: Weight>(options: &SearchOptions, loaded: &Loaded, paths: &Paths<W>, target: u32) -> String {
    let label = |v: u32| loaded.labels.label(v).unwrap_or_default().to_string();
    let (from, to) = (label(paths.source), label(target));
    let (Some(distance), Some(path)) = (paths.distance(target), paths.to(target)) else {
        return format!("from {from} to {to}: no path leads there");
    };
    let (arcs, left_out) = (path.len() - 1, path.len().saturating_sub(2 * ENDS));
    let mut shown: Vec<String> = Vec::new();
    let mut more = "";
    if options.whole_paths || left_out <= 1 {
        shown.extend(path.iter().map(|&v| label(v)));
    } else {
        shown.extend(path[..ENDS].iter().map(|&v| label(v)));
        shown.push(format!("({left_out} more)"));
        shown.extend(path[path.len() - ENDS..].iter().map(|&v| label(v)));
        more = "; --path prints all of it";
    }
    let arcs = if arcs == 1 { "1 arc".into() } else { format!("{arcs} arcs") };
    format!("from {from} to {to}: distance {distance}, {arcs}: {}{more}", shown.join(" -> "))
}
