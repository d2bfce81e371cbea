//! The ports for background research: agendas, jobs, findings, suppressed topics.
//!
//! The callback of a change runs on the caller's thread inside the open transaction, so it must not use the records itself.

use jiff::Timestamp;
use wellread_core::Result;
use wellread_core::domain::id::{AgendaId, FindingId};
use wellread_core::ports::agenda::{
    Agenda, AgendaCounts, AgendaEvent, Finding, IdempotentRequest, SuppressedTopic,
};
use wellread_core::ports::{
    AgendaActor, AgendaChange, AgendaFilter, Agendas, EmbeddingModel, FindingFilter, Findings,
    IdempotencyStore, JobEntry, JobQueue, Lease, LeaseTerm, LockGuard, Sketches, SuppressedTopics, TakenJob,
};
use wellread_text::Sketch;

use super::locks::LockKind;
use super::space_lock::{SpaceLock, lock_space};
use super::{PostgresRecords, agenda_change, agenda_events, agendas, answers, findings, jobs, topics};
use crate::record_format::agenda_row::AgendaRow;
use crate::record_format::finding_row::FindingRow;

impl Agendas for PostgresRecords {
    fn propose(&self, agenda: &Agenda, key: Option<&str>) -> Result<Agenda> {
        self.database.write(|session| agendas::propose(session, agenda, key))
    }

    fn agenda(&self, id: &AgendaId) -> Result<Option<Agenda>> {
        let row = self.database.read(|session| agendas::find(session, id))?;
        row.map(AgendaRow::into_agenda).transpose()
    }

    fn agendas(&self, which: AgendaFilter<'_>, at_most: usize) -> Result<Vec<Agenda>> {
        let rows = self.database.read(|session| agendas::list(session, which, at_most))?;
        rows.into_iter().map(AgendaRow::into_agenda).collect()
    }

    fn change_agenda(
        &self,
        id: &AgendaId,
        actor: AgendaActor<'_>,
        change: &mut dyn FnMut(&mut AgendaChange) -> Result<()>,
    ) -> Result<Agenda> {
        self.database.write(|session| agenda_change::change_agenda(session, id, actor, change))
    }

    fn events_after(&self, after: u64, at_most: usize) -> Result<(Vec<(u64, AgendaEvent)>, u64)> {
        self.database.read_snapshot(|session| agenda_events::list_after(session, after, at_most))
    }
}

impl JobQueue for PostgresRecords {
    fn register_worker(&self, worker: &str) -> Result<LockGuard> {
        self.database.write(jobs::forget_gone_workers)?;
        self.locks.acquire(LockKind::Worker, worker).map_err(|failure| self.database.explain(failure))
    }

    fn take_job(&self, worker: &str, now: Timestamp, until: Timestamp) -> Result<Option<TakenJob>> {
        let term = LeaseTerm::new(now, until)?;
        // Checked by a read first, which locks nothing.
        if !self.database.read(|session| jobs::may_be_due(session, &term))? {
            return Ok(None);
        }
        self.database.write(|session| jobs::take(session, worker, &term))
    }

    fn renew_lease(&self, lease: &Lease, now: Timestamp, until: Timestamp) -> Result<()> {
        self.database.write(|session| jobs::renew(session, lease, now, until))
    }

    fn record_setting(&self, what: &str, how: Option<&str>, now: Timestamp) -> Result<Option<Timestamp>> {
        self.database.write(|session| {
            lock_space(session, SpaceLock::Changes)?;
            jobs::record_setting(session, what, how, now)
        })
    }

    fn jobs(&self) -> Result<Vec<JobEntry>> {
        self.database.read(jobs::list)
    }
}

impl Findings for PostgresRecords {
    fn finding(&self, id: &FindingId) -> Result<Option<Finding>> {
        let row = self.database.read(|session| findings::find(session, id))?;
        row.map(FindingRow::into_finding).transpose()
    }

    fn findings(&self, which: &FindingFilter, at_most: usize) -> Result<Vec<Finding>> {
        let rows = self.database.read(|session| findings::list(session, which, at_most))?;
        rows.into_iter().map(FindingRow::into_finding).collect()
    }

    fn decide(
        &self,
        id: &FindingId,
        once: Option<&IdempotentRequest>,
        change: &mut dyn FnMut(&mut Finding) -> Result<Option<SuppressedTopic>>,
    ) -> Result<Finding> {
        self.database.write(|session| findings::decide(session, id, once, change))
    }

    fn lock_finding(&self, id: &FindingId) -> Result<LockGuard> {
        self.locks.acquire(LockKind::Finding, id.as_str()).map_err(|failure| self.database.explain(failure))
    }

    fn embeddings(&self, model: &EmbeddingModel) -> Result<Vec<(FindingId, Vec<f32>)>> {
        self.database.read(|session| findings::list_embeddings(session, model))
    }

    fn counts(&self) -> Result<AgendaCounts> {
        self.database.read(agenda_events::counts)
    }
}

impl Sketches for PostgresRecords {
    fn findings_without_sketch(&self, at_most: usize) -> Result<Vec<Finding>> {
        let rows = self.database.read(|session| findings::list_unsketched(session, at_most))?;
        rows.into_iter().map(FindingRow::into_finding).collect()
    }

    fn keep_sketches(&self, sketches: &[(FindingId, Sketch)]) -> Result<()> {
        self.database.write(|session| {
            sketches
                .iter()
                .try_for_each(|(finding, sketch)| findings::insert_sketch(session, finding, sketch))
        })
    }

    fn for_each_sketch(&self, see: &mut dyn FnMut(&FindingId, &Sketch)) -> Result<()> {
        let mut after = String::new();
        while let Some((sketches, last)) =
            self.database.read(|session| findings::list_sketches(session, &after))?
        {
            sketches.iter().for_each(|(finding, sketch)| see(finding, sketch));
            after = last;
        }
        Ok(())
    }
}

impl SuppressedTopics for PostgresRecords {
    fn topics(&self) -> Result<Vec<SuppressedTopic>> {
        self.database.read(topics::list)
    }

    fn allow(&self, topic: &str) -> Result<bool> {
        self.database.write(|session| topics::allow(session, topic))
    }
}

impl IdempotencyStore for PostgresRecords {
    fn record_request(&self, once: &IdempotentRequest) -> Result<Option<String>> {
        self.database.write(|session| {
            lock_space(session, SpaceLock::Changes)?;
            answers::record_request(session, once)
        })
    }

    fn keep_answer(&self, once: &IdempotentRequest, answer: &str) -> Result<String> {
        self.database.write(|session| {
            lock_space(session, SpaceLock::Changes)?;
            answers::keep_answer(session, once, answer)
        })
    }

    fn forget_answers(&self, wanted: &dyn Fn(&str) -> bool) -> Result<u64> {
        self.database.write(|session| {
            lock_space(session, SpaceLock::Changes)?;
            answers::forget(session, wanted)
        })
    }
}
