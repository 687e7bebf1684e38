//! Edge lists, as SNAP has them: a line for each edge, and any numbers for vertices.

use super::choice::DirectionSource;
use super::labels::Labels;
use super::lines::Lines;
use super::text::{Column, Text};
use crate::error::{Error, Result};
use crate::graph::Direction;
use crate::graph::memory::{fill, push, with_room};
use rayon::prelude::*;

const COMMENTS: &[u8] = b"#%";

pub(super) fn read(mut lines: Lines<'_>) -> Result<Text> {
    let mut ends: Vec<[u64; 2]> = Vec::new();
    let mut weights = Column::None;
    let is_undirected = says_undirected(lines.head());
    while let Some(mut fields) = lines.next(COMMENTS)? {
        let edge = [fields.number("a vertex")?, fields.number("a vertex")?];
        let weighted = fields.clone().next().is_some();
        // The first edge says whether there are weights.
        match (&weights, weighted) {
            (Column::None, true) if ends.is_empty() => weights = Column::U32(Vec::new()),
            (Column::None, true) => return Err(fields.error("this edge has a weight, but those before it have none")),
            (Column::U32(_) | Column::F32(_), false) => {
                return Err(fields.error("this edge has no weight, but those before it have one"));
            }
            _ => {}
        }
        if weighted {
            weights.push(fields.weight()?)?;
        }
        fields.end()?;
        push(&mut ends, edge)?;
        // Early, not when twice that many are sorted.
        u32::try_from(ends.len()).map_err(|_| Error::TooManyArcs { arcs: ends.len() as u64 })?;
    }
    if ends.is_empty() {
        // Such a file has no vertices either, and nothing tells it from junk behind a '%'.
        let what = if lines.number() == 0 { "is empty" } else { "has no edges" };
        let reason = format!("the file {what}; an edge list has a line 'u v' or 'u v w' for each edge");
        return Err(Error::line(lines.number().max(1), reason));
    }
    let (ends, labels) = compact(ends)?;
    let (direction, direction_source) = if is_undirected {
        (Direction::Undirected, DirectionSource::Header)
    } else {
        (Direction::Directed, DirectionSource::Format)
    };
    Ok(Text { vertices: labels.vertices, ends, weights, direction, direction_source, labels })
}

/// Whether a comment before the first edge says so, as SNAP's do: `# Undirected graph`.
fn says_undirected(head: &[u8]) -> bool {
    let words = b"undirected graph";
    let comments = head.split(|&byte| byte == b'\n').map(<[u8]>::trim_ascii);
    let mut comments = comments.take_while(|line| line.first().is_none_or(|first| COMMENTS.contains(first)));
    comments.any(|line| line.windows(words.len()).any(|part| part.eq_ignore_ascii_case(words)))
}

/// Numbers the vertices that occur from 0 on, in the order of their labels.
fn compact(ends: Vec<[u64; 2]>) -> Result<(Vec<[u32; 2]>, Labels)> {
    let labels: &[u64] = bytemuck::cast_slice(&ends);
    let mut all = with_room(labels.len())?;
    all.extend_from_slice(labels);
    all.par_sort_unstable();
    all.dedup();
    let vertices = all.len() as u64;
    let mut table = with_room(all.len())?;
    table.extend_from_slice(&all);
    drop(all);
    let labels = Labels::table(table).ok_or(Error::TooManyVertices { vertices })?;
    // Every label occurs in the table.
    let number = |label: u64| labels.find(label).unwrap_or_default();
    let ends = fill(ends.len(), |i| ends[i].map(number))?;
    Ok((ends, labels))
}
