//! Removes elements that are invisible on the page or not part of its text.

use super::tree::{Element, NodeId, Tree, WalkStep};
use super::{css, shadow};

/// Removes hidden and unread elements, and those nested too deep for recursive programs.
pub(super) fn remove_hidden(tree: &mut Tree) {
    const DEPTH: usize = 600;
    let (mut hidden, mut depth): (Vec<NodeId>, usize) = (Vec::new(), 0);
    let mut walk = tree.walk(super::tree::ROOT);
    while let Some(step) = walk.next() {
        match step {
            WalkStep::Into(id) => {
                depth += 1;
                if depth > DEPTH || tree.element(id).is_some_and(is_hidden) {
                    hidden.push(id);
                    walk.skip_children(id);
                } else {
                    hidden.extend(shadow::find_unslotted_children(tree, id));
                    hidden.extend(mathml_alternatives(tree, id));
                }
            }
            WalkStep::OutOf(_) => depth -= 1,
        }
    }
    for id in hidden {
        tree.detach(id);
    }
}

/// Removes invisible characters from every text. This must come before Markdown is rendered: removing them later
/// could create markup.
pub(super) fn remove_unseen(tree: &mut Tree) {
    for text in tree.texts_mut() {
        if let (std::borrow::Cow::Owned(seen), _) = crate::strip_hidden(text) {
            *text = seen;
        }
    }
}

/// The children of a MathML element that shows only its first child: alternatives, and forms for machines.
fn mathml_alternatives(tree: &Tree, id: NodeId) -> Vec<NodeId> {
    let shows_one = |element: &Element| {
        element.tag().is_empty() && matches!(&*element.name.local, "maction" | "semantics")
    };
    if !tree.element(id).is_some_and(shows_one) {
        return Vec::new();
    }
    let first = tree.children(id).find(|&child| tree.element(child).is_some());
    tree.children(id).filter(|&child| Some(child) != first).collect()
}

/// Whether the element is hidden. Folded `details` count as visible: a reader can open them, and browsers search
/// them.
pub(super) fn is_hidden(element: &Element) -> bool {
    let is = |name: &str, value: &str| {
        element.attribute(name).is_some_and(|found| found.trim().eq_ignore_ascii_case(value))
    };
    is_never_shown(element)
        || element.attribute("hidden").is_some()
        || element.attribute("popover").is_some()
        || is("aria-hidden", "true")
        || (element.tag() == "dialog" && element.attribute("open").is_none())
        || element.attribute("style").is_some_and(css::hides)
        || element.attribute("class").is_some_and(|classes| classes.split_whitespace().any(is_hiding))
}

/// Whether browsers never show the element, or not as text.
fn is_never_shown(element: &Element) -> bool {
    if element.tag().is_empty() {
        return matches!(
            &*element.name.local,
            "svg" | "annotation" | "annotation-xml" | "mphantom" | "script" | "style" | "desc" | "metadata"
        );
    }
    matches!(
        element.tag(),
        "script"
            | "style"
            | "template"
            | "noscript"
            | "iframe"
            | "noembed"
            | "noframes"
            | "object"
            | "embed"
            | "applet"
            | "canvas"
            | "audio"
            | "video"
            | "map"
            | "datalist"
            | "select"
            | "textarea"
            | "input"
            | "meter"
            | "progress"
            | "rp"
            | "param"
            | "track"
            | "frameset"
            | "frame"
    )
}

/// Whether well-known style sheets use this class to hide something from all sighted readers.
fn is_hiding(class: &str) -> bool {
    matches!(
        class.to_ascii_lowercase().as_str(),
        "sr-only"
            | "visually-hidden"
            | "visuallyhidden"
            | "screen-reader-text"
            | "screen-reader-only"
            | "d-none"
            | "mw-editsection"
            | "mw-jump-link"
            | "noprint"
    )
}
