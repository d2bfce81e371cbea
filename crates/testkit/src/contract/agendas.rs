//! The contract of [`Agendas`], and of what hangs on them.

use wellread_core::domain::id::{AgendaId, TaskId};
use wellread_core::ports::agenda::{Agenda, AgendaCounts, AgendaEvent, AgendaStatus, TaskStatus};
use wellread_core::ports::{
    AgendaActor, AgendaChange, AgendaFilter, Agendas, FindingFilter, Findings, IdempotencyStore, JobEnd,
    JobQueue, Sketches, SuppressedTopics,
};
use wellread_core::{Error, ErrorKind, Result};

use super::{answers, findings, jobs};
use crate::agenda_fixtures::{agenda, new_finding, propose_and_approve, task_end};
use crate::run_fixtures::event_time;

/// Everything that is kept of research behind everything else.
pub(super) trait AgendaStore:
    Agendas + JobQueue + Findings + Sketches + SuppressedTopics + IdempotencyStore
{
}

impl<T: Agendas + JobQueue + Findings + Sketches + SuppressedTopics + IdempotencyStore> AgendaStore for T {}

/// What the contract is asked of, and how an empty one is made.
pub fn check_agendas<A: Agendas + JobQueue + Findings + Sketches + SuppressedTopics + IdempotencyStore>(
    make: &dyn Fn() -> A,
) {
    an_empty_one_has_nothing(&make());
    what_is_proposed_is_read_as_it_was(&make());
    the_same_key_proposes_once(&make());
    agendas_are_listed_newest_first(&make());
    a_change_that_fails_changes_nothing(&make());
    the_same_word_once_more_changes_nothing(&make());
    an_agenda_that_is_not_there_is_not_found(&make());
    an_agenda_does_not_become_another(&make());
    cancelling_takes_the_jobs_away(&make());
    what_happened_is_told_in_order(&make());
    jobs::check_jobs(&|| make());
    findings::check_findings(&|| make());
    answers::check_answers(&|| make());
}

pub(super) fn alter(
    agendas: &dyn Agendas,
    id: &AgendaId,
    word: AgendaActor<'_>,
    change: impl FnMut(&mut AgendaChange) -> Result<()>,
) -> Result<Agenda> {
    let mut change = change;
    agendas.change_agenda(id, word, &mut change)
}

fn approve(change: &mut AgendaChange) -> Result<()> {
    change.agenda.approve(&[], event_time(1))?;
    change.jobs = change.agenda.tasks.iter().map(|task| task.id.clone()).collect();
    Ok(())
}

fn an_empty_one_has_nothing(care: &dyn AgendaStore) {
    assert_eq!(care.agenda(&AgendaId::fresh()).unwrap(), None);
    assert_eq!(care.agendas(AgendaFilter::All, 10).unwrap(), []);
    assert_eq!(care.events_after(0, 10).unwrap(), (Vec::new(), 0));
    assert_eq!(care.take_job("one", event_time(0), event_time(60)).unwrap(), None);
    assert_eq!(care.jobs().unwrap(), []);
    assert_eq!(care.findings(&FindingFilter::default(), 10).unwrap(), []);
    assert_eq!(care.counts().unwrap(), AgendaCounts::default());
    assert_eq!(care.topics().unwrap(), []);
    assert!(!care.allow("wax").unwrap());
}

fn what_is_proposed_is_read_as_it_was(care: &dyn AgendaStore) {
    let mut proposed = agenda(3);
    proposed.source_note_id = Some("Grüße \u{1f41d}.md".to_owned());
    proposed.message = Some("a \"message\"\nof two lines".to_owned());
    assert_eq!(care.propose(&proposed, None).unwrap(), proposed);
    assert_eq!(care.agenda(&proposed.id).unwrap(), Some(proposed.clone()));
    let again = care.propose(&proposed, None).unwrap_err();
    assert_eq!(again.kind(), ErrorKind::Conflict, "an id is taken once: {again}");
    assert_eq!(care.counts().unwrap(), AgendaCounts { pending: 1, ..AgendaCounts::default() });
    assert_eq!(care.jobs().unwrap(), [], "nothing runs before it is approved");
}

fn the_same_key_proposes_once(care: &dyn AgendaStore) {
    let (first, second_one, other) = (agenda(1), agenda(2), agenda(1));
    assert_eq!(care.propose(&first, Some("k")).unwrap(), first);
    assert_eq!(care.propose(&second_one, Some("k")).unwrap(), first, "the key stands for the first");
    assert_eq!(care.agenda(&second_one.id).unwrap(), None);
    assert_eq!(care.propose(&other, Some("l")).unwrap(), other);
    assert_eq!(care.agendas(AgendaFilter::Key("k"), 10).unwrap(), std::slice::from_ref(&first));
    assert_eq!(care.agendas(AgendaFilter::Key("m"), 10).unwrap(), []);
    // As it is now, not as it was.
    let now = alter(care, &first.id, AgendaActor::User, approve).unwrap();
    assert_eq!(care.propose(&second_one, Some("k")).unwrap(), now);
    let (told, _) = care.events_after(0, 100).unwrap();
    let proposed = |(_, told): &&(u64, AgendaEvent)| {
        matches!(told, AgendaEvent::Agenda { status: AgendaStatus::Pending, .. })
    };
    assert_eq!(told.iter().filter(proposed).count(), 2);
}

fn agendas_are_listed_newest_first(care: &dyn AgendaStore) {
    let ids = ["0abc0000000000", "0abc0000000001", "0abd0000000000"];
    let all = ids.map(|id| Agenda { id: AgendaId::parse(id).unwrap(), ..agenda(0) });
    for at in [1, 2, 0] {
        care.propose(&all[at], None).unwrap();
    }
    let listed = |which, at_most| -> Vec<String> {
        let found = care.agendas(which, at_most).unwrap();
        found.into_iter().map(|agenda| agenda.id.to_string()).collect()
    };
    assert_eq!(listed(AgendaFilter::All, 10), [ids[2], ids[1], ids[0]]);
    assert_eq!(listed(AgendaFilter::All, 1), [ids[2]]);
    assert!(listed(AgendaFilter::All, 0).is_empty());
    alter(care, &all[1].id, AgendaActor::User, |change| change.agenda.cancel(event_time(1))).unwrap();
    assert_eq!(listed(AgendaFilter::Status(AgendaStatus::Pending), 10), [ids[2], ids[0]]);
    assert_eq!(listed(AgendaFilter::Status(AgendaStatus::Cancelled), 10), [ids[1]]);
}

fn a_change_that_fails_changes_nothing(care: &dyn AgendaStore) {
    let agenda = propose_and_approve(care, &agenda(2));
    let id = &agenda.id;
    let task = &agenda.tasks[0].id;
    let before = (care.jobs().unwrap(), care.events_after(0, 100).unwrap(), care.counts().unwrap());
    let trouble = Error::refused("no").hint("do something else").with_detail("field", 7);
    let error = alter(care, id, AgendaActor::UserOnce("k"), |change| {
        change.agenda.begin_task(task, None)?;
        change.findings.push(new_finding(id, task, "https://bees.example/1"));
        change.ends.push((task.clone(), JobEnd::Over));
        Err(trouble.clone())
    });
    assert_eq!(error.unwrap_err(), trouble, "it is handed on as it is");
    let unknown = alter(care, id, AgendaActor::User, |change| {
        change.findings.push(new_finding(id, task, "https://bees.example/1"));
        change.ends.push((task.clone(), JobEnd::Over));
        change.jobs.push(TaskId::new(&AgendaId::fresh(), 1));
        Ok(())
    });
    assert_eq!(unknown.unwrap_err().kind(), ErrorKind::Invalid, "a task that it has not");
    assert_eq!(care.agenda(id).unwrap().as_ref(), Some(&agenda));
    assert_eq!(care.findings(&FindingFilter::default(), 10).unwrap(), []);
    assert_eq!((care.jobs().unwrap(), care.events_after(0, 100).unwrap(), care.counts().unwrap()), before);
    // Its key is not used up either.
    let said =
        alter(care, id, AgendaActor::UserOnce("k"), |change| change.agenda.begin_task(task, None).map(drop));
    assert_eq!(said.unwrap().status, AgendaStatus::Running);
}

fn the_same_word_once_more_changes_nothing(care: &dyn AgendaStore) {
    let (one, other) = (agenda(1), agenda(1));
    // The key of a proposal is none of an approval.
    care.propose(&one, Some("k")).unwrap();
    care.propose(&other, None).unwrap();
    let first = alter(care, &one.id, AgendaActor::UserOnce("k"), approve).unwrap();
    assert_eq!(first.status, AgendaStatus::Approved);
    let told = care.events_after(0, 100).unwrap();
    let again = alter(care, &one.id, AgendaActor::UserOnce("k"), |_| panic!("it was said before")).unwrap();
    assert_eq!(again, first);
    assert_eq!(care.events_after(0, 100).unwrap(), told);
    assert_eq!(
        alter(care, &one.id, AgendaActor::UserOnce("l"), approve).unwrap_err().kind(),
        ErrorKind::Conflict
    );
    let elsewhere = alter(care, &other.id, AgendaActor::UserOnce("k"), approve).unwrap();
    assert_eq!(elsewhere.status, AgendaStatus::Approved, "of another agenda nothing was said");
}

fn an_agenda_that_is_not_there_is_not_found(care: &dyn AgendaStore) {
    let nowhere = AgendaId::fresh();
    for _ in 0..2 {
        for word in [AgendaActor::User, AgendaActor::UserOnce("k")] {
            let error = alter(care, &nowhere, word, |_| panic!("there is nothing to change")).unwrap_err();
            assert_eq!(error.kind(), ErrorKind::NotFound, "{error}");
        }
        care.propose(&agenda(1), None).unwrap();
    }
}

fn an_agenda_does_not_become_another(care: &dyn AgendaStore) {
    let (one, other) = (agenda(1), agenda(1));
    care.propose(&one, None).unwrap();
    care.propose(&other, None).unwrap();
    let error = alter(care, &one.id, AgendaActor::User, |change| {
        change.agenda = other.clone();
        Ok(())
    });
    assert_eq!(error.unwrap_err().kind(), ErrorKind::Invalid);
    let error = alter(care, &one.id, AgendaActor::User, |change| {
        change.findings.push(new_finding(&other.id, &other.tasks[0].id, "https://bees.example"));
        Ok(())
    });
    assert_eq!(error.unwrap_err().kind(), ErrorKind::Invalid, "a finding of another");
    assert_eq!(care.agendas(AgendaFilter::All, 10).unwrap().len(), 2);
}

fn cancelling_takes_the_jobs_away(care: &dyn AgendaStore) {
    let (agenda, other) = (propose_and_approve(care, &agenda(3)), propose_and_approve(care, &agenda(1)));
    let taken = care.take_job("one", event_time(2), event_time(60)).unwrap().unwrap();
    let set_aside = agenda.tasks[2].id.clone();
    alter(care, &agenda.id, AgendaActor::User, |change| {
        change.ends.push((set_aside.clone(), JobEnd::SetAside));
        Ok(())
    })
    .unwrap();
    let cancelled =
        alter(care, &agenda.id, AgendaActor::User, |change| change.agenda.cancel(event_time(3))).unwrap();
    assert_eq!(cancelled.status, AgendaStatus::Cancelled);
    let left: Vec<AgendaId> = care.jobs().unwrap().into_iter().map(|job| job.agenda).collect();
    assert_eq!(left, std::slice::from_ref(&other.id), "of the other nothing is taken");
    assert_eq!(care.counts().unwrap(), AgendaCounts { running: 1, ..AgendaCounts::default() });
    // Whoever was at it has lost it.
    for word in [AgendaActor::Worker(&taken.lease, event_time(4)), AgendaActor::Leaving(&taken.lease)] {
        let error = alter(care, &agenda.id, word, |_| panic!("nobody waits for this")).unwrap_err();
        assert_eq!(error.kind(), ErrorKind::Conflict, "{error}");
    }
    assert_eq!(
        care.renew_lease(&taken.lease, event_time(4), event_time(60)).unwrap_err().kind(),
        ErrorKind::Conflict
    );
}

fn what_happened_is_told_in_order(care: &dyn AgendaStore) {
    let proposed = agenda(2);
    let (id, task) = (proposed.id.clone(), proposed.tasks[0].id.clone());
    propose_and_approve(care, &proposed);
    let (told, last) = care.events_after(0, 100).unwrap();
    assert_eq!(told.iter().map(|(number, _)| *number).collect::<Vec<_>>(), Vec::from_iter(1..=last));
    let of_agenda = |status| AgendaEvent::Agenda { id: id.clone(), status, message: None };
    let of_task = |at: usize, status| AgendaEvent::Task {
        agenda_id: id.clone(),
        task_id: proposed.tasks[at].id.clone(),
        status,
        message: None,
    };
    let counts = |pending, running, new| {
        AgendaEvent::Counts(AgendaCounts { pending, running, new, ..AgendaCounts::default() })
    };
    let told: Vec<AgendaEvent> = told.into_iter().map(|(_, happening)| happening).collect();
    assert_eq!(
        told,
        [
            of_agenda(AgendaStatus::Pending),
            counts(1, 0, 0),
            of_task(0, TaskStatus::Queued),
            of_task(1, TaskStatus::Queued),
            of_agenda(AgendaStatus::Approved),
            counts(0, 1, 0),
        ]
    );
    let made = new_finding(&id, &task, "https://bees.example/1");
    let found = AgendaEvent::Finding {
        id: made.finding.id.clone(),
        agenda_id: id.clone(),
        task_id: task.clone(),
        title: made.finding.title.clone(),
        url: made.finding.url.clone(),
    };
    let begun = alter(care, &id, AgendaActor::User, |change| {
        change.agenda.begin_task(&task, None)?;
        change.findings.push(made.clone());
        Ok(())
    });
    assert_eq!(begun.unwrap().findings, 1);
    let after = |number| care.events_after(number, 100).unwrap().0.into_iter().map(|(_, told)| told);
    let expected =
        [of_task(0, TaskStatus::Running), of_agenda(AgendaStatus::Running), found, counts(0, 1, 1)];
    assert_eq!(after(last).collect::<Vec<_>>(), expected);
    // What changes nothing that is told, tells nothing.
    let now = care.events_after(0, 0).unwrap();
    alter(care, &id, AgendaActor::User, |_| Ok(())).unwrap();
    assert_eq!((now.0.len(), care.events_after(0, 0).unwrap().1), (0, now.1));
    alter(care, &id, AgendaActor::User, |change| change.agenda.end_task(&task, task_end(1), event_time(5)))
        .unwrap();
    assert_eq!(after(now.1).collect::<Vec<_>>(), [of_task(0, TaskStatus::Done)]);
    let (some, end) = care.events_after(1, 2).unwrap();
    assert_eq!((some.iter().map(|(number, _)| *number).collect::<Vec<_>>(), end), (vec![2, 3], now.1 + 1));
    assert_eq!(care.events_after(end + 1000, 10).unwrap(), (Vec::new(), end));
}
