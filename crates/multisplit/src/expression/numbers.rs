//! Mistakes in the numbers of an expression, which it makes whatever its columns are.

use super::error::ExpressionError;
use super::function::Function;
use super::literal::{Folded, Literal};
use super::tree::{Binary, Kind, Tree, Unary};

/// Refuses divisions by the number 0, shifts by negative numbers, and numbers that do not go together.
pub(super) fn check(tree: &Tree) -> Result<(), ExpressionError> {
    // The number that each node is, if it is one.
    let mut known: Vec<Option<Literal>> = Vec::with_capacity(tree.nodes.len());
    for (i, node) in tree.nodes.iter().enumerate() {
        let folded = |literal: Result<Literal, &'static str>| literal.map_err(|message| tree.error(i, message));
        let is_zero = |id: usize| known[id] == Some(Literal::Whole(0));
        let literal = match node.kind {
            Kind::Integer(number) => Some(Literal::Whole(number)),
            Kind::Float(number) => Some(Literal::Real(number)),
            Kind::Unary(Unary::Minus, a) => known[a].map(|a| folded(a.minus())).transpose()?,
            Kind::Unary(Unary::Complement, a) => known[a].map(|a| folded(a.complement())).transpose()?,
            Kind::Binary(operator, a, b) => match (operator, known[a], known[b]) {
                (_, Some(a), Some(b)) => match Literal::fold(operator, a, b) {
                    Ok(Folded::Number(literal)) => Some(literal),
                    Ok(Folded::Truth(_)) => None,
                    Err(message) => return Err(tree.error(i, message)),
                },
                (Binary::Div | Binary::Rem, ..) if is_zero(b) => return Err(tree.error(i, "division by 0")),
                (Binary::Shl | Binary::Shr, _, Some(Literal::Whole(..0))) => {
                    return Err(tree.error(b, "bits are shifted by a whole number that is not negative"));
                }
                _ => None,
            },
            Kind::Call(Function::Quot | Function::Rem, ref operands) if is_zero(operands[1]) => {
                return Err(tree.error(i, "division by 0"));
            }
            _ => None,
        };
        known.push(literal);
    }
    Ok(())
}
