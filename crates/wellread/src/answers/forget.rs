//! Forgets runs: their text leaves the records for good, and that they happened is kept. Where it is by note, the old text
//! of edits, what findings and agendas say of it, and what the index still has of deleted passages go with them.

use std::cell::RefCell;
use std::collections::{BTreeMap, BTreeSet};
use std::time::Duration;

use serde::Serialize;
use wellread_core::agendas::forgetting::{ForgottenInbox, forget_notes};
use wellread_core::domain::corpus::VaultPath;
use wellread_core::domain::id::RunId;
use wellread_core::engine::log;
use wellread_core::ports::{ForgottenRecords, RunHeader, StoredSession};
use wellread_core::{Error, Result};

use crate::app::App;

/// Which runs are forgotten.
#[derive(Debug)]
pub enum ForgetSelection {
    /// One, by its id or the beginning of it.
    Run(String),
    /// Those that were last worked on longer ago than this.
    Older(Duration),
    /// Those that have text of this note, which may be deleted by now, and the old text of edits of it.
    Note(String),
    /// The same for every note that is private or deleted by now.
    PrivateOrDeleted,
    /// All.
    All,
}

/// What was forgotten.
#[derive(Debug, Serialize)]
pub struct ForgetAnswer {
    #[serde(flatten)]
    pub forgotten: ForgottenRecords,
    /// The notes whose text was looked for, where it was by note.
    #[serde(skip_serializing_if = "BTreeSet::is_empty")]
    pub notes: BTreeSet<String>,
    /// How many edits can't be undone any more, since their old text was removed.
    pub edits: usize,
    /// How many findings had text of the notes, or were looked for because of them.
    pub findings: u64,
    /// How many agendas that have ended were about the notes.
    pub agendas: u64,
    /// The ids of agendas that are about the notes and still open: they were left as they are.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub open_agendas: Vec<String>,
    /// The size of the records in bytes, before and after.
    pub bytes_before: u64,
    pub bytes: u64,
}

pub fn forget(app: &App, selection: &ForgetSelection) -> Result<ForgetAnswer> {
    let bytes_before = app.records.totals()?.bytes;
    let mut notes = BTreeSet::new();
    let (runs, mut sessions) = select_runs(app, selection, &mut notes)?;
    let inbox = forget_in_inbox(app, selection, &notes)?;
    notes.extend(inbox.notes);
    if !notes.is_empty() {
        sessions += forget_sessions(app, |session| is_about(session, &notes))?;
    }
    let mut forgotten = app.records.forget_runs(&runs, app.clock.now().timestamp())?;
    if let (ForgetSelection::Run(_), [run]) = (selection, forgotten.in_progress.as_slice()) {
        return Err(RunHeader::locked_error(&RunId::parse(run)?));
    }
    forgotten.sessions += sessions;
    if forgotten.runs > 0 {
        clear_page_cache(app)?;
    }
    let edits = forget_edits_of(app, selection, &notes)?;
    Ok(ForgetAnswer {
        forgotten,
        notes,
        edits,
        findings: inbox.findings,
        agendas: inbox.agendas,
        open_agendas: inbox.open_agendas,
        bytes_before,
        bytes: app.records.totals()?.bytes,
    })
}

/// The runs to forget, the notes that they are about, and how many conversations were forgotten with them.
fn select_runs(
    app: &App,
    selection: &ForgetSelection,
    notes: &mut BTreeSet<String>,
) -> Result<(Vec<RunId>, u64)> {
    let remembered = || -> Result<Vec<RunHeader>> {
        let mut all = app.records.runs("", usize::MAX)?;
        all.retain(|run| run.forgotten.is_none());
        Ok(all)
    };
    let ids = |runs: Vec<RunHeader>| runs.into_iter().map(|run| run.id).collect::<Vec<RunId>>();
    let mut sessions = 0;
    let runs = match selection {
        ForgetSelection::Run(written) => {
            let run = log::find_run(&*app.records, written)?;
            run.check_remembered()?;
            vec![run.id]
        }
        ForgetSelection::All => {
            sessions += forget_sessions(app, |_| true)?;
            ids(remembered()?)
        }
        ForgetSelection::Older(age) => {
            let now = app.clock.now().timestamp();
            sessions += forget_sessions(app, |session| session.is_older_than(*age, now))?;
            let mut old = remembered()?;
            old.retain(|run| run.is_older_than(*age, now));
            ids(old)
        }
        ForgetSelection::Note(written) => {
            let note = parse_note(app, written)?;
            notes.extend(other_names(app, &note));
            notes.insert(note);
            let named = notes.clone();
            ids(runs_about(app, remembered()?, notes, |path| is_any_of(app, path, &named)))
        }
        ForgetSelection::PrivateOrDeleted => {
            let runs = remembered()?;
            let about = runs_about(app, runs.clone(), notes, |path| is_private_or_deleted(app, path));
            let about: BTreeSet<RunId> = ids(about).into_iter().collect();
            let chosen = |run: &RunHeader| about.contains(&run.id) || had_private_text(app, run);
            ids(runs.into_iter().filter(chosen).collect())
        }
    };
    Ok((runs, sessions))
}

/// The path of a note as the user wrote it, which may be without its ending. It need not exist any more.
fn parse_note(app: &App, written: &str) -> Result<String> {
    let vault = &app.ctx.vault;
    let path = vault.rules.parse_file(written)?;
    let is_whole = path.is_note() || vault.files.find(&path)?.is_some();
    Ok(if is_whole { path.to_string() } else { format!("{path}.md") })
}

/// The other paths that lead to a file: that behind its links, and its other names.
fn other_names(app: &App, written: &str) -> Vec<String> {
    let vault = &app.ctx.vault;
    let path = vault.rules.parse_file(written).and_then(|path| vault.files.identify(&path));
    path.map(|found| found.other_paths.iter().map(ToString::to_string).collect()).unwrap_or_default()
}

/// Whether a path leads to one of the notes, by whatever name.
fn is_any_of(app: &App, path: &str, notes: &BTreeSet<String>) -> bool {
    notes.contains(path) || other_names(app, path).iter().any(|name| notes.contains(name))
}

/// Whether a conversation is about one of the notes, or names one.
fn is_about(session: &StoredSession, notes: &BTreeSet<String>) -> bool {
    let text = session.state.to_string();
    session.active_file.as_ref().is_some_and(|note| notes.contains(note))
        || notes.iter().any(|note| text.contains(note.as_str()))
}

/// Removes what findings and agendas have of the notes, where it is by note.
fn forget_in_inbox(
    app: &App,
    selection: &ForgetSelection,
    notes: &BTreeSet<String>,
) -> Result<ForgottenInbox> {
    let judged: RefCell<BTreeMap<String, bool>> = RefCell::default();
    let is_forgotten = |path: &str| {
        let mut judged = judged.borrow_mut();
        *judged.entry(path.to_owned()).or_insert_with(|| is_private_or_deleted(app, path))
    };
    match selection {
        ForgetSelection::Note(_) => forget_notes(&*app.records, &|path| is_any_of(app, path, notes)),
        ForgetSelection::PrivateOrDeleted => forget_notes(&*app.records, &is_forgotten),
        _ => Ok(ForgottenInbox::default()),
    }
}

/// Forgets the old text of edits where it is by note. Returns how many edits can't be undone any more.
fn forget_edits_of(app: &App, selection: &ForgetSelection, notes: &BTreeSet<String>) -> Result<usize> {
    match selection {
        ForgetSelection::Note(_) => forget_kept_text(app, &|then, now| {
            [then, now].iter().any(|path| is_any_of(app, path.as_str(), notes))
        }),
        ForgetSelection::PrivateOrDeleted => {
            forget_kept_text(app, &|_, now| is_private_or_deleted(app, now.as_str()))
        }
        _ => Ok(0),
    }
}

/// Removes the old text of the notes that `wanted` chooses from the journal, and what the index has left of passages that
/// are gone. Returns how many edits can't be undone any more.
fn forget_kept_text(app: &App, wanted: &dyn Fn(&VaultPath, &VaultPath) -> bool) -> Result<usize> {
    let found = app.ctx.vault.find_operations_with_text(wanted)?;
    let edits = if found.is_empty() { 0 } else { app.files.forget_operations(Some(&found))? };
    if app.library.index.read_state()?.version > 0 {
        // A note that was deleted a moment ago is still in the index until then.
        app.update(false, &|_| {})?;
        app.index.purge_deleted()?;
    }
    Ok(edits)
}

/// Removes all cached pages: a run that is forgotten may have fetched any of them, and others are fetched again.
fn clear_page_cache(app: &App) -> Result<()> {
    let Some(folder) = &app.page_cache else { return Ok(()) };
    match std::fs::remove_dir_all(folder) {
        Err(error) if error.kind() != std::io::ErrorKind::NotFound => Err(Error::failed(format!(
            "could not remove the cached pages in `{}`: {error}",
            folder.display()
        ))
        .hint("the runs were forgotten; remove the folder yourself")),
        _ => Ok(()),
    }
}

/// Forgets the runs that are older than the settings keep them. Returns how many; a failure is for the next time.
pub fn forget_expired(app: &App, kept_for: Option<Duration>) -> u64 {
    let Some(age) = kept_for else { return 0 };
    let expired = || -> Result<bool> {
        let now = app.clock.now().timestamp();
        let old = |run: &RunHeader| run.forgotten.is_none() && run.is_older_than(age, now);
        Ok(app.records.runs("", usize::MAX)?.iter().any(old)
            || app.records.sessions(usize::MAX)?.iter().any(|session| session.is_older_than(age, now)))
    };
    match expired() {
        Ok(true) => forget(app, &ForgetSelection::Older(age)).map_or(0, |answer| answer.forgotten.runs),
        _ => 0,
    }
}

/// Forgets the conversations that `wanted` chooses.
fn forget_sessions(app: &App, wanted: impl Fn(&StoredSession) -> bool) -> Result<u64> {
    let mut forgotten = 0;
    for session in app.records.sessions(usize::MAX)?.iter().filter(|session| wanted(session)) {
        forgotten += u64::from(app.records.forget_session(&session.id)?);
    }
    Ok(forgotten)
}

/// The runs that have text of the notes, or of others that `wanted` chooses, which are added to the notes. A run whose
/// log can't be read might have some.
fn runs_about(
    app: &App,
    mut runs: Vec<RunHeader>,
    notes: &mut BTreeSet<String>,
    wanted: impl Fn(&str) -> bool,
) -> Vec<RunHeader> {
    let mut judged: BTreeMap<String, bool> = notes.iter().map(|note| (note.clone(), true)).collect();
    runs.retain(|run| {
        let Ok(events) = app.records.events(&run.id) else { return true };
        let paths = log::mentioned_files(&app.ctx.vault, &events);
        let hits: Vec<String> = paths
            .into_iter()
            .filter(|path| *judged.entry(path.clone()).or_insert_with(|| wanted(path)))
            .collect();
        let any = !hits.is_empty();
        notes.extend(hits);
        any
    });
    runs
}

/// Whether a run had text of a note that was private then, or has some of one that is private by now, whatever has its
/// name.
fn had_private_text(app: &App, run: &RunHeader) -> bool {
    let events = app.records.events(&run.id);
    events.map_or(true, |events| !log::is_shown_by(&app.ctx.vault.without_private(), &events))
}

/// Whether a path is a note that is private now, or is there no more. What can't be a path of the vault is neither.
fn is_private_or_deleted(app: &App, written: &str) -> bool {
    let vault = &app.ctx.vault;
    let Ok(path) = vault.rules.parse_file(written) else { return false };
    match vault.files.find(&path) {
        Ok(Some(_)) => vault.is_private(&path),
        Ok(None) => true,
        Err(_) => false,
    }
}
