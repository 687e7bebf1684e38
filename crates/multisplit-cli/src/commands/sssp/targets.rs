//! The paths to vertices that the command line names.

use super::found::Found;
use multisplit_graph::read::Loaded;

/// Vertices of a path that are shown before and after those that are left out.
const ENDS: usize = 6;

/// Returns a line for each target: its distance, and the path there, which may be shown in part.
pub fn lines(loaded: &Loaded, found: &Found, targets: &[u32], is_whole: bool) -> Vec<String> {
    let line = |(&target, way): (&u32, &Option<Vec<u32>>)| line(loaded, found, target, way.as_deref(), is_whole);
    targets.iter().zip(&found.ways).map(line).collect()
}

fn line(loaded: &Loaded, found: &Found, target: u32, way: Option<&[u32]>, is_whole: bool) -> String {
    let label = |v: u32| loaded.labels.label(v).unwrap_or_default().to_string();
    let (from, to) = (label(found.source), label(target));
    let Some(way) = way else { return format!("from {from} to {to}: no path leads there") };
    let (arcs, left_out) = (way.len() - 1, way.len().saturating_sub(2 * ENDS));
    let mut shown: Vec<String> = Vec::new();
    let mut more = "";
    if is_whole || left_out <= 1 {
        shown.extend(way.iter().map(|&v| label(v)));
    } else {
        shown.extend(way[..ENDS].iter().map(|&v| label(v)));
        shown.push(format!("({left_out} more)"));
        shown.extend(way[way.len() - ENDS..].iter().map(|&v| label(v)));
        more = "; --path prints all of it";
    }
    let distance = found.shown(found.distances[target as usize]);
    let plural = if arcs == 1 { "" } else { "s" };
    format!("from {from} to {to}: distance {distance}, {arcs} arc{plural}: {}{more}", shown.join(" -> "))
}
