//! The contract of [`JobQueue`]: who holds a job, and who does not any more.

use jiff::Timestamp;
use wellread_core::ErrorKind;
use wellread_core::domain::id::TaskId;
use wellread_core::ports::agenda::{Agenda, AgendaCounts, TaskEnd, TaskStatus};
use wellread_core::ports::{AgendaActor, AgendaChange, JobEnd, JobQueue, JobState, Lease, TakenJob};

use super::agendas::{AgendaStore, alter};
use crate::agenda_fixtures::{agenda, propose_and_approve, task_end};
use crate::run_fixtures::event_time;

/// As long as a lease is given for.
const TERM: u64 = 60;
const HOUR: u64 = 3600;
/// A moment with hours before it.
const NOON: u64 = 12 * HOUR;

pub(super) fn check_jobs<A: AgendaStore>(make: &dyn Fn() -> A) {
    jobs_are_taken_in_the_order_of_approval(&make());
    who_was_overtaken_can_do_nothing(&make());
    whose_time_is_up_can_only_leave(&make());
    a_lease_can_be_renewed_while_it_is_held(&make());
    a_lease_is_good_for_its_own_task_alone(&make());
    who_goes_away_without_a_word_is_counted(&make());
    the_job_of_a_worker_that_is_gone_is_free_at_once(&make());
    a_clock_that_is_set_back_keeps_no_job_for_hours(&make());
    what_is_to_be_tried_later_waits(&make());
    what_is_set_aside_is_shown_and_not_taken(&make());
    a_job_that_is_made_anew_is_not_that_of_an_old_lease(&make());
    what_is_queued_twice_is_there_once(&make());
    what_is_set_is_so_since_it_was_set_like_that(&make());
}

fn take(queue: &dyn JobQueue, worker: &str, at: u64) -> Option<TakenJob> {
    queue.take_job(worker, event_time(at), event_time(at + TERM)).unwrap()
}

fn what_is_set_is_so_since_it_was_set_like_that(queue: &dyn JobQueue) {
    let since = |how: Option<&str>, at: u64| queue.record_setting("hour", how, event_time(at)).unwrap();
    assert_eq!(since(None, 1), None);
    assert_eq!(since(Some("nine"), 2), Some(event_time(2)));
    assert_eq!(since(Some("nine"), 9), Some(event_time(2)));
    // Otherwise for a while, or not at all: it begins anew.
    assert_eq!(since(Some("ten"), 10), Some(event_time(10)));
    assert_eq!(since(Some("nine"), 11), Some(event_time(11)));
    assert_eq!(queue.record_setting("hours", None, event_time(12)).unwrap(), None);
    assert_eq!(since(Some("nine"), 13), Some(event_time(11)), "another thing changes nothing");
    assert_eq!(since(None, 14), None);
    assert_eq!(since(Some("nine"), 15), Some(event_time(15)));
}

fn ids(agenda: &Agenda) -> Vec<TaskId> {
    agenda.tasks.iter().map(|task| task.id.clone()).collect()
}

/// Begins the task and ends it, as its worker does.
fn finish_task(lease: &Lease) -> impl FnMut(&mut AgendaChange) -> wellread_core::Result<()> {
    |change| {
        change.agenda.begin_task(&lease.task, None)?;
        change.agenda.end_task(&lease.task, task_end(0), event_time(9))?;
        change.ends.push((lease.task.clone(), JobEnd::Over));
        Ok(())
    }
}

fn end_job(care: &dyn AgendaStore, lease: &Lease, end: JobEnd) {
    let change = |change: &mut AgendaChange| {
        change.ends.push((lease.task.clone(), end));
        Ok(())
    };
    alter(care, &lease.agenda, AgendaActor::Leaving(lease), change).unwrap();
}

fn assert_refused(care: &dyn AgendaStore, lease: &Lease, at: u64) {
    let now = event_time(at);
    let error = alter(care, &lease.agenda, AgendaActor::Worker(lease, now), |_| panic!("it is not held"))
        .unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Conflict, "{error}");
    assert!(error.message().contains(lease.task.as_str()), "{error}");
    let error = care.renew_lease(lease, now, event_time(at + TERM)).unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Conflict, "{error}");
}

fn assert_lease_lost(care: &dyn AgendaStore, lease: &Lease, at: u64) {
    assert_refused(care, lease, at);
    let error =
        alter(care, &lease.agenda, AgendaActor::Leaving(lease), |_| panic!("it is not held")).unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Conflict, "{error}");
}

fn jobs_are_taken_in_the_order_of_approval(care: &dyn AgendaStore) {
    let (early, late) = (agenda(2), agenda(2));
    propose_and_approve(care, &late);
    propose_and_approve(care, &early);
    let expected = [ids(&late), ids(&early)].concat();
    let listed = care.jobs().unwrap();
    assert_eq!(listed.iter().map(|job| job.task.clone()).collect::<Vec<_>>(), expected);
    assert!(
        listed
            .iter()
            .all(|job| matches!(job.state, JobState::Waiting { not_before } if not_before <= event_time(0)))
    );
    let mut numbers = Vec::new();
    for task in &expected {
        let taken = take(care, "one", 2).unwrap();
        assert_eq!((&taken.lease.task, taken.tries, taken.crashes), (task, 0, 0));
        numbers.push(taken.lease.number);
    }
    assert_eq!(take(care, "two", 2), None);
    assert!(numbers.is_sorted_by(|one, next| one < next), "{numbers:?}");
    let leased = JobState::Leased { worker: "one".to_owned(), until: event_time(2 + TERM) };
    assert!(care.jobs().unwrap().iter().all(|job| job.state == leased));
}

fn the_job_of_a_worker_that_is_gone_is_free_at_once(care: &dyn AgendaStore) {
    propose_and_approve(care, &agenda(2));
    let (first, _second) = (care.register_worker("first").unwrap(), care.register_worker("second").unwrap());
    let lease = take(care, "first", 0).unwrap().lease;
    let other = take(care, "second", 0).unwrap().lease;
    assert_eq!(take(care, "third", 1), None, "both are there");
    drop(first);
    // However long its lease was for, and whoever else was there before it.
    let _later = care.register_worker("third").unwrap();
    let taken = take(care, "third", 1).unwrap();
    assert_eq!((&taken.lease.task, taken.crashes), (&lease.task, 1), "it went without a word");
    assert_lease_lost(care, &lease, 1);
    assert_eq!(take(care, "fourth", 1), None, "the others are there");
    alter(care, &other.agenda, AgendaActor::Worker(&other, event_time(1)), |_| Ok(())).unwrap();
    // Of one that never said that it was there, nobody can say that it is gone.
    end_job(care, &taken.lease, JobEnd::Later { not_before: event_time(0), tried: false });
    take(care, "unheard of", 2).unwrap();
    assert_eq!(take(care, "fourth", 3), None);
}

fn who_was_overtaken_can_do_nothing(care: &dyn AgendaStore) {
    let agenda = propose_and_approve(care, &agenda(1));
    let slow = take(care, "slow", 0).unwrap().lease;
    let quick = take(care, "quick", 10 * TERM).unwrap().lease;
    assert!(quick.number > slow.number && quick.task == slow.task);
    // Whatever its own clock says.
    for at in [0, 1, TERM, 10 * TERM, HOUR] {
        assert_lease_lost(care, &slow, at);
    }
    let ended =
        alter(care, &agenda.id, AgendaActor::Worker(&quick, event_time(10 * TERM)), finish_task(&quick))
            .unwrap();
    assert_eq!(ended.tasks[0].status, TaskStatus::Done);
    assert_eq!(care.jobs().unwrap(), []);
    assert_lease_lost(care, &quick, 10 * TERM);
}

fn whose_time_is_up_can_only_leave(care: &dyn AgendaStore) {
    let agenda = propose_and_approve(care, &agenda(1));
    let lease = take(care, "one", 0).unwrap().lease;
    let touch = |at| alter(care, &agenda.id, AgendaActor::Worker(&lease, event_time(at)), |_| Ok(()));
    touch(TERM).unwrap();
    assert_refused(care, &lease, TERM + 1);
    end_job(care, &lease, JobEnd::Later { not_before: event_time(0), tried: false });
    assert_lease_lost(care, &lease, 1);
    let again = take(care, "two", 1).unwrap();
    assert_eq!((again.tries, again.crashes), (0, 0), "it did not go away without a word");
}

fn a_lease_can_be_renewed_while_it_is_held(care: &dyn AgendaStore) {
    propose_and_approve(care, &agenda(1));
    let lease = take(care, "one", 0).unwrap().lease;
    for at in [TERM, 2 * TERM, 3 * TERM] {
        care.renew_lease(&lease, event_time(at), event_time(at + TERM)).unwrap();
        assert_eq!(take(care, "two", at + TERM), None, "it is held to the end");
    }
    let until = JobState::Leased { worker: "one".to_owned(), until: event_time(4 * TERM) };
    assert_eq!(care.jobs().unwrap()[0].state, until);
    assert_refused(care, &lease, 4 * TERM + 1);
    assert_eq!(take(care, "two", 4 * TERM + 1).unwrap().crashes, 1);
    let error = care.take_job("two", event_time(9), event_time(9)).unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Invalid, "a lease of no time: {error}");
}

fn a_lease_is_good_for_its_own_task_alone(care: &dyn AgendaStore) {
    let (one, other) = (propose_and_approve(care, &agenda(2)), propose_and_approve(care, &agenda(1)));
    let lease = take(care, "one", 0).unwrap().lease;
    let foreign =
        alter(care, &other.id, AgendaActor::Worker(&lease, event_time(1)), |_| panic!("it is of another"));
    assert_eq!(foreign.unwrap_err().kind(), ErrorKind::Conflict);
    for wrong in [
        Lease { task: one.tasks[1].id.clone(), ..lease.clone() },
        Lease { agenda: other.id.clone(), ..lease.clone() },
        Lease { number: lease.number + 1, ..lease.clone() },
    ] {
        assert_lease_lost(care, &wrong, 1);
    }
    // Of a job of another agenda it can't say what becomes.
    let change = |change: &mut AgendaChange| {
        change.ends.push((other.tasks[0].id.clone(), JobEnd::Over));
        Ok(())
    };
    alter(care, &one.id, AgendaActor::Worker(&lease, event_time(1)), change).unwrap();
    assert_eq!(care.jobs().unwrap().len(), 3);
}

fn who_goes_away_without_a_word_is_counted(care: &dyn AgendaStore) {
    propose_and_approve(care, &agenda(1));
    // By hours, as after a night in which the machine slept.
    for (crashes, at) in (0..).zip([0, HOUR, HOUR + TERM + 1, 9 * HOUR]) {
        let taken = take(care, "one", at).unwrap();
        assert_eq!((taken.crashes, taken.tries), (crashes, 0));
        assert_eq!(take(care, "two", at + TERM), None, "its time is not up");
    }
    assert_eq!(care.jobs().unwrap()[0].crashes, 3);
}

fn a_clock_that_is_set_back_keeps_no_job_for_hours(care: &dyn AgendaStore) {
    propose_and_approve(care, &agenda(1));
    let lost = take(care, "one", NOON).unwrap().lease;
    assert_eq!(take(care, "two", NOON - TERM), None, "a little is no reason");
    let taken = take(care, "two", NOON - 5 * HOUR).unwrap();
    assert_eq!(taken.crashes, 0, "nobody went away");
    assert_lease_lost(care, &lost, NOON - 5 * HOUR);
    assert_lease_lost(care, &lost, NOON);
    assert_eq!(take(care, "three", NOON - 5 * HOUR), None, "it is held now");
}

fn what_is_to_be_tried_later_waits(care: &dyn AgendaStore) {
    let agenda = propose_and_approve(care, &agenda(2));
    let [first, next] = &ids(&agenda)[..] else { panic!("two tasks") };
    let lease = take(care, "one", 0).unwrap().lease;
    assert_eq!(lease.task, *first);
    end_job(care, &lease, JobEnd::Later { not_before: event_time(100), tried: true });
    assert_lease_lost(care, &lease, 1);
    let entry = &care.jobs().unwrap()[0];
    assert_eq!((&entry.state, entry.tries), (&JobState::Waiting { not_before: event_time(100) }, 1));
    let other = take(care, "one", 1).unwrap().lease;
    assert_eq!(other.task, *next, "who can't go on keeps nobody waiting");
    end_job(care, &other, JobEnd::Over);
    assert_eq!(take(care, "one", 99), None);
    let again = take(care, "one", 100).unwrap();
    assert_eq!((&again.lease.task, again.tries, again.crashes), (first, 1, 0));
    end_job(care, &again.lease, JobEnd::Later { not_before: Timestamp::UNIX_EPOCH, tried: true });
    assert_eq!(take(care, "one", 101).unwrap().tries, 2);
}

fn what_is_set_aside_is_shown_and_not_taken(care: &dyn AgendaStore) {
    let agenda = propose_and_approve(care, &agenda(1));
    let lease = take(care, "one", 0).unwrap().lease;
    let failed = TaskEnd::Failed { counts: None, message: "it ended the worker too often".to_owned() };
    let ended = alter(care, &agenda.id, AgendaActor::Worker(&lease, event_time(1)), |change| {
        change.agenda.begin_task(&lease.task, None)?;
        change.agenda.end_task(&lease.task, failed.clone(), event_time(1))?;
        change.ends.push((lease.task.clone(), JobEnd::SetAside));
        Ok(())
    });
    assert_eq!(ended.unwrap().tasks[0].status, TaskStatus::Failed);
    assert_eq!(care.jobs().unwrap()[0].state, JobState::SetAside, "though nothing more comes of its task");
    assert_eq!(care.counts().unwrap(), AgendaCounts { set_aside: 1, ..AgendaCounts::default() });
    for at in [0, 1, TERM, 9 * HOUR] {
        assert_eq!(take(care, "two", at), None);
    }
    assert_lease_lost(care, &lease, 1);
}

fn a_job_that_is_made_anew_is_not_that_of_an_old_lease(care: &dyn AgendaStore) {
    let agenda = propose_and_approve(care, &agenda(1));
    let old = take(care, "one", 0).unwrap().lease;
    let anew = |change: &mut AgendaChange| {
        change.jobs.push(old.task.clone());
        Ok(())
    };
    end_job(care, &old, JobEnd::Over);
    alter(care, &agenda.id, AgendaActor::User, anew).unwrap();
    let new = take(care, "two", 1).unwrap().lease;
    assert!(new.number > old.number);
    assert_lease_lost(care, &old, 1);
}

fn what_is_queued_twice_is_there_once(care: &dyn AgendaStore) {
    let agenda = propose_and_approve(care, &agenda(2));
    let lease = take(care, "one", 0).unwrap().lease;
    let again = |change: &mut AgendaChange| {
        change.jobs = ids(&change.agenda);
        Ok(())
    };
    alter(care, &agenda.id, AgendaActor::User, again).unwrap();
    assert_eq!(care.jobs().unwrap().len(), 2);
    alter(care, &agenda.id, AgendaActor::Worker(&lease, event_time(1)), |_| Ok(())).unwrap();
    // What is over is not queued again with a task of which nothing more comes.
    alter(care, &agenda.id, AgendaActor::Worker(&lease, event_time(1)), finish_task(&lease)).unwrap();
    alter(care, &agenda.id, AgendaActor::User, again).unwrap();
    assert_eq!(care.jobs().unwrap().len(), 1);
}
