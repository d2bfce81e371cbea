//! One thing that is taken out or broken, and the counts of all.

use serde::Serialize;

use crate::Span;

/// How much of each kind was taken out, broken or escaped.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize)]
pub struct RemovedCounts {
    /// Addresses that were not allowed.
    pub links: usize,
    /// Links to notes that do not exist.
    pub notes: usize,
    /// Images and embeds, local ones too: they became links or text.
    pub images: usize,
    /// Destinations and tags that run something.
    pub scripts: usize,
    /// Tags of HTML that show as text now.
    pub html: usize,
    /// What a plugin would run.
    pub plugin: usize,
    /// Characters that nobody sees.
    pub hidden: usize,
    /// Frontmatter, comments, fences and math left open: what would swallow the text around it.
    pub structure: usize,
    /// The text could not be made inert piece by piece, so all of it is plain text now.
    pub whole: bool,
}

impl RemovedCounts {
    pub fn total(&self) -> usize {
        let Self { links, notes, images, scripts, html, plugin, hidden, structure, whole } = *self;
        links + notes + images + scripts + html + plugin + hidden + structure + usize::from(whole)
    }

    fn count(&mut self, what: RemovedKind) {
        let counter = match what {
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

/// A range, never an empty one, and what takes its place.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct InertEdit {
    pub span: Span,
    pub with: String,
    /// What it counts as. Where one thing takes two edits, the second counts as nothing.
    pub what: Option<RemovedKind>,
}

impl InertEdit {
    pub(super) fn new(span: Span, with: impl Into<String>) -> Self {
        Self { span, with: with.into(), what: None }
    }

    pub(super) fn with_kind(mut self, what: RemovedKind) -> Self {
        self.what = Some(what);
        self
    }

    pub(super) fn with_structure_kind(self) -> Self {
        self.with_kind(RemovedKind::Structure)
    }
}

/// Those edits that do not touch each other, in order: of two that do, the one of the earlier group, or that begins
/// first. The others are found again in the next round, if there is still something to find.
pub(super) fn select_disjoint<const GROUPS: usize>(groups: [Vec<InertEdit>; GROUPS]) -> Vec<InertEdit> {
    let mut taken: Vec<InertEdit> = vec![];
    for mut group in groups {
        group.sort_by(|a, b| {
            (a.span.start, a.span.end, a.what.is_none()).cmp(&(b.span.start, b.span.end, b.what.is_none()))
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
        if let Some(what) = edit.what {
            removed.count(what);
        }
    }
    out.push_str(&text[done..]);
    out
}
