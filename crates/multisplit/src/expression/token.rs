//! The words of an expression.

use super::error::ExpressionError;
use std::fmt;
use std::ops::Range;

#[derive(Clone, Debug, PartialEq)]
pub(super) enum Token {
    Integer(i128),
    Float(f64),
    /// A name as it is written.
    Word(String),
    /// A name in back quotes or brackets, which is that of a column whatever it says.
    Quoted(String),
    Symbol(&'static str),
    End,
}

/// A word, and where it is in the text.
#[derive(Clone, Debug)]
pub(super) struct Lexeme {
    pub token: Token,
    pub span: Range<usize>,
}

/// Longer ones first.
const SYMBOLS: [&str; 24] = [
    "<<", ">>", "<=", ">=", "==", "!=", "&&", "||", "+", "-", "*", "/", "%", "&", "|", "^", "~", "!", "<", ">", "(",
    ")", ",", "?",
];
const COLON: &str = ":";

impl fmt::Display for Token {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Integer(number) => write!(f, "{number}"),
            Self::Float(number) => write!(f, "{number}"),
            Self::Word(name) | Self::Quoted(name) => write!(f, "'{name}'"),
            Self::Symbol(symbol) => write!(f, "'{symbol}'"),
            Self::End => f.write_str("the end"),
        }
    }
}

/// Cuts a text into words. The last is the end.
pub(super) fn tokens(text: &str) -> Result<Vec<Lexeme>, ExpressionError> {
    let mut found = Vec::new();
    let mut at = 0;
    while let Some(first) = text[at..].chars().next() {
        if first.is_whitespace() {
            at += first.len_utf8();
            continue;
        }
        let (token, len) = token(text, at, first)?;
        found.push(Lexeme { token, span: at..at + len });
        at += len;
    }
    found.push(Lexeme { token: Token::End, span: text.len()..text.len() });
    Ok(found)
}

/// Returns the word that begins at `at`, and its length.
fn token(text: &str, at: usize, first: char) -> Result<(Token, usize), ExpressionError> {
    let rest = &text[at..];
    let digit_follows = || rest[1..].starts_with(|c: char| c.is_ascii_digit());
    if first.is_ascii_digit() || first == '.' && digit_follows() {
        return number(text, at);
    }
    if first == '_' || first.is_alphabetic() {
        let len = rest.find(|c: char| c != '_' && !c.is_alphanumeric()).unwrap_or(rest.len());
        return Ok((Token::Word(rest[..len].to_string()), len));
    }
    if let Some(closing) = [('`', '`'), ('[', ']')].iter().find(|(opening, _)| *opening == first).map(|pair| pair.1) {
        return match rest[1..].find(closing) {
            Some(len) => Ok((Token::Quoted(rest[1..][..len].to_string()), len + 2)),
            None => Err(ExpressionError::at(text, at..at + 1, format!("the name has no '{closing}' behind it"))),
        };
    }
    match SYMBOLS.into_iter().chain([COLON]).find(|symbol| rest.starts_with(symbol)) {
        Some(symbol) => Ok((Token::Symbol(symbol), symbol.len())),
        None => {
            let message = match first {
                '=' => "'=' compares nothing; write '=='".into(),
                '"' | '\'' => "strings cannot be written here; the name of a column stands without quotes, or in \
                               brackets as in [unit price]"
                    .into(),
                _ => format!("'{}' has no meaning here", first.escape_debug()),
            };
            Err(ExpressionError::at(text, at..at + first.len_utf8(), message))
        }
    }
}

/// Returns the number that begins at `at`, and its length.
fn number(text: &str, at: usize) -> Result<(Token, usize), ExpressionError> {
    let rest = &text[at..];
    let len = length_of_number(rest);
    let written = &rest[..len];
    let digits: String = written.chars().filter(|&c| c != '_').collect();
    let error = |message: String| Err(ExpressionError::at(text, at..at + len, message));
    let lower = digits.to_ascii_lowercase();
    let (radix, digits) = match lower.get(..2) {
        Some("0x") => (16, &lower[2..]),
        Some("0b") => (2, &lower[2..]),
        _ => (10, &lower[..]),
    };
    if radix == 10 && digits.contains(['.', 'e']) {
        return match digits.parse::<f64>() {
            Ok(number) if number.is_finite() => Ok((Token::Float(number), len)),
            Ok(_) => error(format!("{written} is too large; floats are below 1.8e308")),
            Err(_) => error(format!("'{written}' is no number")),
        };
    }
    if digits.is_empty() || !digits.chars().all(|c| c.is_digit(radix)) {
        return error(format!("'{written}' is no number; names cannot begin with a digit, except in brackets"));
    }
    match u64::from_str_radix(digits, radix) {
        Ok(number) => Ok((Token::Integer(number.into()), len)),
        Err(_) => error(format!("{written} is too large; whole numbers are at most {}", u64::MAX)),
    }
}

/// Returns how much of a text belongs to the number that it begins with.
fn length_of_number(rest: &str) -> usize {
    let hexadecimal = rest.get(..2).is_some_and(|start| start.eq_ignore_ascii_case("0x"));
    let mut before = ' ';
    for (i, c) in rest.char_indices() {
        let signed = !hexadecimal && matches!(c, '+' | '-') && matches!(before, 'e' | 'E');
        if !(c == '_' || c == '.' || c.is_alphanumeric() || signed) {
            return i;
        }
        before = c;
    }
    rest.len()
}
