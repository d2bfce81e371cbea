//! Many clients accept the same findings at the same time, and the server is ended without warning all the while: for every
//! finding that is accepted there is one note.
//!
//! `WELLREAD_LONG=1` makes it a hundred times as many accepts.

use std::collections::BTreeSet;
use std::sync::RwLock;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;

use rustix::process::Signal;
use serde_json::json;
use wellread_adapters::records::RecordStore;
use wellread_core::domain::id::FindingId;
use wellread_core::ports::agenda::FindingStatus;
use wellread_core::ports::{AgendaActor, AgendaChange, Agendas as _, FindingFilter, Findings as _};
use wellread_testkit::agenda_fixtures;

use crate::agenda_bench::{findings, notes, until};
use crate::desk::Desk;
use crate::served::{Address, Served};

const CLIENTS: usize = 16;
/// How many findings go in with one change.
const AT_ONCE: usize = 500;

/// So many findings that wait in the inbox.
fn fill(records: &RecordStore, count: usize) -> Vec<FindingId> {
    let mut agenda = agenda_fixtures::agenda(1);
    agenda.max_findings = count;
    records.propose(&agenda, None).unwrap();
    let task = agenda.tasks[0].id.clone();
    let all: Vec<usize> = (0..count).collect();
    for some in all.chunks(AT_ONCE) {
        let add = |change: &mut AgendaChange| {
            let new = |number: &usize| {
                agenda_fixtures::new_finding(&agenda.id, &task, &format!("https://wax.example/{number}"))
            };
            change.findings = some.iter().map(new).collect();
            Ok(())
        };
        records.change_agenda(&agenda.id, AgendaActor::User, &mut { add }).unwrap();
    }
    findings(records).into_iter().map(|finding| finding.id).collect()
}

#[test]
#[allow(clippy::print_stdout, reason = "figures of the long run")]
fn however_often_it_is_accepted_and_whenever_the_server_ends_a_finding_is_one_note() {
    let long = std::env::var_os("WELLREAD_LONG").is_some();
    let accepts = if long { 100_000 } else { 1_000 };
    let kills = if long { 100 } else { 8 };
    // How often each finding is accepted, by whichever clients.
    let times = if long { 20 } else { 4 };
    let desk = Desk::bare();
    desk.save("Bees.md", "# Bees\n");
    let records = desk.records();
    let ids = fill(&records, accepts / times);
    assert_eq!(ids.len(), accepts / times);
    let mut served = Some(Served::start(&desk));
    let address = RwLock::new(Address::of(served.as_ref().unwrap()));
    let (next, answered, cut_off) = (AtomicUsize::new(0), AtomicUsize::new(0), AtomicUsize::new(0));
    let begun = std::time::Instant::now();
    thread::scope(|scope| {
        for _ in 0..CLIENTS {
            scope.spawn(|| {
                loop {
                    let turn = next.fetch_add(1, Ordering::Relaxed);
                    if turn >= accepts {
                        return;
                    }
                    // Every finding comes again while others are still at it.
                    let finding = &ids[(turn / (CLIENTS * times) * CLIENTS + turn % CLIENTS) % ids.len()];
                    loop {
                        let path = format!("/api/research/findings/{finding}/accept");
                        let answer = address.read().unwrap().post(&path, None, &json!({}));
                        match answer {
                            Some((200, _)) => break,
                            Some(other) => panic!("{finding}: {other:?}"),
                            None => cut_off.fetch_add(1, Ordering::Relaxed),
                        };
                        thread::yield_now();
                    }
                    answered.fetch_add(1, Ordering::Relaxed);
                }
            });
        }
        for kill in 1..=kills {
            until("some are accepted", || answered.load(Ordering::Relaxed) >= kill * accepts / (kills + 1));
            let killed = served.take().unwrap();
            killed.signal(Signal::KILL);
            drop(killed);
            let again = Served::start(&desk);
            *address.write().unwrap() = Address::of(&again);
            served = Some(again);
        }
    });
    let took = begun.elapsed();
    served.unwrap().end();
    // Whoever was cut off for good left nothing undone.
    let accepting = FindingFilter { accepting: true, ..FindingFilter::default() };
    assert_eq!(records.findings(&accepting, usize::MAX).unwrap(), []);
    let all = findings(&records);
    assert!(all.iter().all(|finding| finding.status == FindingStatus::Accepted));
    let (made, tree) = (notes(&desk), desk.tree());
    let named: BTreeSet<(String, String)> =
        all.iter().map(|finding| (finding.note_path.clone().unwrap(), finding.id.to_string())).collect();
    assert_eq!(made.into_iter().collect::<BTreeSet<_>>(), named, "one note for each, where the finding says");
    // The note that was there, the folder, and nothing else.
    assert_eq!(tree.len(), ids.len() + 2, "nothing is left lying about");
    assert_eq!(cut_off.load(Ordering::Relaxed) > 0, kills > 0, "some were cut off");
    if long {
        println!(
            "{accepts} accepts of {} findings, {kills} kills, {} cut off, {took:?}",
            ids.len(),
            cut_off.load(Ordering::Relaxed)
        );
    }
}
