//! Single edits that make a text inert, and their counts.

use serde::Serialize;

use crate::Span;

/// How many things of each kind were removed, broken or escaped.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize)]
pub struct RemovedCounts {
    /// Addresses that were not allowed.
    pub links: usize,
    /// Links to notes that do not exist.
    pub notes: usize,
    /// Images and embeds, local ones included: they became links or text.
    pub images: usize,
    /// Destinations and tags that run something.
    pub scripts: usize,
    /// HTML tags that are now displayed as text.
    pub html: usize,
    /// Markup that a plugin would run.
    pub plugin: usize,
    /// Hidden characters.
    pub hidden: usize,
    /// Frontmatter, and comments, fences and math left open, which would swallow the text around them.
    pub structure: usize,
    /// Whether the text could not be made inert piece by piece, and all of it is plain text now.
    pub whole: bool,
}

impl RemovedCounts {
    /// The sum of all counts.
    pub fn total(&self) -> usize {
        let Self { links, notes, images, scripts, html, plugin, hidden, structure, whole } = *self;
        links + notes + images + scripts + html + plugin + hidden + structure + usize::from(whole)
    }

    fn count(&mut self, kind: RemovedKind) {
        let counter = match kind {
            RemovedKind::Link => &mut self.links,
            RemovedKind::Note => &mut self.notes,
            RemovedKind::Image => &mut self.images,
            RemovedKind::Script => &mut self.scripts,
            RemovedKind::Html => &mut self.html,
            RemovedKind::Plugin => &mut self.plugin,
            RemovedKind::Hidden => &mut self.hidden,
            RemovedKind::Structure => &mut self.structure,
        };
        *counter += 1;
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum RemovedKind {
    Link,
    Note,
    Image,
    Script,
    Html,
    Plugin,
    Hidden,
    Structure,
}

/// A non-empty span and its replacement.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct InertEdit {
    pub span: Span,
    pub with: String,
    /// The kind that is counted. If one thing takes two edits, the second counts as nothing.
    pub kind: Option<RemovedKind>,
}

impl InertEdit {
    pub(super) fn new(span: Span, with: impl Into<String>) -> Self {
        Self { span, with: with.into(), kind: None }
    }

    pub(super) fn with_kind(mut self, kind: RemovedKind) -> Self {
        self.kind = Some(kind);
        self
    }

    pub(super) fn with_structure_kind(self) -> Self {
        self.with_kind(RemovedKind::Structure)
    }
}

/// Selects edits that do not overlap, in order: of two that do, the one of the earlier group, or the one that begins
/// first. The others are found again in the next round if they are still needed.
pub(super) fn select_disjoint<const GROUPS: usize>(groups: [Vec<InertEdit>; GROUPS]) -> Vec<InertEdit> {
    let mut taken: Vec<InertEdit> = vec![];
    for mut group in groups {
        group.sort_by(|a, b| {
            (a.span.start, a.span.end, a.kind.is_none()).cmp(&(b.span.start, b.span.end, b.kind.is_none()))
        });
        let (mut end, mut new) = (0, vec![]);
        for edit in group {
            let next = taken.partition_point(|other| other.span.end <= edit.span.start);
            let touches = taken.get(next).is_some_and(|other| other.span.start < edit.span.end);
            if edit.span.start >= end && !touches {
                end = edit.span.end;
                new.push(edit);
            }
        }
        taken.extend(new);
        taken.sort_by_key(|edit| edit.span.start);
    }
    taken
}

pub(super) fn apply(text: &str, edits: &[InertEdit], removed: &mut RemovedCounts) -> String {
    let mut out = String::with_capacity(text.len());
    let mut done = 0;
    for edit in edits {
        out.push_str(&text[done..edit.span.start]);
        out.push_str(&edit.with);
        done = edit.span.end;
        if let Some(kind) = edit.kind {
            removed.count(kind);
        }
    }
    out.push_str(&text[done..]);
    out
}
