//! Feeds a page to the tokenizer piece by piece, so that no tag has too many attributes: the tokenizer compares each
//! with all before it.
//!
//! Each piece ends with a tag, a comment or a text. The tokenizer has then processed everything before it, and its
//! state says what comes next: nothing has to be guessed. A tag with too many attributes ends the page.

use html5ever::TokenizerResult;
use html5ever::tendril::StrTendril;
use html5ever::tokenizer::{BufferQueue, TokenSink, Tokenizer};

use super::BoundedSink;

/// The maximum number of attributes of a tag.
const ATTRIBUTES: usize = 256;

pub(super) fn feed(tokenizer: &Tokenizer<BoundedSink>, html: &str) {
    let mut pieces = PageFeeder { tokenizer, input: BufferQueue::default(), html, fed: 0 };
    while pieces.feed_next() {}
}

struct PageFeeder<'a> {
    tokenizer: &'a Tokenizer<BoundedSink>,
    input: BufferQueue,
    html: &'a str,
    /// How many bytes the tokenizer has received.
    fed: usize,
}

impl PageFeeder<'_> {
    /// Feeds the next piece. Returns whether there is more to read.
    fn feed_next(&mut self) -> bool {
        let (html, sink) = (self.html, &self.tokenizer.sink);
        if sink.ended.get() {
            return false;
        }
        let Some(open) = html[self.fed..].find('<').map(|found| self.fed + found) else {
            self.feed_to(html.len());
            return false;
        };
        let raw = sink.raw.borrow().clone();
        self.feed_to(open);
        // An unclosed entity ends here.
        let inside = sink.adjusted_current_node_present_but_not_in_html_namespace();
        self.feed_to(open + 1);
        let (rest, before) = (&html[open + 1..], sink.tokens.get());
        let name = rest.strip_prefix('/').unwrap_or(rest);
        if let Some(raw) = raw {
            let ends = |after: &u8| is_space(*after) || matches!(after, b'/' | b'>');
            let is_own = name.get(..raw.len()).is_some_and(|name| name.eq_ignore_ascii_case(&raw))
                && name.as_bytes().get(raw.len()).is_some_and(ends);
            if rest.starts_with('/') && is_own {
                self.feed_to(open + 2 + raw.len() + 1);
                // In some places even this is text, and is then passed on as text.
                if sink.tokens.get() == before {
                    self.feed_tag(open + 2);
                }
            }
        } else if name.starts_with(|letter: char| letter.is_ascii_alphabetic()) {
            self.feed_tag(html.len() - name.len());
        } else if rest.starts_with("![CDATA[") && inside {
            self.feed_to(rest.find("]]>").map_or(html.len(), |end| open + 1 + end + 3));
        } else if rest.starts_with("/>") {
            self.feed_to(open + 3);
        } else if rest.starts_with(['!', '?', '/']) {
            self.feed_comment(before);
        }
        true
    }

    /// Feeds the rest of a tag whose name begins here.
    fn feed_tag(&mut self, name: usize) {
        match tag_end(self.html.as_bytes(), name) {
            Some(end) => self.feed_to(end),
            None => self.tokenizer.sink.stop(),
        }
    }

    /// Feeds a comment, or what is parsed as one, up to the first `>` at which the tokenizer ends it.
    fn feed_comment(&mut self, before: usize) {
        while self.tokenizer.sink.tokens.get() == before && self.fed < self.html.len() {
            let end = self.html[self.fed..].find('>');
            self.feed_to(end.map_or(self.html.len(), |end| self.fed + end + 1));
        }
    }

    fn feed_to(&mut self, end: usize) {
        let Some(piece) = self.html.get(self.fed..end).filter(|piece| !piece.is_empty()) else { return };
        self.input.push_back(StrTendril::from(piece));
        // The tokenizer stops after each script so that it could be run.
        while !matches!(self.tokenizer.feed(&self.input), TokenizerResult::Done) {}
        self.fed = end;
    }
}

/// The position after the `>` of a tag whose name begins here; `None` if it has too many attributes.
fn tag_end(bytes: &[u8], name: usize) -> Option<usize> {
    let past = |from: usize, is: &dyn Fn(u8) -> bool| {
        bytes[from..].iter().position(|&byte| !is(byte)).map_or(bytes.len(), |found| from + found)
    };
    let is_name = |byte: u8| !is_space(byte) && !matches!(byte, b'/' | b'>' | b'=');
    let mut at = past(name, &|byte| !is_space(byte) && !matches!(byte, b'/' | b'>'));
    let mut attributes = 0;
    loop {
        at = past(at, &|byte| is_space(byte) || byte == b'/');
        match bytes.get(at) {
            None => return Some(bytes.len()),
            Some(b'>') => return Some(at + 1),
            Some(_) => attributes += 1,
        }
        if attributes > ATTRIBUTES {
            return None;
        }
        // The first character is part of the name even if it is `=`.
        at = past(at + 1, &is_name);
        let value = past(at, &is_space);
        if bytes.get(value) != Some(&b'=') {
            continue;
        }
        at = past(value + 1, &is_space);
        at = match bytes.get(at) {
            Some(&quote @ (b'"' | b'\'')) => (past(at + 1, &|byte| byte != quote) + 1).min(bytes.len()),
            _ => past(at, &|byte| !is_space(byte) && byte != b'>'),
        };
    }
}

fn is_space(byte: u8) -> bool {
    matches!(byte, b' ' | b'\t' | b'\n' | b'\r' | 0x0c)
}
