//! Parses HTML into a tree with bounded cost: time and memory stay proportional to the size of the page, however it
//! nests or repeats.
//!
//! The parser's own costs grow with the number of open elements and with the attributes of a tag, so both are limited
//! before the parser sees them. A page that exceeds what people write ends there: only the part before is read, since
//! the omitted part may be what hides the rest.

mod feed;

use std::cell::{Cell, RefCell};

use html5ever::interface::TreeSink;
use html5ever::tendril::StrTendril;
use html5ever::tokenizer::{Tag, TagKind, Token, TokenSink, TokenSinkResult, Tokenizer, TokenizerOpts};
use html5ever::tree_builder::{Tracer, TreeBuilder, TreeBuilderOpts};
use html5ever::{Attribute, LocalName, QualName, ns};

use super::build::{DomBuilder, is_known};
use super::tree::{NodeId, Tree};

/// The maximum number of open elements.
const DEPTH: usize = 300;
/// The maximum number of nodes of a page.
const NODES: usize = 200_000;
/// The maximum number of bytes of an attribute that are kept.
const ATTRIBUTE_BYTES: usize = 8 * 1024;
/// The attributes of a tree are at most this many times as long as the page, and [`SPARE_ATTRIBUTE_BYTES`]. A tree has
/// more than its page where formatting elements overlap: the parser then repeats them, with their attributes, in each
/// element that follows.
const ATTRIBUTE_COPIES: usize = 4;
const SPARE_ATTRIBUTE_BYTES: usize = 1024 * 1024;

/// Parses a page. Returns its tree and whether it was cut.
pub(super) fn parse(html: &str) -> (Tree, bool) {
    let builder = TreeBuilder::new(
        DomBuilder::new(),
        // The content of `noscript` is then a single text and cannot end it.
        TreeBuilderOpts { scripting_enabled: true, ..TreeBuilderOpts::default() },
    );
    let bounded = BoundedSink {
        builder,
        raw: RefCell::default(),
        tokens: Cell::new(0),
        ended: Cell::new(false),
        cut: Cell::new(false),
        most_attribute_bytes: ATTRIBUTE_COPIES * html.len() + SPARE_ATTRIBUTE_BYTES,
    };
    let tokenizer = Tokenizer::new(bounded, TokenizerOpts::default());
    feed::feed(&tokenizer, html);
    tokenizer.end();
    let cut = tokenizer.sink.cut.get();
    (tokenizer.sink.builder.sink.finish(), cut)
}

/// Sits between the tokenizer and the tree builder.
struct BoundedSink {
    builder: TreeBuilder<NodeId, DomBuilder>,
    /// The open raw-text element, in which only its own end tag is a tag.
    raw: RefCell<Option<LocalName>>,
    /// The number of tokens without errors.
    tokens: Cell<usize>,
    /// Whether the rest is ignored.
    ended: Cell<bool>,
    cut: Cell<bool>,
    /// The maximum number of bytes of all attributes.
    most_attribute_bytes: usize,
}

impl TokenSink for BoundedSink {
    type Handle = NodeId;

    fn process_token(&self, token: Token, line: u64) -> TokenSinkResult<NodeId> {
        if matches!(token, Token::ParseError(_)) {
            return TokenSinkResult::Continue;
        }
        self.tokens.set(self.tokens.get() + 1);
        let tree = &self.builder.sink;
        if tree.nodes() > NODES || tree.attribute_bytes() > self.most_attribute_bytes {
            self.stop();
        }
        match token {
            Token::EOFToken => self.builder.process_token(token, line),
            _ if self.ended.get() => TokenSinkResult::Continue,
            Token::TagToken(tag) => self.tag(tag, line),
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

impl BoundedSink {
    /// Ignores the rest of the page.
    fn stop(&self) {
        self.ended.set(true);
        self.cut.set(true);
    }

    fn tag(&self, mut tag: Tag, line: u64) -> TokenSinkResult<NodeId> {
        if tag.kind == TagKind::StartTag && self.open_elements() >= DEPTH {
            self.stop();
            return TokenSinkResult::Continue;
        }
        let name = tag.name.clone();
        bound(&mut tag);
        let result = self.builder.process_token(Token::TagToken(tag), line);
        let is_raw = matches!(result, TokenSinkResult::RawData(_) | TokenSinkResult::Plaintext);
        *self.raw.borrow_mut() = is_raw.then_some(name);
        result
    }

    /// The number of elements that are open or will be reopened.
    fn open_elements(&self) -> usize {
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

/// Reduces a tag to the attributes that are used. An attribute that can hide its element does so if it is too long to
/// read.
fn bound(tag: &mut Tag) {
    tag.attrs.retain(|attribute| is_known(&attribute.name.local));
    let mut hidden = false;
    for attribute in &mut tag.attrs {
        if attribute.value.len() > ATTRIBUTE_BYTES {
            attribute.value = StrTendril::from(truncate_value(&attribute.value));
            hidden |= matches!(&*attribute.name.local, "style" | "class" | "aria-hidden");
        }
    }
    if hidden {
        let name = QualName::new(None, ns!(), LocalName::from("hidden"));
        tag.attrs.push(Attribute { name, value: StrTendril::new() });
    }
}

fn truncate_value(value: &str) -> &str {
    &value[..value.floor_char_boundary(ATTRIBUTE_BYTES)]
}
