//! Workers on one queue in a database: killed at any moment, while the database itself is stopped and started.
//!
//! No clock runs here: each process is told what time it is.

use std::collections::BTreeSet;
use std::io::{BufRead, BufReader};
use std::process::{Child, Stdio};
use std::sync::mpsc;
use std::thread;
use std::time::Duration;

use wellread_adapters::postgres::PostgresRecords;
use wellread_core::domain::id::{AgendaId, RunId};
use wellread_core::ports::event::{RunEvent, RunKind};
use wellread_core::ports::{
    AgendaActor, AgendaChange, Agendas, FindingFilter, Findings, JobEnd, JobQueue, Lease, RunLogs,
};
use wellread_core::{ErrorKind, Result};
use wellread_testkit::agenda_fixtures::{
    agenda, check_each_done_once, new_finding, propose_and_approve, task_end,
};
use wellread_testkit::run_fixtures::{began_event, event_time, record_run};

use crate::children::child_process;
use crate::ground::is_long;
use crate::postgres_server::{OwnServer, TestDatabase, open_url};
use crate::shelf::Random;

const TERM: u64 = 60;
const THREADS: usize = 3;
const TASKS: usize = 5;

/// What the child process does.
pub fn child(order: &str) {
    let mut words = order.splitn(3, ' ');
    let (what, now, url) = (words.next().unwrap(), words.next().unwrap(), words.next().unwrap());
    let (now, records) = (now.parse().unwrap(), open_url(url, "ours"));
    println!("\nat work");
    match what {
        "work" => thread::scope(|scope| {
            for number in 0..THREADS {
                let records = &records;
                scope.spawn(move || work(records, now, &format!("{}-{number}", std::process::id())));
            }
        }),
        _ => hold(&records),
    }
}

/// Tries until the database is there.
fn persist<T>(mut act: impl FnMut() -> Result<T>) -> Result<T> {
    loop {
        match act() {
            Err(error) if error.kind() == ErrorKind::Unavailable => thread::sleep(Duration::from_millis(50)),
            done => return done,
        }
    }
}

/// Takes jobs and finishes them until there are none.
fn work(records: &PostgresRecords, now: u64, worker: &str) {
    let _here = persist(|| records.register_worker(worker)).unwrap();
    loop {
        let taken = persist(|| records.take_job(worker, event_time(now), event_time(now + TERM))).unwrap();
        let Some(taken) = taken else { return };
        // A lease that was lost with the connection is somebody else's now.
        match persist(|| finish(records, &taken.lease, now)) {
            Ok(()) => println!("done {}", taken.lease.task),
            Err(error) => assert_eq!(error.kind(), ErrorKind::Conflict, "{error}"),
        }
    }
}

/// Ends a task with one finding.
fn finish(records: &PostgresRecords, lease: &Lease, now: u64) -> Result<()> {
    let change = |change: &mut AgendaChange| {
        change.agenda.begin_task(&lease.task, None)?;
        change.agenda.end_task(&lease.task, task_end(1), event_time(now))?;
        let url = format!("https://bees.example/{}", lease.task);
        change.findings.push(new_finding(&lease.agenda, &lease.task, &url));
        change.ends.push((lease.task.clone(), JobEnd::Over));
        Ok(())
    };
    let actor = AgendaActor::Worker(lease, event_time(now));
    records.change_agenda(&lease.agenda, actor, &mut { change }).map(drop)
}

/// Locks a run and takes a job, and never lets go of either.
fn hold(records: &PostgresRecords) {
    let run = records.runs("", 1).unwrap().remove(0).id;
    let _run = records.lock_run(&run).unwrap();
    let _here = records.register_worker("holder").unwrap();
    let taken = records.take_job("holder", event_time(0), event_time(TERM)).unwrap().unwrap();
    println!("done {}", taken.lease.task);
    loop {
        thread::park();
    }
}

fn spawn(what: &str, now: u64, url: &str) -> Child {
    let mut child = child_process("postgres_crash", &format!("{what} {now} {url}"));
    child.stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().unwrap()
}

/// What a child says that it has done, line by line.
fn said(child: &mut Child) -> impl Iterator<Item = String> + use<> {
    let lines = BufReader::new(child.stdout.take().unwrap()).lines().map_while(std::result::Result::ok);
    lines.filter_map(|line| line.strip_prefix("done ").map(str::to_owned))
}

/// Every task of these agendas was ended once, with its finding, and nobody was told twice.
fn check_each_once(records: &PostgresRecords, agendas: &[AgendaId], acknowledged: &[String]) {
    let told = records.events_after(0, usize::MAX).unwrap().0;
    check_each_done_once(records, told, agendas.iter(), TASKS);
    let distinct: BTreeSet<&String> = acknowledged.iter().collect();
    assert_eq!(distinct.len(), acknowledged.len(), "nobody is told of the same task that it is done");
    for id in agendas {
        let agenda = records.agenda(id).unwrap().unwrap();
        assert_eq!(agenda.findings, TASKS);
        let of_agenda = FindingFilter { agenda: Some(id.clone()), ..FindingFilter::default() };
        assert_eq!(records.findings(&of_agenda, 100).unwrap().len(), TASKS);
    }
}

/// Lets three processes work on the queue until it is empty; in each round, `meanwhile` happens and all of them are killed.
fn work_through(
    records: &PostgresRecords,
    url: &str,
    random: &mut Random,
    meanwhile: &mut dyn FnMut(u64),
) -> Vec<String> {
    let mut acknowledged = Vec::new();
    for round in 0.. {
        if records.jobs().unwrap().is_empty() {
            assert!(round > 2, "{round} rounds");
            break;
        }
        let mut children = [(); 3].map(|()| spawn("work", 600 * round, url));
        let (told, heard) = mpsc::channel();
        for lines in children.each_mut().map(said) {
            let told = told.clone();
            thread::spawn(move || lines.for_each(|line| told.send(line).unwrap()));
        }
        drop(told);
        acknowledged.extend(heard.iter().take(4 + random.below(16)));
        meanwhile(round);
        for child in &mut children {
            // It may have ended by itself when there was nothing left.
            child.kill().unwrap();
            child.wait().unwrap();
        }
        acknowledged.extend(heard);
    }
    acknowledged
}

#[test]
fn whoever_is_killed_each_task_in_the_database_is_ended_once() {
    let Some(database) = TestDatabase::create() else { return };
    let records = database.open("ours");
    let count = if is_long() { 200 } else { 16 };
    let agendas: Vec<AgendaId> =
        (0..count).map(|_| propose_and_approve(&records, &agenda(TASKS)).id).collect();
    let url = database.url(&database.role());
    let acknowledged = work_through(&records, &url, &mut Random::seeded(3), &mut |_| {});
    check_each_once(&records, &agendas, &acknowledged);
}

#[test]
fn though_the_database_is_stopped_and_started_each_task_is_ended_once() {
    let Some(mut server) = OwnServer::start() else { return };
    let database = TestDatabase::create_on(&server.address);
    let records = database.open("ours");
    let count = if is_long() { 100 } else { 12 };
    let agendas: Vec<AgendaId> =
        (0..count).map(|_| propose_and_approve(&records, &agenda(TASKS)).id).collect();
    let url = database.url(&database.role());
    let mut restart = |round: u64| {
        if round < 3 {
            server.order("stop");
            server.order("start");
        }
    };
    let acknowledged = work_through(&records, &url, &mut Random::seeded(5), &mut restart);
    check_each_once(&records, &agendas, &acknowledged);
}

#[test]
fn the_locks_of_a_process_end_with_it() {
    let Some(database) = TestDatabase::create() else { return };
    let records = database.open("ours");
    let run = RunId::fresh();
    record_run(&records, &run, RunKind::Ask, "x", &[began_event(RunKind::Ask, "x")]);
    propose_and_approve(&records, &agenda(1));
    let mut holder = spawn("hold", 0, &database.url(&database.role()));
    let task = said(&mut holder).next().unwrap();
    assert_eq!(records.lock_run(&run).err().map(|error| error.kind()), Some(ErrorKind::Conflict));
    assert_eq!(records.take_job("another", event_time(1), event_time(1 + TERM)).unwrap(), None);
    holder.kill().unwrap();
    holder.wait().unwrap();
    // The database hears of it when the connection ends, which takes no time on one machine.
    let taken = loop {
        match records.take_job("another", event_time(1), event_time(1 + TERM)).unwrap() {
            Some(taken) => break taken,
            None => thread::yield_now(),
        }
    };
    assert_eq!((taken.lease.task.to_string(), taken.crashes), (task, 1));
    drop(records.lock_run(&run).unwrap());
}

#[test]
fn of_two_that_append_the_same_event_one_is_refused() {
    let Some(database) = TestDatabase::create() else { return };
    let (one, two) = (database.open("ours"), database.open("ours"));
    let run = RunId::fresh();
    record_run(&one, &run, RunKind::Ask, "x", &[began_event(RunKind::Ask, "x")]);
    let append = |records: &PostgresRecords, who: &str| -> Vec<u64> {
        let event = RunEvent::Plan { plan: serde_json::json!(who) };
        let is_written = |number: &u64| match records.append(&run, *number, event_time(1), &event) {
            Ok(()) => true,
            Err(error) => {
                assert_eq!(error.kind(), ErrorKind::Conflict, "{error}");
                false
            }
        };
        (1..=40).filter(is_written).collect()
    };
    let written = thread::scope(|scope| {
        let other = scope.spawn(|| append(&two, "two"));
        [append(&one, "one"), other.join().unwrap()].concat()
    });
    let count = one.events(&run).unwrap().len() as u64;
    let mut sorted = written;
    sorted.sort_unstable();
    assert_eq!(sorted, Vec::from_iter(1..count), "each was written by one of them");
}
