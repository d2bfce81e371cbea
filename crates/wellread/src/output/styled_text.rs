//! A result with our own emphasis and links, fitted to the terminal that shows it. On a pipe it is the text alone.

use std::ops::Range;

use unicode_width::UnicodeWidthStr as _;
use wellread_core::domain::display::reveal_controls;

/// A text in pieces, some of them emphasized or linked. The words may be anybody's: what a terminal would act on is written out.
#[derive(Debug, Default, Clone)]
pub struct StyledText {
    text: String,
    spans: Vec<(Range<usize>, SpanStyle)>,
}

/// How a piece looks.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum SpanStyle {
    Strong,
    Faint,
    Good,
    Bad,
    /// A link to this address.
    Link(String),
}

/// What the terminal can show.
#[derive(Debug, Clone, Copy, Default)]
pub struct TerminalFeatures {
    pub color: bool,
    pub links: bool,
    /// The number of columns, if lines are to be wrapped.
    pub width: Option<usize>,
}

/// A terminal that is narrower is not wrapped to: words would stand alone.
const NARROWEST: usize = 20;

impl StyledText {
    /// Adds words without emphasis.
    pub fn push(&mut self, words: &str) {
        self.text += &reveal_controls(words);
    }

    /// Adds words that look like this.
    pub fn push_styled(&mut self, words: &str, style: SpanStyle) {
        let start = self.text.len();
        self.push(words);
        self.spans.push((start..self.text.len(), style));
    }

    /// The text for such a terminal, and for no other writer than [`super::Output`].
    pub(super) fn render(&self, features: TerminalFeatures) -> String {
        let mut rendered = String::with_capacity(self.text.len());
        for (piece, indent) in self.wrap(features.width) {
            rendered += &indent;
            self.render_piece(&piece, features, &mut rendered);
        }
        rendered
    }

    /// The text in pieces, each with what is put before it: nothing, or a line end and the indentation of its line.
    fn wrap(&self, width: Option<usize>) -> Vec<(Range<usize>, String)> {
        let Some(width) = width.filter(|width| *width >= NARROWEST) else {
            return vec![(0..self.text.len(), String::new())];
        };
        let mut pieces = Vec::new();
        let mut start = 0;
        for line in self.text.split_inclusive('\n') {
            wrap_line(line, start, width, &mut pieces);
            start += line.len();
        }
        pieces
    }

    fn render_piece(&self, piece: &Range<usize>, features: TerminalFeatures, rendered: &mut String) {
        let mut at = piece.start;
        for (span, style) in
            self.spans.iter().filter(|(span, _)| span.start < piece.end && span.end > piece.start)
        {
            let (start, end) = (span.start.max(piece.start), span.end.min(piece.end));
            rendered.push_str(&self.text[at..start]);
            let words = &self.text[start..end];
            match style.escapes(features) {
                Some((before, after)) => rendered.extend([before.as_str(), words, after]),
                None => rendered.push_str(words),
            }
            at = end;
        }
        rendered.push_str(&self.text[at..piece.end]);
    }
}

impl SpanStyle {
    fn escapes(&self, features: TerminalFeatures) -> Option<(String, &'static str)> {
        let code = match self {
            Self::Link(address) => {
                let is_safe = address.bytes().all(|byte| byte.is_ascii_graphic());
                return (features.links && is_safe)
                    .then(|| (format!("\x1b]8;;{address}\x1b\\"), "\x1b]8;;\x1b\\"));
            }
            Self::Strong => "1",
            Self::Faint => "2",
            Self::Good => "32",
            Self::Bad => "1;31",
        };
        features.color.then(|| (format!("\x1b[{code}m"), "\x1b[0m"))
    }
}

/// Splits a line that is too long at blanks. What follows is indented as the line is, below the text of a list item.
fn wrap_line(line: &str, offset: usize, width: usize, pieces: &mut Vec<(Range<usize>, String)>) {
    let text = line.trim_end_matches('\n');
    let indent = text.len() - text.trim_start_matches(' ').len();
    let item = if text[indent..].starts_with("- ") { 2 } else { 0 };
    let hanging = if indent + item > width / 2 { 0 } else { indent + item };
    let mut start = 0;
    let mut before = String::new();
    while let Some((end, next)) =
        find_break(text, start, width.saturating_sub(if start == 0 { 0 } else { hanging }))
    {
        pieces.push((offset + start..offset + end, std::mem::take(&mut before)));
        before = format!("\n{}", " ".repeat(hanging));
        start = next;
    }
    pieces.push((offset + start..offset + line.len(), before));
}

/// Where a line ends that begins at `start` and has so many columns, and where the next begins. `None` if the rest fits, or has no
/// blank to break at.
fn find_break(text: &str, start: usize, columns: usize) -> Option<(usize, usize)> {
    let rest = &text[start..];
    if rest.width() <= columns {
        return None;
    }
    let first_word = rest.len() - rest.trim_start_matches(' ').len();
    let blanks = rest.match_indices(' ').map(|(at, _)| at).filter(|at| *at > first_word);
    let mut chosen = None;
    for at in blanks {
        if chosen.is_some() && rest[..at].width() > columns {
            break;
        }
        chosen = Some(at);
    }
    let end = chosen?;
    let next = end + (rest[end..].len() - rest[end..].trim_start_matches(' ').len());
    (next < rest.len()).then_some((start + end, start + next))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn plain(words: &str) -> StyledText {
        let mut text = StyledText::default();
        text.push(words);
        text
    }

    fn wrapped(text: &str, width: usize) -> String {
        plain(text).render(TerminalFeatures { width: Some(width), ..TerminalFeatures::default() })
    }

    #[test]
    fn long_lines_break_at_blanks_and_keep_their_indentation() {
        assert_eq!(wrapped("one two three four five six\n", 20), "one two three four\nfive six\n");
        assert_eq!(wrapped("  - one two three four five\n", 20), "  - one two three\n    four five\n");
        assert_eq!(wrapped("a\n\nb c\n", 20), "a\n\nb c\n");
        let long = format!("{} short\n", "x".repeat(30));
        assert_eq!(wrapped(&long, 20), format!("{}\nshort\n", "x".repeat(30)), "a word stays whole");
        assert_eq!(
            wrapped("蜂は胸の筋肉を ふるわせて 熱を出し\n", 20),
            "蜂は胸の筋肉を\nふるわせて 熱を出し\n"
        );
        assert_eq!(wrapped("one two three four five six", 5), "one two three four five six");
    }

    #[test]
    fn only_our_own_escapes_are_written() {
        let mut text = plain("a\x1b[2J ");
        text.push_styled("place\x1b]8;;x\x07", SpanStyle::Link("file:///a%20b".to_owned()));
        text.push_styled(" evil", SpanStyle::Link("file:///\x1b\\".to_owned()));
        text.push_styled(" faint", SpanStyle::Faint);
        let plain = text.render(TerminalFeatures::default());
        assert_eq!(plain, "a⟨U+001B⟩[2J place⟨U+001B⟩]8;;x⟨U+0007⟩ evil faint");
        let all = text.render(TerminalFeatures { color: true, links: true, width: None });
        assert_eq!(
            all,
            "a⟨U+001B⟩[2J \x1b]8;;file:///a%20b\x1b\\place⟨U+001B⟩]8;;x⟨U+0007⟩\x1b]8;;\x1b\\ evil\x1b[2m faint\x1b[0m"
        );
    }

    #[test]
    fn a_link_that_is_broken_over_two_lines_is_a_link_on_both() {
        let mut text = plain("see ");
        text.push_styled("one two three four five", SpanStyle::Link("file:///x".to_owned()));
        let all = text.render(TerminalFeatures { color: false, links: true, width: Some(20) });
        assert_eq!(all.matches("file:///x").count(), 2, "{all:?}");
        assert!(all.contains("\x1b]8;;\x1b\\\n"), "{all:?}");
    }
}
