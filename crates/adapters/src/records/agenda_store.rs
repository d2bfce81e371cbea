//! What the records fulfil for research that goes on behind everything else: agendas, jobs, findings, suppressed topics.
//!
//! What a caller does in the midst of a change is done while nobody else can write: it asks nothing of the records.

use jiff::Timestamp;
use wellread_core::Result;
use wellread_core::domain::id::{AgendaId, FindingId};
use wellread_core::ports::agenda::{Agenda, Counts, Finding, Happening, Once, SuppressedTopic};
use wellread_core::ports::{
    Agendas, Alteration, Answers, Claim, EmbeddingModel, Findings, JobEntry, Lease, Queue, Sketches,
    Suppressed, Taken, WhichAgendas, WhichFindings, Word,
};
use wellread_text::Sketch;

use super::jobs::{Gone, Term};
use super::{
    RecordStore, agenda_change, agenda_events, agendas, answers, counts, embeddings, findings, jobs, locks,
    moment, nanoseconds, not_as_written, sketches, topics,
};

impl Agendas for RecordStore {
    fn propose(&self, agenda: &Agenda, key: Option<&str>) -> Result<Agenda> {
        self.store.begin(|transaction| agendas::propose(transaction, agenda, key))
    }

    fn agenda(&self, id: &AgendaId) -> Result<Option<Agenda>> {
        let row = self.store.read_known(|connection| agendas::named(connection, id))?.flatten();
        row.map(agendas::Row::agenda).transpose()
    }

    fn agendas(&self, which: WhichAgendas<'_>, at_most: usize) -> Result<Vec<Agenda>> {
        let rows = self.store.read_known(|connection| agendas::found(connection, which, at_most))?;
        rows.unwrap_or_default().into_iter().map(agendas::Row::agenda).collect()
    }

    fn alter(
        &self,
        id: &AgendaId,
        word: Word<'_>,
        change: &mut dyn FnMut(&mut Alteration) -> Result<()>,
    ) -> Result<Agenda> {
        if !self.store.is_there()? {
            return Err(match word {
                Word::Worker(lease, _) | Word::Leaving(lease) => jobs::not_held(lease),
                Word::User | Word::UserOnce(_) => agendas::unknown(id),
            });
        }
        self.store.write(|transaction| agenda_change::alter(transaction, id, word, change))
    }

    fn happened(&self, after: u64, at_most: usize) -> Result<(Vec<(u64, Happening)>, u64)> {
        let known = self.store.read_known(|connection| agenda_events::after(connection, after, at_most))?;
        Ok(known.unwrap_or_default())
    }
}

impl Queue for RecordStore {
    fn present(&self, worker: &str) -> Result<Claim> {
        // Those that left nothing behind are of interest to nobody.
        for gone in locks::gone(self.store.folder()) {
            let has_one = self.store.read_known(|connection| jobs::has_one(connection, &gone.worker))?;
            if has_one != Some(true) {
                gone.forget();
            }
        }
        locks::present(self.store.folder(), worker)
    }

    fn take(&self, worker: &str, now: Timestamp, until: Timestamp) -> Result<Option<Taken>> {
        let term = Term::new(now, until)?;
        // Locked until the job is taken: nobody can come back by one of these names meanwhile.
        let locked = locks::gone(self.store.folder());
        let gone = Gone::new(locked.iter().map(|gone| gone.worker.as_str()));
        match self.store.read_known(|connection| jobs::is_due(connection, term, &gone))? {
            Some(true) => self.store.write(|transaction| jobs::take(transaction, worker, term, &gone)),
            _ => Ok(None),
        }
    }

    fn renew(&self, lease: &Lease, now: Timestamp, until: Timestamp) -> Result<()> {
        if !self.store.is_there()? {
            return Err(jobs::not_held(lease));
        }
        self.store.write(|transaction| jobs::renew(transaction, lease, now, until))
    }

    fn set_since(&self, what: &str, how: Option<&str>, now: Timestamp) -> Result<Option<Timestamp>> {
        let now = nanoseconds(now)?;
        // To set nothing is no reason to begin records.
        if how.is_none() && !self.store.is_there()? {
            return Ok(None);
        }
        let since = self.store.begin(|transaction| jobs::set_since(transaction, what, how, now))?;
        since.map(|since| moment(since).ok_or_else(|| not_as_written(what))).transpose()
    }

    fn jobs(&self) -> Result<Vec<JobEntry>> {
        Ok(self.store.read_known(jobs::all)?.unwrap_or_default())
    }
}

impl Findings for RecordStore {
    fn finding(&self, id: &FindingId) -> Result<Option<Finding>> {
        let row = self.store.read_known(|connection| findings::named(connection, id))?.flatten();
        row.map(findings::Row::finding).transpose()
    }

    fn findings(&self, which: &WhichFindings, at_most: usize) -> Result<Vec<Finding>> {
        let rows = self.store.read_known(|connection| findings::found(connection, which, at_most))?;
        rows.unwrap_or_default().into_iter().map(findings::Row::finding).collect()
    }

    fn decide(
        &self,
        id: &FindingId,
        once: Option<&Once>,
        change: &mut dyn FnMut(&mut Finding) -> Result<Option<SuppressedTopic>>,
    ) -> Result<Finding> {
        if !self.store.is_there()? {
            return Err(findings::unknown(id));
        }
        self.store.write(|transaction| findings::decide(transaction, id, once, change))
    }

    fn alone(&self, id: &FindingId) -> Result<Claim> {
        locks::alone(self.store.folder(), id)
    }

    fn embeddings(&self, model: &EmbeddingModel) -> Result<Vec<(FindingId, Vec<f32>)>> {
        let known = self.store.read_known(|connection| embeddings::of_model(connection, model))?;
        Ok(known.unwrap_or_default())
    }

    fn counts(&self) -> Result<Counts> {
        Ok(self.store.read_known(counts::counts)?.unwrap_or_default())
    }
}

impl Sketches for RecordStore {
    fn unsketched(&self, at_most: usize) -> Result<Vec<Finding>> {
        let rows = self.store.read_known(|connection| findings::unsketched(connection, at_most))?;
        rows.unwrap_or_default().into_iter().map(findings::Row::finding).collect()
    }

    fn keep_sketches(&self, sketches: &[(FindingId, Sketch)]) -> Result<()> {
        self.store.write(|transaction| {
            sketches.iter().try_for_each(|(finding, sketch)| sketches::keep(transaction, finding, sketch))
        })
    }

    fn each_sketch(&self, see: &mut dyn FnMut(&FindingId, &Sketch)) -> Result<()> {
        self.store.read_known(|connection| sketches::each(connection, see)).map(drop)
    }
}

impl Suppressed for RecordStore {
    fn topics(&self) -> Result<Vec<SuppressedTopic>> {
        self.store.read_known(topics::all)?.unwrap_or_default().into_iter().collect()
    }

    fn allow(&self, topic: &str) -> Result<bool> {
        if !self.store.is_there()? {
            return Ok(false);
        }
        self.store.write(|transaction| topics::allow(transaction, topic))
    }
}

impl Answers for RecordStore {
    fn ask(&self, once: &Once) -> Result<Option<String>> {
        self.store.begin(|transaction| answers::ask(transaction, once))
    }

    fn answer(&self, once: &Once, answer: &str) -> Result<String> {
        self.store.begin(|transaction| answers::answer(transaction, once, answer))
    }
}
