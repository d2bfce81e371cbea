//! The inbox: accepts a finding, which becomes a note, or dismisses it, and undoes an acceptance.
//!
//! A finding becomes at most one note, however often and by however many processes it is accepted, and even after an
//! interruption: the pending write is stored first, and the vault's journal tells whether it was made.

mod name_lookup;
mod note;
mod undo;

use std::cell::RefCell;

use schemars::JsonSchema;
use serde::Serialize;

use note::{FleetingNote, LONGEST_SUMMARY, LONGEST_TITLE};
use undo::NoteLocation;
pub use undo::ReopenedFinding;

use crate::domain::corpus::{CorpusName, Hash, VaultPath};
use crate::domain::decision::{DecidedBy, UserDecision};
use crate::domain::id::{FindingId, OperationId};
use crate::domain::spans;
use crate::domain::untrusted::Origin;
use crate::engine::log;
use crate::library::indexing::is_searchable;
use crate::library::public_view::ReadPeriod;
use crate::library::vault::{ChangeOptions, ChangeOutcome, EditPolicy, Vault};
use crate::ports::FindingFilter;
use crate::ports::agenda::{
    AgendaCounts, Finding, FindingStatus, IdempotentRequest, PendingAcceptance, SuppressedTopic,
};
use crate::research::Research;
use crate::{Error, ErrorKind, Result, WayOut};

/// The label of an acceptance in the journal.
pub const LABEL: &str = "accept_finding";
/// How many journal entries are searched for an interrupted acceptance: the journal keeps no more.
const JOURNAL: usize = 5_000;
/// How many file names are tried for a note.
const NAMES: usize = 200;

/// Findings, and the vault that they go into.
#[derive(Clone, Copy)]
pub struct Inbox<'a> {
    /// The recipes and their records.
    pub research: &'a Research,
    /// The vault that notes are written to.
    pub vault: &'a Vault,
}

/// What the user changed before accepting.
#[derive(Debug, Clone, Default)]
pub struct FindingEdits {
    /// Another title for the note.
    pub title: Option<String>,
    /// Another summary, in the user's own words.
    pub summary: Option<String>,
    /// A folder to use instead of the configured one.
    pub folder: Option<String>,
}

impl FindingEdits {
    /// A hash to compare edits by; `None` if nothing was changed.
    fn fingerprint(&self) -> Option<Hash> {
        let Self { title, summary, folder } = self;
        let any = [title, summary, folder].iter().any(|part| part.is_some());
        any.then(|| Hash::compute(format!("{title:?} {summary:?} {folder:?}").as_bytes()))
    }

    /// `Err` if a text is empty or too long to be kept verbatim.
    fn check(&self) -> Result<()> {
        for (what, words, longest) in
            [("title", &self.title, LONGEST_TITLE), ("summary", &self.summary, LONGEST_SUMMARY)]
        {
            let Some(words) = words else { continue };
            if words.trim().is_empty() {
                return Err(Error::invalid(format!("the {what} is empty"))
                    .hint("leave it out to keep the original text"));
            }
            if words.chars().nth(longest).is_some() {
                return Err(Error::invalid(format!("the {what} has more than {longest} characters"))
                    .hint("nothing was written; put longer text into the note itself"));
            }
        }
        Ok(())
    }
}

/// An acceptance as it was first requested.
struct AcceptanceRequest {
    edited: FindingEdits,
    words: Option<Hash>,
    once: Option<IdempotentRequest>,
}

impl AcceptanceRequest {
    /// The request; for an acceptance that was interrupted, the original one.
    fn new(finding: &Finding, edited: &FindingEdits, once: Option<&IdempotentRequest>) -> Self {
        let Some(begun) = &finding.accepting else {
            return Self { edited: edited.clone(), words: edited.fingerprint(), once: once.cloned() };
        };
        let (title, summary) = (begun.title.clone(), begun.summary.clone());
        let folder = begun.path.rsplit_once('/').map_or("", |(folder, _)| folder).to_owned();
        let edited = FindingEdits { title, summary, folder: Some(folder) };
        Self { edited, words: begun.words, once: begun.once.clone() }
    }
}

/// Findings as they are listed, and how many there are of each sort.
#[derive(Debug, Serialize, JsonSchema)]
pub struct FindingList {
    /// The findings, newest first.
    pub findings: Vec<Finding>,
    /// The counts over all findings.
    pub counts: AgendaCounts,
}

/// Topics that are not proposed any more.
#[derive(Debug, Serialize, JsonSchema)]
pub struct SuppressedTopicList {
    /// The topics.
    pub topics: Vec<SuppressedTopic>,
}

impl Inbox<'_> {
    /// The finding with this id.
    pub fn finding(&self, id: &FindingId) -> Result<Finding> {
        let found = self.research.agendas.finding(id)?;
        found.filter(|finding| self.may_show(finding)).ok_or_else(|| unknown_finding(id))
    }

    /// The findings that match, newest first, with the counts over all findings.
    pub fn findings(&self, which: &FindingFilter, at_most: usize) -> Result<FindingList> {
        let store = &self.research.agendas;
        if !self.vault.hides_private() {
            return Ok(FindingList { findings: store.findings(which, at_most)?, counts: store.counts()? });
        }
        let mut counts = AgendaCounts::default();
        for finding in store.findings(&FindingFilter::default(), usize::MAX)?.iter() {
            let by_status = match finding.status {
                FindingStatus::New => &mut counts.new,
                FindingStatus::Accepted => &mut counts.accepted,
                FindingStatus::Dismissed => &mut counts.dismissed,
            };
            *by_status += usize::from(self.may_show(finding));
        }
        let mut findings = store.findings(which, usize::MAX)?;
        findings.retain(|finding| self.may_show(finding));
        findings.truncate(at_most);
        Ok(FindingList { findings, counts })
    }

    /// Whether a finding is visible in this vault: in a view without private notes, only if it and its agenda are about none,
    /// and were about none.
    fn may_show(&self, finding: &Finding) -> bool {
        if !self.vault.hides_private() {
            return true;
        }
        let agenda = self.research.agendas.agenda(&finding.agenda_id);
        let is_public = agenda.is_ok_and(|agenda| agenda.is_none_or(|agenda| !agenda.private));
        let near = finding.nearest.iter().filter(|nearest| !nearest.contains("://"));
        let cited: Vec<String> =
            finding.evidence.iter().flat_map(|entry| self.cited_files(&entry.url)).collect();
        let named = finding.related_notes.iter().chain(near).chain(&cited).map(String::as_str);
        let made = ReadPeriod::at(finding.decided.unwrap_or(finding.created));
        is_public
            && self.vault.shows_all(named, ReadPeriod::at(finding.created))
            && self.vault.shows_all(finding.note_path.as_deref(), made)
    }

    /// The files of the vault that a quote may be from, by its place as readers see it.
    fn cited_files(&self, place: &str) -> Vec<String> {
        if place.contains("://") {
            return Vec::new();
        }
        let path = place.rsplit_once(':').map_or(place, |(path, _)| path);
        // It may be a file of a repository. So may be a note's name.
        let shared =
            path.split_once(": ").map(|(repository, path)| self.vault.find_shared_file(repository, path));
        let is_note = is_searchable(&CorpusName::Vault, &VaultPath::from_index(path.to_owned()));
        let own = (shared.is_none() || is_note).then(|| path.to_owned());
        own.into_iter().chain(shared.into_iter().flatten().map(|path| path.to_string())).collect()
    }

    /// Makes a note of the finding; repeating it changes nothing.
    pub fn accept(&self, by: UserDecision, id: &FindingId, edited: &FindingEdits) -> Result<Finding> {
        self.accept_once(by, id, edited, None)
    }

    /// Accepts a finding for a request that may be repeated: a repetition gets the first answer, whatever happened
    /// since.
    pub fn accept_once(
        &self,
        _by: UserDecision,
        id: &FindingId,
        edited: &FindingEdits,
        once: Option<&IdempotentRequest>,
    ) -> Result<Finding> {
        edited.check()?;
        let span = spans::finding_accept(id);
        let _alone = self.research.agendas.lock_finding(id)?;
        let (finding, answers) = (self.finding(id)?, &*self.research.agendas);
        if let Some(answered) = IdempotentRequest::find_answer(once, answers)? {
            spans::record_unchanged(&span);
            return Ok(answered);
        }
        finding.check_acceptable()?;
        if finding.status == FindingStatus::Accepted {
            finding.check_acceptable_as(edited.fingerprint())?;
            spans::record_unchanged(&span);
            return IdempotentRequest::keep_answer(once, answers, finding);
        }
        let accepted = self.make_note(&finding, edited, once);
        spans::record_outcome(&span, &accepted);
        let accepted = accepted?;
        // A resumed acceptance keeps the wording of the original request.
        accepted.check_acceptable_as(edited.fingerprint())?;
        IdempotentRequest::keep_answer(once, answers, accepted)
    }

    fn make_note(
        &self,
        finding: &Finding,
        edited: &FindingEdits,
        once: Option<&IdempotentRequest>,
    ) -> Result<Finding> {
        if let Some((path, operation)) = self.find_made_note(finding)? {
            let path = match self.locate_note(&finding.id, &path)? {
                NoteLocation::Moved(now) => now.to_string(),
                _ => path,
            };
            return self.finish_acceptance(finding, &path, operation);
        }
        let wish = AcceptanceRequest::new(finding, edited, once);
        let events = match self.research.runs.records.events(&finding.run_id) {
            // The finding holds its evidence, too.
            Err(error) if error.kind() == ErrorKind::NotFound => Vec::new(),
            events => events?,
        };
        let ledger = log::ledger(&finding.run_id, &events);
        let clock = &self.research.runs.clock;
        let is_checked = wish.edited.summary.is_none();
        let okf = self.research.settings.okf;
        let okf = okf.map(|okf| okf.mark("Finding", clock.now().timestamp(), is_checked));
        let fleeting = FleetingNote {
            finding,
            edited: &wish.edited,
            ledger: &ledger,
            vault: self.vault,
            okf: okf.as_ref(),
            labels: RefCell::default(),
        };
        let folder = wish.edited.folder.as_deref().unwrap_or(&self.research.agenda.fleeting_folder);
        let folder = self.vault.rules.parse_folder(folder)?;
        let folder = folder.as_str();
        for number in 1..=NAMES {
            let path = self.vault.new_note_path(&fleeting.path(folder, number))?;
            if self.vault.files.find(&path)?.is_some() {
                continue;
            }
            let text = fleeting.render(&path, clock.now().date())?;
            if let Some(accepted) = self.write_note(finding, &wish, &path, &text)? {
                return Ok(accepted);
            }
        }
        Err(Error::conflict(format!("`{folder}` already has {NAMES} notes of that name"))
            .hint("give it another title"))
    }

    /// Stores the pending acceptance, then writes the note; `None` if the path was taken meanwhile.
    fn write_note(
        &self,
        finding: &Finding,
        wish: &AcceptanceRequest,
        path: &VaultPath,
        text: &str,
    ) -> Result<Option<Finding>> {
        let group = format!("finding-{}", finding.id);
        let accepting = PendingAcceptance {
            group: group.clone(),
            path: path.to_string(),
            title: wish.edited.title.clone(),
            summary: wish.edited.summary.clone(),
            words: wish.words,
            once: wish.once.clone(),
        };
        let begun = self.research.agendas.decide(&finding.id, None, &mut |finding| {
            finding.check_acceptable()?;
            finding.accepting = Some(accepting.clone());
            Ok(None)
        })?;
        let edits = EditPolicy { group: Some(group), origin: Origin::Outside };
        let vault = Vault { edits, ..self.vault.clone() };
        match vault.create(ChangeOptions::new(LABEL, false), path, text) {
            Ok(ChangeOutcome::Written { operation, .. }) => {
                self.finish_acceptance(&begun, path.as_str(), operation).map(Some)
            }
            Ok(_) => Err(Error::failed(format!("`{path}` was not written"))),
            Err(error) if error.kind() == ErrorKind::Conflict => Ok(None),
            Err(error) => {
                // Nothing was written, so nothing is pending.
                let _ = self.research.agendas.decide(&finding.id, None, &mut |finding| {
                    finding.accepting = None;
                    Ok(None)
                });
                Err(error)
            }
        }
    }

    /// The note that an interrupted acceptance had already made, with its operation.
    fn find_made_note(&self, finding: &Finding) -> Result<Option<(String, OperationId)>> {
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

    /// Marks a pending acceptance as done, and stores the answer to its request.
    fn finish_acceptance(&self, begun: &Finding, path: &str, operation: OperationId) -> Result<Finding> {
        let at = self.research.runs.clock.now().timestamp();
        let once = begun.accepting.as_ref().and_then(|begun| begun.once.as_ref());
        let mut accept = |finding: &mut Finding| finding.accept(path, operation, at).map(|()| None);
        self.research.agendas.decide(&begun.id, once, &mut accept)
    }

    /// Dismisses a finding; with `suppress`, its topic is not proposed again.
    pub fn dismiss(&self, _by: UserDecision, id: &FindingId, suppress: bool) -> Result<Finding> {
        let span = spans::finding_dismiss(id);
        let _alone = self.research.agendas.lock_finding(id)?;
        let before = self.finding(id)?;
        let begun = self.find_made_note(&before)?;
        if let Some((path, operation)) = begun {
            self.finish_acceptance(&before, &path, operation)?;
        }
        let at = self.research.runs.clock.now().timestamp();
        let dismissed = self.research.agendas.decide(id, None, &mut |finding| {
            finding.dismiss(at)?;
            let topic =
                || SuppressedTopic { topic: finding.query.clone(), at, finding_id: Some(finding.id.clone()) };
            Ok(suppress.then(topic))
        });
        spans::record_outcome(&span, &dismissed);
        dismissed
    }

    /// Completes interrupted acceptances, and returns how many. Failures are logged and left for the next time.
    pub fn resume_acceptances(&self) -> Result<usize> {
        let which = FindingFilter { accepting: true, ..FindingFilter::default() };
        let (by, mut done) = (UserDecision::new(DecidedBy::Earlier), 0);
        for finding in self.research.agendas.findings(&which, usize::MAX)? {
            match self.accept(by, &finding.id, &FindingEdits::default()) {
                Ok(_) => done += 1,
                Err(error) => tracing::warn!("the finding {} could not be accepted: {error}", finding.id),
            }
        }
        Ok(done)
    }

    /// The topics that are not proposed any more.
    pub fn suppressed_topics(&self) -> Result<SuppressedTopicList> {
        Ok(SuppressedTopicList { topics: self.research.agendas.topics()? })
    }

    /// Allows a suppressed topic to be proposed again; `Err` if it is not suppressed.
    pub fn allow_topic(&self, _by: UserDecision, topic: &str) -> Result<SuppressedTopicList> {
        if !self.research.agendas.allow(topic)? {
            return Err(Error::not_found(format!("the topic `{topic}` is not suppressed"))
                .hint("`wellread inbox suppressed` lists them")
                .with_way_out(WayOut::AllowTopic));
        }
        self.suppressed_topics()
    }
}

fn unknown_finding(id: &FindingId) -> Error {
    Error::not_found(format!("there is no finding {id}"))
        .hint("`wellread inbox` shows the findings")
        .with_way_out(WayOut::Findings)
}
