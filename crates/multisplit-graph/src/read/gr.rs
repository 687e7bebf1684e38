//! DIMACS and PACE files: both are `.gr`, and begin with a line `p` that says which.

use super::choice::DirectionSource;
use super::fields::{Fields, show};
use super::header::Header;
use super::labels::Labels;
use super::lines::Lines;
use super::text::{Column, Text};
use crate::error::{Error, Result};
use crate::format::Format;
use crate::graph::Direction;

const COMMENT: &[u8] = b"c";

pub(super) fn read(mut lines: Lines<'_>, format: Format) -> Result<Text> {
    let header = match lines.next(COMMENT)? {
        Some(fields) => header(fields, format)?,
        None => {
            let what = if lines.number() == 0 { "is empty" } else { "ends too early" };
            return Err(Error::line(lines.number().max(1), format!("the file {what}; {}", beginning(format))));
        }
    };
    let (vertices, dimacs) = (header.vertices, format == Format::Dimacs);
    let mut weights = if dimacs { Column::U32(Vec::new()) } else { Column::None };
    let ends = header.edges(&mut lines, COMMENT, "edges", &mut weights, |fields| {
        if dimacs {
            let kind = fields.need("'a'")?;
            if kind != b"a" {
                return Err(fields.error(format!("arcs are 'a u v w', but this begins with '{}'", show(kind))));
            }
        }
        let edge = [fields.vertex(vertices)?, fields.vertex(vertices)?];
        Ok((edge, if dimacs { Some(fields.weight()?) } else { None }))
    })?;
    let direction = if dimacs { Direction::Directed } else { Direction::Undirected };
    let labels = Labels::from(1, vertices);
    Ok(Text { vertices, ends, weights, direction, direction_source: DirectionSource::Format, labels })
}

fn problem(format: Format) -> &'static str {
    if format == Format::Dimacs { "sp" } else { "tw" }
}

/// What is expected first.
fn beginning(format: Format) -> String {
    format!("a {format} file begins with 'p {} vertices edges'", problem(format))
}

/// `p sp n m` or `p tw n m`.
fn header(mut fields: Fields<'_>, format: Format) -> Result<Header> {
    let problem = problem(format);
    let first = fields.next();
    if first.is_some_and(|word| word[0].is_ascii_digit() || word == b"a") {
        return Err(fields.missing_header(beginning(format)));
    }
    if first != Some(b"p") || fields.next() != Some(problem.as_bytes()) {
        return Err(fields.error(beginning(format)));
    }
    let (vertices, edges) = (fields.vertices()?, fields.number("the number of edges")?);
    fields.end()?;
    Header::new(&fields, vertices, edges)
}
