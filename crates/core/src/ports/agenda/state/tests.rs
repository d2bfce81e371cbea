//! The ways through the states, and those that there are not.

use super::*;
use crate::ports::agenda::{Task, TaskSource, Trigger};

fn agenda(tasks: usize) -> Agenda {
    let id = AgendaId::fresh();
    let task = |number| Task {
        id: TaskId::new(&id, number),
        query: format!("topic {number}"),
        source: TaskSource::Web,
        motivation: "a link leads nowhere".to_owned(),
        related_notes: Vec::new(),
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
        created: Timestamp::UNIX_EPOCH,
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

fn done(findings: usize, duplicates: usize) -> TaskEnd {
    let counts = TaskCounts { results: 3, fetched: 3, duplicates, findings, ..TaskCounts::default() };
    TaskEnd::Done { counts, message: None }
}

fn failed(why: &str) -> TaskEnd {
    TaskEnd::Failed { counts: None, message: why.to_owned() }
}

const NOW: Timestamp = Timestamp::UNIX_EPOCH;

#[test]
fn nothing_runs_before_it_is_approved_and_a_blocked_task_never_does() {
    let mut agenda = agenda(2);
    let (first, second) = (agenda.tasks[0].id.clone(), agenda.tasks[1].id.clone());
    assert!(agenda.begin_task(&first, None).is_err(), "it is pending");
    agenda.approve(std::slice::from_ref(&second), NOW).unwrap();
    assert!(agenda.begin_task(&second, None).is_err(), "it is blocked");
    agenda.begin_task(&first, None).unwrap();
    assert_eq!(agenda.status, AgendaStatus::Running);
    agenda.end_task(&first, done(1, 0), NOW).unwrap();
    assert_eq!((agenda.status, agenda.tasks[1].status), (AgendaStatus::Done, TaskStatus::Blocked));
    assert!(agenda.begin_task(&first, None).is_err(), "it is done");
}

#[test]
fn it_is_approved_once_and_only_with_tasks_that_it_has() {
    let mut agenda = agenda(1);
    let other = TaskId::new(&AgendaId::fresh(), 1);
    assert_eq!(agenda.approve(&[other], NOW).unwrap_err().kind(), crate::ErrorKind::Invalid);
    assert_eq!(agenda.status, AgendaStatus::Pending);
    agenda.approve(&[], NOW).unwrap();
    assert_eq!(agenda.approve(&[], NOW).unwrap_err().kind(), crate::ErrorKind::Conflict);
}

#[test]
fn with_every_task_blocked_it_is_done_at_once() {
    let mut agenda = agenda(1);
    agenda.approve(&[agenda.tasks[0].id.clone()], NOW).unwrap();
    assert_eq!(agenda.status, AgendaStatus::Done);
    assert_eq!(agenda.message.as_deref(), Some("every task was blocked: nothing was researched"));
}

#[test]
fn a_task_that_fails_fails_alone_and_all_of_them_fail_the_agenda() {
    for (ends, status, message) in [
        (
            [done(0, 3), failed("nobody answers")],
            AgendaStatus::Done,
            "0 new findings: your notes already cover these topics; 1 of 2 tasks failed",
        ),
        (
            [failed("nobody answers"), failed("nobody answers")],
            AgendaStatus::Failed,
            "all 2 tasks failed: nobody answers",
        ),
        ([done(0, 0), done(0, 0)], AgendaStatus::Done, "0 new findings: no page is about these topics"),
        (
            [done(0, 2), done(0, 1)],
            AgendaStatus::Done,
            "0 new findings: your notes already cover these topics",
        ),
    ] {
        let mut agenda = agenda(2);
        agenda.approve(&[], NOW).unwrap();
        for (at, end) in ends.into_iter().enumerate() {
            let id = agenda.tasks[at].id.clone();
            agenda.begin_task(&id, None).unwrap();
            agenda.end_task(&id, end, NOW).unwrap();
        }
        assert_eq!((agenda.status, agenda.message.as_deref()), (status, Some(message)));
        assert!(agenda.ended.is_some());
    }
}

#[test]
fn what_is_cancelled_stays_so() {
    let mut agenda = agenda(3);
    agenda.approve(&[], NOW).unwrap();
    let ids: Vec<TaskId> = agenda.tasks.iter().map(|task| task.id.clone()).collect();
    agenda.begin_task(&ids[0], None).unwrap();
    agenda.end_task(&ids[0], done(1, 0), NOW).unwrap();
    agenda.begin_task(&ids[1], None).unwrap();
    agenda.cancel(NOW).unwrap();
    let states: Vec<TaskStatus> = agenda.tasks.iter().map(|task| task.status).collect();
    assert_eq!(states, [TaskStatus::Done, TaskStatus::Failed, TaskStatus::Blocked]);
    // Whoever was at it is told so, and changes nothing.
    assert!(agenda.end_task(&ids[1], done(1, 0), NOW).is_err());
    assert!(agenda.begin_task(&ids[2], None).is_err() && agenda.approve(&[], NOW).is_err());
    assert_eq!(agenda.status, AgendaStatus::Cancelled);
    agenda.cancel(NOW).unwrap();
}

#[test]
fn what_changed_is_told_and_nothing_else() {
    let before = agenda(2);
    let mut after = before.clone();
    assert!(after.events_since(&before).is_empty());
    after.approve(&[after.tasks[0].id.clone()], NOW).unwrap();
    let told = after.events_since(&before);
    assert_eq!(told.len(), 3, "{told:?}");
    assert_eq!(serde_json::to_value(&told[0]).unwrap()["agendaId"], after.id.as_str());
}

#[test]
fn tasks_share_the_limit_and_what_others_left_and_leave_one_for_each() {
    let mut agenda = agenda(3);
    agenda.max_findings = 5;
    agenda.approve(&[], Timestamp::UNIX_EPOCH).unwrap();
    let room = |agenda: &Agenda| (0..6).take_while(|own| agenda.has_room(*own)).count();
    assert_eq!(room(&agenda), 2, "of five for three");
    // The others that run at the same time have made three.
    agenda.findings = 3;
    assert_eq!(room(&agenda), 1, "two are left, and two others wait");
    agenda.findings = 5;
    assert_eq!(room(&agenda), 0);
    // The first found nothing: what it left is shared by the others.
    agenda.findings = 0;
    let first = agenda.tasks[0].id.clone();
    agenda.begin_task(&first, None).unwrap();
    let end = TaskEnd::Done { counts: TaskCounts::default(), message: None };
    agenda.end_task(&first, end, Timestamp::UNIX_EPOCH).unwrap();
    assert_eq!(room(&agenda), 3);
}
