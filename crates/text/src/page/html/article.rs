//! Finds the main content of a page.
//!
//! A port of Mozilla's Readability, which gets the page without hidden parts, finds where it is. It was made for
//! articles; if it finds nothing, or far less than the page itself marks as its main part, as happens with
//! documentation, that part counts as found. Then each text of the page is judged by itself: being found is only one
//! sign of many, so that bylines, captions and links to other pages are left out, and a lost paragraph is not.

use std::panic::{AssertUnwindSafe, catch_unwind};

use super::select::{self, KnownWords};
use super::tree::{Element, NodeData, NodeId, ROOT, Tree, WalkStep};
use super::{clean, parse, units};

/// Leaves only the main content in the tree.
pub(super) fn keep_main_content(tree: &mut Tree, title: Option<&str>) {
    remove_navigation(tree);
    let known = find_known(tree);
    remove(tree, ROOT, |element| matches!(element.tag(), "head" | "title"));
    let units = units::units(tree, ROOT);
    let is_known = units.iter().map(|unit| known.has(unit)).collect();
    let kept = select::choose(&units, is_known, title);
    let left_out = units.iter().zip(kept).filter(|(_, is_kept)| !is_kept);
    for &node in left_out.flat_map(|(unit, _)| &unit.nodes) {
        tree.detach(node);
    }
}

/// The words of what Readability finds, or of what the page marks as its main part if that is far more.
fn find_known(tree: &Tree) -> KnownWords {
    // Readability wraps elements in others, so its result may exceed the limits that the page itself met.
    let found = run_readability(tree).map(|html| parse::parse(&html)).filter(|(_, cut)| !cut);
    let own = find_marked_main(tree);
    if let Some((found, _)) = found
        && !own.is_some_and(|own| is_too_little(weight(&found, ROOT), weight(tree, own)))
    {
        return KnownWords::new(&units::units(&found, ROOT));
    }
    let own = own.or_else(|| tree.find(ROOT, "body")).unwrap_or(ROOT);
    KnownWords::new(units::units(tree, own).iter().filter(|unit| !unit.place.inside.is_boilerplate()))
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
