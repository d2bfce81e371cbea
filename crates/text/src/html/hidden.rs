//! Which elements nobody sees who looks at the page, or that are no text of it.

use super::css;
use super::tree::{Element, NodeId, Step, Tree};

/// Takes out of the tree what is hidden or not read, and what is nested too deep to be walked by everybody.
pub(super) fn remove_hidden(tree: &mut Tree) {
    const DEPTH: usize = 600;
    let (mut hidden, mut depth): (Vec<NodeId>, usize) = (Vec::new(), 0);
    let mut walk = tree.walk(super::tree::ROOT);
    while let Some(step) = walk.next() {
        match step {
            Step::Into(id) => {
                depth += 1;
                if depth > DEPTH || tree.element(id).is_some_and(is_hidden) {
                    hidden.push(id);
                    walk.pass(id);
                }
            }
            Step::OutOf(_) => depth -= 1,
        }
    }
    for id in hidden {
        tree.detach(id);
    }
}

fn is_hidden(element: &Element) -> bool {
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

/// Elements that browsers do not show, or show as something else than text.
fn is_never_shown(element: &Element) -> bool {
    if element.tag().is_empty() {
        return matches!(
            &*element.name.local,
            "svg" | "annotation" | "annotation-xml" | "script" | "style" | "desc" | "metadata"
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
            | "rp"
            | "param"
            | "track"
            | "frameset"
            | "frame"
    )
}

/// Classes by which well-known style sheets hide something from everybody who looks.
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
