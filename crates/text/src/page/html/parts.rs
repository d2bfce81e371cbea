//! Items of a list, and posts of a discussion, are kept together: what is in the same place of each of them is the same
//! kind of text.

use std::collections::HashMap;
use std::hash::{DefaultHasher, Hash, Hasher};

use super::names::Names;
use super::tree::{Element, NodeId, Tree};
use super::units::PageUnit;

/// The item or post around a unit.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash)]
pub(super) struct Part {
    kind: PartKind,
    /// Its element.
    element: NodeId,
    /// The element around it.
    around: NodeId,
    /// The list of an item; for a post, what its element is called.
    group: u64,
    /// The elements between it and the unit.
    path: u64,
}

#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash)]
enum PartKind {
    #[default]
    None,
    Item,
    Post,
}

impl Part {
    /// The part inside of a block element with these names.
    pub(super) fn enter(self, tree: &Tree, id: NodeId, own: Names) -> Part {
        let Some(element) = tree.element(id) else { return self };
        let tag = element.tag();
        let around = tree.node(id).parent.unwrap_or_default();
        if own.is_post()
            && matches!(tag, "div" | "article" | "section" | "li" | "td" | "tr" | "table" | "blockquote")
        {
            return Part {
                kind: PartKind::Post,
                element: id,
                around,
                group: hash((tag, stem(element))),
                path: 0,
            };
        }
        if matches!(tag, "li" | "dd") {
            return Part {
                kind: PartKind::Item,
                element: id,
                around,
                group: hash(("list", around)),
                path: 0,
            };
        }
        Part { path: hash((self.path, tag, stem(element))), ..self }
    }
}

/// The first class of an element without its number.
fn stem(element: &Element) -> &str {
    let class = element.attribute("class").unwrap_or_default().split_whitespace().next().unwrap_or_default();
    class.trim_end_matches(|letter: char| letter.is_ascii_digit())
}

fn hash(value: impl Hash) -> u64 {
    let mut hasher = DefaultHasher::new();
    value.hash(&mut hasher);
    hasher.finish()
}

/// The texts in the same place of several parts.
#[derive(Debug, Default)]
struct Alike {
    /// The bytes of the texts, and of those that are kept.
    total: usize,
    kept: usize,
    /// The number of parts, and the last of them.
    parts: usize,
    last: Option<NodeId>,
    /// The number of parts with a text that is kept, the last of them and the element around it.
    kept_parts: usize,
    last_kept: Option<NodeId>,
    around_kept: NodeId,
}

impl Alike {
    fn add(&mut self, unit: &PageUnit, is_kept: bool) {
        let Part { element, around, .. } = unit.place.part;
        self.total += unit.text.len();
        self.parts += usize::from(self.last != Some(element));
        self.last = Some(element);
        if is_kept {
            self.kept += unit.text.len();
            self.kept_parts += usize::from(self.last_kept != Some(element));
            (self.last_kept, self.around_kept) = (Some(element), around);
        }
    }

    /// Whether these are texts of several posts, and not the parts of one.
    fn is_discussion(&self) -> bool {
        self.kept_parts > 1 || self.parts > 1 && self.kept_parts == 1
    }

    fn is_mostly_kept(&self) -> bool {
        self.kept * 2 > self.total
    }
}

/// Keeps all texts in the same place of the items of a list if most of their text is kept, and the same for the posts of
/// a page that consists of posts.
pub(super) fn agree(units: &[PageUnit], chosen: &mut [bool]) {
    let mut places: HashMap<Part, Alike> = HashMap::new();
    let (mut total, mut in_posts) = (0, 0);
    let place = |unit: &PageUnit| Part { element: 0, around: 0, ..unit.place.part };
    for (unit, &is_chosen) in units.iter().zip(chosen.iter()) {
        places.entry(place(unit)).or_default().add(unit, is_chosen);
        total += usize::from(is_chosen) * unit.text.len();
    }
    for (part, alike) in &places {
        if part.kind == PartKind::Post && alike.is_discussion() {
            in_posts += alike.kept;
        }
    }
    let is_discussion = in_posts * 2 > total;
    for (unit, is_chosen) in units.iter().zip(chosen) {
        let part = place(unit);
        let Some(alike) = places.get(&part).filter(|alike| alike.is_mostly_kept()) else { continue };
        *is_chosen |= match part.kind {
            PartKind::None => false,
            PartKind::Item => true,
            PartKind::Post => {
                let is_beside = unit.place.part.around == alike.around_kept;
                is_discussion && (alike.kept_parts > 1 || is_beside)
            }
        };
    }
}
