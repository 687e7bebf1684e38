//! Searches for programs.

use super::found::Found;
use super::options::SearchOptions;
use crate::shared::facts::Facts;
use crate::shared::graph_file;
use multisplit_graph::read::Loaded;

/// Returns what a search has found, with the paths to targets in full.
pub fn of_search(loaded: &Loaded, targets: &[u32], found: &Found) -> Facts {
    let label = |v: u32| loaded.labels.label(v).unwrap_or_default();
    let farthest = found.farthest();
    let path = |(&target, way): (&u32, &Option<Vec<u32>>)| {
        let way: Option<Vec<u64>> = way.as_ref().map(|way| way.iter().map(|&v| label(v)).collect());
        distance(Facts::none().with("target", label(target)), "distance", found, target).with("path", way)
    };
    let facts = Facts::none().with("source", label(found.source)).with("reached", found.reached());
    distance(facts.with("farthest", label(farthest)), "farthest_distance", found, farthest)
        .with_json("delta", found.delta.as_deref().unwrap_or("null"))
        .with("iterations", found.iterations)
        .with("relaxed", found.relaxed)
        .with("seconds", found.time.as_secs_f64())
        .with_list("paths", &targets.iter().zip(&found.ways).map(path).collect::<Vec<_>>())
}

/// Adds the distance of a vertex: null if no path leads there.
fn distance(facts: Facts, name: &str, found: &Found, v: u32) -> Facts {
    let bits = found.distances[v as usize];
    facts.with_json(name, &if found.is_known(bits) { found.shown(bits) } else { "null".into() })
}

/// Returns what all searches have found.
pub fn of_all(options: &SearchOptions, loaded: &Loaded, searches: &[Facts], notes: Vec<String>) -> Facts {
    let outputs = [("distances", &options.output), ("predecessors", &options.predecessors)];
    let outputs = outputs.into_iter().filter_map(|(what, path)| Some((what, path.as_ref()?)));
    let outputs = outputs.fold(Facts::none(), |facts, (what, path)| facts.with(what, path.display().to_string()));
    graph_file::facts(Facts::of("sssp"), &options.graph, loaded)
        .with("strategy", options.strategy.to_string())
        .with_device(options.device.info())
        .with("runs", options.runs)
        .with("verified", options.verify.then_some(true))
        .with_list("searches", searches)
        .with("notes", notes)
        .with_facts("outputs", &outputs)
}
