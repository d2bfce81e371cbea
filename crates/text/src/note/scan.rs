//! Scans a text line by line for comments and math blocks, and for blocks that are left open at its end.
//!
//! Obsidian's `%%comments%%` are not Markdown: they may contain half a fence or a heading. So they are found first,
//! in reading order: a `%%` inside a fence is code, a fence inside a comment is a comment. `$$` blocks are treated
//! likewise, since a Markdown parser would take their lines for headings or lists.
//!
//! The scanner knows just enough Markdown for that: fences with the quotes and list items around them, code spans,
//! inline math, HTML comments, escapes. Links, headings and code come from the [`markdown`](crate::note::markdown)
//! module.

mod inline;

use std::collections::HashMap;

use crate::Span;
use crate::span::line_end;

/// The result of a scan. Spans are sorted and disjoint.
#[derive(Debug, Default)]
pub(crate) struct Scan {
    /// `%%…%%` with the marks.
    pub comments: Vec<Span>,
    /// `$$…$$` at the start of a line, with the marks.
    pub math: Vec<Span>,
    /// The block that is still open at the end of the text.
    pub open: Option<OpenBlock>,
}

/// A block that the text opens and never closes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum OpenBlock {
    Fence(Fence),
    /// `%%`
    Comment,
    /// `<!--`
    Html,
}

/// An open code fence and the containers around it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Fence {
    marker: u8,
    length: usize,
    /// The number of `>` before it.
    quotes: usize,
    /// The column, after the quotes, at which the content of the surrounding list item begins.
    indent: usize,
}

impl Fence {
    /// The line that closes the fence, without a line ending.
    pub(crate) fn closing_line(&self) -> String {
        let mark = char::from(self.marker).to_string();
        format!("{}{}{}", "> ".repeat(self.quotes), " ".repeat(self.indent), mark.repeat(self.length))
    }

    /// Whether the line still belongs to the containers around the fence.
    fn contains_line(&self, line: &str) -> bool {
        let (quotes, rest) = strip_quotes(line, self.quotes);
        quotes == self.quotes && (is_blank(rest) || indentation(rest) >= self.indent)
    }

    fn is_closed_by(&self, line: &str) -> bool {
        let (_, rest) = strip_quotes(line, self.quotes);
        let mark = rest.trim_matches(BLANKS);
        mark.len() >= self.length
            && mark.bytes().all(|byte| byte == self.marker)
            && indentation(rest) < self.indent + 4
    }
}

pub(crate) fn scan(text: &str) -> Scan {
    let mut scanner = Scanner {
        text,
        scan: Scan::default(),
        lists: vec![],
        quotes: 0,
        runs: None,
        paragraph_end: 0,
        html_comments_are_over: false,
    };
    scanner.run();
    scanner.scan
}

struct Scanner<'a> {
    text: &'a str,
    scan: Scan,
    /// The content columns of the list items that the current line may belong to, outermost first.
    lists: Vec<usize>,
    /// The number of `>` at the start of the last line: list items do not continue into another quote level.
    quotes: usize,
    /// The starts of the backtick runs of each length. Computed on first use.
    runs: Option<HashMap<usize, Vec<usize>>>,
    /// The end of the paragraph around the last scanned position.
    paragraph_end: usize,
    /// Whether a search for `-->` found no further one.
    html_comments_are_over: bool,
}

impl Scanner<'_> {
    fn run(&mut self) {
        let mut at = 0;
        while at < self.text.len() {
            let end = line_end(self.text, at);
            let Prefix { len, fence, top_level } = self.prefix(&self.text[at..end]);
            if let Some(fence) = fence {
                match self.fence_end(fence, end) {
                    Some(after) => at = after,
                    None => return,
                }
                continue;
            }
            let content = at + len;
            at = match self.block(content, top_level) {
                Some(after) => self.inline(after),
                None => self.inline(content),
            };
        }
    }

    /// The start of the first line after the fence. `None` if the text ends inside it, which is recorded as open.
    fn fence_end(&mut self, fence: Fence, mut at: usize) -> Option<usize> {
        while at < self.text.len() {
            let end = line_end(self.text, at);
            let line = &self.text[at..end];
            if !fence.contains_line(line) {
                return Some(at);
            }
            if fence.is_closed_by(line) {
                return Some(end);
            }
            at = end;
        }
        self.scan.open = Some(OpenBlock::Fence(fence));
        None
    }

    /// The end of a comment or math block that begins here, at the start of a line's content.
    fn block(&mut self, at: usize, top_level: bool) -> Option<usize> {
        let rest = &self.text[at..];
        if let Some(comment) = rest.strip_prefix("%%").filter(|_| top_level) {
            let close = comment.find("%%").map(|found| at + 2 + found + 2);
            if close.is_none() {
                self.scan.open = Some(OpenBlock::Comment);
            }
            let end = close.unwrap_or(self.text.len());
            self.scan.comments.push(at..end);
            return Some(end);
        }
        if let Some(math) = rest.strip_prefix("$$") {
            let end = at + 2 + math.find("$$")? + 2;
            self.scan.math.push(at..end);
            return Some(end);
        }
        None
    }

    /// Strips the containers from the start of a line, and remembers its list items for the following lines.
    fn prefix(&mut self, line: &str) -> Prefix {
        let (quotes, rest) = strip_quotes(line, usize::MAX);
        if quotes != self.quotes {
            self.lists.clear();
            self.quotes = quotes;
        }
        let mut column = 0;
        let mut at = line.len() - rest.len();
        let mut in_list_mark = false;
        if !is_blank(rest) {
            let indent = indentation(rest);
            while self.lists.last().is_some_and(|&content| content > indent) {
                self.lists.pop();
            }
        }
        loop {
            let rest = &line[at..];
            let blanks = rest.len() - rest.trim_start_matches([' ', '\t']).len();
            let here = column + indentation(rest);
            let base = self.lists.last().copied().unwrap_or(0);
            // Four columns deeper than its container, it is code or continues a paragraph.
            if here >= base.max(column) + 4 {
                return Prefix { len: at, fence: None, top_level: false };
            }
            at += blanks;
            let Some(mark) = list_mark(&line[at..]) else {
                let fence = fence_mark(&line[at..]).map(|(marker, length)| Fence {
                    marker,
                    length,
                    quotes,
                    indent: base,
                });
                let top_level = quotes == 0 && !in_list_mark && self.lists.is_empty();
                return Prefix { len: at, fence, top_level };
            };
            in_list_mark = true;
            column = here + mark + 1;
            at += mark + 1;
            if self.lists.len() < MAX_NESTING {
                self.lists.push(column);
            } else {
                return Prefix { len: at, fence: None, top_level: false };
            }
        }
    }
}

/// The characters of a blank line; wider Unicode white space counts as text.
const BLANKS: [char; 4] = [' ', '\t', '\r', '\n'];

fn is_blank(line: &str) -> bool {
    line.trim_matches(BLANKS).is_empty()
}

/// Deeper list nesting is not tracked.
const MAX_NESTING: usize = 64;

struct Prefix {
    /// The number of bytes of quote marks, list marks and white space before the content.
    len: usize,
    fence: Option<Fence>,
    /// Whether the line is in no container.
    top_level: bool,
}

/// Strips up to `most` quote marks: returns their number and the rest of the line.
fn strip_quotes(line: &str, most: usize) -> (usize, &str) {
    let (mut quotes, mut rest) = (0, line);
    while quotes < most {
        let inner = rest.trim_start_matches(' ');
        let Some(inner) = inner.strip_prefix('>').filter(|_| rest.len() - inner.len() < 4) else { break };
        quotes += 1;
        rest = inner.strip_prefix(' ').unwrap_or(inner);
    }
    (quotes, rest)
}

/// The column at which the content of a line begins; a tab advances to the next multiple of four.
fn indentation(line: &str) -> usize {
    let mut column = 0;
    for byte in line.bytes() {
        match byte {
            b' ' => column += 1,
            b'\t' => column += 4 - column % 4,
            _ => break,
        }
    }
    column
}

/// The length of the list mark (`-` or `12.`) that the text begins with; white space must follow it.
pub(crate) fn list_mark(text: &str) -> Option<usize> {
    let bytes = text.as_bytes();
    let len = match bytes.first()? {
        b'-' | b'*' | b'+' => 1,
        b'0'..=b'9' => {
            let digits = bytes.iter().take(10).take_while(|byte| byte.is_ascii_digit()).count();
            if digits > 9 || !matches!(bytes.get(digits), Some(b'.' | b')')) {
                return None;
            }
            digits + 1
        }
        _ => return None,
    };
    matches!(bytes.get(len), Some(b' ' | b'\t')).then_some(len)
}

/// The fence that the text begins with: its character and length.
fn fence_mark(text: &str) -> Option<(u8, usize)> {
    let marker = *text.as_bytes().first()?;
    if marker != b'`' && marker != b'~' {
        return None;
    }
    let length = text.bytes().take_while(|&byte| byte == marker).count();
    // The info string after backticks contains none; otherwise it is a code span.
    (length >= 3 && (marker == b'~' || !text[length..].contains('`'))).then_some((marker, length))
}

#[cfg(test)]
mod tests;
