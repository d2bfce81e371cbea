//! Renders the tree as plain HTML without hidden or active elements, as input for Readability.

use super::names::has_own_id;
use super::tree::{NodeData, NodeId, Tree, WalkStep};

/// The attributes that Readability looks at.
const ATTRIBUTES: [&str; 17] = [
    "start",
    "data-language",
    "class",
    "id",
    "href",
    "src",
    "alt",
    "role",
    "itemprop",
    "rel",
    "lang",
    "dir",
    "name",
    "property",
    "content",
    "datatable",
    "summary",
];

pub(super) fn html(tree: &Tree, from: NodeId) -> String {
    let mut out = String::new();
    for step in tree.walk(from) {
        match step {
            WalkStep::Into(id) => match &tree.node(id).data {
                NodeData::Text(text) => push_escaped(&mut out, text),
                NodeData::Element(element) => {
                    let name = name(tree, id);
                    out.push('<');
                    out.push_str(name);
                    for attribute in &element.attributes {
                        let (key, value) = (&*attribute.name.local, &*attribute.value);
                        let is_data = key == "src" && value.len() > 2048;
                        let is_slug = key == "id" && !has_own_id(element);
                        if ATTRIBUTES.contains(&key) && !is_data && !is_slug {
                            out.push(' ');
                            out.push_str(key);
                            out.push_str("=\"");
                            push_escaped(&mut out, value);
                            out.push('"');
                        }
                    }
                    out.push('>');
                    // A parser drops the first line break of a `pre`.
                    if name == "pre" {
                        out.push('\n');
                    }
                }
                NodeData::Other => {}
            },
            WalkStep::OutOf(id) => {
                let name = name(tree, id);
                let is_void = matches!(
                    name,
                    "br" | "hr" | "img" | "wbr" | "meta" | "base" | "link" | "col" | "area" | "source"
                );
                if !name.is_empty() && !is_void {
                    out.push_str("</");
                    out.push_str(name);
                    out.push('>');
                }
            }
        }
    }
    out
}

/// The name of the element, or a harmless one instead.
fn name(tree: &Tree, id: NodeId) -> &str {
    let Some(element) = tree.element(id) else { return "" };
    match element.tag() {
        // Their content would not be parsed as usual.
        "xmp" | "plaintext" | "listing" => "pre",
        // Elements of SVG and MathML, and invalid names.
        "" => "span",
        tag if tag.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'-') => tag,
        _ => "span",
    }
}

pub(super) fn push_escaped(out: &mut String, text: &str) {
    for letter in text.chars() {
        match letter {
            '&' => out.push_str("&amp;"),
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '"' => out.push_str("&quot;"),
            _ => out.push(letter),
        }
    }
}
