//! Finds the main content of a page.
//!
//! This uses a port of Mozilla's Readability, which gets the page without hidden parts. It was made for articles; if
//! it finds nothing, or far less than the page itself marks as its main part, as happens with documentation, that
//! part is taken instead.

use std::panic::{AssertUnwindSafe, catch_unwind};

use super::tree::{Element, NodeData, NodeId, ROOT, Tree, WalkStep};
use super::{clean, parse};

/// A tree and the node that contains the main content.
pub(super) fn main_content(mut tree: Tree) -> (Tree, NodeId) {
    remove_navigation(&mut tree);
    // Readability wraps elements in others, so its result may exceed the limits that the page itself met.
    let found = run_readability(&tree).map(|html| parse::parse(&html)).filter(|(_, cut)| !cut);
    let found = found.map(|(tree, _)| tree);
    let Some(found) = found else {
        let own = find_marked_main(&tree).or_else(|| tree.find(ROOT, "body")).unwrap_or(ROOT);
        remove_boilerplate(&mut tree, own);
        return (tree, own);
    };
    match find_marked_main(&tree) {
        Some(own) if is_too_little(weight(&found, ROOT), weight(&tree, own)) => {
            remove_boilerplate(&mut tree, own);
            (tree, own)
        }
        _ => (found, ROOT),
    }
}

/// Removes elements that only lead elsewhere.
fn remove_navigation(tree: &mut Tree) {
    remove(tree, ROOT, |element| {
        element.tag() == "nav"
            || element.attribute("role").is_some_and(|role| role.eq_ignore_ascii_case("navigation"))
    });
}

fn run_readability(tree: &Tree) -> Option<String> {
    let html = clean::html(tree, ROOT);
    let options = legible::Options::new().keep_classes(true).disable_json_ld(true);
    // It walks a tree that it changes at the same time, and is documented to panic rather than be wrong.
    let article = catch_unwind(AssertUnwindSafe(|| legible::parse(&html, None, Some(options))));
    let article = article.ok()?.ok()?;
    (!article.text_content.trim().is_empty()).then_some(article.content)
}

fn is_too_little(found: usize, marked: usize) -> bool {
    found * 2 < marked
}

/// The element that the page marks as its main part, if there is one.
fn find_marked_main(tree: &Tree) -> Option<NodeId> {
    let mut best: Option<(usize, NodeId)> = None;
    let mut walk = tree.walk(ROOT);
    while let Some(step) = walk.next() {
        let WalkStep::Into(id) = step else { continue };
        let Some(element) = tree.element(id) else { continue };
        if element.tag() == "main"
            || element.attribute("role").is_some_and(|role| role.eq_ignore_ascii_case("main"))
        {
            let weight = weight(tree, id);
            if best.is_none_or(|(heaviest, _)| weight > heaviest) {
                best = Some((weight, id));
            }
            walk.skip_children(id);
        }
    }
    best.filter(|(weight, _)| *weight > 0).map(|(_, id)| id)
}

/// The amount of running text: characters outside of links and navigation.
fn weight(tree: &Tree, from: NodeId) -> usize {
    let mut weight = 0;
    let mut walk = tree.walk(from);
    while let Some(step) = walk.next() {
        let WalkStep::Into(id) = step else { continue };
        match &tree.node(id).data {
            NodeData::Text(text) => {
                weight += text.split_whitespace().map(|word| word.chars().count() + 1).sum::<usize>();
            }
            NodeData::Element(element)
                if matches!(element.tag(), "a" | "nav" | "aside" | "footer" | "button" | "form") =>
            {
                walk.skip_children(id);
            }
            _ => {}
        }
    }
    weight
}

/// Removes what surrounds the text, if a whole part of a page is taken.
fn remove_boilerplate(tree: &mut Tree, from: NodeId) {
    remove(tree, from, |element| {
        let role = element.attribute("role").unwrap_or_default().to_ascii_lowercase();
        matches!(element.tag(), "aside" | "footer" | "button" | "form")
            || matches!(
                role.as_str(),
                "complementary" | "contentinfo" | "search" | "banner" | "toolbar" | "menu"
            )
    });
}

fn remove(tree: &mut Tree, from: NodeId, matches: fn(&Element) -> bool) {
    let mut found = Vec::new();
    let mut walk = tree.walk(from);
    while let Some(step) = walk.next() {
        if let WalkStep::Into(id) = step
            && id != from
            && tree.element(id).is_some_and(matches)
        {
            found.push(id);
            walk.skip_children(id);
        }
    }
    for id in found {
        tree.detach(id);
    }
}
