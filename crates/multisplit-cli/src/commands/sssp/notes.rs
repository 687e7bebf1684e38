//! Why a search may have reached almost nothing.

use anyhow::Result;
use multisplit_graph::read::Loaded;
use multisplit_graph::{AnyGraph, Components};

/// One vertex of so many is almost nothing.
const FEW: usize = 20;

/// What is known of a graph whose searches reach little.
pub struct Notes<'a> {
    loaded: &'a Loaded,
    /// Found once, when they are needed.
    components: Option<Components>,
}

impl<'a> Notes<'a> {
    pub fn new(loaded: &'a Loaded) -> Self {
        Self { loaded, components: None }
    }

    /// Returns what to know of a search that has reached few vertices: nothing of any other. `is_default` says that
    /// nobody chose the source.
    pub fn of(&mut self, source: u32, reached: usize, is_default: bool) -> Result<Vec<String>> {
        let n = self.loaded.graph.vertices() as usize;
        if reached == n || reached > 1 && reached * FEW >= n {
            return Ok(Vec::new());
        }
        let components = match self.components.take() {
            Some(components) => components,
            None => self.loaded.graph.components()?,
        };
        Ok(notes(self.loaded, self.components.insert(components), source, reached, is_default))
    }
}

fn notes(loaded: &Loaded, components: &Components, source: u32, reached: usize, is_default: bool) -> Vec<String> {
    let (graph, label) = (&loaded.graph, |v| loaded.labels.label(v).unwrap_or_default());
    let n = graph.vertices();
    let mut notes = Vec::new();
    if is_default {
        notes.push(format!("no --source was named: {} is the first vertex of the graph", label(source)));
    }
    if leaving(graph, source) == 0 {
        let arriving = graph.targets().iter().filter(|&&to| to == source).count();
        notes.push(match arriving {
            0 => format!("{} is isolated: no arc leaves it, and none leads to it", label(source)),
            1 => format!("no arc leaves {}, but one leads to it", label(source)),
            _ => format!("no arc leaves {}, but {arriving} lead to it", label(source)),
        });
    }
    let connected = components.size_of(source) as usize;
    if connected > reached {
        let how = if loaded.direction.is_some() {
            "--undirected does that"
        } else {
            "make the binary graph anew with --undirected"
        };
        notes.push(format!(
            "arcs are taken one way: both ways, they connect {} with {connected} of {n} vertices; {how}",
            label(source)
        ));
    }
    let Some(largest) = components.largest() else { return notes };
    if !components.are_together(source, largest) {
        notes.push(format!(
            "the graph is not connected: it has {} components, and {} is in one of {connected} vertices; the largest \
             has {}",
            components.count(),
            label(source),
            components.size_of(largest)
        ));
    }
    if let Some(hub) = hub(graph, components, largest).filter(|&hub| hub != source) {
        let (hub, arcs) = (label(hub), leaving(graph, hub));
        notes.push(format!("--source {hub} may reach more: it has {arcs} arcs, the most of the largest component"));
    }
    notes
}

/// The number of arcs that leave a vertex.
fn leaving(graph: &AnyGraph, v: u32) -> u32 {
    graph.offsets()[v as usize + 1] - graph.offsets()[v as usize]
}

/// The vertex of a component that most arcs leave, the least of several, if any arc leaves one.
fn hub(graph: &AnyGraph, components: &Components, inside: u32) -> Option<u32> {
    let others = (0..graph.vertices()).filter(|&v| leaving(graph, v) > 0 && components.are_together(v, inside));
    others.reduce(|best, v| if leaving(graph, v) > leaving(graph, best) { v } else { best })
}
