//! Findings: a page or a paper, a summary of it, and the evidence for that.

use jiff::Timestamp;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{IdempotentRequest, TaskSource};
use crate::domain::corpus::{Hash, normalize_address};
use crate::domain::evidence::Evidence;
use crate::domain::id::{AgendaId, FindingId, OperationId, RunId, TaskId};
use crate::domain::verdict::Verdict;
use crate::{Error, Result, WayOut};

/// A page or a paper that a task found, written up with its evidence.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Finding {
    /// The finding's id.
    pub id: FindingId,
    /// The agenda that it belongs to.
    pub agenda_id: AgendaId,
    /// The task that found it.
    pub task_id: TaskId,
    /// The run that wrote it.
    #[schemars(with = "String")]
    pub run_id: RunId,
    /// The page's URL.
    pub url: String,
    /// The page's title.
    pub title: String,
    /// Two or three supported sentences; `sentences` lists the evidence for each.
    pub summary: String,
    /// How it relates to the topic; supported sentences only.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub bearing: String,
    /// The concepts that it is about.
    pub concepts: Vec<String>,
    /// The gate's verdict on each sentence of `summary` and `bearing`.
    pub sentences: Vec<FindingSentence>,
    /// The quotes that support its sentences.
    pub evidence: Vec<FindingEvidence>,
    /// Related notes.
    pub related_notes: Vec<String>,
    /// Why the task was proposed.
    pub motivation: String,
    /// The query that found it.
    pub query: String,
    /// Where it was found.
    pub source: TaskSource,
    /// Similarity to the nearest note or earlier finding, from 0 to 1.
    pub similarity: f32,
    /// The nearest note or earlier finding.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub nearest: Option<String>,
    /// The stored text of the page.
    #[schemars(with = "String")]
    pub snapshot: Hash,
    /// The finding's status.
    pub status: FindingStatus,
    /// The note that it was accepted into.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub note_path: Option<String>,
    /// The operation that created the note; `wellread undo` accepts it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(with = "Option<String>")]
    pub operation: Option<OperationId>,
    /// When it was created.
    #[schemars(with = "String")]
    pub created: Timestamp,
    /// When it was accepted or dismissed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(with = "Option<String>")]
    pub decided: Option<Timestamp>,
    /// What an acceptance in progress is about to write. It exists briefly, or until an interrupted acceptance is completed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub accepting: Option<PendingAcceptance>,
    /// A hash of the user's own words, if the user accepted it with their own words.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(with = "Option<String>")]
    pub accepted_as: Option<Hash>,
}

/// The state of a finding.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
#[schemars(transform = crate::domain::schema::list_variant_names)]
pub enum FindingStatus {
    /// Waits for a decision.
    New,
    /// Accepted into a note.
    Accepted,
    /// Dismissed by the user.
    Dismissed,
}

impl FindingStatus {
    /// All states.
    pub const ALL: [Self; 3] = [Self::New, Self::Accepted, Self::Dismissed];

    /// The state's name in JSON.
    pub fn name(self) -> &'static str {
        match self {
            Self::New => "new",
            Self::Accepted => "accepted",
            Self::Dismissed => "dismissed",
        }
    }
}

/// The part of a finding that a sentence belongs to.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
#[schemars(transform = crate::domain::schema::list_variant_names)]
pub enum FindingPart {
    /// The summary.
    Summary,
    /// How the page relates to the topic.
    Bearing,
}

/// A sentence of a finding with the gate's verdict on it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct FindingSentence {
    /// The part that the sentence is in.
    pub part: FindingPart,
    /// The sentence without the ids that it cites.
    pub text: String,
    /// The gate's verdict on it.
    pub verdict: Verdict,
    /// The ids of the evidence that it cites.
    pub evidence: Vec<String>,
}

impl FindingSentence {
    /// The sentence followed by the ids that it cites: `Bees dance. [ev-…-001]`.
    pub fn text_with_ids(&self) -> String {
        let ids: String = self.evidence.iter().map(|id| format!("[{id}]")).collect();
        format!("{} {ids}", self.text)
    }
}

/// A quote that a finding rests on: from the stored page, or from a note.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct FindingEvidence {
    /// The id of the evidence.
    pub id: String,
    /// The quoted text.
    pub quote: String,
    /// The address of the page; for a note, its path and lines.
    pub url: String,
    /// The title of the page or note.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub title: Option<String>,
    /// The hash of the stored page, or of the note as it was.
    #[schemars(with = "String")]
    pub snapshot: Hash,
    /// Where the quote starts in the stored text, in bytes.
    pub start: usize,
    /// Where the quote ends in the stored text, in bytes.
    pub end: usize,
}

impl FindingEvidence {
    /// The quote and place of an entry of the ledger.
    pub fn from_evidence(entry: &Evidence) -> Self {
        let (snapshot, span, title) = match (entry.source.page(), entry.source.file()) {
            (Some(page), _) => (page.snapshot, page.span.clone(), page.title.clone()),
            (None, Some((_, file))) => (file.hash, file.span.clone(), None),
            (None, None) => (Hash::compute(b""), 0..0, None),
        };
        Self {
            id: entry.id.to_string(),
            quote: entry.text.expose().to_owned(),
            url: entry.source.location(),
            title,
            snapshot,
            start: span.start,
            end: span.end,
        }
    }
}

/// An acceptance in progress: what is needed to complete it if it is interrupted.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct PendingAcceptance {
    /// The group of the operation in the journal, by which a finished acceptance is recognized.
    pub group: String,
    /// The note that is about to be created.
    pub path: String,
    /// The title that the user wrote instead, if any.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub title: Option<String>,
    /// The summary that the user wrote instead, if any.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub summary: Option<String>,
    /// A hash of the user's edits (title, summary, folder), if there are any.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(with = "Option<String>")]
    pub words: Option<Hash>,
    /// The request that started it; the answer to it is stored when the acceptance completes.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub once: Option<IdempotentRequest>,
}

impl Finding {
    /// The page's normalized address, by which findings of the same page are recognized.
    pub fn normalized_address(&self) -> String {
        normalize_address(&self.url).unwrap_or_else(|| self.url.clone())
    }

    /// The supported sentences of a part, each with the ids that it cites.
    pub fn supported_text(&self, part: FindingPart) -> String {
        let kept = self.sentences.iter().filter(|known| known.part == part && known.verdict.is_borne_out());
        kept.map(FindingSentence::text_with_ids).collect::<Vec<_>>().join(" ")
    }

    /// An error of kind `Conflict` if it was dismissed. One that was accepted already passes.
    pub fn check_acceptable(&self) -> Result<()> {
        match self.status {
            FindingStatus::Dismissed => {
                Err(Error::conflict(format!("the finding {} was dismissed", self.id))
                    .hint(format!("a dismissed finding stays dismissed; the page itself is {}", self.url)))
            }
            FindingStatus::New | FindingStatus::Accepted => Ok(()),
        }
    }

    /// Marks the finding as accepted into the note at this path. An error of kind `Conflict` if it was dismissed.
    pub fn accept(&mut self, path: &str, operation: OperationId, at: Timestamp) -> Result<()> {
        self.check_acceptable()?;
        self.status = FindingStatus::Accepted;
        self.note_path = Some(path.to_owned());
        self.operation = Some(operation);
        self.decided = Some(at);
        self.accepted_as = self.accepting.take().and_then(|begun| begun.words);
        Ok(())
    }

    /// An error of kind `Conflict` if it was accepted with other edits than this hash stands for. Without a hash it
    /// passes: the note is taken as it is.
    pub fn check_acceptable_as(&self, words: Option<Hash>) -> Result<()> {
        if words.is_none() || words == self.accepted_as {
            return Ok(());
        }
        let note = self.note_path.as_deref().unwrap_or_default();
        Err(Error::conflict(format!("the finding {} was already accepted, with other text", self.id)).hint(
            format!(
                "its note is `{note}`; change it there, or undo it first (`wellread inbox undo {}`)",
                self.id
            ),
        ))
    }

    /// Marks the finding as dismissed, unless it is already. An error of kind `Conflict` if it was accepted.
    pub fn dismiss(&mut self, at: Timestamp) -> Result<()> {
        match self.status {
            FindingStatus::Accepted => Err(Error::conflict(format!("the finding {} was accepted", self.id))
                .hint("undo the acceptance first: `wellread inbox undo ID`")
                .with_way_out(WayOut::UndoAcceptance)),
            FindingStatus::Dismissed => Ok(()),
            FindingStatus::New => {
                self.status = FindingStatus::Dismissed;
                self.decided = Some(at);
                self.accepting = None;
                Ok(())
            }
        }
    }

    /// Takes an acceptance back, once its note is gone. An error of kind `Conflict` if it was dismissed.
    pub fn reopen(&mut self) -> Result<()> {
        match self.status {
            FindingStatus::Dismissed => {
                Err(Error::conflict(format!("the finding {} was dismissed", self.id))
                    .hint("only an acceptance can be undone"))
            }
            FindingStatus::New | FindingStatus::Accepted => {
                self.status = FindingStatus::New;
                self.note_path = None;
                self.operation = None;
                self.decided = None;
                self.accepting = None;
                self.accepted_as = None;
                Ok(())
            }
        }
    }
}
