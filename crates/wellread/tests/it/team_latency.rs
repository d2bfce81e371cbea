//! An agenda is approved on one process, and another begins to work on it: at once where they share a database, by which they
//! hear of each other; where they share a file, when the other looks.
//!
//! `WELLREAD_LONG=1` does so more often, and says how long it took.

use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use rustix::process::Signal;
use wellread_core::ports::Records;
use wellread_core::ports::agenda::AgendaStatus;

use crate::agenda_bench::{Bench, PAGES, Trap, approve, until_ended};
use crate::postgres_server::TestDatabase;
use crate::serve_roles::Background;
use crate::served::Served;

/// How long after each approval the web was first asked.
fn measure(bench: &Bench, records: &dyn Records, here: &dyn Fn() -> Command, times: usize) -> Vec<Duration> {
    let api = Served::of(here(), &["--role", "api"]);
    let worker = Background::start(here(), "worker", Stdio::null());
    let mut took = Vec::new();
    for number in 0..times {
        let id = bench.proposed(records, &[&format!("honey of hill{number}")]);
        let asked = bench.asked().len();
        let begun = Instant::now();
        assert_eq!(approve(&api, &id).status, 202);
        bench.web.wait_for_requests(asked + 1);
        took.push(begun.elapsed());
        let ended = until_ended(records, &id);
        assert_eq!((ended.status, ended.findings), (AgendaStatus::Done, PAGES), "{ended:#?}");
    }
    assert_eq!(worker.end(Signal::TERM), Some(0));
    api.end();
    took.sort_unstable();
    took
}

#[test]
#[allow(clippy::print_stdout, reason = "figures of the long run")]
fn what_is_approved_on_one_process_is_begun_by_another() {
    let Some(database) = TestDatabase::create() else { return };
    let times = if std::env::var_os("WELLREAD_LONG").is_some() { 50 } else { 2 };
    let url = database.url(&database.role());
    let (apart, team) = (Bench::new(Trap::nowhere()), Bench::new(Trap::nowhere()));
    let in_file = measure(&apart, &apart.desk.records(), &|| apart.here(), times);
    let with_database = || {
        let mut command = team.here();
        command.env("WELLREAD_DATABASE_URL", &url);
        command
    };
    let in_database = measure(&team, &database.open("default"), &with_database, times);
    if times > 2 {
        for (place, took) in [("a file", in_file), ("a database", in_database)] {
            let (middle, last) = (took[took.len() / 2], took[took.len() - 1]);
            println!(
                "records in {place}: {} approvals, begun after {middle:?} (p50), {last:?} (max)",
                took.len()
            );
        }
    }
}
