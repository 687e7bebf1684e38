//! Text to tree, by precedence climbing.

use super::closest;
use super::error::ExpressionError;
use super::function::Function;
use super::token::{Lexeme, Token, tokens};
use super::tree::{Binary, Id, Kind, Node, Tree, Unary};
use std::ops::Range;

/// The longest text, in bytes.
const LONGEST: usize = 1 << 16;
/// The most names, numbers and operators. Each takes 8 KB while an expression is computed, for each thread.
const MOST_NODES: usize = 1000;
/// How deeply expressions may be nested. Each level takes less than a kilobyte of the stack.
const DEEPEST: usize = 200;

/// Parses an expression.
pub(super) fn parse(text: &str) -> Result<Tree, ExpressionError> {
    if text.len() > LONGEST {
        let message = format!("the expression has {} bytes, but at most {LONGEST} are taken", text.len());
        return Err(ExpressionError::new(message));
    }
    let tree = Tree { text: text.into(), nodes: Vec::new(), columns: Vec::new() };
    let mut parser = Parser { words: tokens(text)?, at: 0, depth: 0, tree };
    if parser.peek() == &Token::End {
        return Err(parser.error("the expression is empty; write one such as key % 7"));
    }
    parser.choice()?;
    match parser.peek() {
        Token::End => Ok(parser.tree),
        _ => Err(parser.no_operator()),
    }
}

struct Parser {
    words: Vec<Lexeme>,
    /// The next word. There is always one: the last is never passed.
    at: usize,
    depth: usize,
    tree: Tree,
}

impl Parser {
    fn peek(&self) -> &Token {
        &self.words[self.at].token
    }

    fn span(&self) -> Range<usize> {
        self.words[self.at].span.clone()
    }

    /// Passes over the next word, and returns where it is.
    fn advance(&mut self) -> Range<usize> {
        let span = self.span();
        self.at = (self.at + 1).min(self.words.len() - 1);
        span
    }

    fn is_next(&self, symbol: &str) -> bool {
        matches!(self.peek(), Token::Symbol(next) if *next == symbol)
    }

    fn is_comparison_next(&self) -> bool {
        let Token::Symbol(next) = self.peek() else { return false };
        Binary::of(next).is_some_and(|(operator, _)| operator.is_comparison())
    }

    fn take(&mut self, symbol: &str) -> bool {
        let is_next = self.is_next(symbol);
        if is_next {
            self.advance();
        }
        is_next
    }

    fn error(&self, message: impl Into<String>) -> ExpressionError {
        ExpressionError::at(&self.tree.text, self.span(), message)
    }

    fn expected(&self, what: &str) -> ExpressionError {
        self.error(format!("expected {what}, found {}", self.peek()))
    }

    /// Says what is wrong with what stands behind a complete expression.
    fn no_operator(&self) -> ExpressionError {
        let instead = match self.peek() {
            Token::Word(word) => match word.as_str() {
                "and" => "'&&'",
                "or" => "'||'",
                "mod" => "'%'",
                "xor" => "'^'",
                _ => return self.expected("an operator or the end"),
            },
            Token::Symbol(")") => return self.error("there is no '(' for this ')'"),
            _ => return self.expected("an operator or the end"),
        };
        self.error(format!("expected an operator, found {}; write {instead}", self.peek()))
    }

    fn push(&mut self, kind: Kind, span: Range<usize>) -> Result<Id, ExpressionError> {
        if self.tree.nodes.len() == MOST_NODES {
            let message = format!("the expression has more than {MOST_NODES} names, numbers and operators");
            return Err(ExpressionError::at(&self.tree.text, span, message));
        }
        self.tree.nodes.push(Node { kind, span });
        Ok(self.tree.nodes.len() - 1)
    }

    /// Returns the text from the beginning of one node to the end of another.
    fn between(&self, first: Id, last: Id) -> Range<usize> {
        self.tree.nodes[first].span.start..self.tree.nodes[last].span.end
    }

    fn deeper(&mut self) -> Result<(), ExpressionError> {
        self.depth += 1;
        if self.depth > DEEPEST { Err(self.error("the expression is nested too deeply")) } else { Ok(()) }
    }

    /// Parses an expression with any operators. Further conditions behind a colon are no deeper.
    fn choice(&mut self) -> Result<Id, ExpressionError> {
        self.deeper()?;
        let mut branches = Vec::new();
        let mut last = loop {
            let condition = self.binary(1)?;
            if !self.take("?") {
                break condition;
            }
            let holds = self.choice()?;
            if !self.take(":") {
                return Err(self.expected("':' and what there is where the condition does not hold"));
            }
            branches.push((condition, holds));
        };
        for (condition, holds) in branches.into_iter().rev() {
            let span = self.between(condition, last);
            last = self.push(Kind::Choice(condition, holds, last), span)?;
        }
        self.depth -= 1;
        Ok(last)
    }

    /// Parses operands and the operators between them that bind as tightly as `least` or more.
    fn binary(&mut self, least: u8) -> Result<Id, ExpressionError> {
        self.deeper()?;
        let mut left = self.operand()?;
        while let Token::Symbol(symbol) = self.peek()
            && let Some((operator, strength)) = Binary::of(symbol)
            && strength >= least
        {
            self.advance();
            let right = self.binary(strength + 1)?;
            left = self.push(Kind::Binary(operator, left, right), self.between(left, right))?;
            if operator.is_comparison() && self.is_comparison_next() {
                return Err(self.error("comparisons cannot follow each other; write a < b && b < c"));
            }
        }
        self.depth -= 1;
        Ok(left)
    }

    /// Parses a value and what stands before it.
    fn operand(&mut self) -> Result<Id, ExpressionError> {
        let mut before = Vec::new();
        while let Token::Symbol(symbol) = self.peek()
            && let Some(operator) = Unary::of(symbol)
        {
            before.push((operator, self.advance().start));
        }
        let mut value = self.value()?;
        for (operator, start) in before.into_iter().rev() {
            let span = start..self.tree.nodes[value].span.end;
            value = self.push(Kind::Unary(operator, value), span)?;
        }
        Ok(value)
    }

    fn value(&mut self) -> Result<Id, ExpressionError> {
        match self.peek().clone() {
            Token::Integer(number) => {
                let span = self.advance();
                self.push(Kind::Integer(number), span)
            }
            Token::Float(number) => {
                let span = self.advance();
                self.push(Kind::Float(number), span)
            }
            Token::Word(word) => self.word(word),
            Token::Quoted(name) => self.column(name),
            Token::Symbol("(") => {
                let start = self.advance().start;
                let inner = self.choice()?;
                if !self.is_next(")") {
                    return Err(self.expected("an operator or ')'"));
                }
                let end = self.advance().end;
                self.tree.nodes[inner].span = start..end;
                Ok(inner)
            }
            _ => Err(self.expected("a value")),
        }
    }

    fn word(&mut self, word: String) -> Result<Id, ExpressionError> {
        if matches!(self.words.get(self.at + 1), Some(Lexeme { token: Token::Symbol("("), .. })) {
            return self.call(&word);
        }
        match word.as_str() {
            "true" | "false" => {
                let span = self.advance();
                self.push(Kind::Truth(word == "true"), span)
            }
            "not" => Err(self.error("expected a value, found 'not'; write '!'")),
            _ => self.column(word),
        }
    }

    fn column(&mut self, name: String) -> Result<Id, ExpressionError> {
        if name.is_empty() {
            return Err(self.error("this is an empty name"));
        }
        let known = self.tree.columns.iter().position(|column| *column == name);
        let column = known.unwrap_or_else(|| {
            self.tree.columns.push(name);
            self.tree.columns.len() - 1
        });
        let span = self.advance();
        self.push(Kind::Column(column), span)
    }

    fn call(&mut self, name: &str) -> Result<Id, ExpressionError> {
        let Some(function) = Function::named(name) else {
            let hint = closest::hint(name, Function::names());
            return Err(self.error(format!("there is no function '{name}'{hint}")));
        };
        let start = self.advance().start;
        self.advance();
        let mut operands = Vec::new();
        if !self.is_next(")") {
            operands.push(self.choice()?);
            while self.take(",") {
                operands.push(self.choice()?);
            }
        }
        if !self.is_next(")") {
            return Err(self.expected("an operator, ',' or ')'"));
        }
        let span = start..self.advance().end;
        let takes = function.operands();
        if !takes.contains(&operands.len()) {
            let (least, most) = (*takes.start(), *takes.end());
            let takes = if least == most { least.to_string() } else { format!("{least} to {most}") };
            let plural = if most == 1 { "" } else { "s" };
            let message = format!("{name} takes {takes} operand{plural}, not {}", operands.len());
            return Err(ExpressionError::at(&self.tree.text, span, message));
        }
        self.push(Kind::Call(function, operands), span)
    }
}
