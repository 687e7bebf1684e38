//! Matrix Market files: an entry in row i and column j is an edge from i to j.

use super::Text;
use super::column::Column;
use super::fields::{Fields, Number, show};
use super::header::Header;
use super::labels::Labels;
use super::lines::Lines;
use crate::edges::Direction;
use crate::error::{Error, Result};
use crate::memory::push;

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
    let Header { vertices, edges } = match lines.next(COMMENT)? {
        Some(fields) => size(fields)?,
        None => return Err(Error::line(lines.number(), "the file ends before the size of the matrix")),
    };
    let mut ends = Vec::new();
    let mut weights = match entries {
        Entries::Pattern => Column::None,
        Entries::Integer => Column::U32(Vec::new()),
        Entries::Real => Column::F32(Vec::new()),
    };
    while let Some(mut fields) = lines.next(COMMENT)? {
        push(&mut ends, [fields.vertex(vertices)?, fields.vertex(vertices)?])?;
        match entries {
            Entries::Pattern => {}
            Entries::Real => weights.push(fields.real_weight()?)?,
            Entries::Integer => weights.push(match fields.weight()? {
                Number::Real(weight) => {
                    return Err(fields.error(format!("the weight {weight} is no integer, as the banner says it is")));
                }
                weight => weight,
            })?,
        }
        fields.end()?;
        if ends.len() as u64 > edges {
            return Err(fields.error(format!("the header announces {edges} entries, but here is one more")));
        }
    }
    if (ends.len() as u64) < edges {
        return Err(Error::Truncated {
            what: "entries",
            expected: edges,
            got: ends.len() as u64,
            line: lines.number(),
        });
    }
    Ok(Text { vertices, ends, weights, direction, labels: Labels::from(1, vertices) })
}

/// `%%MatrixMarket matrix coordinate real general`, in any case.
fn banner(mut fields: Fields<'_>) -> Result<(Entries, Direction)> {
    let mut word = || fields.next().map(|word| show(word).to_ascii_lowercase()).unwrap_or_default();
    let (first, object, form, entries, symmetry) = (word(), word(), word(), word(), word());
    if first != "%%matrixmarket" || object != "matrix" {
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
