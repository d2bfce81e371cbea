//! Builds a tree from the parser's output.
//!
//! What nobody reads is dropped: comments, the text of scripts and styles (except JSON-LD, which names the author),
//! and attributes that are not used.

use std::borrow::Cow;
use std::cell::{Cell, Ref, RefCell};

use html5ever::interface::{ElementFlags, NodeOrText, QuirksMode, TreeSink};
use html5ever::tendril::StrTendril;
use html5ever::{Attribute, LocalName, QualName, local_name, ns};

use super::tree::{Element, NodeData, NodeId, ROOT, Tree};

/// The parser's sink, which builds the tree.
#[derive(Default)]
pub(super) struct DomBuilder {
    tree: RefCell<Tree>,
    quirks: Cell<Option<QuirksMode>>,
    /// The bytes of all attributes of all elements. The parser copies elements, so they may exceed those of the page.
    attribute_bytes: Cell<usize>,
}

impl DomBuilder {
    pub(super) fn new() -> Self {
        let builder = Self::default();
        builder.tree.borrow_mut().create(NodeData::Other);
        builder
    }

    pub(super) fn nodes(&self) -> usize {
        self.tree.borrow().len()
    }

    pub(super) fn attribute_bytes(&self) -> usize {
        self.attribute_bytes.get()
    }

    fn insert_text(
        &self,
        text: &str,
        before: impl Fn(&Tree) -> Option<NodeId>,
        put: impl Fn(&mut Tree, NodeId),
    ) {
        let mut tree = self.tree.borrow_mut();
        let neighbor = before(&tree);
        if !tree.append_text(neighbor, text) {
            let node = tree.create(NodeData::Text(text.to_owned()));
            put(&mut tree, node);
        }
    }
}

/// Whether the content of the element is never read.
fn is_mute(element: &Element) -> bool {
    match element.tag() {
        "script" => !element.attribute("type").is_some_and(|kind| {
            kind.split(';').next().unwrap_or_default().trim().eq_ignore_ascii_case("application/ld+json")
        }),
        "style" | "noscript" | "iframe" | "noembed" | "noframes" => true,
        _ => false,
    }
}

impl TreeSink for DomBuilder {
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
        let bytes: usize = attributes.iter().map(|attribute| attribute.value.len()).sum();
        self.attribute_bytes.set(self.attribute_bytes.get() + bytes);
        self.tree.borrow_mut().create(NodeData::Element(Element { name, attributes }))
    }

    fn create_comment(&self, _: StrTendril) -> NodeId {
        self.tree.borrow_mut().create(NodeData::Other)
    }

    fn create_pi(&self, _: StrTendril, _: StrTendril) -> NodeId {
        self.tree.borrow_mut().create(NodeData::Other)
    }

    fn append(&self, parent: &NodeId, child: NodeOrText<NodeId>) {
        match child {
            NodeOrText::AppendNode(node) => self.tree.borrow_mut().append(*parent, node),
            NodeOrText::AppendText(_) if self.tree.borrow().element(*parent).is_some_and(is_mute) => {}
            NodeOrText::AppendText(text) => {
                self.insert_text(
                    &text,
                    |tree| tree.node(*parent).last,
                    |tree, node| tree.append(*parent, node),
                );
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

    /// The contents of a template are appended to the template itself, which is not read.
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
            NodeOrText::AppendText(text) => self.insert_text(
                &text,
                |tree| tree.node(*sibling).previous,
                |tree, node| tree.insert_before(*sibling, node),
            ),
        }
    }

    fn add_attrs_if_missing(&self, target: &NodeId, attributes: Vec<Attribute>) {
        if let NodeData::Element(element) = &mut self.tree.borrow_mut().node_mut(*target).data {
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

/// Whether an attribute of this name is kept.
pub(super) fn is_known(name: &LocalName) -> bool {
    KEPT.contains(&&**name)
}

/// The attributes that are used.
const KEPT: [&str; 36] = [
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
    "shadowrootmode",
    "slot",
    "src",
    "start",
    "style",
    "summary",
    "title",
    "type",
    "value",
    "xml:lang",
];
