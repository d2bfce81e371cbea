//! Byte ranges and line numbers of a text.

/// A range of bytes of the text it was made from.
pub type Span = std::ops::Range<usize>;

/// The byte-order mark that some editors leave at a file's start. It is part of the file, not of the note.
pub const BOM: char = '\u{feff}';

/// Maps between bytes and lines of a text. A line ends with `\n`; a `\r` before it belongs to the ending.
///
/// A final line break does not start another, empty line; an empty text has no lines.
#[derive(Debug, Clone)]
pub struct LineIndex {
    starts: Vec<usize>,
    len: usize,
}

impl LineIndex {
    /// Finds the line starts of a text.
    pub fn new(text: &str) -> Self {
        let mut starts = vec![];
        let mut at = 0;
        while at < text.len() {
            starts.push(at);
            at = line_end(text, at);
        }
        Self { starts, len: text.len() }
    }

    /// The number of lines.
    pub fn count(&self) -> usize {
        self.starts.len()
    }

    /// The number, from 1, of the line that contains this byte. A byte past the end is in the last line.
    pub fn line_of(&self, byte: usize) -> usize {
        self.starts.partition_point(|&start| start <= byte).max(1)
    }

    /// The first byte of the line that contains this byte.
    pub(crate) fn line_start(&self, byte: usize) -> usize {
        self.starts.get(self.line_of(byte) - 1).copied().unwrap_or(0)
    }

    /// The bytes of these lines, both included, with the ending of the last one. `None` if there are no such lines.
    pub fn span(&self, start_line: usize, end_line: usize) -> Option<Span> {
        if start_line == 0 || end_line < start_line || end_line > self.count() {
            return None;
        }
        let start = *self.starts.get(start_line - 1)?;
        Some(start..self.starts.get(end_line).copied().unwrap_or(self.len))
    }
}

/// The line ending of most lines of the text: `"\n"` or `"\r\n"`. A text without line breaks has `"\n"`.
pub fn line_ending(text: &str) -> &'static str {
    let all = text.bytes().filter(|&byte| byte == b'\n').count();
    let crlf = text.as_bytes().windows(2).filter(|pair| pair == b"\r\n").count();
    if crlf * 2 > all { "\r\n" } else { "\n" }
}

/// The end of the line that contains this byte, after its line break.
pub(crate) fn line_end(text: &str, byte: usize) -> usize {
    text.as_bytes()[byte..].iter().position(|&b| b == b'\n').map_or(text.len(), |at| byte + at + 1)
}

/// The length in bytes of the byte-order mark at the start of the text: 3 or 0.
pub(crate) fn bom_len(text: &str) -> usize {
    if text.starts_with(BOM) { BOM.len_utf8() } else { 0 }
}

/// Returns the text with every line break replaced by `eol`.
pub(crate) fn with_line_ending(text: &str, eol: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for (index, line) in text.split('\n').enumerate() {
        if index > 0 {
            // A carriage return before a line break is part of the break.
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
