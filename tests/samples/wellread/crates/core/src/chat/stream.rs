//! A reply as it comes, told in whole blocks that are inert: no client is ever given half a link, a picture from
//! elsewhere, or a citation that was not checked.

/// Holds back what is not a whole block yet.
#[derive(Debug, Default)]
pub struct Streamed {
    raw: String,
    /// How long it has to be before it is looked at anew. All of it is: so the longer it is, the more has to have come.
    next: usize,
    told: String,
}

impl Streamed {
    /// Takes a piece in, and gives what can be told now. `inert` makes a text inert.
    pub fn piece(&mut self, piece: &str, inert: impl Fn(&str) -> String) -> Option<String> {
        self.raw.push_str(piece);
        if !piece.contains('\n') || self.raw.len() < self.next {
            return None;
        }
        self.next = self.raw.len() + self.raw.len() / 16;
        let whole = inert(&self.raw[..whole_blocks(&self.raw)]);
        let whole = whole.trim_end();
        // Where a later block changes how an earlier one is read, nothing more is told until the end.
        let news = whole.strip_prefix(&self.told).filter(|news| !news.is_empty())?.to_owned();
        self.told.push_str(&news);
        Some(news)
    }

    /// What is left to be told of the whole text; none where what was told must be replaced by it.
    pub fn rest<'a>(&self, whole: &'a str) -> Option<&'a str> {
        whole.strip_prefix(&self.told)
    }

    /// Nothing of it counts.
    pub fn again(&mut self) {
        *self = Self::default();
    }
}

/// Where the last block ends that may be told: fences are taken as a whole, and what cites something waits for the gate, as does
/// the block before it, which a citation below may be about. So the last block always waits.
fn whole_blocks(text: &str) -> usize {
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
        // Several blank lines are one end.
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

    fn told(pieces: &[&str]) -> Vec<String> {
        let mut streamed = Streamed::default();
        let inert = |text: &str| text.replace("evil", "");
        pieces.iter().filter_map(|piece| streamed.piece(piece, inert)).collect()
    }

    #[test]
    fn blocks_are_told_whole_and_inert() {
        assert_eq!(told(&["One ", "evil two.\n", "\nThree\n", "\nFo", "ur"]), ["One  two."]);
        assert_eq!(told(&["a\n\n```\ncode\n\nmore\n", "```\n", "\nb\n\nc"]), ["a\n\n```\ncode\n\nmore\n```"]);
        assert!(told(&["no end"]).is_empty());
    }

    #[test]
    fn what_cites_something_waits_for_the_gate() {
        let pieces = ["A.\n\n", "B.\n\n", "```\nC\n```\n\n", "[ev-x-001]\n\n", "D.\n\n", "E.\n\n"];
        assert_eq!(told(&pieces).concat(), "A.\n\nB.");
    }

    #[test]
    fn a_long_reply_is_not_looked_at_anew_for_each_of_its_lines() {
        let mut streamed = Streamed::default();
        let looked = std::cell::Cell::new(0);
        let inert = |text: &str| {
            looked.set(looked.get() + text.len());
            text.to_owned()
        };
        let told: usize =
            (0..50_000).filter_map(|_| streamed.piece("x\n\n", inert)).map(|news| news.len()).sum();
        assert!(told > 130_000, "{told}");
        assert!(looked.get() < 20 * 150_000, "{} bytes were looked at", looked.get());
    }

    #[test]
    fn what_is_left_follows_what_was_told() {
        let mut streamed = Streamed::default();
        assert_eq!(streamed.piece("One.\n\nTwo.\n\nTh", str::to_owned).as_deref(), Some("One."));
        assert_eq!(streamed.rest("One.\n\nTwo."), Some("\n\nTwo."));
        assert_eq!(streamed.rest("Other."), None);
        streamed.again();
        assert_eq!(streamed.rest("Other."), Some("Other."));
    }
}
