//! Streams a reply in whole, inert blocks: no client ever gets half a link, a remote image, or an unchecked citation.

/// Buffers text until a block is complete.
#[derive(Debug, Default)]
pub struct BlockStream {
    raw: String,
    /// The length from which the text is processed again. Each time all of it is, so the interval grows with its
    /// length.
    next: usize,
    sent: String,
}

impl BlockStream {
    /// Adds a piece, and returns the further text that can be sent, if any. `inert` makes a text inert.
    pub fn push_piece(&mut self, piece: &str, inert: impl Fn(&str) -> String) -> Option<String> {
        self.raw.push_str(piece);
        if !piece.contains('\n') || self.raw.len() < self.next {
            return None;
        }
        self.next = self.raw.len() + self.raw.len() / 16;
        let whole = inert(&self.raw[..complete_blocks_end(&self.raw)]);
        let whole = whole.trim_end();
        // If a later block changes how an earlier one reads, nothing more is sent until the end.
        let news = whole.strip_prefix(&self.sent).filter(|news| !news.is_empty())?.to_owned();
        self.sent.push_str(&news);
        Some(news)
    }

    /// What is still to be sent of the whole text; `None` if what was sent has to be replaced by it.
    pub fn remaining<'a>(&self, whole: &'a str) -> Option<&'a str> {
        whole.strip_prefix(&self.sent)
    }

    /// Discards everything.
    pub fn reset(&mut self) {
        *self = Self::default();
    }
}

/// The end of the last block that may be sent. Fences are kept whole. A block with a citation waits for the gate, as
/// does the one before it, which the citation may be about; so the last block always waits.
fn complete_blocks_end(text: &str) -> usize {
    let (mut ends, mut at, mut fence) = (vec![0], 0, None);
    for line in text.split_inclusive('\n') {
        at += line.len();
        let words = line.trim();
        if words.contains("ev-") {
            break;
        }
        let mark = ["```", "~~~"].into_iter().find(|mark| words.starts_with(mark));
        match (fence, mark) {
            (None, Some(mark)) => fence = Some(mark),
            (Some(open), Some(mark)) if open == mark => fence = None,
            _ => {}
        }
        let is_between = words.is_empty() && line.ends_with('\n') && fence.is_none();
        // Several blank lines count as one end.
        match ends.last_mut() {
            Some(last) if is_between && text[*last..at].trim().is_empty() => *last = at,
            _ if is_between => ends.push(at),
            _ => {}
        }
    }
    ends.get(ends.len().wrapping_sub(2)).copied().unwrap_or(0)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sent(pieces: &[&str]) -> Vec<String> {
        let mut streamed = BlockStream::default();
        let inert = |text: &str| text.replace("evil", "");
        pieces.iter().filter_map(|piece| streamed.push_piece(piece, inert)).collect()
    }

    #[test]
    fn blocks_are_told_whole_and_inert() {
        assert_eq!(sent(&["One ", "evil two.\n", "\nThree\n", "\nFo", "ur"]), ["One  two."]);
        assert_eq!(sent(&["a\n\n```\ncode\n\nmore\n", "```\n", "\nb\n\nc"]), ["a\n\n```\ncode\n\nmore\n```"]);
        assert!(sent(&["no end"]).is_empty());
    }

    #[test]
    fn what_cites_something_waits_for_the_gate() {
        let pieces = ["A.\n\n", "B.\n\n", "```\nC\n```\n\n", "[ev-x-001]\n\n", "D.\n\n", "E.\n\n"];
        assert_eq!(sent(&pieces).concat(), "A.\n\nB.");
    }

    #[test]
    fn a_long_reply_is_not_looked_at_anew_for_each_of_its_lines() {
        let mut streamed = BlockStream::default();
        let looked = std::cell::Cell::new(0);
        let inert = |text: &str| {
            looked.set(looked.get() + text.len());
            text.to_owned()
        };
        let sent: usize =
            (0..50_000).filter_map(|_| streamed.push_piece("x\n\n", inert)).map(|news| news.len()).sum();
        assert!(sent > 130_000, "{sent}");
        assert!(looked.get() < 20 * 150_000, "{} bytes were looked at", looked.get());
    }

    #[test]
    fn what_is_left_follows_what_was_told() {
        let mut streamed = BlockStream::default();
        assert_eq!(streamed.push_piece("One.\n\nTwo.\n\nTh", str::to_owned).as_deref(), Some("One."));
        assert_eq!(streamed.remaining("One.\n\nTwo."), Some("\n\nTwo."));
        assert_eq!(streamed.remaining("Other."), None);
        streamed.reset();
        assert_eq!(streamed.remaining("Other."), Some("Other."));
    }
}
