//! The schedule over the binary: a moment that was missed is caught up, once, and none from while it was switched off.

use std::time::Duration;

use wellread_adapters::clock::SystemClock;
use wellread_adapters::records::RecordStore;
use wellread_core::agendas::jobs::Schedule;
use wellread_core::ports::agenda::{Agenda, AgendaStatus, Trigger};
use wellread_core::ports::{AgendaFilter, Agendas as _, Clock as _, JobQueue as _};

use crate::agenda_bench::{Bench, Trap, approve, done, until, until_ended};

/// Nine o'clock on the weekday that was so many days ago, wherever this machine is.
fn nine(days_ago: u32) -> String {
    let now = SystemClock.now();
    let day = (now.timestamp() - days(days_ago)).to_zoned(now.time_zone().clone());
    format!("{:?} 9", day.date().weekday()).to_lowercase()
}

fn schedule() -> String {
    nine(3)
}

fn days(days: u32) -> Duration {
    Duration::from_secs(24 * 3600) * days
}

/// How long it has been switched on; where it never was, it is now, as of so many days ago.
fn on_since(records: &RecordStore, days_ago: u32) -> Duration {
    let (known, now) = (Schedule::parse(&schedule()).unwrap().to_string(), SystemClock.now().timestamp());
    let since = records.record_setting("schedule", Some(&known), now - days(days_ago)).unwrap().unwrap();
    Duration::try_from(now.duration_since(since)).unwrap()
}

/// A vault that leaves something open, and a schedule that was switched on so many days ago.
fn bench(days_ago: u32) -> (Bench, RecordStore) {
    let bench = Bench::new(Trap::nowhere());
    bench.desk.save("Lost.md", "# Lost\n\nSee [[Hidden valley]] and [[Quiet mountain]].\n");
    let records = bench.desk.records();
    on_since(&records, days_ago);
    (bench, records)
}

fn scheduled(records: &RecordStore) -> Vec<Agenda> {
    let all = records.agendas(AgendaFilter::All, 100).unwrap();
    all.into_iter().filter(|agenda| agenda.trigger == Trigger::Schedule).collect()
}

fn set(bench: &Bench, setting: &str) {
    bench.run(&["config", "set", "research.schedule", setting, "--json"]).done();
}

/// A server by these settings, which does a piece of work and ends.
fn served(bench: &Bench, records: &RecordStore, setting: &str, topic: &str) {
    set(bench, setting);
    let served = bench.serve();
    let id = bench.proposed(records, &[topic]);
    done(&approve(&served, &id), 202);
    assert_eq!(until_ended(records, &id).status, AgendaStatus::Done);
    served.end();
}

#[test]
fn a_moment_that_was_missed_is_caught_up_once_however_often_it_is_started() {
    let (bench, records) = bench(14);
    set(&bench, &schedule());
    let one = bench.serve();
    until("the moment is caught up", || !scheduled(&records).is_empty());
    one.end();
    // Two moments were missed: there is one agenda, which waits for the user.
    let caught_up = scheduled(&records);
    assert_eq!((caught_up.len(), caught_up[0].status), (1, AgendaStatus::Pending), "{caught_up:#?}");
    for topic in ["heather honey", "oak galls"] {
        served(&bench, &records, &schedule(), topic);
        assert_eq!(scheduled(&records), caught_up);
    }
}

#[test]
fn what_came_while_it_was_off_or_set_otherwise_is_not_caught_up() {
    // Another day has a moment of its own, which lies before it was set.
    for between in ["off", &nine(5)] {
        let (bench, records) = bench(7);
        served(&bench, &records, between, "heather honey");
        served(&bench, &records, &schedule(), "oak galls");
        assert_eq!(scheduled(&records), [], "{between}");
        assert!(on_since(&records, 7) < days(1), "{between}");
    }
}

#[test]
fn who_works_beside_it_has_no_say_in_it() {
    let (bench, records) = bench(7);
    let id = bench.proposed(&records, &["heather honey"]);
    bench.run(&["agenda", "approve", id.as_str(), "--run", "--json"]).done();
    assert!(on_since(&records, 0) >= days(7));
}
