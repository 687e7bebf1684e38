//! Records of text files: where they begin and end, and where their fields do.

use anyhow::{Result, bail, ensure};
use std::borrow::Cow;
use std::ops::Range;

/// Where a record is in the text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Span {
    pub start: usize,
    pub end: usize,
}

impl Span {
    pub fn range(self) -> Range<usize> {
        self.start..self.end
    }
}

/// Text that is cut into records, as RFC 4180 has it: fields may be quoted, and then have delimiters and line ends.
pub struct Lines<'a> {
    text: &'a [u8],
    delimiter: u8,
    at: usize,
    /// How many lines come before the text.
    lines_before: usize,
}

impl<'a> Lines<'a> {
    pub fn new(text: &'a [u8], delimiter: u8) -> Self {
        Self { text, delimiter, at: 0, lines_before: 0 }
    }

    /// Numbers lines as behind so many others.
    pub fn after(self, lines_before: usize) -> Self {
        Self { lines_before, ..self }
    }

    /// Returns where the next record is looked for: at the line end of the one before, if it has one.
    pub fn at(&self) -> usize {
        self.at
    }

    /// Returns where the next record is, without its line end, and puts where its fields are into `fields`. Empty
    /// lines are passed over.
    pub fn next(&mut self, fields: &mut Vec<Span>) -> Result<Option<Span>> {
        let text = self.text;
        while matches!(text.get(self.at), Some(b'\n' | b'\r')) {
            self.at += 1;
        }
        fields.clear();
        let start = self.at;
        if start == text.len() {
            return Ok(None);
        }
        let mut field = start;
        loop {
            let mut end = field;
            if text.get(field) == Some(&b'"') {
                end = self.quoted(field)?;
            }
            while text.get(end).is_some_and(|&byte| byte != self.delimiter && byte != b'\n') {
                end += 1;
            }
            let at_end = text.get(end) != Some(&self.delimiter);
            let behind = if at_end && end > field && text[end - 1] == b'\r' { end - 1 } else { end };
            fields.push(Span { start: field, end: behind });
            if at_end {
                self.at = end;
                return Ok(Some(Span { start, end: behind }));
            }
            field = end + 1;
        }
    }

    /// Returns where a quoted field ends, behind its last quote.
    fn quoted(&self, start: usize) -> Result<usize> {
        let mut at = start + 1;
        loop {
            match self.text[at..].iter().position(|&byte| byte == b'"') {
                Some(to) if self.text.get(at + to + 1) == Some(&b'"') => at += to + 2,
                Some(to) => return Ok(at + to + 1),
                None => {
                    let line = self.lines_before + line_of(self.text, start);
                    bail!("line {line}: the quoted field that begins here does not end")
                }
            }
        }
    }
}

/// Returns the number of the line, from 1, that a place is in.
pub fn line_of(text: &[u8], at: usize) -> usize {
    1 + text[..at].iter().filter(|&&byte| byte == b'\n').count()
}

/// Returns what a field says, without quotes and blanks around it.
pub fn unquoted(field: &[u8]) -> Cow<'_, [u8]> {
    let field = field.trim_ascii();
    match field {
        [b'"', inner @ .., b'"'] if inner.contains(&b'"') => {
            let mut plain = Vec::with_capacity(inner.len());
            let mut bytes = inner.iter();
            while let Some(&byte) = bytes.next() {
                plain.push(byte);
                if byte == b'"' {
                    bytes.next();
                }
            }
            Cow::Owned(plain)
        }
        [b'"', inner @ .., b'"'] => Cow::Borrowed(inner),
        _ => Cow::Borrowed(field),
    }
}

/// Finds out what is between the fields of a text: what the first line has most of, or commas.
pub fn delimiter_of(text: &[u8]) -> Result<u8> {
    ensure!(!text.is_empty(), "the file is empty");
    let line = text.split(|&byte| byte == b'\n').find(|line| !line.trim_ascii().is_empty()).unwrap_or_default();
    let mut quoted = false;
    let mut counts = [(b',', 0), (b'\t', 0), (b';', 0), (b'|', 0)];
    for &byte in line {
        quoted ^= byte == b'"';
        if let Some((_, count)) = counts.iter_mut().find(|(delimiter, _)| *delimiter == byte && !quoted) {
            *count += 1;
        }
    }
    let most = counts.iter().map(|&(_, count)| count).max().unwrap_or(0);
    Ok(counts.iter().find(|&&(_, count)| count == most).map_or(b',', |&(delimiter, _)| delimiter))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn records(text: &str) -> Result<Vec<Vec<String>>> {
        let (mut lines, mut fields, mut all) = (Lines::new(text.as_bytes(), b','), Vec::new(), Vec::new());
        while lines.next(&mut fields)?.is_some() {
            let text = |span: &Span| String::from_utf8_lossy(&unquoted(&text.as_bytes()[span.range()])).into_owned();
            all.push(fields.iter().map(text).collect());
        }
        Ok(all)
    }

    #[test]
    fn fields_of_records() {
        assert_eq!(
            records("a,b\r\n1,\"x,\"\"y\"\"\n\"\r\n\n 2 ,\n").unwrap(),
            [vec!["a", "b"], vec!["1", "x,\"y\"\n"], vec!["2", ""]]
        );
        assert_eq!(records("1\n2").unwrap(), [["1"], ["2"]]);
        assert_eq!(records("\n\r\n").unwrap(), Vec::<Vec<String>>::new());
        assert_eq!(records(",").unwrap(), [["", ""]]);
        let said = records("1\n2\n\"3").unwrap_err().to_string();
        assert_eq!(said, "line 3: the quoted field that begins here does not end");
    }

    #[test]
    fn delimiters() {
        for (text, delimiter) in [("a,b;c,d", b','), ("a\tb", b'\t'), ("\n\"a,b\";c", b';'), ("a|b", b'|'), ("1", b',')]
        {
            assert_eq!(delimiter_of(text.as_bytes()).unwrap(), delimiter, "{text}");
        }
    }
}
