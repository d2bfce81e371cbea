//! Byte ranges and lines of a text.

/// A range of bytes of the text it was made from.
pub type Span = std::ops::Range<usize>;

/// The byte-order mark that some editors leave at a file's start. It is part of the file, not of the note.
pub const BOM: char = '\u{feff}';

/// Where the lines of a text begin. A line ends with `\n`; a `\r` before it belongs to the ending.
///
/// A text that ends with a line break has no further, empty line after it; an empty text has no line.
#[derive(Debug, Clone)]
pub struct LineIndex {
    starts: Vec<usize>,
    len: usize,
}

impl LineIndex {
    pub fn new(text: &str) -> Self {
        let mut starts = vec![];
        let mut at = 0;
        while at < text.len() {
            starts.push(at);
            at = line_end(text, at);
        }
        Self { starts, len: text.len() }
    }

    pub fn count(&self) -> usize {
        self.starts.len()
    }

    /// The line, from 1, that holds this byte. A byte past the end is in the last line.
    pub fn line_of(&self, byte: usize) -> usize {
        self.starts.partition_point(|&start| start <= byte).max(1)
    }

    /// Where the line begins that holds this byte.
    pub(crate) fn line_start(&self, byte: usize) -> usize {
        self.starts.get(self.line_of(byte) - 1).copied().unwrap_or(0)
    }

    /// The bytes of these lines, both included, with the last one's ending.
    pub fn span(&self, start_line: usize, end_line: usize) -> Option<Span> {
        if start_line == 0 || end_line < start_line || end_line > self.count() {
            return None;
        }
        let start = *self.starts.get(start_line - 1)?;
        Some(start..self.starts.get(end_line).copied().unwrap_or(self.len))
    }
}

/// The line ending that most lines of the text have: `"\n"` or `"\r\n"`. Without any line break it is `"\n"`.
pub fn line_ending(text: &str) -> &'static str {
    let all = text.bytes().filter(|&byte| byte == b'\n').count();
    let crlf = text.as_bytes().windows(2).filter(|pair| pair == b"\r\n").count();
    if crlf * 2 > all { "\r\n" } else { "\n" }
}

/// The end of the line that holds this byte, its line break included.
pub(crate) fn line_end(text: &str, byte: usize) -> usize {
    text.as_bytes()[byte..].iter().position(|&b| b == b'\n').map_or(text.len(), |at| byte + at + 1)
}

/// The length of the byte-order mark that the text begins with: 3 or 0.
pub(crate) fn bom_len(text: &str) -> usize {
    if text.starts_with(BOM) { BOM.len_utf8() } else { 0 }
}

/// The same text with every line break written as `eol`.
pub(crate) fn with_line_ending(text: &str, eol: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for (index, line) in text.split('\n').enumerate() {
        if index > 0 {
            // The carriage return before a line break is part of the break, and goes with it.
            if out.ends_with('\r') {
                out.pop();
            }
            out.push_str(eol);
        }
        out.push_str(line);
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_are_counted_from_one_and_keep_their_ending() {
        let text = "a\r\nb\n\nlast";
        let lines = LineIndex::new(text);
        assert_eq!(lines.count(), 4);
        assert_eq!(lines.span(1, 1), Some(0..3));
        assert_eq!(lines.span(2, 4), Some(3..10));
        assert_eq!(lines.span(0, 1), None);
        assert_eq!(lines.span(4, 5), None);
        assert_eq!(lines.span(3, 2), None);
        assert_eq!((lines.line_of(0), lines.line_of(2), lines.line_of(3), lines.line_of(99)), (1, 1, 2, 4));
    }

    #[test]
    fn an_empty_text_has_no_line() {
        assert_eq!(LineIndex::new("").count(), 0);
        assert_eq!(LineIndex::new("").line_of(0), 1);
        assert_eq!(LineIndex::new("a\n").count(), 1);
    }

    #[test]
    fn the_dominant_line_ending_wins() {
        for (text, ending) in
            [("", "\n"), ("a", "\n"), ("a\r\n", "\r\n"), ("a\r\nb\n", "\n"), ("\r\n\r\n\n", "\r\n")]
        {
            assert_eq!(line_ending(text), ending, "{text:?}");
        }
    }

    #[test]
    fn line_breaks_are_rewritten_without_doubling_a_carriage_return() {
        assert_eq!(with_line_ending("a\nb\r\nc", "\r\n"), "a\r\nb\r\nc");
        assert_eq!(with_line_ending("a\nb\r\nc\rd\n", "\n"), "a\nb\nc\rd\n");
    }
}
