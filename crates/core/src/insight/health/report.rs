//! The types of the report; JSON and schemas are derived from them.

use schemars::JsonSchema;
use serde::Serialize;

use crate::ports::SkippedFile;

/// How the knowledge base is.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Health {
    /// The number of notes.
    pub notes: usize,
    /// The number of linked pairs of notes; repeated links count once.
    pub links: usize,
    /// The number of words in all notes.
    pub words: usize,
    /// When the vault was examined.
    pub at: String,
    /// How long the examination took, in milliseconds.
    pub took_ms: u64,
    /// Notes without links to or from other notes.
    pub orphans: Vec<String>,
    /// Notes that others link to but that link to no other note.
    pub dead_ends: Vec<String>,
    /// Links to files that do not exist.
    pub dead_links: Vec<DeadLinkPlace>,
    /// Groups of notes connected by links, largest first. A single note is not a cluster.
    pub clusters: Vec<Cluster>,
    /// Notes that no run has used as evidence.
    pub never_drawn_on: UnusedNotes,
    /// Notes with the same or nearly the same text.
    pub duplicates: Vec<Duplicate>,
    /// Numbers and dates that differ between notes about the same thing.
    pub contradictions: Vec<Contradiction>,
    /// Notes that have not been changed while notes that link to them were.
    pub stale: Vec<StaleNote>,
    /// Mentions of notes in running text without a link, best first.
    pub suggested_links: Vec<SuggestedLink>,
    /// Names that other notes use for a note and that are not among its aliases.
    pub suggested_aliases: Vec<SuggestedAlias>,
    /// Files that could not be examined.
    pub skipped: Vec<SkippedFile>,
    /// Something the reader should know about the report.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub notice: Option<String>,
}

/// A link to a file, a heading or a block that is not there.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct DeadLinkPlace {
    /// The note with the link.
    pub path: String,
    /// From 1.
    pub line: usize,
    /// As it was written, without alias; with its heading or block only where that is what is missing.
    pub target: String,
    /// What may have been meant, or what is missing in the note.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
}

/// Notes that are densely linked with each other.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct Cluster {
    /// The cluster's number, from 0, the largest first.
    pub id: usize,
    /// What its best-linked note is called.
    pub name: String,
    /// How many notes it has.
    pub size: usize,
    /// The best-linked first; at most 50 of them.
    pub notes: Vec<String>,
}

/// Notes that no run has used as evidence.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct UnusedNotes {
    /// How many there are.
    pub count: usize,
    /// The first 100.
    pub notes: Vec<String>,
}

/// Two notes with the same or nearly the same text.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct Duplicate {
    /// The first note.
    pub one: String,
    /// The second note.
    pub other: String,
    /// From 0 to 1; 1 is the same text.
    pub similarity: f32,
    /// How the similarity was measured.
    pub how: SimilarityKind,
}

/// By what two notes are told to say the same: the text is the same, the cosine of their vectors, the words in a row that both
/// have.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
#[schemars(transform = crate::domain::schema::list_variant_names)]
pub enum SimilarityKind {
    /// The texts are equal.
    Text,
    /// By the cosine of the notes' vectors.
    Vector,
    /// By the runs of words that both share.
    Shingles,
}

/// Two notes that state different figures for the same thing.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct Contradiction {
    /// What both are of, in the words of the first.
    pub what: String,
    /// As written: `3 %`, `2 %`.
    pub values: [String; 2],
    /// Where the first value is stated.
    pub one: QuotedLines,
    /// Where the second value is stated.
    pub other: QuotedLines,
}

/// Lines of a note.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct QuotedLines {
    /// The note.
    pub path: String,
    /// From 1, both included.
    pub start_line: usize,
    /// The last line, from 1, included.
    pub end_line: usize,
    /// Byte for byte.
    pub quote: String,
}

/// A note that has not been changed for long, while notes that link to it were.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct StaleNote {
    /// The note.
    pub path: String,
    /// The day of its last change, YYYY-MM-DD.
    pub changed: String,
    /// Why it may be outdated.
    pub reason: String,
}

/// A mention of a note that could be a link.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct SuggestedLink {
    /// The note with the mention.
    pub from: String,
    /// From 1.
    pub line: usize,
    /// As it stands there.
    pub mention: String,
    /// The note that is mentioned.
    pub to: String,
    /// Why a link is suggested.
    pub reason: String,
}

/// A name that could become an alias of a note.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct SuggestedAlias {
    /// The note.
    pub path: String,
    /// The suggested alias.
    pub alias: String,
    /// How many notes call it so.
    pub used_by: usize,
    /// Why it is suggested.
    pub reason: String,
}

/// Who links to whom, to be drawn.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct LinkGraph {
    /// The notes.
    pub nodes: Vec<LinkNode>,
    /// Two notes between which there is a link, as their places in `nodes`, the smaller first. Each pair once.
    pub edges: Vec<[usize; 2]>,
}

/// A note in the graph of links.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct LinkNode {
    /// The note's path.
    pub path: String,
    /// The note's title.
    pub title: String,
    /// Which of the clusters it is in; none where it is alone.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cluster: Option<usize>,
    /// How many notes it is linked with.
    pub links: usize,
}

impl Health {
    /// Cuts each list to `most` entries; the notice says how long the cut ones were.
    #[must_use]
    pub fn with_limit(mut self, most: usize) -> Self {
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
            let limit = format!("only the first {most} of each are listed; there are {}", cut.join(", "));
            self.notice = Some(self.notice.map_or(limit.clone(), |notice| format!("{notice}; {limit}")));
        }
        self
    }

    /// Every file that the report mentions.
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
