//! Splits a page into the texts that are kept or left out as a whole: a paragraph, a heading, an item, a code block or
//! a data table, each with what its surroundings say about it.

use super::blocks::{is_block, is_data_table};
use super::code::is_not_code;
use super::headings::{OpenHeadings, Section};
use super::names::{NameWords, Names};
use super::parts::Part;
use super::tree::{Element, NodeData, NodeId, Tree, WalkStep};
use crate::words::scripts::is_unspaced;

/// A text that is kept or left out as a whole.
#[derive(Debug, Default)]
pub(super) struct PageUnit {
    /// Its text nodes, or the element of a code block or table.
    pub nodes: Vec<NodeId>,
    /// Its words, separated by single spaces.
    pub text: String,
    /// The number of characters inside of links.
    pub linked: usize,
    /// The number of words.
    pub words: usize,
    pub place: Place,
    /// The section that follows, if it is a heading.
    pub section: Option<Section>,
}

/// Where a unit is in the tree.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Place {
    /// The innermost block element.
    pub block: NodeId,
    /// The block element around that one.
    pub around: NodeId,
    pub tag: BlockTag,
    /// What the names of its element and of the two above say.
    pub near: Names,
    /// What the names of the elements further above say.
    pub far: Names,
    /// The kinds of elements around it.
    pub inside: Inside,
    /// The item or post that it is in.
    pub part: Part,
}

/// The innermost block element of a unit.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(super) enum BlockTag {
    #[default]
    Other,
    Paragraph,
    Heading,
    /// A heading of the first level.
    TopHeading,
    Item,
    Cell,
    Caption,
    Code,
    Table,
}

/// The kinds of elements around a unit.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Inside {
    pub aside: bool,
    pub footer: bool,
    pub header: bool,
    pub form: bool,
    pub figure: bool,
    pub list: bool,
    pub quote: bool,
    pub article: bool,
    pub main: bool,
}

impl Inside {
    /// Whether it surrounds the main content rather than being part of it.
    pub(super) fn is_boilerplate(self) -> bool {
        self.aside || self.footer || self.form
    }
}

impl PageUnit {
    /// Whether it is a code block or a table, which are not prose.
    pub(super) fn is_figure(&self) -> bool {
        matches!(self.place.tag, BlockTag::Code | BlockTag::Table)
    }
}

/// An open element.
#[derive(Debug, Clone, Copy, Default)]
struct Frame {
    id: NodeId,
    own: Names,
    parent: Names,
    grandparent: Names,
    place: Place,
}

/// The units of a page in their order.
pub(super) fn units(tree: &Tree, from: NodeId) -> Vec<PageUnit> {
    let mut reader = UnitReader {
        tree,
        names: NameWords::default(),
        frames: vec![Frame::default()],
        open: PageUnit::default(),
        links: 0,
        space: false,
        breaks: 0,
        headings: OpenHeadings::default(),
        units: Vec::new(),
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
    reader.headings.close(&mut reader.units, |_| true);
    reader.units
}

struct UnitReader<'a> {
    tree: &'a Tree,
    names: NameWords<'a>,
    frames: Vec<Frame>,
    open: PageUnit,
    /// The number of open links.
    links: usize,
    /// Whether there is white space before the next word.
    space: bool,
    /// The number of line breaks in a row.
    breaks: usize,
    headings: OpenHeadings,
    units: Vec<PageUnit>,
}

impl UnitReader<'_> {
    /// Enters a node. Returns whether all of it was read already.
    fn enter(&mut self, id: NodeId) -> bool {
        let element = match &self.tree.node(id).data {
            NodeData::Text(text) => {
                self.text(id, text);
                return false;
            }
            NodeData::Other => return false,
            NodeData::Element(element) => element,
        };
        let tag = element.tag();
        match tag {
            "br" => {
                self.space = true;
                self.breaks += 1;
                if self.breaks > 1 {
                    self.flush();
                }
                return false;
            }
            "a" => self.links += 1,
            _ => {}
        }
        if tag == "pre" || is_block(tag) {
            self.flush();
        }
        self.push_frame(id, element);
        if tag == "pre" || tag == "table" && is_data_table(self.tree, id) {
            self.whole(id, if tag == "pre" { BlockTag::Code } else { BlockTag::Table });
            return true;
        }
        false
    }

    fn leave(&mut self, id: NodeId) {
        let tag = self.tree.tag(id);
        if tag == "a" {
            self.links = self.links.saturating_sub(1);
        }
        if tag == "pre" || is_block(tag) {
            self.flush();
        }
        if self.frames.len() > 1 && self.frames.last().is_some_and(|frame| frame.id == id) {
            self.frames.pop();
            self.headings.leave(&mut self.units, self.frames.len());
        }
    }

    fn text(&mut self, id: NodeId, text: &str) {
        self.space |= text.starts_with(char::is_whitespace);
        let mut any = false;
        for word in text.split_whitespace() {
            if !self.open.text.is_empty() && (self.space || any) {
                self.open.text.push(' ');
            }
            any = true;
            self.open.text.push_str(word);
            if self.links > 0 {
                self.open.linked += word.len() + 1;
            }
        }
        if any {
            if self.open.nodes.is_empty() {
                self.open.place = self.frames.last().copied().unwrap_or_default().place;
            }
            self.open.nodes.push(id);
            self.breaks = 0;
            self.space = text.ends_with(char::is_whitespace);
        }
    }

    /// Ends the open unit.
    fn flush(&mut self) {
        self.breaks = 0;
        if !self.open.nodes.is_empty() {
            self.open.words = count_words(&self.open.text);
            let level = self.heading_level().filter(|_| !self.open.is_figure());
            self.headings.begin(&mut self.units, level, self.frames.len());
            self.units.push(std::mem::take(&mut self.open));
        }
    }

    /// The level of the heading that the open unit is: 7 for a term of a list of definitions.
    fn heading_level(&self) -> Option<u8> {
        match self.tree.tag(self.open.place.block) {
            "dt" => Some(7),
            tag => tag.strip_prefix('h')?.parse().ok().filter(|level| (1..=6).contains(level)),
        }
    }

    /// Makes one unit of all that is in the element.
    fn whole(&mut self, id: NodeId, tag: BlockTag) {
        let mut walk = self.tree.walk(id);
        while let Some(step) = walk.next() {
            let (WalkStep::Into(inner) | WalkStep::OutOf(inner)) = step;
            self.space |= is_block(self.tree.tag(inner)) || self.tree.tag(inner) == "br";
            if let (WalkStep::Into(_), NodeData::Text(text)) = (step, &self.tree.node(inner).data) {
                self.text(inner, text);
            }
            let is_not_code = |element: &Element| tag == BlockTag::Code && is_not_code(element);
            if inner != id
                && step == WalkStep::Into(inner)
                && self.tree.element(inner).is_some_and(is_not_code)
            {
                walk.skip_children(inner);
            }
        }
        if !self.open.nodes.is_empty() {
            self.open.nodes = vec![id];
            self.open.place.tag = tag;
        }
        self.flush();
    }

    fn push_frame(&mut self, id: NodeId, element: &Element) {
        let above = self.frames.last().copied().unwrap_or_default();
        let tag = element.tag();
        let own =
            if matches!(tag, "html" | "body") { Names::default() } else { self.names.read(self.tree, id) };
        let mut place = above.place;
        place.far = above.place.far.with(above.grandparent);
        place.near = own.with(above.own).with(above.parent);
        if is_block(tag) || tag == "pre" {
            place.around = place.block;
            place.block = id;
            place.tag = block_tag(tag, place.tag);
            place.part = place.part.enter(self.tree, id, own);
        }
        surroundings(&mut place.inside, element);
        self.frames.push(Frame { id, own, parent: above.own, grandparent: above.parent, place });
    }
}

/// The number of words. Two letters of a script without spaces count as a word.
fn count_words(text: &str) -> usize {
    let (mut words, mut unspaced, mut in_word) = (0, 0, false);
    for letter in text.chars() {
        let is_letter = !letter.is_whitespace() && !is_unspaced(letter);
        words += usize::from(is_letter && !in_word && letter.is_alphanumeric());
        in_word = is_letter && (in_word || letter.is_alphanumeric());
        unspaced += usize::from(is_unspaced(letter));
    }
    words + unspaced.div_ceil(2)
}

fn block_tag(tag: &str, above: BlockTag) -> BlockTag {
    match tag {
        "p" if above == BlockTag::Item || above == BlockTag::Caption => above,
        "p" => BlockTag::Paragraph,
        "h1" => BlockTag::TopHeading,
        "h2" | "h3" | "h4" | "h5" | "h6" => BlockTag::Heading,
        "li" | "dt" | "dd" => BlockTag::Item,
        "td" | "th" => BlockTag::Cell,
        "figcaption" | "caption" => BlockTag::Caption,
        _ => BlockTag::Other,
    }
}

fn surroundings(inside: &mut Inside, element: &Element) {
    let role = element.attribute("role").unwrap_or_default();
    let is = |name: &str| role.eq_ignore_ascii_case(name);
    let tag = element.tag();
    inside.aside |= tag == "aside" || is("complementary") || is("toolbar") || is("menu");
    inside.footer |= tag == "footer" || is("contentinfo");
    inside.header |= tag == "header" || is("banner");
    inside.form |= matches!(tag, "form" | "button" | "fieldset" | "label")
        || is("search")
        || is("button")
        || is("dialog");
    inside.figure |= matches!(tag, "figure" | "figcaption");
    inside.list |= matches!(tag, "ul" | "ol" | "dl");
    inside.quote |= tag == "blockquote";
    inside.article |= tag == "article"
        || is("article")
        || element.attribute("itemprop").is_some_and(|name| name.eq_ignore_ascii_case("articleBody"));
    inside.main |= tag == "main" || is("main");
}
