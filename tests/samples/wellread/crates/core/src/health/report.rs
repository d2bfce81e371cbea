//! What a report says, as types: JSON and schemas come from them.

use schemars::JsonSchema;
use serde::Serialize;

use crate::ports::Skipped;

/// How the knowledge base is.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Health {
    pub notes: usize,
    /// From a note to another, each once, however often it is written.
    pub links: usize,
    pub words: usize,
    /// When it was looked at.
    pub at: String,
    pub took_ms: u64,
    /// Notes that link to no other and that no other links to.
    pub orphans: Vec<String>,
    /// Notes that others link to, and that lead nowhere.
    pub dead_ends: Vec<String>,
    /// Links to files that are not there.
    pub dead_links: Vec<DeadLinkAt>,
    /// Notes that hang together by their links, the largest first. A note alone is none.
    pub clusters: Vec<Cluster>,
    /// Notes that no run's evidence is of.
    pub never_drawn_on: NeverDrawnOn,
    /// Notes that say the same.
    pub duplicates: Vec<Duplicate>,
    /// Numbers and dates that differ between notes which speak of the same thing.
    pub contradictions: Vec<Contradiction>,
    /// Notes that grew old while others that link to them were changed.
    pub stale: Vec<Stale>,
    /// Names of notes that stand in running text without a link, the best first.
    pub suggested_links: Vec<SuggestedLink>,
    /// Names by which other notes call a note that does not have them among its aliases.
    pub suggested_aliases: Vec<SuggestedAlias>,
    /// Files that could not be looked at.
    pub skipped: Vec<Skipped>,
    /// Something the reader should know about the report.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub notice: Option<String>,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct DeadLinkAt {
    pub path: String,
    /// From 1.
    pub line: usize,
    /// As it was written, without alias; with its heading or block only where that is what is missing.
    pub target: String,
    /// What may have been meant, or what is missing in the note.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct Cluster {
    pub id: usize,
    /// What its best-linked note is called.
    pub name: String,
    pub size: usize,
    /// The best-linked first; at most 50 of them.
    pub notes: Vec<String>,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct NeverDrawnOn {
    pub count: usize,
    /// The first 100.
    pub notes: Vec<String>,
}

#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct Duplicate {
    pub one: String,
    pub other: String,
    /// From 0 to 1; 1 is the same text.
    pub similarity: f32,
    pub how: Alike,
}

/// By what two notes are told to say the same: the text is the same, the cosine of their vectors, the words in a row that both
/// have.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Alike {
    Text,
    Vector,
    Shingles,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct Contradiction {
    /// What both are of, in the words of the first.
    pub what: String,
    /// As written: `3 %`, `2 %`.
    pub values: [String; 2],
    pub one: Quoted,
    pub other: Quoted,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Quoted {
    pub path: String,
    /// From 1, both included.
    pub start_line: usize,
    pub end_line: usize,
    /// Byte for byte.
    pub quote: String,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct Stale {
    pub path: String,
    /// The day of its last change, YYYY-MM-DD.
    pub changed: String,
    pub reason: String,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct SuggestedLink {
    pub from: String,
    /// From 1.
    pub line: usize,
    /// As it stands there.
    pub mention: String,
    pub to: String,
    pub reason: String,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct SuggestedAlias {
    pub path: String,
    pub alias: String,
    /// How many notes call it so.
    pub used_by: usize,
    pub reason: String,
}

/// Who links to whom, to be drawn.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct LinkGraph {
    pub nodes: Vec<LinkNode>,
    /// Two notes between which there is a link, as their places in `nodes`, the smaller first. Each pair once.
    pub edges: Vec<[usize; 2]>,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct LinkNode {
    pub path: String,
    pub title: String,
    /// Which of the clusters it is in; none where it is alone.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cluster: Option<usize>,
    /// How many notes it is linked with.
    pub links: usize,
}

impl Health {
    /// The same with at most so many of each, and how many there are of those that were cut.
    #[must_use]
    pub fn at_most(mut self, most: usize) -> Self {
        let mut cut = Vec::new();
        let mut note = |what: &str, all: usize| {
            if all > most {
                cut.push(format!("{all} {what}"));
            }
        };
        note("orphans", self.orphans.len());
        note("dead ends", self.dead_ends.len());
        note("dead links", self.dead_links.len());
        note("clusters", self.clusters.len());
        note("duplicates", self.duplicates.len());
        note("contradictions", self.contradictions.len());
        note("stale notes", self.stale.len());
        note("suggested links", self.suggested_links.len());
        note("suggested aliases", self.suggested_aliases.len());
        note("skipped files", self.skipped.len());
        self.orphans.truncate(most);
        self.dead_ends.truncate(most);
        self.dead_links.truncate(most);
        self.clusters.truncate(most);
        self.clusters.iter_mut().for_each(|cluster| cluster.notes.truncate(most));
        self.never_drawn_on.notes.truncate(most);
        self.duplicates.truncate(most);
        self.contradictions.truncate(most);
        self.stale.truncate(most);
        self.suggested_links.truncate(most);
        self.suggested_aliases.truncate(most);
        self.skipped.truncate(most);
        if !cut.is_empty() {
            let said = format!("the first {most} of each are told; there are {}", cut.join(", "));
            self.notice = Some(self.notice.map_or(said.clone(), |notice| format!("{notice}; {said}")));
        }
        self
    }

    /// Every file that it names.
    pub fn files(&self) -> Vec<String> {
        let mut files: Vec<&String> = Vec::new();
        files.extend(self.orphans.iter().chain(&self.dead_ends).chain(&self.never_drawn_on.notes));
        files.extend(self.dead_links.iter().map(|link| &link.path));
        files.extend(self.clusters.iter().flat_map(|cluster| &cluster.notes));
        files.extend(self.duplicates.iter().flat_map(|pair| [&pair.one, &pair.other]));
        files.extend(self.contradictions.iter().flat_map(|found| [&found.one.path, &found.other.path]));
        files.extend(self.stale.iter().map(|note| &note.path));
        files.extend(self.suggested_links.iter().flat_map(|link| [&link.from, &link.to]));
        files.extend(self.suggested_aliases.iter().map(|alias| &alias.path));
        files.extend(self.skipped.iter().map(|file| &file.path));
        files.sort_unstable();
        files.dedup();
        files.into_iter().cloned().collect()
    }
}
