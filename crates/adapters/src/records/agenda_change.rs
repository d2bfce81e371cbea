//! An agenda is changed, with everything that hangs on it: its findings, its jobs, and what is told.

use rusqlite::Transaction;
use wellread_core::domain::id::AgendaId;
use wellread_core::ports::agenda::{Agenda, AgendaEvent, Finding};
use wellread_core::ports::{AgendaActor, AgendaChange, NewFinding};
use wellread_core::{Error, Result};

use super::agendas::{self, KeyUse};
use super::change_error::ChangeError;
use super::findings::FindingRow;
use super::jobs;
use super::{agenda_events, counts, embeddings};

pub fn change_agenda(
    transaction: &Transaction<'_>,
    id: &AgendaId,
    word: AgendaActor<'_>,
    change: &mut dyn FnMut(&mut AgendaChange) -> Result<()>,
) -> Result<Agenda, ChangeError> {
    let lease = match word {
        AgendaActor::Worker(lease, now) => Some((lease, Some(now))),
        AgendaActor::Leaving(lease) => Some((lease, None)),
        AgendaActor::User | AgendaActor::UserOnce(_) => None,
    };
    if let Some((lease, now)) = lease {
        jobs::check_lease(transaction, lease, now)?;
        if lease.agenda != *id {
            return Err(jobs::lease_lost_error(lease).into());
        }
    }
    let before = agendas::require_agenda(transaction, id)?;
    if let AgendaActor::UserOnce(key) = word
        && !agendas::remember(transaction, KeyUse::Altering, key, id)?
    {
        return Ok(before);
    }
    let counted = counts::counts(transaction)?;
    let mut alteration =
        AgendaChange { agenda: before.clone(), findings: Vec::new(), jobs: Vec::new(), ends: Vec::new() };
    change(&mut alteration)?;
    let AgendaChange { mut agenda, findings, jobs: queued, ends } = alteration;
    if agenda.id != *id {
        return Err(Error::invalid(format!("the agenda {id} can't become another")).into());
    }
    agenda.findings = before.findings;
    let kept = insert_findings(transaction, &mut agenda, findings)?;
    jobs::enqueue(transaction, &agenda, &queued)?;
    for (task, end) in &ends {
        jobs::end(transaction, id, task, *end)?;
    }
    jobs::sweep(transaction, &agenda)?;
    if agenda != before {
        agendas::put(transaction, &agenda)?;
    }
    for happening in agenda.events_since(&before).into_iter().chain(kept.iter().map(finding_event)) {
        agenda_events::append(transaction, &happening)?;
    }
    agenda_events::append_counts(transaction, counted)?;
    Ok(agenda)
}

/// Keeps those that are new, as long as there is room for them, and counts them in the agenda.
fn insert_findings(
    transaction: &Transaction<'_>,
    agenda: &mut Agenda,
    findings: Vec<NewFinding>,
) -> Result<Vec<Finding>, ChangeError> {
    let mut kept = Vec::new();
    for NewFinding { finding, embedding } in findings {
        if finding.agenda_id != agenda.id {
            return Err(Error::invalid(format!("the finding {} is of another agenda", finding.id)).into());
        }
        let row = FindingRow::new(&finding)?;
        if agenda.findings >= agenda.max_findings || !row.insert(transaction)? {
            continue;
        }
        if let Some((model, vector)) = &embedding {
            embeddings::insert(transaction, &finding.id, model, vector)?;
        }
        agenda.findings += 1;
        kept.push(finding);
    }
    Ok(kept)
}

fn finding_event(finding: &Finding) -> AgendaEvent {
    AgendaEvent::Finding {
        id: finding.id.clone(),
        agenda_id: finding.agenda_id.clone(),
        task_id: finding.task_id.clone(),
        title: finding.title.clone(),
        url: finding.url.clone(),
    }
}
