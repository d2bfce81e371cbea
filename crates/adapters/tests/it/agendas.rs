//! Workers on one file of agendas: many at once, killed at any moment, or stopped and woken when their time is long up.
//!
//! No clock runs here: each process is told what time it is.

use std::collections::BTreeSet;
use std::fs;
use std::io::{BufRead, BufReader, Write, stdin};
use std::path::Path;
use std::process::{Child, Stdio};
use std::sync::mpsc;
use std::thread;

use rustix::process::{Pid, Signal, kill_process};
use wellread_adapters::records::RecordStore;
use wellread_core::ErrorKind;
use wellread_core::domain::id::AgendaId;
use wellread_core::ports::RecordUpkeep as _;
use wellread_core::ports::agenda::AgendaEvent;
use wellread_core::ports::{
    AgendaActor, AgendaChange, AgendaFilter, Agendas, EmbeddingModel, FindingFilter, Findings, JobEnd,
    JobQueue, Lease, NewFinding,
};
use wellread_testkit::agenda_fixtures::{
    agenda, check_each_done_once, new_finding, propose_and_approve, task_end,
};
use wellread_testkit::run_fixtures::event_time;

use crate::children::child_process;
use crate::ground::is_long;
use crate::shelf::Random;

const TERM: u64 = 60;
const THREADS: usize = 16;

/// What the child process does.
pub fn child(order: &str) {
    let mut words = order.splitn(3, ' ');
    let (what, now, folder) = (words.next().unwrap(), words.next().unwrap(), words.next().unwrap());
    let (now, records) = (now.parse().unwrap(), RecordStore::new(Path::new(folder)));
    println!("\nat work");
    match what {
        "work" => std::thread::scope(|scope| {
            for _ in 0..THREADS {
                scope.spawn(|| work(&records, now));
            }
        }),
        "find" => find_for_ever(&records),
        _ => sleep_over_it(&records, now),
    }
}

/// Takes jobs and finishes them until there are none.
fn work(records: &RecordStore, now: u64) {
    while let Some(taken) = records.take_job("a worker", event_time(now), event_time(now + TERM)).unwrap() {
        finish(records, &taken.lease, now).unwrap();
        println!("done {}", taken.lease.task);
    }
}

/// Ends a task with one finding.
fn finish(records: &RecordStore, lease: &Lease, now: u64) -> wellread_core::Result<()> {
    let change = |change: &mut AgendaChange| {
        change.agenda.begin_task(&lease.task, None)?;
        change.agenda.end_task(&lease.task, task_end(1), event_time(now))?;
        change.findings.push(new_finding(
            &lease.agenda,
            &lease.task,
            &format!("https://bees.example/{}", lease.task),
        ));
        change.ends.push((lease.task.clone(), JobEnd::Over));
        Ok(())
    };
    records
        .change_agenda(&lease.agenda, AgendaActor::Worker(lease, event_time(now)), &mut { change })
        .map(drop)
}

fn model() -> EmbeddingModel {
    EmbeddingModel { name: "m".to_owned(), hash: "h".to_owned(), dimension: 384 }
}

/// Adds one finding after the other to the only agenda.
fn find_for_ever(records: &RecordStore) {
    let agenda = records.agendas(AgendaFilter::All, 1).unwrap().remove(0);
    for number in agenda.findings.. {
        let found = new_finding(&agenda.id, &agenda.tasks[0].id, &format!("https://bees.example/{number}"));
        let change = |change: &mut AgendaChange| {
            let embedding = Some((model(), vec![0.5; 384]));
            change.agenda.message = Some(format!("{} so far", number + 1));
            change.findings.push(NewFinding { embedding, ..found.clone() });
            Ok(())
        };
        records.change_agenda(&agenda.id, AgendaActor::User, &mut { change }).unwrap();
        println!("done {}", number + 1);
    }
}

/// Takes a job, waits for a word, and goes on as if no time had passed.
fn sleep_over_it(records: &RecordStore, now: u64) {
    let lease =
        records.take_job("a sleeper", event_time(now), event_time(now + TERM)).unwrap().unwrap().lease;
    println!("done {}", lease.task);
    stdin().lock().read_line(&mut String::new()).unwrap();
    for error in [
        finish(records, &lease, now + 1).unwrap_err(),
        records.renew_lease(&lease, event_time(now + 1), event_time(now + TERM)).unwrap_err(),
        records.change_agenda(&lease.agenda, AgendaActor::Leaving(&lease), &mut |_| Ok(())).unwrap_err(),
    ] {
        assert_eq!(error.kind(), ErrorKind::Conflict, "{error}");
    }
    println!("done refused");
}

fn spawn(what: &str, now: u64, folder: &Path) -> Child {
    let mut child = child_process("agendas", &format!("{what} {now} {}", folder.display()));
    child.stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().unwrap()
}

/// What a child says that it has done, line by line.
fn said(child: &mut Child) -> impl Iterator<Item = String> + use<> {
    let lines = BufReader::new(child.stdout.take().unwrap()).lines().map(Result::unwrap);
    lines.filter_map(|line| line.strip_prefix("done ").map(str::to_owned))
}

fn everything() -> FindingFilter {
    FindingFilter::default()
}

#[test]
fn however_many_work_and_whoever_is_killed_each_task_is_ended_once() {
    const AGENDAS: usize = 100;
    let folder = tempfile::tempdir().unwrap();
    let records = RecordStore::new(folder.path());
    let agendas: Vec<AgendaId> = (0..AGENDAS).map(|_| propose_and_approve(&records, &agenda(5)).id).collect();
    let mut random = Random::seeded(3);
    let mut acknowledged = Vec::new();
    let mut generations = 0;
    while !records.jobs().unwrap().is_empty() {
        let now = 600 * generations;
        generations += 1;
        let mut children = [(); 2].map(|()| spawn("work", now, folder.path()));
        let (told, heard) = mpsc::channel();
        for lines in children.each_mut().map(said) {
            let told = told.clone();
            thread::spawn(move || lines.for_each(|line| told.send(line).unwrap()));
        }
        drop(told);
        // Whichever of them did it: the other may not have come to anything yet.
        acknowledged.extend(heard.iter().take(10 + random.below(if is_long() { 8 } else { 60 })));
        for child in &mut children {
            // It may have ended by itself when there was nothing left.
            child.kill().unwrap();
            child.wait().unwrap();
        }
        acknowledged.extend(heard);
    }
    assert!(generations > 2, "{generations}");

    let told = records.events_after(0, usize::MAX).unwrap().0;
    check_each_done_once(&records, told, agendas.iter(), 5);
    let distinct: BTreeSet<&String> = acknowledged.iter().collect();
    assert_eq!(distinct.len(), acknowledged.len(), "nobody is told of the same task that it is done");
    for id in &agendas {
        let agenda = records.agenda(id).unwrap().unwrap();
        assert_eq!(agenda.findings, 5);
        let of_agenda = FindingFilter { agenda: Some(id.clone()), ..everything() };
        assert_eq!(records.findings(&of_agenda, 100).unwrap().len(), 5);
    }
    assert_eq!(records.counts().unwrap().new, 5 * AGENDAS);
    assert_eq!(records.take_notice(), None);
}

#[test]
fn who_is_killed_in_the_midst_of_a_change_leaves_all_of_it_or_nothing() {
    let folder = tempfile::tempdir().unwrap();
    let mut large = agenda(1);
    large.max_findings = usize::MAX;
    let id = propose_and_approve(&RecordStore::new(folder.path()), &large).id;
    let mut random = Random::seeded(7);
    let mut acknowledged = 0;
    for kill in 0..if is_long() { 300 } else { 20 } {
        let mut child = spawn("find", 0, folder.path());
        let mut lines = said(&mut child);
        for _ in 0..=random.below(12) {
            acknowledged = lines.next().unwrap().parse().unwrap();
        }
        child.kill().unwrap();
        assert_eq!(child.wait().unwrap().code(), None, "it was killed, and did not end by itself");
        acknowledged = lines.last().map_or(acknowledged, |line| line.parse().unwrap());

        let records = RecordStore::new(folder.path());
        let agenda = records.agenda(&id).unwrap().unwrap_or_else(|| panic!("killed {kill}: it is gone"));
        let found = agenda.findings;
        assert!(found == acknowledged || found == acknowledged + 1, "killed {kill}: {found}, {acknowledged}");
        assert_eq!(agenda.message, Some(format!("{found} so far")), "killed {kill}");
        assert_eq!(records.findings(&everything(), usize::MAX).unwrap().len(), found, "killed {kill}");
        assert_eq!(records.embeddings(&model()).unwrap().len(), found, "killed {kill}");
        assert_eq!(records.counts().unwrap().new, found, "killed {kill}");
        let told = records.events_after(0, usize::MAX).unwrap().0;
        let told = told.iter().filter(|(_, told)| matches!(told, AgendaEvent::Finding { .. })).count();
        assert_eq!(told, found, "killed {kill}");
        assert_eq!(records.take_notice(), None);
    }
    assert!(acknowledged > 20, "{acknowledged}");
}

#[test]
fn who_was_stopped_while_another_took_its_job_is_refused_when_it_wakes() {
    let folder = tempfile::tempdir().unwrap();
    let records = RecordStore::new(folder.path());
    let id = propose_and_approve(&records, &agenda(1)).id;
    let mut sleeper = spawn("sleep", 0, folder.path());
    let mut lines = said(&mut sleeper);
    let task = lines.next().unwrap();
    kill_process(Pid::from_child(&sleeper), Signal::STOP).unwrap();
    assert_eq!(
        records.take_job("another", event_time(TERM), event_time(2 * TERM)).unwrap(),
        None,
        "it is held"
    );

    let taken = records.take_job("another", event_time(600), event_time(600 + TERM)).unwrap().unwrap();
    assert_eq!((taken.lease.task.to_string(), taken.crashes), (task, 1));
    finish(&records, &taken.lease, 600).unwrap();
    let ended = records.agenda(&id).unwrap();
    kill_process(Pid::from_child(&sleeper), Signal::CONT).unwrap();
    sleeper.stdin.take().unwrap().write_all(b"go on\n").unwrap();
    assert_eq!(lines.next().as_deref(), Some("refused"));
    assert!(sleeper.wait().unwrap().success());
    assert_eq!(records.agenda(&id).unwrap(), ended);
    assert_eq!(records.counts().unwrap().new, 1);
}

#[test]
fn of_workers_that_are_gone_only_those_are_known_that_left_something_behind() {
    let folder = tempfile::tempdir().unwrap();
    let records = RecordStore::new(folder.path());
    propose_and_approve(&records, &agenda(1));
    let known = || {
        let entries = fs::read_dir(folder.path().join("at-work")).unwrap();
        let mut names: Vec<String> =
            entries.map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect();
        names.sort();
        names
    };
    for name in ["a", "b", "c"] {
        drop(records.register_worker(name).unwrap());
    }
    let holds = records.register_worker("holds").unwrap();
    records.take_job("holds", event_time(0), event_time(TERM)).unwrap().unwrap();
    drop(holds);
    let _later = records.register_worker("later").unwrap();
    assert_eq!(known(), ["holds", "later"]);
    assert_eq!(records.take_job("later", event_time(1), event_time(TERM)).unwrap().unwrap().crashes, 1);
    let _last = records.register_worker("last").unwrap();
    assert_eq!(known(), ["last", "later"]);
}

#[test]
fn of_what_happened_the_last_ten_thousand_are_kept() {
    const LAST: u64 = 10_000;
    let folder = tempfile::tempdir().unwrap();
    let records = RecordStore::new(folder.path());
    let large = propose_and_approve(&records, &agenda(300));
    let mut turn = 0;
    while records.events_after(0, 0).unwrap().1 <= LAST + 500 {
        let change = |change: &mut AgendaChange| {
            turn += 1;
            for task in &mut change.agenda.tasks {
                task.message = Some(turn.to_string());
            }
            Ok(())
        };
        records.change_agenda(&large.id, AgendaActor::User, &mut { change }).unwrap();
    }
    let (told, last) = records.events_after(0, usize::MAX).unwrap();
    assert_eq!((told[0].0, told.len() as u64), (last - LAST + 1, LAST), "no number comes back");
}
