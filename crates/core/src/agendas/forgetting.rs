//! Removes what findings, agendas and stored answers have of notes that are to be forgotten.

use std::collections::BTreeSet;

use crate::Result;
use crate::domain::id::AgendaId;
use crate::ports::agenda::{Agenda, IsForgotten};
use crate::ports::{AgendaActor, AgendaFilter, AgendaStore, FindingFilter};

/// What was removed from the inbox and the agendas.
#[derive(Debug, Default, PartialEq, Eq)]
pub struct ForgottenInbox {
    /// The number of findings that had text of the notes.
    pub findings: u64,
    /// The number of agendas whose tasks were about them.
    pub agendas: u64,
    /// The ids of agendas that are about them and open: they were left as they are.
    pub open_agendas: Vec<String>,
    /// The notes that were found.
    pub notes: BTreeSet<String>,
}

/// Forgets the notes that `is_forgotten` chooses by their paths. The pages of findings and the decisions about them stay.
pub fn forget_notes(store: &dyn AgendaStore, is_forgotten: IsForgotten<'_>) -> Result<ForgottenInbox> {
    let mut forgotten = ForgottenInbox::default();
    for finding in store.findings(&FindingFilter::default(), usize::MAX)? {
        let notes: Vec<&str> = finding.notes().filter(|note| is_forgotten(note)).collect();
        if notes.is_empty() {
            continue;
        }
        forgotten.notes.extend(notes.into_iter().map(str::to_owned));
        let _decision = store.lock_finding(&finding.id)?;
        store.decide(&finding.id, None, &mut |finding| {
            finding.forget_notes(is_forgotten);
            Ok(None)
        })?;
        forgotten.findings += 1;
    }
    forget_in_agendas(store, is_forgotten, &mut forgotten)?;
    // An answer is JSON: a path stands in it as JSON writes it.
    let written: Vec<String> =
        forgotten.notes.iter().map(|note| serde_json::Value::from(note.as_str()).to_string()).collect();
    store.forget_answers(&|answer| written.iter().any(|note| answer.contains(note.trim_matches('"'))))?;
    Ok(forgotten)
}

fn forget_in_agendas(
    store: &dyn AgendaStore,
    is_forgotten: IsForgotten<'_>,
    forgotten: &mut ForgottenInbox,
) -> Result<()> {
    let mut changed: BTreeSet<AgendaId> = BTreeSet::new();
    let all = store.agendas(AgendaFilter::All, usize::MAX)?;
    for agenda in &all {
        let notes: Vec<String> =
            agenda.notes().filter(|note| is_forgotten(note)).map(str::to_owned).collect();
        if notes.is_empty() {
            continue;
        }
        forgotten.notes.extend(notes);
        if agenda.is_open() {
            forgotten.open_agendas.push(agenda.id.to_string());
            continue;
        }
        store.change_agenda(&agenda.id, AgendaActor::User, &mut |change| {
            change.agenda.forget_notes(is_forgotten);
            Ok(())
        })?;
        changed.insert(agenda.id.clone());
        forgotten.agendas += 1;
    }
    let refers = |agenda: &Agenda| {
        let mut earlier = agenda.tasks.iter().filter_map(|task| task.earlier.as_ref());
        earlier.any(|earlier| changed.contains(&earlier.agenda_id))
    };
    for agenda in all.iter().filter(|agenda| refers(agenda)) {
        store.change_agenda(&agenda.id, AgendaActor::User, &mut |change| {
            for task in &mut change.agenda.tasks {
                task.earlier.take_if(|earlier| changed.contains(&earlier.agenda_id));
            }
            Ok(())
        })?;
    }
    Ok(())
}
