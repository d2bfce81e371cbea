//! Agendas, jobs and findings in memory: the same rules as on disk, and gone with the test.

mod queue;

use std::collections::{BTreeMap, BTreeSet};
use std::sync::{Arc, Condvar, Mutex};

use jiff::Timestamp;
use wellread_core::domain::corpus::Hash;
use wellread_core::domain::id::{AgendaId, FindingId};
use wellread_core::ports::agenda::{
    Agenda, AgendaCounts, AgendaEvent, AgendaStatus, Finding, FindingStatus, IdempotentRequest,
    SuppressedTopic,
};
use wellread_core::ports::{
    AgendaActor, AgendaChange, AgendaFilter, Agendas, EmbeddingModel, FindingFilter, Findings,
    IdempotencyStore, JobState, LockGuard, NewFinding, Sketches, SuppressedTopics,
};
use wellread_core::{Error, Result};
use wellread_text::Sketch;

use self::queue::MemoryJob;

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
    jobs: Vec<MemoryJob>,
    /// The number of the last lease.
    leases: u64,
    findings: BTreeMap<FindingId, Finding>,
    embeddings: Vec<(FindingId, EmbeddingModel, Vec<f32>)>,
    sketches: BTreeMap<FindingId, Sketch>,
    topics: Vec<SuppressedTopic>,
    happenings: Vec<AgendaEvent>,
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
        let findings =
            |status: FindingStatus| self.findings.values().filter(|finding| finding.status == status).count();
        let agendas =
            |status: AgendaStatus| self.agendas.values().filter(|agenda| agenda.status == status).count();
        AgendaCounts {
            new: findings(FindingStatus::New),
            accepted: findings(FindingStatus::Accepted),
            dismissed: findings(FindingStatus::Dismissed),
            pending: agendas(AgendaStatus::Pending),
            running: agendas(AgendaStatus::Approved) + agendas(AgendaStatus::Running),
            set_aside: self.jobs.iter().filter(|job| job.state == JobState::SetAside).count(),
        }
    }

    fn answer_slot(&mut self, once: &IdempotentRequest) -> Result<&mut Option<String>> {
        let (request, answer) = self.answers.entry(once.key.clone()).or_insert((once.request, None));
        if *request == once.request { Ok(answer) } else { Err(once.key_conflict()) }
    }

    fn insert_answer(&mut self, once: &IdempotentRequest, answer: &str) -> Result<String> {
        Ok(self.answer_slot(once)?.get_or_insert_with(|| answer.to_owned()).clone())
    }

    fn push_counts(&mut self, before: AgendaCounts) {
        let now = self.counts();
        if now != before {
            self.happenings.push(AgendaEvent::Counts(now));
        }
    }

    /// Keeps those that are new, as long as there is room for them.
    fn insert_findings(&mut self, agenda: &mut Agenda, new: Vec<NewFinding>) -> Result<Vec<AgendaEvent>> {
        let mut told = Vec::new();
        for NewFinding { finding, embedding } in new {
            if finding.agenda_id != agenda.id {
                return Err(Error::invalid(format!("the finding {} is of another agenda", finding.id)));
            }
            let is_known = |known: &Finding| {
                known.id == finding.id || known.normalized_address() == finding.normalized_address()
            };
            if agenda.findings >= agenda.max_findings || self.findings.values().any(is_known) {
                continue;
            }
            agenda.findings += 1;
            let (id, agenda_id, task_id) =
                (finding.id.clone(), finding.agenda_id.clone(), finding.task_id.clone());
            let (title, url) = (finding.title.clone(), finding.url.clone());
            self.embeddings.extend(embedding.map(|(model, vector)| (id.clone(), model, vector)));
            self.findings.insert(id.clone(), finding);
            told.push(AgendaEvent::Finding { id, agenda_id, task_id, title, url });
        }
        Ok(told)
    }

    fn alter(
        &mut self,
        id: &AgendaId,
        word: AgendaActor<'_>,
        change: &mut dyn FnMut(&mut AgendaChange) -> Result<()>,
    ) -> Result<Agenda> {
        match word {
            AgendaActor::Worker(lease, now) => self.leased_job(lease, Some(now), Some(id)).map(drop)?,
            AgendaActor::Leaving(lease) => self.leased_job(lease, None, Some(id)).map(drop)?,
            AgendaActor::User | AgendaActor::UserOnce(_) => {}
        }
        let known = self.agendas.get(id).cloned();
        let before = known.ok_or_else(|| Error::not_found(format!("there is no agenda {id}")))?;
        if let AgendaActor::UserOnce(key) = word
            && !self.altered.insert((key.to_owned(), id.clone()))
        {
            return Ok(before);
        }
        let counted = self.counts();
        let (findings, jobs, ends) = (Vec::new(), Vec::new(), Vec::new());
        let mut alteration = AgendaChange { agenda: before.clone(), findings, jobs, ends };
        change(&mut alteration)?;
        let AgendaChange { mut agenda, findings, jobs, ends } = alteration;
        if agenda.id != *id {
            return Err(Error::invalid(format!("the agenda {id} can't become another")));
        }
        agenda.findings = before.findings;
        let found = self.insert_findings(&mut agenda, findings)?;
        self.change_jobs(&agenda, &jobs, &ends)?;
        self.happenings.extend(agenda.events_since(&before).into_iter().chain(found));
        self.agendas.insert(id.clone(), agenda.clone());
        self.push_counts(counted);
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
                return Err(Error::conflict(format!("there is an agenda {} already", agenda.id)));
            }
            let counted = state.counts();
            state.proposed.extend(key.map(|key| (key.to_owned(), agenda.id.clone())));
            state.agendas.insert(agenda.id.clone(), agenda.clone());
            let (id, message) = (agenda.id.clone(), agenda.message.clone());
            state.happenings.push(AgendaEvent::Agenda { id, status: agenda.status, message });
            state.push_counts(counted);
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
        word: AgendaActor<'_>,
        change: &mut dyn FnMut(&mut AgendaChange) -> Result<()>,
    ) -> Result<Agenda> {
        self.transact(|state| state.alter(id, word, change))
    }

    fn events_after(&self, after: u64, at_most: usize) -> Result<(Vec<(u64, AgendaEvent)>, u64)> {
        let state = self.state.lock().unwrap();
        let numbered = (1..).zip(state.happenings.iter().cloned());
        let found = numbered.filter(|(number, _)| *number > after).take(at_most).collect();
        Ok((found, state.happenings.len() as u64))
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
            let known = state.findings.get(id).cloned();
            let before = known.ok_or_else(|| Error::not_found(format!("there is no finding {id}")))?;
            let mut finding = before.clone();
            let topic = change(&mut finding)?;
            let of = |finding: &Finding| (finding.id.clone(), finding.agenda_id.clone(), finding.url.clone());
            if of(&finding) != of(&before) {
                return Err(Error::invalid(format!("the finding {id} can't become another")));
            }
            if let Some(topic) = topic {
                state.topics.retain(|known| known.topic != topic.topic);
                state.topics.push(topic);
            }
            if finding != before {
                state.findings.insert(id.clone(), finding.clone());
                state.happenings.push(AgendaEvent::Counts(state.counts()));
            }
            if let Some(once) = once {
                state.insert_answer(once, &serde_json::to_string(&finding).unwrap())?;
            }
            Ok(finding)
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
