//! A server that is ended without warning at every step of a run, and started again: all that was approved ends, nothing that
//! was done is done again, and nothing is found or written twice. And one that sleeps while another has its job.

use std::collections::BTreeMap;
use std::time::Duration;

use rustix::process::Signal;
use serde_json::json;
use wellread_adapters::records::RecordStore;
use wellread_core::domain::id::AgendaId;
use wellread_core::ports::agenda::{AgendaStatus, TaskStatus};
use wellread_core::ports::event::RunEvent;
use wellread_core::ports::{
    AgendaActor, AgendaChange, Agendas as _, JobEnd, JobQueue as _, NewFinding, RunLogs as _,
};
use wellread_testkit::agenda_fixtures;

use crate::agenda_bench::{Bench, PAGES, Trap, agenda, approve, done, findings, notes, until, until_ended};
use crate::served::Served;

const QUERIES: [&str; 2] = ["heather honey", "oak galls"];
/// How many tasks go on at once.
const LANES: usize = 2;

/// Ends the server without warning.
fn kill(served: Served) {
    served.signal(Signal::KILL);
    drop(served);
}

/// The server is started again, works to the end, and everything is there once.
fn goes_on(bench: &Bench, records: &RecordStore, id: &AgendaId, requests: usize, when: &str) {
    let before = agenda(records, id);
    let asked_before = bench.asked().len();
    let served = bench.serve();
    let ended = until_ended(records, id);
    assert_eq!(ended.status, AgendaStatus::Done, "{when}: {ended:#?}");
    assert_eq!(records.jobs().unwrap(), [], "{when}");
    for (task, known) in ended.tasks.iter().zip(&before.tasks) {
        assert_eq!(
            (task.status, task.counts.unwrap().findings),
            (TaskStatus::Done, PAGES),
            "{when}: {task:#?}"
        );
        // Whatever was begun went on as the same run.
        assert!(known.run_id.is_none() || known.run_id == task.run_id, "{when}: {known:?} {task:?}");
        if known.status == TaskStatus::Done {
            let slug = task.query.replace(' ', "-");
            let again = bench.asked()[asked_before..].iter().filter(|path| path.contains(&slug)).count();
            assert_eq!((task, again), (known, 0), "{when}: it was done");
        }
    }
    let found = findings(records);
    let mut urls: Vec<&str> = found.iter().map(|finding| finding.url.as_str()).collect();
    urls.sort_unstable();
    urls.dedup();
    assert_eq!((found.len(), urls.len(), ended.findings), (4, 4, 4), "{when}");
    // What was answered was not asked for again: only what was in the air was.
    let mut times: BTreeMap<String, usize> = BTreeMap::new();
    for path in bench.asked() {
        *times.entry(path).or_default() += 1;
    }
    assert!(times.values().all(|times| *times <= 2), "{when}: {times:?}");
    assert!(bench.trap.seen() <= requests + LANES, "{when}: {times:?}");
    for run in ended.tasks.iter().map(|task| task.run_id.clone().unwrap()) {
        assert!(matches!(records.events(&run).unwrap().last().unwrap().event, RunEvent::Ended(_)), "{when}");
    }
    for finding in found.iter().chain(&found) {
        served.post(&format!("/api/research/findings/{}/accept", finding.id), &json!({})).done();
    }
    assert_eq!(notes(&bench.desk).len(), 4, "{when}");
    served.end();
}

/// How many requests a run makes that nobody disturbs.
fn undisturbed(bench: &Bench) -> usize {
    let records = bench.desk.records();
    let id = bench.proposed(&records, &QUERIES);
    let served = bench.serve();
    done(&approve(&served, &id), 202);
    let ended = until_ended(&records, &id);
    assert_eq!((ended.status, ended.findings), (AgendaStatus::Done, 4), "{ended:#?}");
    served.end();
    bench.trap.seen()
}

fn killed_at_every_request(bench: impl Fn(std::sync::Arc<Trap>) -> Bench, requests: usize) {
    assert_eq!(undisturbed(&bench(Trap::nowhere())), requests);
    for at in 1..=requests {
        let bench = bench(Trap::at(at));
        let records = bench.desk.records();
        let id = bench.proposed(&records, &QUERIES);
        let served = bench.serve();
        done(&approve(&served, &id), 202);
        bench.trap.until_sprung();
        kill(served);
        bench.trap.open();
        goes_on(&bench, &records, &id, requests, &format!("ended at request {at}"));
    }
}

#[test]
fn ended_at_any_request_it_goes_on_from_there() {
    // Two searches, and two pages for each.
    killed_at_every_request(Bench::new, 6);
}

#[test]
fn ended_at_any_request_of_the_model_too_it_goes_on_from_there() {
    killed_at_every_request(Bench::with_model, 10);
}

#[test]
fn ended_after_anything_that_happened_it_goes_on_from_there() {
    let told = |records: &RecordStore| records.events_after(0, 0).unwrap().1;
    let (mut at, mut before_the_end) = (1, 0);
    loop {
        let bench = Bench::new(Trap::nowhere());
        let records = bench.desk.records();
        let id = bench.proposed(&records, &QUERIES);
        let first = told(&records);
        let served = bench.serve();
        done(&approve(&served, &id), 202);
        until("it happens", || told(&records) >= first + at || agenda(&records, &id).ended.is_some());
        kill(served);
        before_the_end += usize::from(agenda(&records, &id).ended.is_none());
        // The whole run, and once more after its end.
        let over = told(&records) < first + at;
        goes_on(&bench, &records, &id, 6, &format!("ended after {at} happenings"));
        if over {
            break;
        }
        // One step of a task is told by several at once.
        at += 2;
    }
    assert!(before_the_end >= 3, "{before_the_end} of them cut something off");
}

#[test]
fn a_job_that_ends_its_server_three_times_is_set_aside_and_the_others_go_on() {
    let mut bench = Bench::new(Trap::at(1));
    let records = bench.desk.records();
    let id = bench.proposed(&records, &QUERIES[..1]);
    for _ in 0..3 {
        bench = Bench { desk: bench.desk, ..Bench::new(Trap::at(1)) };
        let served = bench.serve();
        // The first time it has to be approved.
        approve(&served, &id);
        bench.trap.until_sprung();
        kill(served);
        bench.trap.open();
    }
    let bench = Bench { desk: bench.desk, ..Bench::new(Trap::nowhere()) };
    let other = bench.proposed(&records, &QUERIES[1..]);
    let served = bench.serve();
    done(&approve(&served, &other), 202);
    assert_eq!(until_ended(&records, &other).status, AgendaStatus::Done);
    let ended = until_ended(&records, &id);
    assert_eq!(ended.status, AgendaStatus::Failed);
    assert!(ended.tasks[0].message.as_deref().unwrap().contains("given up"), "{ended:#?}");
    assert_eq!(served.get("/api/research/counts").done()["setAside"], 1);
    served.end();
}

#[test]
fn two_servers_share_the_work_and_neither_takes_the_others() {
    let bench = Bench::new(Trap::at(1));
    let records = bench.desk.records();
    let id = bench.proposed(&records, &QUERIES);
    let one = bench.serve();
    done(&approve(&one, &id), 202);
    bench.trap.until_sprung();
    // The first is alive and holds its task, whatever another believes.
    let other = bench.serve();
    until("the rest is done", || {
        agenda(&records, &id).tasks.iter().filter(|task| task.status == TaskStatus::Done).count() == 1
    });
    let later = bench.proposed(&records, &["river clay"]);
    done(&approve(&other, &later), 202);
    assert_eq!(until_ended(&records, &later).status, AgendaStatus::Done);
    assert!(agenda(&records, &id).ended.is_none(), "its task is held by the first");
    bench.trap.open();
    let ended = until_ended(&records, &id);
    assert_eq!((ended.status, ended.findings), (AgendaStatus::Done, 4));
    assert!(records.jobs().unwrap().is_empty());
    one.end();
    other.end();
}

#[test]
fn who_sleeps_while_another_takes_its_task_is_refused_when_it_wakes_and_lives_on() {
    // Held at a page, in the middle of its task.
    let bench = Bench::new(Trap::at(2));
    let records = bench.desk.records();
    let id = bench.proposed(&records, &QUERIES[..1]);
    let served = bench.serve();
    done(&approve(&served, &id), 202);
    bench.trap.until_sprung();
    served.signal(Signal::STOP);

    let now = agenda(&records, &id).approved.unwrap();
    let minutes = |minutes: u64| now + Duration::from_secs(60 * minutes);
    assert_eq!(records.take_job("another", now, minutes(1)).unwrap(), None, "it is held");
    let lease = records.take_job("another", minutes(10), minutes(11)).unwrap().expect("its time is up").lease;
    let url = "https://elsewhere.example/";
    let finish = |change: &mut AgendaChange| {
        change.agenda.begin_task(&lease.task, None)?;
        change.agenda.end_task(&lease.task, agenda_fixtures::task_end(1), minutes(10))?;
        change.findings =
            vec![NewFinding { embedding: None, finding: agenda_fixtures::finding(&id, &lease.task, url) }];
        change.ends = vec![(lease.task.clone(), JobEnd::Over)];
        Ok(())
    };
    let ended =
        records.change_agenda(&id, AgendaActor::Worker(&lease, minutes(10)), &mut { finish }).unwrap();

    served.signal(Signal::CONT);
    bench.trap.open();
    served.goes_on();
    // It has had its answer, and takes up what is next.
    let next = bench.proposed(&records, &QUERIES[1..]);
    done(&approve(&served, &next), 202);
    let after = until_ended(&records, &next);
    assert_eq!((after.status, after.findings), (AgendaStatus::Done, PAGES));
    served.end();
    assert_eq!(agenda(&records, &id), ended);
    let of_it: Vec<String> =
        findings(&records).into_iter().filter(|known| known.agenda_id == id).map(|known| known.url).collect();
    assert_eq!(of_it, [url], "what it found after it woke up is not kept");
}
