//! Finds quoted text, block text and comments in a frontmatter.
//!
//! This is not a YAML parser: it checks nothing. It is used only for blocks that the parser accepted, or to find
//! links, where a mistake shows in the next parse.

use crate::Span;
use crate::span::line_end;

/// The style in which a part of the frontmatter is written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum ScalarStyle {
    /// `like this`, and all structural characters.
    Plain,
    /// `'like this'`
    Single,
    /// `"like this"`
    Double,
    /// The lines under `|` or `>`.
    Block,
    /// `# like this`
    Comment,
}

/// The style at this byte of the text, which must be in `inner`.
pub(crate) fn style_at(text: &str, inner: &Span, byte: usize) -> ScalarStyle {
    let found = styled_spans(text, inner).into_iter().find(|(span, _)| span.contains(&byte));
    found.map_or(ScalarStyle::Plain, |(_, style)| style)
}

/// All spans that are not plain, in order, with their quotation marks.
pub(crate) fn styled_spans(text: &str, inner: &Span) -> Vec<(Span, ScalarStyle)> {
    let mut lexer =
        Lexer { text: &text[..inner.end], at: inner.start, found: vec![], flow: 0, column_of: inner.start };
    while lexer.at < inner.end {
        lexer.line();
    }
    lexer.found
}

struct Lexer<'a> {
    text: &'a str,
    at: usize,
    found: Vec<(Span, ScalarStyle)>,
    /// The number of open `[` and `{`.
    flow: usize,
    /// The start of the key or dash that a value on this line belongs to.
    column_of: usize,
}

impl Lexer<'_> {
    fn line(&mut self) {
        let line = self.at;
        let mut fresh = true;
        while let Some(byte) = self.byte(0) {
            let before_blank = matches!(self.byte(1), None | Some(b' ' | b'\t' | b'\r' | b'\n'));
            let after_blank = self.at == line || matches!(self.text.as_bytes()[self.at - 1], b' ' | b'\t');
            match byte {
                b'\n' => {
                    self.at += 1;
                    return;
                }
                b'#' if after_blank => {
                    let end = line_end(self.text, self.at);
                    let words = self.text[self.at..end].trim_end().len();
                    self.found.push((self.at..self.at + words, ScalarStyle::Comment));
                    self.at += words;
                    continue;
                }
                b'"' | b'\'' if fresh => {
                    self.mark_start(line);
                    self.lex_quoted(byte);
                    fresh = false;
                    continue;
                }
                b'|' | b'>' if fresh && self.flow == 0 => return self.block(line),
                b'&' | b'!' if fresh => {
                    let rest = &self.text[self.at..];
                    self.at += rest.find(char::is_whitespace).unwrap_or(rest.len());
                    continue;
                }
                b'-' | b'?' if fresh && before_blank && self.flow == 0 => self.column_of = self.at,
                b'[' | b'{' if fresh => self.flow += 1,
                b']' | b'}' if self.flow > 0 => {
                    self.flow -= 1;
                    fresh = false;
                }
                b',' if self.flow > 0 => fresh = true,
                b':' if before_blank || (self.flow > 0 && !fresh) => fresh = true,
                b' ' | b'\t' | b'\r' => {}
                _ if fresh => {
                    self.mark_start(line);
                    fresh = false;
                }
                _ => {}
            }
            self.at += 1;
        }
    }

    fn byte(&self, ahead: usize) -> Option<u8> {
        self.text.as_bytes().get(self.at + ahead).copied()
    }

    /// Records where a key may begin: the first character of a line, or what follows a dash. Values do not count.
    fn mark_start(&mut self, line: usize) {
        let before = self.text[line..self.at].trim_end();
        if before.is_empty() || before.ends_with(['-', '?']) {
            self.column_of = self.at;
        }
    }

    /// Reads a quoted scalar, which may span lines. One that never ends counts as plain.
    fn lex_quoted(&mut self, quote: u8) {
        let bytes = self.text.as_bytes();
        let mut at = self.at + 1;
        while at < bytes.len() {
            let doubled = quote == b'\'' && bytes[at] == quote && bytes.get(at + 1) == Some(&quote);
            if doubled || (quote == b'"' && bytes[at] == b'\\') {
                at += 2;
            } else if bytes[at] == quote {
                let style = if quote == b'"' { ScalarStyle::Double } else { ScalarStyle::Single };
                self.found.push((self.at..at + 1, style));
                self.at = at + 1;
                return;
            } else {
                at += 1;
            }
        }
        self.at += 1;
    }

    /// Reads the lines of a block scalar: those that are blank or indented further than their key.
    fn block(&mut self, line: usize) {
        let parent = self.column_of.saturating_sub(line);
        let header_end = line_end(self.text, self.at);
        if let Some(comment) = self.text[self.at..header_end].find(" #") {
            let start = self.at + comment + 1;
            self.found
                .push((start..start + self.text[start..header_end].trim_end().len(), ScalarStyle::Comment));
        }
        let mut end = header_end;
        while end < self.text.len() {
            let next = line_end(self.text, end);
            let content = &self.text[end..next];
            let indent = content.len() - content.trim_start_matches(' ').len();
            if !content.trim().is_empty() && indent <= parent {
                break;
            }
            end = next;
        }
        if end > header_end {
            self.found.push((header_end..end, ScalarStyle::Block));
        }
        self.at = end;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn quotes_blocks_and_comments_are_told_apart() {
        let text = "a: it's # no\nb: 'it''s #1' # yes\n\"c\": [x, 'y', z#1]\nd: |- # c\n  # text\n\n  'x\n# end\n- k: >\n    t\n  l: \"a\\\" #\"\n";
        let found: Vec<_> = styled_spans(text, &(0..text.len()))
            .into_iter()
            .map(|(span, style)| (&text[span], style))
            .collect();
        assert_eq!(
            found,
            [
                ("# no", ScalarStyle::Comment),
                ("'it''s #1'", ScalarStyle::Single),
                ("# yes", ScalarStyle::Comment),
                ("\"c\"", ScalarStyle::Double),
                ("'y'", ScalarStyle::Single),
                ("# c", ScalarStyle::Comment),
                ("  # text\n\n  'x\n", ScalarStyle::Block),
                ("# end", ScalarStyle::Comment),
                ("    t\n", ScalarStyle::Block),
                ("\"a\\\" #\"", ScalarStyle::Double),
            ]
        );
    }
}
