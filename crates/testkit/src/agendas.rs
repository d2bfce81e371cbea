//! Agendas, jobs and findings in memory: the same rules as on disk, and gone with the test.

mod jobs;

use std::collections::{BTreeMap, BTreeSet};
use std::sync::{Arc, Condvar, Mutex};

use jiff::Timestamp;
use wellread_core::domain::corpus::Hash;
use wellread_core::domain::id::{AgendaId, FindingId};
use wellread_core::ports::agenda::{
    Agenda, AgendaCounts, AgendaEvent, Finding, FindingDecision, IdempotentRequest, SettledChange,
    SuppressedTopic,
};
use wellread_core::ports::{
    AgendaActor, AgendaChange, AgendaFilter, Agendas, EmbeddingModel, FindingFilter, Findings,
    IdempotencyStore, JobEntry, JobState, LockGuard, NewFinding, Sketches, SuppressedTopics,
};
use wellread_core::{Error, Result};
use wellread_text::Sketch;

#[derive(Debug, Default)]
pub struct MemoryAgendas {
    state: Mutex<MemoryAgendasState>,
    decided_on: Arc<FindingLocks>,
    /// Workers that were there.
    gone: Arc<Mutex<BTreeSet<String>>>,
}

/// Everything that a change changes. It is made on a copy, which takes its place when the change is whole.
#[derive(Debug, Clone, Default)]
struct MemoryAgendasState {
    agendas: BTreeMap<AgendaId, Agenda>,
    proposed: BTreeMap<String, AgendaId>,
    altered: BTreeSet<(String, AgendaId)>,
    /// In the order in which they are taken.
    jobs: Vec<JobEntry>,
    /// The number of the last lease.
    leases: u64,
    findings: BTreeMap<FindingId, Finding>,
    embeddings: Vec<(FindingId, EmbeddingModel, Vec<f32>)>,
    sketches: BTreeMap<FindingId, Sketch>,
    topics: Vec<SuppressedTopic>,
    /// By their numbers, from 1.
    events: BTreeMap<u64, AgendaEvent>,
    /// How something is set, and since when.
    set: BTreeMap<String, (String, Timestamp)>,
    /// What was asked with a key, and what was answered.
    answers: BTreeMap<String, (Hash, Option<String>)>,
}

impl MemoryAgendas {
    fn transact<T>(&self, act: impl FnOnce(&mut MemoryAgendasState) -> Result<T>) -> Result<T> {
        let mut state = self.state.lock().unwrap();
        let mut changed = state.clone();
        let answer = act(&mut changed)?;
        *state = changed;
        Ok(answer)
    }
}

impl MemoryAgendasState {
    fn counts(&self) -> AgendaCounts {
        let counted: Result<AgendaCounts> = AgendaCounts::count(
            |status| Ok(self.findings.values().filter(|finding| finding.status == status).count()),
            |status| Ok(self.agendas.values().filter(|agenda| agenda.status == status).count()),
            || Ok(self.jobs.iter().filter(|job| job.state == JobState::SetAside).count()),
        );
        counted.unwrap()
    }

    fn last_event(&self) -> u64 {
        self.events.last_key_value().map_or(0, |(number, _)| *number)
    }

    fn append_event(&mut self, event: AgendaEvent) {
        let number = self.last_event() + 1;
        self.events.insert(number, event);
        self.events.retain(|known, _| *known > AgendaEvent::forgettable_up_to(number));
    }

    fn answer_slot(&mut self, once: &IdempotentRequest) -> Result<&mut Option<String>> {
        let (request, answer) = self.answers.entry(once.key.clone()).or_insert((once.request, None));
        once.check_known(*request).map(|()| answer)
    }

    fn insert_answer(&mut self, once: &IdempotentRequest, answer: &str) -> Result<String> {
        Ok(self.answer_slot(once)?.get_or_insert_with(|| answer.to_owned()).clone())
    }

    fn append_counts(&mut self, before: AgendaCounts) {
        if let Some(event) = self.counts().event_since(before) {
            self.append_event(event);
        }
    }

    /// Whether it is kept: not where its id is known, or its page was found before.
    fn insert_finding(&mut self, new: &NewFinding) -> bool {
        let NewFinding { finding, embedding } = new;
        let is_same = |known: &Finding| {
            known.id == finding.id || known.normalized_address() == finding.normalized_address()
        };
        if self.findings.values().any(is_same) {
            return false;
        }
        let embedding = embedding.clone().map(|(model, vector)| (finding.id.clone(), model, vector));
        self.embeddings.extend(embedding);
        self.findings.insert(finding.id.clone(), finding.clone());
        true
    }

    fn change_agenda(
        &mut self,
        id: &AgendaId,
        actor: AgendaActor<'_>,
        change: &mut dyn FnMut(&mut AgendaChange) -> Result<()>,
    ) -> Result<Agenda> {
        actor.check(id, actor.lease().and_then(|lease| self.job(&lease.task)))?;
        let before = self.agendas.get(id).cloned().ok_or_else(|| Agenda::not_found_error(id))?;
        if let AgendaActor::UserOnce(key) = actor
            && !self.altered.insert((key.to_owned(), id.clone()))
        {
            return Ok(before);
        }
        let counted = self.counts();
        let mut changed = AgendaChange::new(before.clone());
        change(&mut changed)?;
        let settled = changed.settle(&before, |new| Ok::<_, Error>(self.insert_finding(new)))?;
        let SettledChange { agenda, jobs, ends, events } = settled;
        self.change_jobs(&agenda, &jobs, &ends);
        self.agendas.insert(id.clone(), agenda.clone());
        events.into_iter().for_each(|event| self.append_event(event));
        self.append_counts(counted);
        Ok(agenda)
    }
}

impl Agendas for MemoryAgendas {
    fn propose(&self, agenda: &Agenda, key: Option<&str>) -> Result<Agenda> {
        self.transact(|state| {
            if let Some(id) = key.and_then(|key| state.proposed.get(key)) {
                return Ok(state.agendas[id].clone());
            }
            if state.agendas.contains_key(&agenda.id) {
                return Err(Agenda::exists_error(&agenda.id));
            }
            let counted = state.counts();
            state.proposed.extend(key.map(|key| (key.to_owned(), agenda.id.clone())));
            state.agendas.insert(agenda.id.clone(), agenda.clone());
            state.append_event(agenda.proposed_event());
            state.append_counts(counted);
            Ok(agenda.clone())
        })
    }

    fn agenda(&self, id: &AgendaId) -> Result<Option<Agenda>> {
        Ok(self.state.lock().unwrap().agendas.get(id).cloned())
    }

    fn agendas(&self, which: AgendaFilter<'_>, at_most: usize) -> Result<Vec<Agenda>> {
        let state = self.state.lock().unwrap();
        let fits = |agenda: &&Agenda| match which {
            AgendaFilter::All => true,
            AgendaFilter::Status(status) => agenda.status == status,
            AgendaFilter::Key(key) => state.proposed.get(key) == Some(&agenda.id),
        };
        Ok(state.agendas.values().rev().filter(fits).take(at_most).cloned().collect())
    }

    fn change_agenda(
        &self,
        id: &AgendaId,
        actor: AgendaActor<'_>,
        change: &mut dyn FnMut(&mut AgendaChange) -> Result<()>,
    ) -> Result<Agenda> {
        self.transact(|state| state.change_agenda(id, actor, change))
    }

    fn events_after(&self, after: u64, at_most: usize) -> Result<(Vec<(u64, AgendaEvent)>, u64)> {
        let state = self.state.lock().unwrap();
        let later = state.events.iter().filter(|(number, _)| **number > after);
        let found = later.take(at_most).map(|(number, event)| (*number, event.clone())).collect();
        Ok((found, state.last_event()))
    }
}

impl Findings for MemoryAgendas {
    fn finding(&self, id: &FindingId) -> Result<Option<Finding>> {
        Ok(self.state.lock().unwrap().findings.get(id).cloned())
    }

    fn findings(&self, which: &FindingFilter, at_most: usize) -> Result<Vec<Finding>> {
        let state = self.state.lock().unwrap();
        let fits = |finding: &&Finding| {
            which.status.is_none_or(|status| finding.status == status)
                && which.agenda.as_ref().is_none_or(|agenda| finding.agenda_id == *agenda)
                && (!which.accepting || finding.accepting.is_some())
                && which.address.as_ref().is_none_or(|address| finding.normalized_address() == *address)
        };
        let mut found: Vec<Finding> = state.findings.values().filter(fits).cloned().collect();
        found.sort_by(|one, other| (other.created, &other.id).cmp(&(one.created, &one.id)));
        found.truncate(at_most);
        Ok(found)
    }

    fn decide(
        &self,
        id: &FindingId,
        once: Option<&IdempotentRequest>,
        change: &mut dyn FnMut(&mut Finding) -> Result<Option<SuppressedTopic>>,
    ) -> Result<Finding> {
        self.transact(|state| {
            let before = state.findings.get(id).cloned().ok_or_else(|| Finding::not_found_error(id))?;
            let decision = FindingDecision::make(&before, change)?;
            if let Some(topic) = decision.topic.clone() {
                state.topics.retain(|known| known.topic != topic.topic);
                state.topics.push(topic);
            }
            state.findings.insert(id.clone(), decision.finding.clone());
            if let Some(event) = decision.event(|| Ok::<_, Error>(state.counts()))? {
                state.append_event(event);
            }
            if let Some(once) = once {
                state.insert_answer(once, &serde_json::to_string(&decision.finding).unwrap())?;
            }
            Ok(decision.finding)
        })
    }

    fn lock_finding(&self, id: &FindingId) -> Result<LockGuard> {
        let mut ids = self.decided_on.ids.lock().unwrap();
        while !ids.insert(id.clone()) {
            ids = self.decided_on.left.wait(ids).unwrap();
        }
        Ok(Box::new(FindingLock { id: id.clone(), decided_on: self.decided_on.clone() }))
    }

    fn embeddings(&self, model: &EmbeddingModel) -> Result<Vec<(FindingId, Vec<f32>)>> {
        let state = self.state.lock().unwrap();
        let of_model = state
            .embeddings
            .iter()
            .filter(|(_, made_with, vector)| made_with == model && vector.len() == model.dimension);
        Ok(of_model.map(|(id, _, vector)| (id.clone(), vector.clone())).collect())
    }

    fn counts(&self) -> Result<AgendaCounts> {
        Ok(self.state.lock().unwrap().counts())
    }
}

impl Sketches for MemoryAgendas {
    fn findings_without_sketch(&self, at_most: usize) -> Result<Vec<Finding>> {
        let state = self.state.lock().unwrap();
        let without = state.findings.values().filter(|finding| !state.sketches.contains_key(&finding.id));
        Ok(without.take(at_most).cloned().collect())
    }

    fn keep_sketches(&self, sketches: &[(FindingId, Sketch)]) -> Result<()> {
        self.state.lock().unwrap().sketches.extend(sketches.iter().cloned());
        Ok(())
    }

    fn for_each_sketch(&self, see: &mut dyn FnMut(&FindingId, &Sketch)) -> Result<()> {
        let state = self.state.lock().unwrap();
        state.sketches.iter().for_each(|(id, sketch)| see(id, sketch));
        Ok(())
    }
}

impl IdempotencyStore for MemoryAgendas {
    fn record_request(&self, once: &IdempotentRequest) -> Result<Option<String>> {
        self.transact(|state| Ok(state.answer_slot(once)?.clone()))
    }

    fn keep_answer(&self, once: &IdempotentRequest, answer: &str) -> Result<String> {
        self.transact(|state| state.insert_answer(once, answer))
    }

    fn forget_answers(&self, wanted: &dyn Fn(&str) -> bool) -> Result<u64> {
        let mut forgotten = 0;
        for (_, answer) in self.state.lock().unwrap().answers.values_mut() {
            forgotten += u64::from(answer.take_if(|answer| wanted(answer)).is_some());
        }
        Ok(forgotten)
    }
}

impl SuppressedTopics for MemoryAgendas {
    fn topics(&self) -> Result<Vec<SuppressedTopic>> {
        let mut topics = self.state.lock().unwrap().topics.clone();
        topics.sort_by(|one, other| (other.at, &other.topic).cmp(&(one.at, &one.topic)));
        Ok(topics)
    }

    fn allow(&self, topic: &str) -> Result<bool> {
        let mut state = self.state.lock().unwrap();
        let before = state.topics.len();
        state.topics.retain(|known| known.topic != topic);
        Ok(state.topics.len() < before)
    }
}

/// Findings that somebody is deciding on.
#[derive(Debug, Default)]
struct FindingLocks {
    ids: Mutex<BTreeSet<FindingId>>,
    left: Condvar,
}

struct FindingLock {
    id: FindingId,
    decided_on: Arc<FindingLocks>,
}

impl Drop for FindingLock {
    fn drop(&mut self) {
        self.decided_on.ids.lock().unwrap().remove(&self.id);
        self.decided_on.left.notify_all();
    }
}
