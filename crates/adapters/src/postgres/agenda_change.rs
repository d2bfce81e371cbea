//! Stores a change of an agenda with its findings, jobs and events. `core` decides what the change amounts to.

use wellread_core::Result;
use wellread_core::domain::id::AgendaId;
use wellread_core::ports::agenda::{Agenda, SettledChange};
use wellread_core::ports::{AgendaActor, AgendaChange, JobEntry, Lease, NewFinding};

use super::failure::PgFailure;
use super::session::Session;
use super::space_lock::{SpaceLock, lock_space};
use super::{agenda_events, agendas, findings, jobs};
use crate::record_format::agenda_row::KeyUse;
use crate::record_format::finding_row::FindingRow;

pub fn change_agenda(
    session: &Session,
    id: &AgendaId,
    actor: AgendaActor<'_>,
    change: &mut dyn FnMut(&mut AgendaChange) -> Result<()>,
) -> Result<Agenda, PgFailure> {
    lock_space(session, SpaceLock::Changes)?;
    actor.check(id, leased_job(session, actor.lease())?.as_ref())?;
    let before = agendas::require_agenda(session, id)?;
    if let AgendaActor::UserOnce(key) = actor
        && !agendas::remember(session, KeyUse::Altering, key, id)?
    {
        return Ok(before);
    }
    let counted = agenda_events::counts(session)?;
    let mut changed = AgendaChange::new(before.clone());
    change(&mut changed)?;
    let settled = changed.settle(&before, |new| insert_finding(session, new))?;
    let SettledChange { agenda, jobs: queued, ends, events } = settled;
    jobs::change_jobs(session, &agenda, &queued, &ends)?;
    if agenda != before {
        agendas::put(session, &agenda)?;
    }
    for event in &events {
        agenda_events::append(session, event)?;
    }
    agenda_events::append_counts(session, counted)?;
    Ok(agenda)
}

/// The job of a lease, locked, so that nobody takes it meanwhile.
fn leased_job(session: &Session, lease: Option<&Lease>) -> Result<Option<JobEntry>, PgFailure> {
    lease.map_or(Ok(None), |lease| jobs::find_locked(session, &lease.task))
}

/// Stores a finding; false if its id is known or its page was found before.
fn insert_finding(session: &Session, new: &NewFinding) -> Result<bool, PgFailure> {
    let NewFinding { finding, embedding } = new;
    let is_kept = findings::insert(session, &FindingRow::new(finding)?)?;
    if let (true, Some((model, vector))) = (is_kept, embedding) {
        findings::insert_embedding(session, &finding.id, model, vector)?;
    }
    Ok(is_kept)
}
