//! Stores a change of an agenda with its findings, jobs and events. `core` decides what the change amounts to.

use rusqlite::Transaction;
use wellread_core::Result;
use wellread_core::domain::id::AgendaId;
use wellread_core::ports::agenda::{Agenda, SettledChange};
use wellread_core::ports::{AgendaActor, AgendaChange, JobEntry, Lease, NewFinding};

use super::database::ChangeError;
use super::{agenda_events, agendas, embeddings, findings, jobs};
use crate::record_format::agenda_row::KeyUse;
use crate::record_format::finding_row::FindingRow;

pub fn change_agenda(
    transaction: &Transaction<'_>,
    id: &AgendaId,
    actor: AgendaActor<'_>,
    change: &mut dyn FnMut(&mut AgendaChange) -> Result<()>,
) -> Result<Agenda, ChangeError> {
    actor.check(id, leased_job(transaction, actor.lease())?.as_ref())?;
    let before = agendas::require_agenda(transaction, id)?;
    if let AgendaActor::UserOnce(key) = actor
        && !agendas::remember(transaction, KeyUse::Altering, key, id)?
    {
        return Ok(before);
    }
    let counted = agenda_events::counts(transaction)?;
    let mut changed = AgendaChange::new(before.clone());
    change(&mut changed)?;
    let settled = changed.settle(&before, |new| insert_finding(transaction, new))?;
    let SettledChange { agenda, jobs: queued, ends, events } = settled;
    jobs::change_jobs(transaction, &agenda, &queued, &ends)?;
    if agenda != before {
        agendas::put(transaction, &agenda)?;
    }
    for event in &events {
        agenda_events::append(transaction, event)?;
    }
    agenda_events::append_counts(transaction, counted)?;
    Ok(agenda)
}

fn leased_job(transaction: &Transaction<'_>, lease: Option<&Lease>) -> rusqlite::Result<Option<JobEntry>> {
    lease.map_or(Ok(None), |lease| jobs::find(transaction, &lease.task))
}

/// Stores a finding; false if its id is known or its page was found before.
fn insert_finding(transaction: &Transaction<'_>, new: &NewFinding) -> Result<bool, ChangeError> {
    let NewFinding { finding, embedding } = new;
    let is_kept = findings::insert(transaction, &FindingRow::new(finding)?)?;
    if let (true, Some((model, vector))) = (is_kept, embedding) {
        embeddings::insert(transaction, &finding.id, model, vector)?;
    }
    Ok(is_kept)
}
