//! The contract of [`Queue`]: who holds a job, and who does not any more.

use jiff::Timestamp;
use wellread_core::Kind;
use wellread_core::domain::id::TaskId;
use wellread_core::ports::agenda::{Agenda, Counts, TaskEnd, TaskStatus};
use wellread_core::ports::{Alteration, JobEnd, JobState, Lease, Queue, Taken, Word};

use super::agendas::{Care, alter};
use crate::agenda_fixtures::{agenda, approved, done};
use crate::run_fixtures::second;

/// As long as a lease is given for.
const TERM: u64 = 60;
const HOUR: u64 = 3600;
/// A moment with hours before it.
const NOON: u64 = 12 * HOUR;

pub(super) fn jobs<A: Care>(make: &dyn Fn() -> A) {
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

fn take(queue: &dyn Queue, worker: &str, at: u64) -> Option<Taken> {
    queue.take(worker, second(at), second(at + TERM)).unwrap()
}

fn what_is_set_is_so_since_it_was_set_like_that(queue: &dyn Queue) {
    let since = |how: Option<&str>, at: u64| queue.set_since("hour", how, second(at)).unwrap();
    assert_eq!(since(None, 1), None);
    assert_eq!(since(Some("nine"), 2), Some(second(2)));
    assert_eq!(since(Some("nine"), 9), Some(second(2)));
    // Otherwise for a while, or not at all: it begins anew.
    assert_eq!(since(Some("ten"), 10), Some(second(10)));
    assert_eq!(since(Some("nine"), 11), Some(second(11)));
    assert_eq!(queue.set_since("hours", None, second(12)).unwrap(), None);
    assert_eq!(since(Some("nine"), 13), Some(second(11)), "another thing changes nothing");
    assert_eq!(since(None, 14), None);
    assert_eq!(since(Some("nine"), 15), Some(second(15)));
}

fn ids(agenda: &Agenda) -> Vec<TaskId> {
    agenda.tasks.iter().map(|task| task.id.clone()).collect()
}

/// Begins the task and ends it, as its worker does.
fn finish(lease: &Lease) -> impl FnMut(&mut Alteration) -> wellread_core::Result<()> {
    |change| {
        change.agenda.begin(&lease.task, None)?;
        change.agenda.end_task(&lease.task, done(0), second(9))?;
        change.ends.push((lease.task.clone(), JobEnd::Over));
        Ok(())
    }
}

fn end(care: &dyn Care, lease: &Lease, end: JobEnd) {
    let change = |change: &mut Alteration| {
        change.ends.push((lease.task.clone(), end));
        Ok(())
    };
    alter(care, &lease.agenda, Word::Leaving(lease), change).unwrap();
}

fn is_refused(care: &dyn Care, lease: &Lease, at: u64) {
    let now = second(at);
    let error =
        alter(care, &lease.agenda, Word::Worker(lease, now), |_| panic!("it is not held")).unwrap_err();
    assert_eq!(error.kind(), Kind::Conflict, "{error}");
    assert!(error.message().contains(lease.task.as_str()), "{error}");
    let error = care.renew(lease, now, second(at + TERM)).unwrap_err();
    assert_eq!(error.kind(), Kind::Conflict, "{error}");
}

fn has_lost_it(care: &dyn Care, lease: &Lease, at: u64) {
    is_refused(care, lease, at);
    let error = alter(care, &lease.agenda, Word::Leaving(lease), |_| panic!("it is not held")).unwrap_err();
    assert_eq!(error.kind(), Kind::Conflict, "{error}");
}

fn jobs_are_taken_in_the_order_of_approval(care: &dyn Care) {
    let (early, late) = (agenda(2), agenda(2));
    approved(care, &late);
    approved(care, &early);
    let expected = [ids(&late), ids(&early)].concat();
    let listed = care.jobs().unwrap();
    assert_eq!(listed.iter().map(|job| job.task.clone()).collect::<Vec<_>>(), expected);
    assert!(
        listed
            .iter()
            .all(|job| matches!(job.state, JobState::Waiting { not_before } if not_before <= second(0)))
    );
    let mut numbers = Vec::new();
    for task in &expected {
        let taken = take(care, "one", 2).unwrap();
        assert_eq!((&taken.lease.task, taken.tries, taken.crashes), (task, 0, 0));
        numbers.push(taken.lease.number);
    }
    assert_eq!(take(care, "two", 2), None);
    assert!(numbers.is_sorted_by(|one, next| one < next), "{numbers:?}");
    let leased = JobState::Leased { worker: "one".to_owned(), until: second(2 + TERM) };
    assert!(care.jobs().unwrap().iter().all(|job| job.state == leased));
}

fn the_job_of_a_worker_that_is_gone_is_free_at_once(care: &dyn Care) {
    approved(care, &agenda(2));
    let (first, _second) = (care.present("first").unwrap(), care.present("second").unwrap());
    let lease = take(care, "first", 0).unwrap().lease;
    let other = take(care, "second", 0).unwrap().lease;
    assert_eq!(take(care, "third", 1), None, "both are there");
    drop(first);
    // However long its lease was for, and whoever else was there before it.
    let _later = care.present("third").unwrap();
    let taken = take(care, "third", 1).unwrap();
    assert_eq!((&taken.lease.task, taken.crashes), (&lease.task, 1), "it went without a word");
    has_lost_it(care, &lease, 1);
    assert_eq!(take(care, "fourth", 1), None, "the others are there");
    alter(care, &other.agenda, Word::Worker(&other, second(1)), |_| Ok(())).unwrap();
    // Of one that never said that it was there, nobody can say that it is gone.
    end(care, &taken.lease, JobEnd::Later { not_before: second(0), tried: false });
    take(care, "unheard of", 2).unwrap();
    assert_eq!(take(care, "fourth", 3), None);
}

fn who_was_overtaken_can_do_nothing(care: &dyn Care) {
    let agenda = approved(care, &agenda(1));
    let slow = take(care, "slow", 0).unwrap().lease;
    let quick = take(care, "quick", 10 * TERM).unwrap().lease;
    assert!(quick.number > slow.number && quick.task == slow.task);
    // Whatever its own clock says.
    for at in [0, 1, TERM, 10 * TERM, HOUR] {
        has_lost_it(care, &slow, at);
    }
    let ended = alter(care, &agenda.id, Word::Worker(&quick, second(10 * TERM)), finish(&quick)).unwrap();
    assert_eq!(ended.tasks[0].status, TaskStatus::Done);
    assert_eq!(care.jobs().unwrap(), []);
    has_lost_it(care, &quick, 10 * TERM);
}

fn whose_time_is_up_can_only_leave(care: &dyn Care) {
    let agenda = approved(care, &agenda(1));
    let lease = take(care, "one", 0).unwrap().lease;
    let touch = |at| alter(care, &agenda.id, Word::Worker(&lease, second(at)), |_| Ok(()));
    touch(TERM).unwrap();
    is_refused(care, &lease, TERM + 1);
    end(care, &lease, JobEnd::Later { not_before: second(0), tried: false });
    has_lost_it(care, &lease, 1);
    let again = take(care, "two", 1).unwrap();
    assert_eq!((again.tries, again.crashes), (0, 0), "it did not go away without a word");
}

fn a_lease_can_be_renewed_while_it_is_held(care: &dyn Care) {
    approved(care, &agenda(1));
    let lease = take(care, "one", 0).unwrap().lease;
    for at in [TERM, 2 * TERM, 3 * TERM] {
        care.renew(&lease, second(at), second(at + TERM)).unwrap();
        assert_eq!(take(care, "two", at + TERM), None, "it is held to the end");
    }
    let until = JobState::Leased { worker: "one".to_owned(), until: second(4 * TERM) };
    assert_eq!(care.jobs().unwrap()[0].state, until);
    is_refused(care, &lease, 4 * TERM + 1);
    assert_eq!(take(care, "two", 4 * TERM + 1).unwrap().crashes, 1);
    let error = care.take("two", second(9), second(9)).unwrap_err();
    assert_eq!(error.kind(), Kind::Invalid, "a lease of no time: {error}");
}

fn a_lease_is_good_for_its_own_task_alone(care: &dyn Care) {
    let (one, other) = (approved(care, &agenda(2)), approved(care, &agenda(1)));
    let lease = take(care, "one", 0).unwrap().lease;
    let foreign = alter(care, &other.id, Word::Worker(&lease, second(1)), |_| panic!("it is of another"));
    assert_eq!(foreign.unwrap_err().kind(), Kind::Conflict);
    for wrong in [
        Lease { task: one.tasks[1].id.clone(), ..lease.clone() },
        Lease { agenda: other.id.clone(), ..lease.clone() },
        Lease { number: lease.number + 1, ..lease.clone() },
    ] {
        has_lost_it(care, &wrong, 1);
    }
    // Of a job of another agenda it can't say what becomes.
    let change = |change: &mut Alteration| {
        change.ends.push((other.tasks[0].id.clone(), JobEnd::Over));
        Ok(())
    };
    alter(care, &one.id, Word::Worker(&lease, second(1)), change).unwrap();
    assert_eq!(care.jobs().unwrap().len(), 3);
}

fn who_goes_away_without_a_word_is_counted(care: &dyn Care) {
    approved(care, &agenda(1));
    // By hours, as after a night in which the machine slept.
    for (crashes, at) in (0..).zip([0, HOUR, HOUR + TERM + 1, 9 * HOUR]) {
        let taken = take(care, "one", at).unwrap();
        assert_eq!((taken.crashes, taken.tries), (crashes, 0));
        assert_eq!(take(care, "two", at + TERM), None, "its time is not up");
    }
    assert_eq!(care.jobs().unwrap()[0].crashes, 3);
}

fn a_clock_that_is_set_back_keeps_no_job_for_hours(care: &dyn Care) {
    approved(care, &agenda(1));
    let lost = take(care, "one", NOON).unwrap().lease;
    assert_eq!(take(care, "two", NOON - TERM), None, "a little is no reason");
    let taken = take(care, "two", NOON - 5 * HOUR).unwrap();
    assert_eq!(taken.crashes, 0, "nobody went away");
    has_lost_it(care, &lost, NOON - 5 * HOUR);
    has_lost_it(care, &lost, NOON);
    assert_eq!(take(care, "three", NOON - 5 * HOUR), None, "it is held now");
}

fn what_is_to_be_tried_later_waits(care: &dyn Care) {
    let agenda = approved(care, &agenda(2));
    let [first, next] = &ids(&agenda)[..] else { panic!("two tasks") };
    let lease = take(care, "one", 0).unwrap().lease;
    assert_eq!(lease.task, *first);
    end(care, &lease, JobEnd::Later { not_before: second(100), tried: true });
    has_lost_it(care, &lease, 1);
    let entry = &care.jobs().unwrap()[0];
    assert_eq!((&entry.state, entry.tries), (&JobState::Waiting { not_before: second(100) }, 1));
    let other = take(care, "one", 1).unwrap().lease;
    assert_eq!(other.task, *next, "who can't go on keeps nobody waiting");
    end(care, &other, JobEnd::Over);
    assert_eq!(take(care, "one", 99), None);
    let again = take(care, "one", 100).unwrap();
    assert_eq!((&again.lease.task, again.tries, again.crashes), (first, 1, 0));
    end(care, &again.lease, JobEnd::Later { not_before: Timestamp::UNIX_EPOCH, tried: true });
    assert_eq!(take(care, "one", 101).unwrap().tries, 2);
}

fn what_is_set_aside_is_shown_and_not_taken(care: &dyn Care) {
    let agenda = approved(care, &agenda(1));
    let lease = take(care, "one", 0).unwrap().lease;
    let failed = TaskEnd::Failed { counts: None, message: "it ended the worker too often".to_owned() };
    let ended = alter(care, &agenda.id, Word::Worker(&lease, second(1)), |change| {
        change.agenda.begin(&lease.task, None)?;
        change.agenda.end_task(&lease.task, failed.clone(), second(1))?;
        change.ends.push((lease.task.clone(), JobEnd::SetAside));
        Ok(())
    });
    assert_eq!(ended.unwrap().tasks[0].status, TaskStatus::Failed);
    assert_eq!(care.jobs().unwrap()[0].state, JobState::SetAside, "though nothing more comes of its task");
    assert_eq!(care.counts().unwrap(), Counts { set_aside: 1, ..Counts::default() });
    for at in [0, 1, TERM, 9 * HOUR] {
        assert_eq!(take(care, "two", at), None);
    }
    has_lost_it(care, &lease, 1);
}

fn a_job_that_is_made_anew_is_not_that_of_an_old_lease(care: &dyn Care) {
    let agenda = approved(care, &agenda(1));
    let old = take(care, "one", 0).unwrap().lease;
    let anew = |change: &mut Alteration| {
        change.jobs.push(old.task.clone());
        Ok(())
    };
    end(care, &old, JobEnd::Over);
    alter(care, &agenda.id, Word::User, anew).unwrap();
    let new = take(care, "two", 1).unwrap().lease;
    assert!(new.number > old.number);
    has_lost_it(care, &old, 1);
}

fn what_is_queued_twice_is_there_once(care: &dyn Care) {
    let agenda = approved(care, &agenda(2));
    let lease = take(care, "one", 0).unwrap().lease;
    let again = |change: &mut Alteration| {
        change.jobs = ids(&change.agenda);
        Ok(())
    };
    alter(care, &agenda.id, Word::User, again).unwrap();
    assert_eq!(care.jobs().unwrap().len(), 2);
    alter(care, &agenda.id, Word::Worker(&lease, second(1)), |_| Ok(())).unwrap();
    // What is over is not queued again with a task of which nothing more comes.
    alter(care, &agenda.id, Word::Worker(&lease, second(1)), finish(&lease)).unwrap();
    alter(care, &agenda.id, Word::User, again).unwrap();
    assert_eq!(care.jobs().unwrap().len(), 1);
}
