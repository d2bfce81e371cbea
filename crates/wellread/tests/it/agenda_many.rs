//! Two hundred agendas at once on one server: all of them end, and nothing is lost. `WELLREAD_LONG=1` does so several times over,
//! and says how quick the server's answers are meanwhile, and how its memory stands.

use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;
use std::time::{Duration, Instant};

use wellread_adapters::records::RecordStore;
use wellread_core::domain::id::AgendaId;
use wellread_core::ports::JobQueue as _;
use wellread_core::ports::agenda::AgendaStatus;

use crate::agenda_bench::{Bench, PAGES, Trap, agenda, approve, done, findings, until};
use crate::served::Served;

const AGENDAS: usize = 200;

/// How long each answer took, until `over`.
fn asked_all_the_while(served: &Served, path: &str, over: &AtomicBool) -> Vec<Duration> {
    let mut took = Vec::new();
    while !over.load(Ordering::Relaxed) {
        let begun = Instant::now();
        served.get(path).done();
        took.push(begun.elapsed());
        thread::sleep(Duration::from_millis(20));
    }
    took.sort_unstable();
    took
}

/// What one crowd of agendas cost.
struct Figures {
    of_agenda: Vec<Duration>,
    of_status: Vec<Duration>,
    middle: u64,
    end: u64,
}

fn crowd(bench: &Bench, records: &RecordStore, served: &Served, round: usize) -> Figures {
    let topic = |number: usize| format!("topic{round}x{number} of hills");
    let ids: Vec<AgendaId> = (0..AGENDAS).map(|number| bench.proposed(records, &[&topic(number)])).collect();
    let over = AtomicBool::new(false);
    let figures = thread::scope(|scope| {
        let (path, over) = (format!("/api/research/agenda/{}", ids[AGENDAS - 1]), &over);
        let of_agenda = scope.spawn(move || asked_all_the_while(served, &path, over));
        let of_status = scope.spawn(move || asked_all_the_while(served, "/api/status", over));
        for some in ids.chunks(AGENDAS / 8) {
            scope.spawn(move || some.iter().for_each(|id| drop(done(&approve(served, id), 202))));
        }
        let mut middle = 0;
        for (number, id) in ids.iter().enumerate() {
            until("all of them end", || agenda(records, id).ended.is_some());
            if number == AGENDAS / 2 {
                middle = served.resident();
            }
        }
        over.store(true, Ordering::Relaxed);
        let (of_agenda, of_status) = (of_agenda.join().unwrap(), of_status.join().unwrap());
        Figures { of_agenda, of_status, middle, end: served.resident() }
    });
    for id in &ids {
        let ended = agenda(records, id);
        assert_eq!((ended.status, ended.findings), (AgendaStatus::Done, PAGES), "{ended:#?}");
    }
    figures
}

#[test]
#[allow(clippy::print_stdout, reason = "figures of the long run")]
fn two_hundred_agendas_at_once_all_end() {
    let long = std::env::var_os("WELLREAD_LONG").is_some();
    let bench = Bench::new(Trap::nowhere());
    let records = bench.desk.records();
    let served = bench.serve();
    let start = served.resident();
    let rounds = if long { 4 } else { 1 };
    for round in 1..=rounds {
        let figures = crowd(&bench, &records, &served, round);
        assert_eq!(findings(&records).len(), round * AGENDAS * PAGES);
        assert_eq!(records.jobs().unwrap(), []);
        assert_eq!(bench.asked().len(), round * AGENDAS * (1 + PAGES), "nothing was asked twice");
        if long {
            let of = |took: &[Duration], share: usize| {
                took.get(took.len() * share / 100).copied().unwrap_or_default()
            };
            for (name, took) in [("agenda", &figures.of_agenda), ("status", &figures.of_status)] {
                println!("{name}: {} answers, p50 {:?}, p99 {:?}", took.len(), of(took, 50), of(took, 99));
            }
            let mib = [start, figures.middle, figures.end].map(|bytes| bytes >> 20);
            println!(
                "MiB: {} at the start, {} in the middle, {} after {} agendas",
                mib[0],
                mib[1],
                mib[2],
                round * AGENDAS
            );
        }
    }
    served.goes_on();
    served.end();
}
