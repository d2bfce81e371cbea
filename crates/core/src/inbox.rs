//! What becomes of findings: one is accepted and is a note from then on, or dismissed; an acceptance can be undone.
//!
//! A note is made once for a finding, however often and by however many it is asked for, and whenever whoever does it is cut
//! off: what is about to be written is written down before, and the journal of the vault says whether it was.

mod known;
mod note;

use schemars::JsonSchema;
use serde::Serialize;

use note::Fleeting;

use crate::agenda::{Accepting, Counts, Finding, FindingStatus, SuppressedTopic};
use crate::id::{FindingId, OperationId};
use crate::ports::WhichFindings;
use crate::research::Research;
use crate::vault::{Edits, How, Outcome, Vault};
use crate::{Error, Kind, Result, logbook, watching};

/// What the journal calls it.
const LABEL: &str = "accept_finding";
/// How far back the journal is looked at for an acceptance that was cut off: it keeps no more.
const JOURNAL: usize = 5_000;
/// How many names are tried for a note.
const NAMES: usize = 200;

/// Findings, and the vault that they go into.
#[derive(Clone, Copy)]
pub struct Inbox<'a> {
    pub research: &'a Research,
    pub vault: &'a Vault,
}

/// What the user changed before accepting.
#[derive(Debug, Clone, Default)]
pub struct Edited {
    pub title: Option<String>,
    pub summary: Option<String>,
    /// Another folder than the one that is set.
    pub folder: Option<String>,
}

/// Findings as they are listed, and how many there are of each sort.
#[derive(Debug, Serialize, JsonSchema)]
pub struct Listed {
    pub findings: Vec<Finding>,
    pub counts: Counts,
}

/// Topics that are not proposed any more.
#[derive(Debug, Serialize, JsonSchema)]
pub struct ListedTopics {
    pub topics: Vec<SuppressedTopic>,
}

impl Inbox<'_> {
    pub fn finding(&self, id: &FindingId) -> Result<Finding> {
        self.research.agendas.finding(id)?.ok_or_else(|| unknown(id))
    }

    /// Newest first.
    pub fn findings(&self, which: &WhichFindings, at_most: usize) -> Result<Listed> {
        let store = &self.research.agendas;
        Ok(Listed { findings: store.findings(which, at_most)?, counts: store.counts()? })
    }

    /// Makes a note of it, once.
    pub fn accept(&self, id: &FindingId, edited: &Edited) -> Result<Finding> {
        for (what, words) in [("title", &edited.title), ("summary", &edited.summary)] {
            if words.as_ref().is_some_and(|words| words.trim().is_empty()) {
                return Err(Error::invalid(format!("the {what} is empty"))
                    .hint("leave it out to keep what was found"));
            }
        }
        let span = watching::finding_accept(id);
        let _alone = self.research.agendas.alone(id)?;
        let finding = self.finding(id)?;
        finding.acceptable()?;
        if finding.status == FindingStatus::Accepted {
            watching::unchanged(&span);
            return Ok(finding);
        }
        let accepted = self.accepted(&finding, edited);
        watching::ended(&span, &accepted);
        accepted
    }

    fn accepted(&self, finding: &Finding, edited: &Edited) -> Result<Finding> {
        if let Some(made) = self.made_before(finding)? {
            return self.settle(&finding.id, &made.0, made.1);
        }
        let edited = match &finding.accepting {
            // What was begun is gone on with as it was asked for then.
            Some(begun) => Edited {
                title: begun.title.clone(),
                summary: begun.summary.clone(),
                folder: Some(begun.path.rsplit_once('/').map_or("", |(folder, _)| folder).to_owned()),
            },
            None => edited.clone(),
        };
        let events = match self.research.desk.records.events(&finding.run_id) {
            // What it rests on is in the finding itself, too.
            Err(error) if error.kind() == Kind::NotFound => Vec::new(),
            events => events?,
        };
        let ledger = logbook::ledger(&finding.run_id, &events);
        let fleeting = Fleeting { finding, edited: &edited, ledger: &ledger, vault: self.vault };
        let folder = edited.folder.as_deref().unwrap_or(&self.research.agenda.fleeting_folder);
        let folder = self.vault.rules.folder(folder)?;
        let folder = folder.as_str();
        let group = format!("finding-{}", finding.id);
        let vault =
            Vault { edits: Edits { group: Some(group.clone()), guarded: true }, ..self.vault.clone() };
        for number in 1..=NAMES {
            let path = self.vault.vacancy(&fleeting.path(folder, number))?;
            if self.vault.files.find(&path)?.is_some() {
                continue;
            }
            let text = fleeting.text(&path, self.research.desk.clock.now().date())?;
            let accepting = Accepting {
                group: group.clone(),
                path: path.to_string(),
                title: edited.title.clone(),
                summary: edited.summary.clone(),
            };
            self.research.agendas.decide(&finding.id, &mut |finding| {
                finding.acceptable()?;
                finding.accepting = Some(accepting.clone());
                Ok(None)
            })?;
            match vault.create(How::new(LABEL, false), &path, &text) {
                Ok(Outcome::Written { operation, .. }) => {
                    return self.settle(&finding.id, path.as_str(), operation);
                }
                Ok(_) => return Err(Error::failed(format!("`{path}` was not written"))),
                // Somebody was quicker with that name.
                Err(error) if error.kind() == Kind::Conflict => {}
                Err(error) => {
                    // Nothing was written, so nothing was begun.
                    let _ = self.research.agendas.decide(&finding.id, &mut |finding| {
                        finding.accepting = None;
                        Ok(None)
                    });
                    return Err(error);
                }
            }
        }
        Err(Error::conflict(format!("`{folder}` has {NAMES} notes of that name already"))
            .hint("give it another title"))
    }

    /// The note that an acceptance which was cut off has made, where it has.
    fn made_before(&self, finding: &Finding) -> Result<Option<(String, OperationId)>> {
        let Some(begun) = &finding.accepting else { return Ok(None) };
        let made = self.vault.history(JOURNAL)?.into_iter().find(|operation| {
            operation.label == LABEL
                && operation.group.as_deref() == Some(begun.group.as_str())
                && !operation.undone
        });
        Ok(made.map(|made| {
            let path = made.paths.first().map_or_else(|| begun.path.clone(), ToString::to_string);
            (path, made.operation)
        }))
    }

    fn settle(&self, id: &FindingId, path: &str, operation: OperationId) -> Result<Finding> {
        let at = self.research.desk.clock.now().timestamp();
        self.research.agendas.decide(id, &mut |finding| finding.accept(path, operation, at).map(|()| None))
    }

    /// Hides it; its topic is not proposed any more, where that is wanted.
    pub fn dismiss(&self, id: &FindingId, suppress: bool) -> Result<Finding> {
        let span = watching::finding_dismiss(id);
        let _alone = self.research.agendas.alone(id)?;
        let before = self.finding(id)?;
        let begun = self.made_before(&before)?;
        if let Some((path, operation)) = begun {
            self.settle(id, &path, operation)?;
        }
        let at = self.research.desk.clock.now().timestamp();
        let dismissed = self.research.agendas.decide(id, &mut |finding| {
            finding.dismiss(at)?;
            let topic =
                || SuppressedTopic { topic: finding.query.clone(), at, finding_id: Some(finding.id.clone()) };
            Ok(suppress.then(topic))
        });
        watching::ended(&span, &dismissed);
        dismissed
    }

    /// Takes an acceptance back: the note goes, unless somebody has worked on it since.
    pub fn undo(&self, id: &FindingId) -> Result<Finding> {
        let _alone = self.research.agendas.alone(id)?;
        let finding = self.finding(id)?;
        if finding.status == FindingStatus::New && finding.accepting.is_none() {
            return Err(Error::conflict(format!("the finding {id} was not accepted"))
                .hint("there is nothing to undo"));
        }
        let operation = match finding.operation {
            Some(operation) => Some(operation),
            None => self.made_before(&finding)?.map(|(_, operation)| operation),
        };
        if finding.status != FindingStatus::Dismissed
            && let Some(operation) = operation
        {
            let history = self.vault.history(JOURNAL)?;
            let is_undone = history.iter().any(|known| known.operation == operation && known.undone);
            // One that was taken back already, or whose note somebody has taken away, is undone as it is.
            if !is_undone && self.is_there(&finding)? {
                self.vault.undo(Some(&operation.to_string()))?;
            }
        }
        self.research.agendas.decide(id, &mut |finding| finding.reopen().map(|()| None))
    }

    fn is_there(&self, finding: &Finding) -> Result<bool> {
        let Some(path) = &finding.note_path else { return Ok(false) };
        Ok(self.vault.files.find(&self.vault.rules.file(path)?)?.is_some())
    }

    /// Goes on with acceptances that were cut off. One that can't be completed now is left for the next time.
    pub fn take_up(&self) -> Result<usize> {
        let which = WhichFindings { accepting: true, ..WhichFindings::default() };
        let mut done = 0;
        for finding in self.research.agendas.findings(&which, usize::MAX)? {
            match self.accept(&finding.id, &Edited::default()) {
                Ok(_) => done += 1,
                Err(error) => tracing::warn!("the finding {} could not be accepted: {error}", finding.id),
            }
        }
        Ok(done)
    }

    pub fn suppressed(&self) -> Result<ListedTopics> {
        Ok(ListedTopics { topics: self.research.agendas.topics()? })
    }

    /// A topic may be proposed again.
    pub fn allow(&self, topic: &str) -> Result<ListedTopics> {
        if !self.research.agendas.allow(topic)? {
            return Err(Error::not_found(format!("the topic `{topic}` is not suppressed"))
                .hint("`wellread inbox suppressed` lists them"));
        }
        self.suppressed()
    }
}

fn unknown(id: &FindingId) -> Error {
    Error::not_found(format!("there is no finding {id}")).hint("`wellread inbox` shows the findings")
}
