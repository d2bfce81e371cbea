//! The ports for background research: agendas, jobs, findings, suppressed topics.
//!
//! The callback of a change runs inside the write transaction, so it must not use the records itself.

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

use super::{
    RecordStore, agenda_change, agenda_events, agendas, answers, embeddings, findings, jobs, locks, sketches,
    topics,
};
use crate::record_format::agenda_row::AgendaRow;
use crate::record_format::finding_row::FindingRow;

impl Agendas for RecordStore {
    fn propose(&self, agenda: &Agenda, key: Option<&str>) -> Result<Agenda> {
        self.store.write_or_recreate(|transaction| agendas::propose(transaction, agenda, key))
    }

    fn agenda(&self, id: &AgendaId) -> Result<Option<Agenda>> {
        let row = self.store.read_if_exists(|connection| agendas::find(connection, id))?.flatten();
        row.map(AgendaRow::into_agenda).transpose()
    }

    fn agendas(&self, which: AgendaFilter<'_>, at_most: usize) -> Result<Vec<Agenda>> {
        let rows = self.store.read_if_exists(|connection| agendas::list(connection, which, at_most))?;
        rows.unwrap_or_default().into_iter().map(AgendaRow::into_agenda).collect()
    }

    fn change_agenda(
        &self,
        id: &AgendaId,
        actor: AgendaActor<'_>,
        change: &mut dyn FnMut(&mut AgendaChange) -> Result<()>,
    ) -> Result<Agenda> {
        if !self.store.open_if_exists()? {
            return Err(actor.nothing_kept_error(id));
        }
        self.store.write(|transaction| agenda_change::change_agenda(transaction, id, actor, change))
    }

    fn events_after(&self, after: u64, at_most: usize) -> Result<(Vec<(u64, AgendaEvent)>, u64)> {
        let known =
            self.store.read_if_exists(|connection| agenda_events::list_after(connection, after, at_most))?;
        Ok(known.unwrap_or_default())
    }
}

impl JobQueue for RecordStore {
    fn register_worker(&self, worker: &str) -> Result<LockGuard> {
        // Workers that are gone and hold no job can be forgotten.
        for gone in locks::find_gone_workers(self.store.folder()) {
            let has_one = self.store.read_if_exists(|connection| jobs::has_job(connection, &gone.worker))?;
            if has_one != Some(true) {
                gone.forget();
            }
        }
        locks::register_worker(self.store.folder(), worker)
    }

    fn take_job(&self, worker: &str, now: Timestamp, until: Timestamp) -> Result<Option<TakenJob>> {
        let term = LeaseTerm::new(now, until)?;
        // They stay locked until the job is taken, so that no worker can reuse one of these names meanwhile.
        let locked = locks::find_gone_workers(self.store.folder());
        let is_gone = |worker: &str| locked.iter().any(|gone| gone.worker == worker);
        // Checked by a read first, which blocks nobody.
        match self.store.read_if_exists(|connection| jobs::find_due(connection, &term, &is_gone))?.flatten() {
            Some(_) => self.store.write(|transaction| jobs::take(transaction, worker, &term, &is_gone)),
            None => Ok(None),
        }
    }

    fn renew_lease(&self, lease: &Lease, now: Timestamp, until: Timestamp) -> Result<()> {
        if !self.store.open_if_exists()? {
            return Err(lease.lost_error());
        }
        self.store.write(|transaction| jobs::renew(transaction, lease, now, until))
    }

    fn record_setting(&self, what: &str, how: Option<&str>, now: Timestamp) -> Result<Option<Timestamp>> {
        // Setting nothing must not create records.
        if how.is_none() && !self.store.open_if_exists()? {
            return Ok(None);
        }
        self.store.write_or_recreate(|transaction| jobs::record_setting(transaction, what, how, now))
    }

    fn jobs(&self) -> Result<Vec<JobEntry>> {
        Ok(self.store.read_if_exists(jobs::list)?.unwrap_or_default())
    }
}

impl Findings for RecordStore {
    fn finding(&self, id: &FindingId) -> Result<Option<Finding>> {
        let row = self.store.read_if_exists(|connection| findings::find(connection, id))?.flatten();
        row.map(FindingRow::into_finding).transpose()
    }

    fn findings(&self, which: &FindingFilter, at_most: usize) -> Result<Vec<Finding>> {
        let rows = self.store.read_if_exists(|connection| findings::list(connection, which, at_most))?;
        rows.unwrap_or_default().into_iter().map(FindingRow::into_finding).collect()
    }

    fn decide(
        &self,
        id: &FindingId,
        once: Option<&IdempotentRequest>,
        change: &mut dyn FnMut(&mut Finding) -> Result<Option<SuppressedTopic>>,
    ) -> Result<Finding> {
        if !self.store.open_if_exists()? {
            return Err(Finding::not_found_error(id));
        }
        self.store.write(|transaction| findings::decide(transaction, &self.viewer, id, once, change))
    }

    fn lock_finding(&self, id: &FindingId) -> Result<LockGuard> {
        locks::lock_finding(self.store.folder(), id)
    }

    fn embeddings(&self, model: &EmbeddingModel) -> Result<Vec<(FindingId, Vec<f32>)>> {
        let known = self.store.read_if_exists(|connection| embeddings::list_for_model(connection, model))?;
        Ok(known.unwrap_or_default())
    }

    fn counts(&self) -> Result<AgendaCounts> {
        Ok(self.store.read_if_exists(agenda_events::counts)?.unwrap_or_default())
    }
}

impl Sketches for RecordStore {
    fn findings_without_sketch(&self, at_most: usize) -> Result<Vec<Finding>> {
        let rows = self.store.read_if_exists(|connection| findings::list_unsketched(connection, at_most))?;
        rows.unwrap_or_default().into_iter().map(FindingRow::into_finding).collect()
    }

    fn keep_sketches(&self, sketches: &[(FindingId, Sketch)]) -> Result<()> {
        self.store.write(|transaction| {
            sketches.iter().try_for_each(|(finding, sketch)| sketches::insert(transaction, finding, sketch))
        })
    }

    fn for_each_sketch(&self, see: &mut dyn FnMut(&FindingId, &Sketch)) -> Result<()> {
        self.store.read_if_exists(|connection| sketches::for_each(connection, see)).map(drop)
    }
}

impl SuppressedTopics for RecordStore {
    fn topics(&self) -> Result<Vec<SuppressedTopic>> {
        self.store.read_if_exists(topics::list)?.unwrap_or_default().into_iter().collect()
    }

    fn allow(&self, topic: &str) -> Result<bool> {
        if !self.store.open_if_exists()? {
            return Ok(false);
        }
        self.store.write(|transaction| topics::allow(transaction, topic))
    }
}

impl IdempotencyStore for RecordStore {
    fn record_request(&self, once: &IdempotentRequest) -> Result<Option<String>> {
        self.store.write_or_recreate(|transaction| answers::record_request(transaction, &self.viewer, once))
    }

    fn keep_answer(&self, once: &IdempotentRequest, answer: &str) -> Result<String> {
        self.store
            .write_or_recreate(|transaction| answers::keep_answer(transaction, &self.viewer, once, answer))
    }

    fn forget_answers(&self, wanted: &dyn Fn(&str) -> bool) -> Result<u64> {
        if !self.store.open_if_exists()? {
            return Ok(0);
        }
        self.store.write(|transaction| answers::forget(transaction, wanted))
    }
}
