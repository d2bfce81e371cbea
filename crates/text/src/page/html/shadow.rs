//! Elements with a shadow root: browsers display its template instead, and of the element's own children only those
//! that the template has a slot for.

use super::hidden::is_hidden;
use super::tree::{NodeId, Tree, WalkStep};

/// The children that are not displayed. If there are several templates, of which browsers use one, each must have a
/// slot for a child.
pub(super) fn find_unslotted_children(tree: &Tree, host: NodeId) -> Vec<NodeId> {
    let is_shadow = |id: &NodeId| {
        tree.tag(*id) == "template"
            && tree.element(*id).is_some_and(|element| element.attribute("shadowrootmode").is_some())
    };
    let places: Vec<Vec<&str>> =
        tree.children(host).filter(is_shadow).map(|template| slot_names(tree, template)).collect();
    if places.is_empty() {
        return Vec::new();
    }
    let place = |child: NodeId| tree.element(child).and_then(|element| element.attribute("slot"));
    let is_shown = |child: NodeId| {
        let wanted = place(child).unwrap_or_default();
        places.iter().all(|places| places.contains(&wanted))
    };
    tree.children(host).filter(|child| !is_shadow(child) && !is_shown(*child)).collect()
}

/// The names of the visible slots of a template.
fn slot_names(tree: &Tree, template: NodeId) -> Vec<&str> {
    let mut names = Vec::new();
    let mut walk = tree.walk(template);
    while let Some(step) = walk.next() {
        let WalkStep::Into(id) = step else { continue };
        let Some(element) = tree.element(id).filter(|_| id != template) else { continue };
        if is_hidden(element) {
            walk.skip_children(id);
        } else if element.tag() == "slot" {
            names.push(element.attribute("name").unwrap_or_default());
        }
    }
    names
}
