//! Matrix Market files: an entry in row i and column j is an edge from i to j.

use super::choice::DirectionSource;
use super::fields::{Fields, Number, show};
use super::header::Header;
use super::labels::Labels;
use super::lines::Lines;
use super::text::{Column, Text};
use crate::error::{Error, Result};
use crate::graph::Direction;

const COMMENT: &[u8] = b"%";

/// What entries hold.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Entries {
    Pattern,
    Integer,
    Real,
}

pub(super) fn read(mut lines: Lines<'_>) -> Result<Text> {
    // The banner is a comment to all others.
    let (entries, direction) = match lines.next(b"")? {
        Some(fields) => banner(fields)?,
        None => return Err(Error::line(1, "the file is empty; a Matrix Market file begins with '%%MatrixMarket'")),
    };
    let header = match lines.next(COMMENT)? {
        Some(fields) => size(fields)?,
        None => return Err(Error::line(lines.number(), "the file ends before the size of the matrix")),
    };
    let mut weights = match entries {
        Entries::Pattern => Column::None,
        Entries::Integer => Column::U32(Vec::new()),
        Entries::Real => Column::F32(Vec::new()),
    };
    let vertices = header.vertices;
    let ends = header.edges(&mut lines, COMMENT, "entries", &mut weights, |fields| {
        let edge = [fields.vertex(vertices)?, fields.vertex(vertices)?];
        let weight = match entries {
            Entries::Pattern => None,
            Entries::Real => Some(fields.real_weight()?),
            Entries::Integer => match fields.weight()? {
                Number::Real(weight) => {
                    return Err(fields.error(format!("the weight {weight} is no integer, as the banner says it is")));
                }
                weight => Some(weight),
            },
        };
        Ok((edge, weight))
    })?;
    let labels = Labels::from(1, vertices);
    Ok(Text { vertices, ends, weights, direction, direction_source: DirectionSource::Header, labels })
}

/// `%%MatrixMarket matrix coordinate real general`, in any case.
fn banner(mut fields: Fields<'_>) -> Result<(Entries, Direction)> {
    let mut word = || fields.next().map(|word| show(word).to_ascii_lowercase()).unwrap_or_default();
    let (first, object, form, entries, symmetry) = (word(), word(), word(), word(), word());
    if first != "%%matrixmarket" {
        return Err(fields.missing_header(
            "a Matrix Market file begins with a line such as '%%MatrixMarket matrix coordinate real general', and one \
             of the numbers of rows, columns and entries",
        ));
    }
    if object != "matrix" {
        return Err(fields.error("a Matrix Market file begins with '%%MatrixMarket matrix'"));
    }
    if form != "coordinate" {
        return Err(fields.error(format!("only 'coordinate' matrices are graphs here, not '{form}'")));
    }
    let entries = match entries.as_str() {
        "pattern" => Entries::Pattern,
        "integer" => Entries::Integer,
        "real" | "double" => Entries::Real,
        other => return Err(fields.error(format!("entries must be pattern, integer or real, not '{other}'"))),
    };
    let direction = match symmetry.as_str() {
        "general" => Direction::Directed,
        "symmetric" => Direction::Undirected,
        other => return Err(fields.error(format!("the matrix must be general or symmetric, not '{other}'"))),
    };
    fields.end()?;
    Ok((entries, direction))
}

/// Rows, columns and entries.
fn size(mut fields: Fields<'_>) -> Result<Header> {
    let (rows, columns) = (fields.vertices()?, fields.vertices()?);
    let entries = fields.number("the number of entries")?;
    fields.end()?;
    if rows != columns {
        return Err(fields.error(format!("the matrix of a graph is square, but this is {rows} by {columns}")));
    }
    Header::new(&fields, rows, entries)
}
