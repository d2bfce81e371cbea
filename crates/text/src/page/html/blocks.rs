//! The main content as blocks (headings, paragraphs, items, code, tables), from which Markdown and plain text are
//! rendered.

mod inline;
mod table;

pub(super) use inline::{Inline, TextLine};

use super::address::BaseUrl;
use super::tree::{NodeData, NodeId, Tree, WalkStep};
use inline::LineBuilder;

/// A block of the main content.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct PageBlock {
    /// The containers around it, outermost first.
    pub within: Vec<Container>,
    pub kind: BlockKind,
}

/// A container of blocks.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Container {
    Quote,
    /// An item of a list. The blocks of one item have the same number.
    Item {
        number: usize,
        marker: String,
    },
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum BlockKind {
    Heading(u8, TextLine),
    Paragraph(TextLine),
    Code { language: String, text: String },
    Table(Vec<Vec<TextLine>>),
}

/// Deeper quotes and lists are not distinguished.
const MAX_CONTAINERS: usize = 12;

pub(super) fn blocks(tree: &Tree, from: NodeId, base: &BaseUrl) -> Vec<PageBlock> {
    let mut reader = BlockReader {
        tree,
        base,
        blocks: Vec::new(),
        within: Vec::new(),
        lists: Vec::new(),
        items: 0,
        heading: None,
        lines: LineBuilder::default(),
    };
    let mut walk = tree.walk(from);
    while let Some(step) = walk.next() {
        match step {
            WalkStep::Into(id) => {
                if reader.enter(id) {
                    walk.skip_children(id);
                }
            }
            WalkStep::OutOf(id) => reader.leave(id),
        }
    }
    reader.flush();
    reader.blocks
}

struct BlockReader<'a> {
    tree: &'a Tree,
    base: &'a BaseUrl,
    blocks: Vec<PageBlock>,
    /// The open containers, each with its element; `None` for those that are too deep.
    within: Vec<(NodeId, Option<Container>)>,
    /// The open lists, each with the number of its next item; `None` if it is not numbered.
    lists: Vec<Option<u64>>,
    items: usize,
    heading: Option<u8>,
    lines: LineBuilder,
}

impl BlockReader<'_> {
    /// Enters a node. Returns whether all of it was read already.
    fn enter(&mut self, id: NodeId) -> bool {
        let element = match &self.tree.node(id).data {
            NodeData::Text(text) => {
                self.lines.text(text);
                return false;
            }
            NodeData::Other => return false,
            NodeData::Element(element) => element,
        };
        match element.tag() {
            "br" => self.line_break(),
            "img" => {}
            "a" => {
                let href = element.attribute("href");
                self.lines.open_link(href.and_then(|href| self.base.resolve(href)));
            }
            "code" | "kbd" | "samp" | "tt" => self.lines.open_code(),
            "q" => self.lines.open_quote(),
            tag @ ("h1" | "h2" | "h3" | "h4" | "h5" | "h6") => {
                self.flush();
                self.heading = tag[1..].parse().ok();
            }
            "pre" => {
                self.flush();
                let (language, text) = super::code::read_code_block(self.tree, id);
                if !text.trim().is_empty() {
                    self.push(BlockKind::Code { language, text });
                }
                return true;
            }
            "table" => {
                self.flush();
                return self.table(id);
            }
            "blockquote" => {
                self.flush();
                self.open(id, Container::Quote);
            }
            "ul" | "menu" | "dir" => {
                self.flush();
                self.lists.push(None);
            }
            "ol" => {
                self.flush();
                let start = element.attribute("start").and_then(|start| start.trim().parse().ok());
                self.lists.push(Some(start.filter(|&start: &u64| start < 100_000_000).unwrap_or(1)));
            }
            "li" => {
                self.flush();
                self.item(id);
            }
            tag if is_block(tag) => self.flush(),
            _ => {}
        }
        false
    }

    fn leave(&mut self, id: NodeId) {
        let tag = self.tree.tag(id);
        match tag {
            "a" => self.lines.close_link(),
            "code" | "kbd" | "samp" | "tt" => self.lines.close_code(),
            "q" => self.lines.close_quote(),
            "h1" | "h2" | "h3" | "h4" | "h5" | "h6" => {
                self.flush();
                self.heading = None;
            }
            "ul" | "menu" | "dir" | "ol" => {
                self.flush();
                self.lists.pop();
            }
            tag if is_block(tag) => self.flush(),
            _ => {}
        }
        if self.within.last().is_some_and(|(opened_by, _)| *opened_by == id) {
            self.within.pop();
        }
    }

    /// Reads a table with its caption. Returns false if its cells do not fit into lines.
    fn table(&mut self, id: NodeId) -> bool {
        let Some(rows) = table::rows(self.tree, id, self.base) else { return false };
        if let Some(caption) = table::caption(self.tree, id, self.base) {
            self.push(BlockKind::Paragraph(caption));
        }
        self.push(BlockKind::Table(rows));
        true
    }

    fn item(&mut self, id: NodeId) {
        let marker = match self.lists.last_mut() {
            Some(Some(next)) => {
                *next += 1;
                format!("{}. ", *next - 1)
            }
            _ => "- ".to_owned(),
        };
        self.items += 1;
        self.open(id, Container::Item { number: self.items, marker });
    }

    fn open(&mut self, id: NodeId, within: Container) {
        let counted = self.within.iter().filter(|(_, within)| within.is_some()).count();
        self.within.push((id, (counted < MAX_CONTAINERS).then_some(within)));
    }

    fn line_break(&mut self) {
        // Two line breaks in a row separate paragraphs.
        if self.lines.line_break() {
            self.flush();
        }
    }

    /// Ends the open paragraph or heading.
    fn flush(&mut self) {
        let line = self.lines.take();
        if line.is_empty() {
            return;
        }
        self.push(match self.heading {
            Some(level) => BlockKind::Heading(level, line),
            None => BlockKind::Paragraph(line),
        });
    }

    fn push(&mut self, kind: BlockKind) {
        let within = self.within.iter().filter_map(|(_, within)| within.clone()).collect();
        self.blocks.push(PageBlock { within, kind });
    }
}

/// Whether the table shows data rather than arranging the parts of a page: it is rendered as a table, or says what its
/// rows or columns are.
pub(super) fn is_data_table(tree: &Tree, table: NodeId) -> bool {
    table::is_described(tree, table) || table::rows(tree, table, &BaseUrl::new(None, None)).is_some()
}

pub(super) fn is_block(tag: &str) -> bool {
    matches!(
        tag,
        "address"
            | "article"
            | "aside"
            | "blockquote"
            | "body"
            | "caption"
            | "center"
            | "dd"
            | "details"
            | "dialog"
            | "dir"
            | "div"
            | "dl"
            | "dt"
            | "fieldset"
            | "figcaption"
            | "figure"
            | "footer"
            | "form"
            | "h1"
            | "h2"
            | "h3"
            | "h4"
            | "h5"
            | "h6"
            | "header"
            | "hgroup"
            | "hr"
            | "html"
            | "legend"
            | "li"
            | "main"
            | "menu"
            | "nav"
            | "ol"
            | "optgroup"
            | "option"
            | "p"
            | "pre"
            | "search"
            | "section"
            | "summary"
            | "table"
            | "tbody"
            | "td"
            | "tfoot"
            | "th"
            | "thead"
            | "tr"
            | "ul"
    )
}
