//! A page as a tree, in one vector: nothing in it is dropped or walked by recursion, however deep the page is.
//!
//! What nobody reads is not kept: comments, the text of scripts and styles (but for JSON-LD, which says who wrote the
//! page), and attributes that tell us nothing.

use std::borrow::Cow;
use std::cell::{Cell, Ref, RefCell};

use html5ever::interface::{ElementFlags, NodeOrText, QuirksMode, TreeSink};
use html5ever::tendril::StrTendril;
use html5ever::{Attribute, LocalName, QualName, local_name, ns};

pub(super) type NodeId = u32;

/// The node that everything hangs below.
pub(super) const ROOT: NodeId = 0;

#[derive(Debug, Default)]
pub(super) struct Node {
    pub parent: Option<NodeId>,
    pub first: Option<NodeId>,
    pub last: Option<NodeId>,
    pub previous: Option<NodeId>,
    pub next: Option<NodeId>,
    pub data: Data,
}

#[derive(Debug, Default)]
pub(super) enum Data {
    /// The document, a comment, what is in a template: nothing to read.
    #[default]
    Other,
    Text(String),
    Element(Element),
}

#[derive(Debug)]
pub(super) struct Element {
    pub name: QualName,
    pub attributes: Vec<Attribute>,
}

impl Element {
    /// The element's name; empty where it is one of SVG or MathML.
    pub(super) fn tag(&self) -> &str {
        if self.name.ns == ns!(html) { &self.name.local } else { "" }
    }

    pub(super) fn attribute(&self, name: &str) -> Option<&str> {
        self.attributes.iter().find(|found| &*found.name.local == name).map(|found| &*found.value)
    }
}

#[derive(Debug, Default)]
pub(super) struct Tree {
    nodes: Vec<Node>,
}

/// A step of a walk through a tree.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Step {
    Into(NodeId),
    OutOf(NodeId),
}

impl Tree {
    pub(super) fn node(&self, id: NodeId) -> &Node {
        &self.nodes[id as usize]
    }

    pub(super) fn element(&self, id: NodeId) -> Option<&Element> {
        match &self.node(id).data {
            Data::Element(element) => Some(element),
            _ => None,
        }
    }

    /// The element's name; empty where it is none of HTML.
    pub(super) fn tag(&self, id: NodeId) -> &str {
        self.element(id).map_or("", Element::tag)
    }

    pub(super) fn ancestors(&self, id: NodeId) -> impl Iterator<Item = NodeId> + '_ {
        std::iter::successors(self.node(id).parent, |&above| self.node(above).parent)
    }

    /// The first element of this name, in the order of the page.
    pub(super) fn find(&self, from: NodeId, tag: &str) -> Option<NodeId> {
        self.walk(from).find_map(|step| match step {
            Step::Into(id) if self.tag(id) == tag => Some(id),
            _ => None,
        })
    }

    /// Into each node and out of it again, in the order of the page.
    pub(super) fn walk(&self, from: NodeId) -> Walk<'_> {
        Walk { tree: self, from, at: Some(Step::Into(from)) }
    }

    fn create(&mut self, data: Data) -> NodeId {
        self.nodes.push(Node { data, ..Node::default() });
        (self.nodes.len() - 1) as NodeId
    }

    fn node_mut(&mut self, id: NodeId) -> &mut Node {
        &mut self.nodes[id as usize]
    }

    pub(super) fn detach(&mut self, id: NodeId) {
        let Node { parent, previous, next, .. } = *self.node(id);
        let Some(parent) = parent else { return };
        match previous {
            Some(previous) => self.node_mut(previous).next = next,
            None => self.node_mut(parent).first = next,
        }
        match next {
            Some(next) => self.node_mut(next).previous = previous,
            None => self.node_mut(parent).last = previous,
        }
        let node = self.node_mut(id);
        (node.parent, node.previous, node.next) = (None, None, None);
    }

    fn append(&mut self, parent: NodeId, child: NodeId) {
        self.detach(child);
        let last = self.node(parent).last;
        let node = self.node_mut(child);
        (node.parent, node.previous) = (Some(parent), last);
        match last {
            Some(last) => self.node_mut(last).next = Some(child),
            None => self.node_mut(parent).first = Some(child),
        }
        self.node_mut(parent).last = Some(child);
    }

    fn insert_before(&mut self, sibling: NodeId, child: NodeId) {
        self.detach(child);
        let Node { parent, previous, .. } = *self.node(sibling);
        let Some(parent) = parent else { return };
        let node = self.node_mut(child);
        (node.parent, node.previous, node.next) = (Some(parent), previous, Some(sibling));
        self.node_mut(sibling).previous = Some(child);
        match previous {
            Some(previous) => self.node_mut(previous).next = Some(child),
            None => self.node_mut(parent).first = Some(child),
        }
    }

    /// Adds text to the node where it is one, so that neighbours are one text.
    fn extended(&mut self, node: Option<NodeId>, text: &str) -> bool {
        match node.map(|id| &mut self.node_mut(id).data) {
            Some(Data::Text(before)) => {
                before.push_str(text);
                true
            }
            _ => false,
        }
    }
}

pub(super) struct Walk<'a> {
    tree: &'a Tree,
    from: NodeId,
    at: Option<Step>,
}

impl Walk<'_> {
    /// Leaves out what is in the node that was just gone into.
    pub(super) fn pass(&mut self, id: NodeId) {
        self.at = Some(Step::OutOf(id));
    }
}

impl Iterator for Walk<'_> {
    type Item = Step;

    fn next(&mut self) -> Option<Step> {
        let now = self.at?;
        self.at = match now {
            Step::Into(id) => Some(self.tree.node(id).first.map_or(Step::OutOf(id), Step::Into)),
            Step::OutOf(id) if id == self.from => None,
            Step::OutOf(id) => {
                let node = self.tree.node(id);
                node.next.map(Step::Into).or(node.parent.map(Step::OutOf))
            }
        };
        Some(now)
    }
}

/// What the parser builds the tree with.
#[derive(Default)]
pub(super) struct Builder {
    tree: RefCell<Tree>,
    quirks: Cell<Option<QuirksMode>>,
}

impl Builder {
    pub(super) fn new() -> Self {
        let builder = Self::default();
        builder.tree.borrow_mut().create(Data::Other);
        builder
    }

    pub(super) fn nodes(&self) -> usize {
        self.tree.borrow().nodes.len()
    }

    fn place(&self, text: &str, before: impl Fn(&Tree) -> Option<NodeId>, put: impl Fn(&mut Tree, NodeId)) {
        let mut tree = self.tree.borrow_mut();
        let neighbour = before(&tree);
        if !tree.extended(neighbour, text) {
            let node = tree.create(Data::Text(text.to_owned()));
            put(&mut tree, node);
        }
    }
}

/// Whether what is in it is never read.
fn is_mute(element: &Element) -> bool {
    match element.tag() {
        "script" => !element.attribute("type").is_some_and(|kind| {
            kind.split(';').next().unwrap_or_default().trim().eq_ignore_ascii_case("application/ld+json")
        }),
        "style" | "noscript" | "iframe" | "noembed" | "noframes" => true,
        _ => false,
    }
}

impl TreeSink for Builder {
    type Handle = NodeId;
    type Output = Tree;
    type ElemName<'a> = Ref<'a, QualName>;

    fn finish(self) -> Tree {
        self.tree.into_inner()
    }

    fn parse_error(&self, _: Cow<'static, str>) {}

    fn get_document(&self) -> NodeId {
        ROOT
    }

    fn elem_name<'a>(&'a self, target: &'a NodeId) -> Ref<'a, QualName> {
        static NONE: QualName = QualName { prefix: None, ns: ns!(), local: local_name!("") };
        Ref::map(self.tree.borrow(), |tree| tree.element(*target).map_or(&NONE, |element| &element.name))
    }

    fn create_element(&self, name: QualName, attributes: Vec<Attribute>, _: ElementFlags) -> NodeId {
        self.tree.borrow_mut().create(Data::Element(Element { name, attributes }))
    }

    fn create_comment(&self, _: StrTendril) -> NodeId {
        self.tree.borrow_mut().create(Data::Other)
    }

    fn create_pi(&self, _: StrTendril, _: StrTendril) -> NodeId {
        self.tree.borrow_mut().create(Data::Other)
    }

    fn append(&self, parent: &NodeId, child: NodeOrText<NodeId>) {
        match child {
            NodeOrText::AppendNode(node) => self.tree.borrow_mut().append(*parent, node),
            NodeOrText::AppendText(_) if self.tree.borrow().element(*parent).is_some_and(is_mute) => {}
            NodeOrText::AppendText(text) => {
                self.place(&text, |tree| tree.node(*parent).last, |tree, node| tree.append(*parent, node));
            }
        }
    }

    fn append_based_on_parent_node(&self, element: &NodeId, previous: &NodeId, child: NodeOrText<NodeId>) {
        let has_parent = self.tree.borrow().node(*element).parent.is_some();
        if has_parent {
            self.append_before_sibling(element, child);
        } else {
            self.append(previous, child);
        }
    }

    fn append_doctype_to_document(&self, _: StrTendril, _: StrTendril, _: StrTendril) {}

    /// What is in a template is appended to the template itself, and read as little as that.
    fn get_template_contents(&self, target: &NodeId) -> NodeId {
        *target
    }

    fn same_node(&self, x: &NodeId, y: &NodeId) -> bool {
        x == y
    }

    fn set_quirks_mode(&self, mode: QuirksMode) {
        self.quirks.set(Some(mode));
    }

    fn append_before_sibling(&self, sibling: &NodeId, child: NodeOrText<NodeId>) {
        match child {
            NodeOrText::AppendNode(node) => self.tree.borrow_mut().insert_before(*sibling, node),
            NodeOrText::AppendText(text) => self.place(
                &text,
                |tree| tree.node(*sibling).previous,
                |tree, node| tree.insert_before(*sibling, node),
            ),
        }
    }

    fn add_attrs_if_missing(&self, target: &NodeId, attributes: Vec<Attribute>) {
        if let Data::Element(element) = &mut self.tree.borrow_mut().node_mut(*target).data {
            for attribute in attributes {
                if element.attribute(&attribute.name.local).is_none() {
                    element.attributes.push(attribute);
                }
            }
        }
    }

    fn remove_from_parent(&self, target: &NodeId) {
        self.tree.borrow_mut().detach(*target);
    }

    fn reparent_children(&self, node: &NodeId, new_parent: &NodeId) {
        let mut tree = self.tree.borrow_mut();
        while let Some(child) = tree.node(*node).first {
            tree.append(*new_parent, child);
        }
    }
}

/// A name that is no element's and no attribute's.
pub(super) fn is_known(name: &LocalName) -> bool {
    KEPT.contains(&&**name)
}

/// The attributes that say something about what is read.
const KEPT: [&str; 34] = [
    "alt",
    "aria-hidden",
    "aria-modal",
    "charset",
    "class",
    "colspan",
    "content",
    "data-language",
    "datatable",
    "datetime",
    "dir",
    "hidden",
    "href",
    "http-equiv",
    "id",
    "itemprop",
    "itemtype",
    "lang",
    "name",
    "open",
    "popover",
    "property",
    "pubdate",
    "rel",
    "role",
    "rowspan",
    "src",
    "start",
    "style",
    "summary",
    "title",
    "type",
    "value",
    "xml:lang",
];
