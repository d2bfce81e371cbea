//! Notes with Open Knowledge Format fields, checked again: which are stale, which sources are gone, and where all citations
//! hold.

use std::sync::Arc;

use serde::Serialize;
use wellread_core::domain::display::counted;
use wellread_core::domain::id::OperationId;
use wellread_core::domain::verdict::Verdict;
use wellread_core::faces::tools::{CheckClaimsArgs, ClaimReport};
use wellread_core::library::vault::{ChangeOptions, ChangeOutcome, NoteText};
use wellread_core::research::{
    find_gone_sources, has_okf_fields, is_okf_file, is_okf_stale, stamp_verified_now,
};
use wellread_core::{Error, Result};

use super::{VerifyTarget, verify};
use crate::app::App;

/// The label of an update in the journal.
const LABEL: &str = "recheck";
/// How many lines of sentences that did not pass are named.
const MOST_LINES: usize = 8;

/// What became of the notes with Open Knowledge Format fields.
#[derive(Debug, Default, Serialize)]
pub struct OkfRecheck {
    /// The notes that have such fields.
    pub notes: Vec<OkfNoteState>,
    /// The id that `wellread undo` accepts to undo all updates.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub group: Option<String>,
}

/// What became of one of them.
#[derive(Debug, Serialize)]
pub struct OkfNoteState {
    /// The note.
    pub path: String,
    /// Whether its `stale_after` has passed.
    pub stale: bool,
    /// The ids of sources that are not in the vault any more.
    pub gone: Vec<String>,
    /// Whether `verified` was set.
    pub verified: bool,
    /// Why `verified` was not set, if it was to be.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
}

impl OkfRecheck {
    /// A line for each note that needs attention, and how many were verified. Empty if there is no such note.
    pub fn render_text(&self) -> String {
        let mut shown = String::new();
        for OkfNoteState { path, stale, gone, reason, .. } in &self.notes {
            let stale = stale.then(|| "stale".to_owned());
            let gone = gone.iter().map(|id| format!("the source `{id}` is gone"));
            let all: Vec<String> = stale.into_iter().chain(gone).chain(reason.clone()).collect();
            if !all.is_empty() {
                shown += &format!("{path}: {}\n", all.join("; "));
            }
        }
        if let Some(group) = &self.group {
            let verified = self.notes.iter().filter(|note| note.verified).count();
            let notes = counted(verified, "note", "notes");
            shown += &format!("set `verified` in {notes}; `wellread undo {group}` takes it back\n");
        }
        shown
    }
}

/// Looks at every note with Open Knowledge Format fields; with `update`, sets `verified` where all citations hold.
pub async fn recheck_okf_notes(app: &Arc<App>, update: bool) -> Result<OkfRecheck> {
    let vault = &app.ctx.vault;
    let group = OperationId::fresh().to_string();
    let mut all = OkfRecheck::default();
    let is_okf = |note: &NoteText| is_okf_file(note.path.as_str()) && has_okf_fields(&note.text);
    let notes: Vec<NoteText> = vault.notes()?.filter(is_okf).collect();
    let names = vault.links.names()?;
    for note in notes {
        let mut state = OkfNoteState {
            path: note.path.to_string(),
            stale: is_okf_stale(&note.text, &*vault.clock),
            gone: find_gone_sources(&note.text, (&names, note.path.as_str())),
            verified: false,
            reason: None,
        };
        if update {
            match confirm(app, &note, &group).await {
                Ok(changed) => {
                    state.verified = true;
                    all.group = all.group.or_else(|| changed.then(|| group.clone()));
                }
                Err(error) => state.reason = Some(format!("not verified: {}", describe(&error))),
            }
        }
        all.notes.push(state);
    }
    Ok(all)
}

/// Checks a note, and says so in `verified` if it passes; whether that changed the note.
async fn confirm(app: &Arc<App>, note: &NoteText, group: &str) -> Result<bool> {
    let path = note.path.to_string();
    let args = CheckClaimsArgs { path: Some(path), ..CheckClaimsArgs::default() };
    let report = verify(app, app.ctx.clone(), VerifyTarget::Text(args)).await?;
    check_passed(&report, note)?;
    let vault = &app.ctx.vault;
    let how = ChangeOptions { group: Some(group), ..ChangeOptions::new(LABEL, false) };
    let outcome = vault.edit(how, &note.path, |now| {
        if now.hash != note.hash {
            return Err(Error::conflict("the note was changed while it was checked"));
        }
        Ok(stamp_verified_now(&now.text, vault.clock.now().timestamp())?.into_iter().collect())
    })?;
    Ok(matches!(outcome, ChangeOutcome::Written { .. }))
}

/// `Err` if a cited sentence did not pass, or if none is cited.
fn check_passed(report: &ClaimReport, note: &NoteText) -> Result<()> {
    let refused = |verdict: Verdict| matches!(verdict, Verdict::Contradicted | Verdict::Unknown);
    let failed: Vec<String> = report
        .sentences
        .iter()
        .filter(|sentence| refused(sentence.verdict))
        .map(|sentence| sentence.line.to_string())
        .collect();
    let passed = report.sentences.iter().filter(|sentence| sentence.verdict.is_borne_out()).count();
    match (failed.len(), passed) {
        (0, 0) => Err(Error::invalid("no sentence cites a source")),
        (0, _) => Ok(()),
        (count, _) => {
            let sentences = counted(count, "sentence", "sentences");
            let lines = if count == 1 { "line" } else { "lines" };
            let shown = failed.iter().take(MOST_LINES).cloned().collect::<Vec<_>>().join(", ");
            let more = if count > MOST_LINES { ", …" } else { "" };
            Err(Error::invalid(format!("{sentences} did not pass ({lines} {shown}{more})"))
                .hint(format!("`wellread verify '{}'` shows them", note.path)))
        }
    }
}

/// What went wrong, and what to do about it.
fn describe(error: &Error) -> String {
    match error.hint_text() {
        Some(hint) => format!("{}; {hint}", error.message()),
        None => error.message().to_owned(),
    }
}
