//! HTML as a sequence of tags and texts. No tree is built: result pages are simple, and nothing of them is shown as
//! HTML.

use std::cell::{Cell, RefCell};

use html5ever::tendril::StrTendril;
use html5ever::tokenizer::states::RawKind;
use html5ever::tokenizer::{
    BufferQueue, Tag, TagKind, Token, TokenSink, TokenSinkResult, Tokenizer, TokenizerOpts,
};

/// The longest tag in bytes: comparing its attributes with each other takes quadratic time.
const LONGEST_TAG: usize = 64 * 1024;
/// How many bytes the tokenizer gets at once; progress is checked in between.
const PORTION: usize = 4 * 1024;

#[derive(Debug, Clone, PartialEq, Eq)]
pub enum HtmlPiece {
    Open { name: String, attributes: Vec<(String, String)> },
    Close(String),
    Text(String),
}

impl HtmlPiece {
    pub fn attribute(&self, wanted: &str) -> Option<&str> {
        let Self::Open { attributes, .. } = self else { return None };
        attributes.iter().find(|(name, _)| name == wanted).map(|(_, value)| value.as_str())
    }

    pub fn has_class(&self, wanted: &str) -> bool {
        self.attribute("class")
            .is_some_and(|classes| classes.split_ascii_whitespace().any(|one| one == wanted))
    }
}

/// The pieces of a page, with entities decoded and without the text of scripts and styles. `None` if a tag or a comment
/// does not end.
pub fn parse_pieces(html: &str) -> Option<Vec<HtmlPiece>> {
    let input = BufferQueue::default();
    let tokenizer = Tokenizer::new(PieceSink::default(), TokenizerOpts::default());
    let (mut rest, mut since) = (html, 0);
    while !rest.is_empty() {
        let (portion, after) = rest.split_at(rest.ceil_char_boundary(PORTION));
        rest = after;
        input.push_back(StrTendril::from_slice(portion));
        let _ = tokenizer.feed(&input);
        since = if tokenizer.sink.got_on.take() { 0 } else { since + portion.len() };
        if since > LONGEST_TAG {
            return None;
        }
    }
    tokenizer.end();
    Some(tokenizer.sink.pieces.into_inner())
}

/// The text of markup without its tags; block tags separate words. Empty if the markup does not end.
pub fn strip_tags(html: &str) -> String {
    let mut text = String::new();
    for piece in parse_pieces(html).unwrap_or_default() {
        match piece {
            HtmlPiece::Text(words) => text.push_str(&words),
            HtmlPiece::Open { name, .. } | HtmlPiece::Close(name) if is_block_tag(&name) => text.push(' '),
            HtmlPiece::Open { .. } | HtmlPiece::Close(_) => {}
        }
    }
    text
}

fn is_block_tag(name: &str) -> bool {
    ["br", "p", "div", "li", "ul", "ol", "td", "tr", "h1", "h2", "h3", "h4", "hr"].contains(&name)
}

#[derive(Default)]
struct PieceSink {
    pieces: RefCell<Vec<HtmlPiece>>,
    /// The name of the current element whose content is not text, such as a script or a style.
    silent: RefCell<Option<String>>,
    /// Whether a token was completed since the last check.
    got_on: Cell<bool>,
}

impl PieceSink {
    fn push_tag(&self, tag: Tag) -> TokenSinkResult<()> {
        let name = tag.name.to_string();
        if tag.kind == TagKind::EndTag {
            if self.silent.borrow().as_deref() == Some(&name) {
                self.silent.take();
            }
            self.pieces.borrow_mut().push(HtmlPiece::Close(name));
            return TokenSinkResult::Continue;
        }
        let raw = match name.as_str() {
            "script" => Some(RawKind::ScriptData),
            "style" | "xmp" | "iframe" | "noembed" | "noframes" => Some(RawKind::Rawtext),
            "title" | "textarea" => Some(RawKind::Rcdata),
            _ => None,
        };
        if raw.is_some() {
            self.silent.replace(Some(name.clone()));
        }
        let attribute = |one: html5ever::Attribute| (one.name.local.to_string(), one.value.to_string());
        let attributes = tag.attrs.into_iter().map(attribute).collect();
        self.pieces.borrow_mut().push(HtmlPiece::Open { name, attributes });
        raw.map_or(TokenSinkResult::Continue, TokenSinkResult::RawData)
    }
}

impl TokenSink for PieceSink {
    type Handle = ();

    fn process_token(&self, token: Token, _line: u64) -> TokenSinkResult<()> {
        if !matches!(token, Token::ParseError(_)) {
            self.got_on.set(true);
        }
        match token {
            Token::TagToken(tag) => return self.push_tag(tag),
            Token::CharacterTokens(text) if self.silent.borrow().is_none() => {
                let mut pieces = self.pieces.borrow_mut();
                match pieces.last_mut() {
                    Some(HtmlPiece::Text(before)) => before.push_str(&text),
                    _ => pieces.push(HtmlPiece::Text(text.to_string())),
                }
            }
            _ => {}
        }
        TokenSinkResult::Continue
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tags_go_and_entities_are_decoded() {
        for (html, plain) in [
            ("a <b>bold</b> word", "a bold word"),
            ("Tom &amp; Jerry &lt;3 &#x27;x&#39; &nbsp;y &eacute;", "Tom & Jerry <3 'x' \u{a0}y é"),
            ("one<br>two<p>three", "one two three"),
            ("<script>alert('</b>')</script>kept<style>a{}</style>", "kept"),
            ("<!-- no --><img src=x onerror=alert(1)>text", "text"),
            ("p < 0.05 and a&b", "p < 0.05 and a&b"),
            ("<b <i>unclosed", "unclosed"),
            ("<title>a</title>b", "b"),
            ("", ""),
        ] {
            assert_eq!(strip_tags(html), plain, "{html}");
        }
    }

    #[test]
    fn endless_markup_takes_time_in_proportion() {
        let deep = "<div class=a>".repeat(50_000);
        assert_eq!(parse_pieces(&deep).unwrap().len(), 50_000);
        assert!(strip_tags(&"<".repeat(100_000)).len() <= 100_000);
    }

    #[test]
    fn a_tag_of_endless_attributes_is_refused_however_it_is_written() {
        let mut attributes: String = (0..10_000).map(|n| format!("a{n}=\">\" ")).collect();
        for begins in ["<p ", "</p ", "<p\n<b ", "words <p x='", "<!-- "] {
            assert_eq!(parse_pieces(&format!("{begins}{attributes}")), None, "{begins}");
        }
        attributes.truncate(LONGEST_TAG - 2 * PORTION);
        assert_eq!(
            parse_pieces(&format!("<p {attributes}\">kept")).unwrap()[1],
            HtmlPiece::Text("kept".to_owned())
        );
        let long = "é a < b & c ".repeat(50_000);
        assert_eq!(parse_pieces(&long), Some(vec![HtmlPiece::Text(long.clone())]));
        let script = format!("<script>{}</script>kept", "x<y ".repeat(100_000));
        assert_eq!(strip_tags(&script), "kept");
    }
}
