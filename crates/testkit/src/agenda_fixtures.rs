//! A made-up agenda with findings, for tests that store, show or carry out agendas.

use wellread_core::domain::corpus::Hash;
use wellread_core::domain::decision::{DecidedBy, UserDecision};
use wellread_core::domain::id::{AgendaId, FindingId, RunId, TaskId};
use wellread_core::domain::verdict::Verdict;
use wellread_core::ports::agenda::{
    Agenda, AgendaEvent, AgendaStatus, Finding, FindingEvidence, FindingPart, FindingSentence, FindingStatus,
    Task, TaskCounts, TaskEnd, TaskSource, TaskStatus, Trigger,
};
use wellread_core::ports::{AgendaActor, Agendas, NewFinding};

use crate::run_fixtures::event_time;

/// The decision of the user that a test plays.
pub const USER: UserDecision = UserDecision::new(DecidedBy::Command);

/// One that waits for approval, with so many tasks.
pub fn agenda(tasks: usize) -> Agenda {
    let id = AgendaId::fresh();
    let task = |number: usize| Task {
        id: TaskId::new(&id, number),
        query: format!("topic {number}"),
        source: if number.is_multiple_of(2) { TaskSource::Arxiv } else { TaskSource::Web },
        motivation: "a link leads nowhere".to_owned(),
        related_notes: vec!["Bees.md".to_owned()],
        status: TaskStatus::Proposed,
        run_id: None,
        message: None,
        counts: None,
        earlier: None,
    };
    let tasks = (1..=tasks).map(task).collect();
    Agenda {
        id,
        status: AgendaStatus::Pending,
        trigger: Trigger::Vault,
        source_note_id: None,
        created: event_time(0),
        approved: None,
        ended: None,
        message: None,
        tasks,
        findings: 0,
        max_findings: 5,
        private: false,
        run_id: None,
    }
}

/// Proposes it, approves it, and puts its tasks into the queue.
pub fn propose_and_approve(agendas: &dyn Agendas, agenda: &Agenda) -> Agenda {
    agendas.propose(agenda, None).unwrap();
    let approve = |change: &mut wellread_core::ports::AgendaChange| {
        change.agenda.approve(&[], event_time(1))?;
        change.jobs = change.agenda.tasks.iter().map(|task| task.id.clone()).collect();
        Ok(())
    };
    agendas.change_agenda(&agenda.id, AgendaActor::User, &mut { approve }).unwrap()
}

/// What a task found at this address.
pub fn finding(agenda: &AgendaId, task: &TaskId, url: &str) -> Finding {
    let snapshot = Hash::compute(url.as_bytes());
    let quote = "Wax melts at 62 degrees.".to_owned();
    let evidence = vec!["ev-1".to_owned()];
    Finding {
        id: FindingId::new(task, url),
        agenda_id: agenda.clone(),
        task_id: task.clone(),
        run_id: RunId::parse("00000000000000").unwrap(),
        url: url.to_owned(),
        title: format!("Of wax, {url}"),
        summary: quote.clone(),
        bearing: String::new(),
        concepts: vec!["wax".to_owned()],
        sentences: vec![FindingSentence {
            part: FindingPart::Summary,
            text: quote.clone(),
            verdict: Verdict::Supported,
            evidence,
        }],
        evidence: vec![FindingEvidence {
            id: "ev-1".to_owned(),
            end: quote.len(),
            quote,
            url: url.to_owned(),
            title: None,
            snapshot,
            start: 0,
        }],
        related_notes: vec!["Bees.md".to_owned()],
        motivation: "a link leads nowhere".to_owned(),
        query: "wax".to_owned(),
        source: TaskSource::Web,
        similarity: 0.1 + 0.2,
        nearest: None,
        snapshot,
        status: FindingStatus::New,
        note_path: None,
        operation: None,
        created: event_time(2),
        decided: None,
        accepting: None,
        accepted_as: None,
    }
}

/// A new finding without a vector.
pub fn new_finding(agenda: &AgendaId, task: &TaskId, url: &str) -> NewFinding {
    NewFinding { finding: finding(agenda, task, url), embedding: None }
}

pub fn task_end(findings: usize) -> TaskEnd {
    TaskEnd::Done {
        counts: TaskCounts { results: 3, fetched: 3, findings, ..TaskCounts::default() },
        message: None,
    }
}

/// Everybody was told of each task of these agendas, once, that it is done, and the agendas are. No number of what was told is missing.
#[track_caller]
pub fn check_each_done_once<'a>(
    agendas: &dyn Agendas,
    told: Vec<(u64, AgendaEvent)>,
    ids: impl Iterator<Item = &'a AgendaId> + Clone,
    tasks: usize,
) {
    assert!(told.windows(2).all(|pair| pair[0].0 + 1 == pair[1].0), "no number is missing");
    let done = told.into_iter().filter_map(|(_, told)| match told {
        AgendaEvent::Task { task_id, status: TaskStatus::Done, .. } => Some(task_id),
        _ => None,
    });
    let mut done: Vec<TaskId> = done.collect();
    done.sort();
    let expected = ids.clone().flat_map(|id| (1..=tasks).map(|number| TaskId::new(id, number)));
    let mut expected: Vec<TaskId> = expected.collect();
    expected.sort();
    assert_eq!(done, expected, "each once");
    for id in ids {
        let agenda = agendas.agenda(id).unwrap().unwrap();
        assert_eq!(agenda.status, AgendaStatus::Done, "{agenda:#?}");
    }
}
