//! Processes on one database hear of each other's changes, in their own space alone, also after the database was away.

use std::sync::{Arc, mpsc};
use std::thread;
use std::time::Duration;

use wellread_adapters::postgres::{ChangeWatch, PostgresRecords, RecordChange};
use wellread_core::ports::{AgendaActor, Agendas as _, JobEnd, JobQueue as _};
use wellread_testkit::agenda_fixtures::{agenda, propose_and_approve};
use wellread_testkit::run_fixtures::event_time;

use crate::postgres_server::{OwnServer, TestDatabase, try_sql};

const PATIENCE: Duration = Duration::from_secs(60);

fn watch(records: &PostgresRecords) -> (ChangeWatch, mpsc::Receiver<RecordChange>) {
    let (told, heard) = mpsc::channel();
    let watch = records
        .watch_changes(Arc::new(move |change| {
            let _ = told.send(change);
        }))
        .unwrap();
    // That it listens is heard, too.
    for expected in [RecordChange::Jobs, RecordChange::Events] {
        assert_eq!(heard.recv_timeout(PATIENCE), Ok(expected));
    }
    (watch, heard)
}

/// Waits until this was heard, whatever else was.
fn hear(heard: &mpsc::Receiver<RecordChange>, wanted: RecordChange) {
    while heard.recv_timeout(PATIENCE).expect("it is heard") != wanted {}
}

#[test]
fn who_listens_hears_of_jobs_and_events_of_its_own_space_alone() {
    let Some(database) = TestDatabase::create() else { return };
    let (ours, other) = (database.open("ours"), database.open("ours"));
    let (_ours, heard) = watch(&ours);
    let theirs = database.open("theirs");
    let (_theirs, elsewhere) = watch(&theirs);
    let approved = propose_and_approve(&other, &agenda(1));
    hear(&heard, RecordChange::Events);
    hear(&heard, RecordChange::Jobs);
    // A job that is handed back is there for others.
    let lease = other.take_job("w", event_time(0), event_time(60)).unwrap().unwrap().lease;
    other
        .change_agenda(&approved.id, AgendaActor::Leaving(&lease), &mut |change| {
            change.ends =
                vec![(lease.task.clone(), JobEnd::Later { not_before: event_time(0), tried: false })];
            Ok(())
        })
        .unwrap();
    hear(&heard, RecordChange::Jobs);
    // What fails is not told. One that listens from now on hears nothing of what was before.
    let (_again, heard) = watch(&ours);
    let failed = other.change_agenda(&approved.id, AgendaActor::User, &mut |change| {
        change.jobs = vec![lease.task.clone()];
        Err(wellread_core::Error::refused("no"))
    });
    assert!(failed.is_err());
    propose_and_approve(&theirs, &agenda(1));
    hear(&elsewhere, RecordChange::Jobs);
    assert_eq!(heard.try_recv(), Err(mpsc::TryRecvError::Empty), "neither what failed nor what is theirs");
    // Nothing names a space where everybody may look.
    let listening = "SELECT string_agg(query, ' ') FROM pg_stat_activity WHERE query LIKE '%LISTEN%' AND pid <> pg_backend_pid()";
    let seen = database.run_sql(listening).unwrap();
    assert!(!seen.contains("ours") && !seen.contains("theirs"), "{seen}");
}

#[test]
fn a_listener_whose_connection_is_lost_listens_again_and_ends_when_it_is_dropped() {
    let Some(mut server) = OwnServer::start() else { return };
    let database = TestDatabase::create_on(&server.address);
    let (records, other) = (database.open("ours"), database.open("ours"));
    let (watch, heard) = watch(&records);
    server.order("stop");
    server.order("start");
    // It may have missed something meanwhile.
    hear(&heard, RecordChange::Jobs);
    hear(&heard, RecordChange::Events);
    propose_and_approve(&other, &agenda(1));
    hear(&heard, RecordChange::Jobs);
    drop(watch);
    let listening =
        "SELECT count(*)::text FROM pg_stat_activity WHERE query LIKE '%LISTEN%' AND pid <> pg_backend_pid()";
    while try_sql(&database.url("postgres"), listening).unwrap().as_deref() != Some("0") {
        thread::yield_now();
    }
}
