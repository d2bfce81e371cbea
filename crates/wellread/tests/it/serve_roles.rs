//! `wellread serve --role`: some processes serve, others work, and any of them may be killed at any time.

use std::collections::BTreeSet;
use std::io::{BufRead as _, BufReader};
use std::process::{Child, Command, Stdio};
use std::thread;
use std::time::Duration;

use rustix::process::{Pid, Signal, kill_process};
use wellread_core::ports::agenda::{AgendaStatus, TaskStatus};

use crate::agenda_bench::{Bench, PAGES, Trap, agenda, approve, findings, until_ended};
use crate::served::Served;

/// A process without a port. It is killed when it is dropped.
pub struct Background(Child);

impl Background {
    /// Starts it, and waits until it says that it runs.
    pub fn start(mut command: Command, role: &str, errors: Stdio) -> Self {
        command.args(["serve", "--role", role, "--json"]);
        command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(errors);
        let mut started = Self(command.spawn().unwrap());
        let mut line = String::new();
        BufReader::new(started.0.stdout.take().unwrap()).read_line(&mut line).unwrap();
        assert!(line.contains(&format!("\"role\":\"{role}\"")), "{line}");
        started
    }

    /// Ends it by a signal; its exit status, if it has one.
    pub fn end(mut self, signal: Signal) -> Option<i32> {
        kill_process(Pid::from_child(&self.0), signal).unwrap();
        self.0.wait().unwrap().code()
    }
}

impl Drop for Background {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

fn start(bench: &Bench, role: &str) -> Background {
    Background::start(bench.here(), role, Stdio::null())
}

fn serve_api(bench: &Bench) -> Served {
    Served::of(bench.here(), &["--role", "api"])
}

#[test]
fn an_agenda_waits_for_a_worker_which_may_be_another_process() {
    let bench = Bench::new(Trap::nowhere());
    let records = bench.desk.records();
    let api = serve_api(&bench);
    let id = bench.proposed(&records, &["heather honey"]);
    assert_eq!(approve(&api, &id).status, 202);
    let indexer = start(&bench, "indexer");
    // Both had time to take it, and did not.
    thread::sleep(Duration::from_millis(500));
    assert_eq!(agenda(&records, &id).tasks[0].status, TaskStatus::Queued);
    assert_eq!(bench.asked(), [""; 0]);

    let worker = start(&bench, "worker");
    assert_eq!(until_ended(&records, &id).status, AgendaStatus::Done);
    assert_eq!(api.get("/api/research/findings?status=new").done()["counts"]["new"], PAGES);
    assert_eq!((worker.end(Signal::TERM), indexer.end(Signal::TERM)), (Some(0), Some(0)));
    api.end();
}

#[test]
fn a_process_without_a_port_has_nothing_to_open() {
    let bench = Bench::new(Trap::nowhere());
    for wrong in [&["--port", "0"][..], &["--open"], &["--allow-remote"]] {
        for role in ["worker", "indexer"] {
            let ran = bench.run(&[&["serve", "--role", role], wrong].concat());
            ran.complains(2);
        }
    }
    bench.run(&["serve", "--role", "other"]).complains(2);
}

/// Two agendas a round, approved by two servers and carried out by three workers. In each round two workers and a server are
/// killed: more often than that, a task is taken for one that kills its worker, and set aside.
///
/// `WELLREAD_LONG=1` makes it fifty times as many rounds.
#[test]
fn whoever_is_killed_every_task_is_done_once() {
    const TASKS: usize = 2;
    let rounds = if std::env::var_os("WELLREAD_LONG").is_some() { 200 } else { 4 };
    let bench = Bench::new(Trap::nowhere());
    let records = bench.desk.records();
    let mut apis = [serve_api(&bench), serve_api(&bench)];
    let mut workers: Vec<Background> = (0..3).map(|_| start(&bench, "worker")).collect();
    for round in 0..rounds {
        let propose = |of: usize| {
            let queries: Vec<String> =
                (0..TASKS).map(|task| format!("honey round{round} agenda{of} task{task}")).collect();
            bench.proposed(&records, &queries.iter().map(String::as_str).collect::<Vec<_>>())
        };
        let ids = [propose(0), propose(1)];
        for (api, id) in apis.iter().zip(&ids) {
            assert_eq!(approve(api, id).status, 202);
        }
        for number in 0..2 {
            thread::sleep(Duration::from_millis(40 * (round as u64 % 5)));
            workers.remove(0).end(Signal::KILL);
            workers.push(start(&bench, "worker"));
            if number == 0 {
                apis[round % 2].signal(Signal::KILL);
                apis[round % 2] = serve_api(&bench);
            }
        }
        for id in &ids {
            let ended = until_ended(&records, id);
            let states: Vec<TaskStatus> = ended.tasks.iter().map(|task| task.status).collect();
            assert_eq!(
                (ended.status, states),
                (AgendaStatus::Done, vec![TaskStatus::Done; TASKS]),
                "{round}"
            );
        }
        let found = findings(&records);
        let pages: BTreeSet<&str> = found.iter().map(|finding| finding.url.as_str()).collect();
        let expected = (round + 1) * 2 * TASKS * PAGES;
        assert_eq!(
            (found.len(), pages.len()),
            (expected, expected),
            "no finding twice, and none lost: {round}"
        );
    }
    let shown = apis[0].get("/api/research/counts").done();
    assert_eq!(shown["new"], rounds * 2 * TASKS * PAGES, "{shown}");
    for worker in workers {
        assert_eq!(worker.end(Signal::TERM), Some(0));
    }
}
