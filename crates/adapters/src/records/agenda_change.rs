//! An agenda is changed, with everything that hangs on it: its findings, its jobs, and what is told.

use rusqlite::Transaction;
use wellread_core::domain::id::AgendaId;
use wellread_core::ports::agenda::{Agenda, Finding, Happening};
use wellread_core::ports::{Alteration, NewFinding, Word};
use wellread_core::{Error, Result};

use super::agendas::{self, Said};
use super::change_error::Trouble;
use super::findings::Row;
use super::jobs;
use super::{agenda_events, counts, embeddings};

pub fn alter(
    transaction: &Transaction<'_>,
    id: &AgendaId,
    word: Word<'_>,
    change: &mut dyn FnMut(&mut Alteration) -> Result<()>,
) -> Result<Agenda, Trouble> {
    let lease = match word {
        Word::Worker(lease, now) => Some((lease, Some(now))),
        Word::Leaving(lease) => Some((lease, None)),
        Word::User | Word::UserOnce(_) => None,
    };
    if let Some((lease, now)) = lease {
        jobs::held(transaction, lease, now)?;
        if lease.agenda != *id {
            return Err(jobs::not_held(lease).into());
        }
    }
    let before = agendas::known(transaction, id)?;
    if let Word::UserOnce(key) = word
        && !agendas::remember(transaction, Said::Altering, key, id)?
    {
        return Ok(before);
    }
    let counted = counts::counts(transaction)?;
    let mut alteration =
        Alteration { agenda: before.clone(), findings: Vec::new(), jobs: Vec::new(), ends: Vec::new() };
    change(&mut alteration)?;
    let Alteration { mut agenda, findings, jobs: queued, ends } = alteration;
    if agenda.id != *id {
        return Err(Error::invalid(format!("the agenda {id} can't become another")).into());
    }
    agenda.findings = before.findings;
    let kept = keep(transaction, &mut agenda, findings)?;
    jobs::enqueue(transaction, &agenda, &queued)?;
    for (task, end) in &ends {
        jobs::end(transaction, id, task, *end)?;
    }
    jobs::sweep(transaction, &agenda)?;
    if agenda != before {
        agendas::put(transaction, &agenda)?;
    }
    for happening in agenda.since(&before).into_iter().chain(kept.iter().map(found)) {
        agenda_events::tell(transaction, &happening)?;
    }
    agenda_events::tell_counts(transaction, counted)?;
    Ok(agenda)
}

/// Keeps those that are new, as long as there is room for them, and counts them in the agenda.
fn keep(
    transaction: &Transaction<'_>,
    agenda: &mut Agenda,
    findings: Vec<NewFinding>,
) -> Result<Vec<Finding>, Trouble> {
    let mut kept = Vec::new();
    for NewFinding { finding, embedding } in findings {
        if finding.agenda_id != agenda.id {
            return Err(Error::invalid(format!("the finding {} is of another agenda", finding.id)).into());
        }
        let row = Row::new(&finding)?;
        if agenda.findings >= agenda.max_findings || !row.insert(transaction)? {
            continue;
        }
        if let Some((model, vector)) = &embedding {
            embeddings::keep(transaction, &finding.id, model, vector)?;
        }
        agenda.findings += 1;
        kept.push(finding);
    }
    Ok(kept)
}

fn found(finding: &Finding) -> Happening {
    Happening::Finding {
        id: finding.id.clone(),
        agenda_id: finding.agenda_id.clone(),
        task_id: finding.task_id.clone(),
        title: finding.title.clone(),
        url: finding.url.clone(),
    }
}
