//! An expression as it was written, before anything is known of its columns.

use super::error::ExpressionError;
use super::function::Function;
use std::ops::Range;

/// The number of a node.
pub(super) type Id = usize;

/// The nodes of an expression, each behind its operands: passes over them need no recursion.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Tree {
    pub text: String,
    pub nodes: Vec<Node>,
    pub columns: Vec<String>,
}

#[derive(Clone, Debug, PartialEq)]
pub(super) struct Node {
    pub kind: Kind,
    /// Where it is in the text, in bytes.
    pub span: Range<usize>,
}

#[derive(Clone, Debug, PartialEq)]
pub(super) enum Kind {
    Integer(i128),
    Float(f64),
    Truth(bool),
    /// The number of a column's name.
    Column(usize),
    Unary(Unary, Id),
    Binary(Binary, Id, Id),
    /// A condition, and what there is where it holds and where not.
    Choice(Id, Id, Id),
    Call(Function, Vec<Id>),
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Unary {
    Minus,
    /// Of a condition.
    Not,
    /// Of bits.
    Complement,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Binary {
    Add,
    Sub,
    Mul,
    Div,
    Rem,
    Shl,
    Shr,
    And,
    Or,
    Xor,
    Lt,
    Le,
    Gt,
    Ge,
    Eq,
    Ne,
    Both,
    Either,
}

impl Unary {
    pub fn of(symbol: &str) -> Option<Self> {
        Some(match symbol {
            "-" => Self::Minus,
            "!" => Self::Not,
            "~" => Self::Complement,
            _ => return None,
        })
    }
}

/// The operators, and how tightly each binds.
const BINARY: [(&str, Binary, u8); 18] = [
    ("||", Binary::Either, 1),
    ("&&", Binary::Both, 2),
    ("<", Binary::Lt, 3),
    ("<=", Binary::Le, 3),
    (">", Binary::Gt, 3),
    (">=", Binary::Ge, 3),
    ("==", Binary::Eq, 3),
    ("!=", Binary::Ne, 3),
    ("|", Binary::Or, 4),
    ("^", Binary::Xor, 5),
    ("&", Binary::And, 6),
    ("<<", Binary::Shl, 7),
    (">>", Binary::Shr, 7),
    ("+", Binary::Add, 8),
    ("-", Binary::Sub, 8),
    ("*", Binary::Mul, 9),
    ("/", Binary::Div, 9),
    ("%", Binary::Rem, 9),
];

impl Binary {
    /// Returns the operator of a symbol, and how tightly it binds.
    pub fn of(symbol: &str) -> Option<(Self, u8)> {
        BINARY.iter().find(|(each, ..)| *each == symbol).map(|&(_, operator, strength)| (operator, strength))
    }

    pub fn symbol(self) -> &'static str {
        BINARY.iter().find(|(_, each, _)| *each == self).map_or("", |(symbol, ..)| symbol)
    }

    pub fn is_comparison(self) -> bool {
        matches!(self, Self::Lt | Self::Le | Self::Gt | Self::Ge | Self::Eq | Self::Ne)
    }
}

impl Tree {
    pub fn error(&self, node: Id, message: impl Into<String>) -> ExpressionError {
        ExpressionError::at(&self.text, self.nodes[node].span.clone(), message)
    }

    /// Points at the first use of a column.
    pub fn error_at_column(&self, column: usize, message: String) -> ExpressionError {
        let node = self.nodes.iter().position(|node| node.kind == Kind::Column(column)).unwrap_or(0);
        self.error(node, message)
    }
}
