//! HTML into a tree, bounded: however a page nests, repeats and never ends, time and memory stay in proportion to its size.
//!
//! The parser's own costs grow with the number of open elements and with the attributes of one tag, so both are limited
//! before it sees them. What is nested deeper than anything that people write is not read at all: what hides it may be
//! just what was left out.

use std::borrow::Cow;
use std::cell::Cell;

use html5ever::TokenizerResult;
use html5ever::interface::TreeSink;
use html5ever::tendril::StrTendril;
use html5ever::tokenizer::states::RawKind;
use html5ever::tokenizer::{
    BufferQueue, Tag, TagKind, Token, TokenSink, TokenSinkResult, Tokenizer, TokenizerOpts,
};
use html5ever::tree_builder::{Tracer, TreeBuilder, TreeBuilderOpts};

use super::build::{Builder, is_known};
use super::tree::{NodeId, Tree};

/// How many elements may be open at once.
const DEPTH: usize = 300;
/// How many nodes a page may have.
const NODES: usize = 200_000;
/// How many attributes a tag may have.
const ATTRIBUTES: usize = 256;
/// How much of an attribute is kept, in bytes.
const ATTRIBUTE_BYTES: usize = 8 * 1024;

/// A page's tree, and whether there was more of it.
pub(super) fn parse(html: &str) -> (Tree, bool) {
    let builder = TreeBuilder::new(
        Builder::new(),
        // What is in `noscript` is then one text, and can't get out of it.
        TreeBuilderOpts { scripting_enabled: true, ..TreeBuilderOpts::default() },
    );
    let bounded = Bounded { builder, unread: Cell::new(0), cut: Cell::new(false) };
    let tokenizer = Tokenizer::new(bounded, TokenizerOpts::default());
    let input = BufferQueue::default();
    input.push_back(StrTendril::from(&*fewer_attributes(html)));
    // It stops after each script so that somebody could run it.
    while !matches!(tokenizer.feed(&input), TokenizerResult::Done) {}
    tokenizer.end();
    let cut = tokenizer.sink.cut.get();
    (tokenizer.sink.builder.sink.finish(), cut)
}

/// Stands between the tokenizer and what builds the tree.
struct Bounded {
    builder: TreeBuilder<NodeId, Builder>,
    /// How many elements are open that are not read.
    unread: Cell<usize>,
    cut: Cell<bool>,
}

impl TokenSink for Bounded {
    type Handle = NodeId;

    fn process_token(&self, token: Token, line: u64) -> TokenSinkResult<NodeId> {
        match token {
            Token::ParseError(_) => TokenSinkResult::Continue,
            Token::EOFToken => self.builder.process_token(token, line),
            _ if self.is_full() => TokenSinkResult::Continue,
            Token::TagToken(tag) => self.tag(tag, line),
            _ if self.unread.get() > 0 => TokenSinkResult::Continue,
            token => self.builder.process_token(token, line),
        }
    }

    fn end(&self) {
        self.builder.end();
    }

    fn adjusted_current_node_present_but_not_in_html_namespace(&self) -> bool {
        self.builder.adjusted_current_node_present_but_not_in_html_namespace()
    }
}

impl Bounded {
    fn is_full(&self) -> bool {
        let full = self.builder.sink.nodes() > NODES;
        if full {
            self.cut.set(true);
        }
        full
    }

    fn tag(&self, mut tag: Tag, line: u64) -> TokenSinkResult<NodeId> {
        let unread = self.unread.get();
        match tag.kind {
            TagKind::StartTag if unread > 0 || self.open() >= DEPTH => {
                self.cut.set(true);
                if !is_void(&tag.name) && !tag.self_closing {
                    self.unread.set(unread + 1);
                }
                raw(&tag.name)
            }
            TagKind::EndTag if unread > 0 => {
                self.unread.set(unread - 1);
                TokenSinkResult::Continue
            }
            _ => {
                tag.attrs.retain(|attribute| is_known(&attribute.name.local));
                for attribute in &mut tag.attrs {
                    if attribute.value.len() > ATTRIBUTE_BYTES {
                        attribute.value = StrTendril::from(shortened(&attribute.value));
                    }
                }
                self.builder.process_token(Token::TagToken(tag), line)
            }
        }
    }

    /// How many elements are open or wait to be opened again.
    fn open(&self) -> usize {
        struct Count(Cell<usize>);
        impl Tracer for Count {
            type Handle = NodeId;
            fn trace_handle(&self, _: &NodeId) {
                self.0.set(self.0.get() + 1);
            }
        }
        let count = Count(Cell::new(0));
        self.builder.trace_handles(&count);
        count.0.get()
    }
}

fn shortened(value: &str) -> &str {
    &value[..value.floor_char_boundary(ATTRIBUTE_BYTES)]
}

/// How the text of an element that is not read goes on: in some, nothing is a tag but their own end.
fn raw(name: &str) -> TokenSinkResult<NodeId> {
    match name {
        "script" => TokenSinkResult::RawData(RawKind::ScriptData),
        "style" | "xmp" | "iframe" | "noembed" | "noframes" | "noscript" => {
            TokenSinkResult::RawData(RawKind::Rawtext)
        }
        "title" | "textarea" => TokenSinkResult::RawData(RawKind::Rcdata),
        "plaintext" => TokenSinkResult::Plaintext,
        _ => TokenSinkResult::Continue,
    }
}

fn is_void(name: &str) -> bool {
    matches!(
        name,
        "area"
            | "base"
            | "br"
            | "col"
            | "embed"
            | "hr"
            | "img"
            | "input"
            | "link"
            | "meta"
            | "source"
            | "track"
            | "wbr"
    )
}

/// The page with tags of a bearable number of attributes: the tokenizer compares each with all before it.
///
/// Sees tags in scripts and comments too, where taking something out does no harm.
fn fewer_attributes(html: &str) -> Cow<'_, str> {
    let bytes = html.as_bytes();
    let (mut kept, mut done, mut at) = (String::new(), 0, 0);
    while let Some(found) = bytes[at..].iter().position(|&byte| byte == b'<') {
        at += found + 1;
        if !bytes.get(at).is_some_and(u8::is_ascii_alphabetic) {
            continue;
        }
        let (excess, end) = tag_end(bytes, at);
        if let Some(excess) = excess {
            kept.push_str(&html[done..excess]);
            done = end;
        }
        at = end;
    }
    if done == 0 {
        return Cow::Borrowed(html);
    }
    kept.push_str(&html[done..]);
    Cow::Owned(kept)
}

/// Where the tag has too many attributes, and where it ends: at its `>`.
fn tag_end(bytes: &[u8], start: usize) -> (Option<usize>, usize) {
    let (mut attributes, mut excess, mut at) = (0, None, start);
    let mut value = false;
    while let Some(&byte) = bytes.get(at) {
        match byte {
            b'>' => break,
            b'=' => value = true,
            b'"' | b'\'' if value => {
                let close = bytes[at + 1..].iter().position(|&other| other == byte);
                at += close.map_or(bytes.len() - at - 1, |close| close + 1);
                value = false;
                attributes += 1;
            }
            b' ' | b'\t' | b'\n' | b'\r' | 0x0c | b'/' if !value => attributes += 1,
            byte if !byte.is_ascii_whitespace() => value = false,
            _ => {}
        }
        if attributes > ATTRIBUTES && excess.is_none() && (byte.is_ascii_whitespace() || byte == b'/') {
            excess = Some(at);
        }
        at += 1;
    }
    (excess, at)
}
