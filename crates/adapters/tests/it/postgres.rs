//! The records in a real PostgreSQL: the same contracts as the SQLite file keeps, spaces that do not see each other, and
//! the tables' versions.

use std::cell::Cell;
use std::collections::BTreeSet;
use std::panic::{AssertUnwindSafe, catch_unwind};

use wellread_core::ErrorKind;
use wellread_core::domain::id::RunId;
use wellread_core::ports::event::{RunEvent, RunKind, RunOutcome};
use wellread_core::ports::{
    AgendaActor, AgendaFilter, Agendas, FindingFilter, Findings, JobQueue, RecordUpkeep as _, RunLogs,
    Sessions, Snapshots, StoredSession,
};
use wellread_testkit::agenda_fixtures::{agenda, new_finding, propose_and_approve};
use wellread_testkit::run_fixtures::{began_event, ended_event, event_time, events, record_run, run_header};

use crate::postgres_server::{TestDatabase, open_url, run_sql, try_sql};

#[test]
fn records_in_postgres_keep_the_contract() {
    let Some(database) = TestDatabase::create() else { return };
    let made = Cell::new(0);
    wellread_testkit::contract::check_records(&|| {
        made.set(made.get() + 1);
        database.open(&format!("space {}", made.get()))
    });
}

#[test]
fn agendas_in_postgres_keep_the_contract() {
    let Some(database) = TestDatabase::create() else { return };
    let made = Cell::new(0);
    wellread_testkit::contract::check_agendas(&|| {
        made.set(made.get() + 1);
        database.open(&format!("space {}", made.get()))
    });
}

#[test]
fn accounts_and_views_in_postgres_keep_the_contract() {
    let Some(database) = TestDatabase::create() else { return };
    let made = Cell::new(0);
    let make = || {
        made.set(made.get() + 1);
        database.open(&format!("space {}", made.get()))
    };
    wellread_testkit::contract::check_accounts(&make);
    wellread_testkit::contract::check_views(&make);
}

fn conversation(id: &str) -> StoredSession {
    let state = serde_json::json!({ "said": "\u{0}" });
    StoredSession { id: id.to_owned(), active_file: None, last: event_time(1), state }
}

/// Something of every kind.
fn fill(records: &wellread_adapters::postgres::PostgresRecords) -> RunId {
    let run = RunId::fresh();
    record_run(records, &run, RunKind::Ask, "Honey", &events(&run, RunKind::Ask, "Honey"));
    records.keep("Wax.").unwrap();
    records.keep_session(&conversation("a\u{0}b")).unwrap();
    let approved = propose_and_approve(records, &agenda(2));
    let url = format!("https://bees.example/{}", "x".repeat(9000));
    let found = new_finding(&approved.id, &approved.tasks[0].id, &url);
    let mut change = |change: &mut wellread_core::ports::AgendaChange| {
        change.findings.push(found.clone());
        Ok(())
    };
    records.change_agenda(&approved.id, AgendaActor::User, &mut change).unwrap();
    wellread_testkit::contract::accounts::invite(records, "anna", "link").unwrap();
    run
}

#[test]
fn one_space_never_sees_or_touches_another() {
    let Some(database) = TestDatabase::create() else { return };
    let (ours, theirs) = (database.open("ours"), database.open("theirs"));
    let run = fill(&ours);
    let _held = ours.lock_run(&run).unwrap();
    assert_eq!(theirs.runs("", 10).unwrap(), []);
    assert_eq!(theirs.events(&run).unwrap_err().kind(), ErrorKind::NotFound);
    let appended = theirs.append(&run, 9, event_time(9), &RunEvent::Resumed);
    assert_eq!(appended.unwrap_err().kind(), ErrorKind::NotFound);
    assert_eq!(theirs.sessions(10).unwrap(), []);
    assert!(!theirs.forget_session("a\u{0}b").unwrap());
    assert_eq!(theirs.jobs().unwrap(), []);
    assert_eq!(theirs.take_job("x", event_time(0), event_time(60)).unwrap(), None);
    assert_eq!(theirs.findings(&FindingFilter::default(), 10).unwrap(), []);
    assert_eq!(theirs.agendas(AgendaFilter::All, 10).unwrap(), []);
    assert_eq!(theirs.events_after(0, 10).unwrap(), (vec![], 0));
    assert_eq!(theirs.totals().unwrap().runs, 0);
    drop(theirs.lock_run(&run).unwrap());
    // The same ids are free there.
    record_run(&theirs, &run, RunKind::Ask, "Wax", &[began_event(RunKind::Ask, "Wax")]);
    assert_eq!(ours.events(&run).unwrap().len(), events(&run, RunKind::Ask, "Honey").len());
}

/// The tables that have rows of spaces: every one but that of versions.
fn tables(database: &TestDatabase) -> BTreeSet<String> {
    let sql = "SELECT string_agg(relname, ' ') FROM pg_class WHERE relnamespace = 'wellread'::regnamespace \
               AND relkind = 'r' AND relname <> 'schema_version'";
    database.run_sql(sql).unwrap().split(' ').map(str::to_owned).collect()
}

#[test]
fn the_database_alone_keeps_spaces_apart() {
    let Some(database) = TestDatabase::create() else { return };
    let ours = database.open("ours");
    fill(&ours);
    let _worker = ours.register_worker("w").unwrap();
    let tables = tables(&database);
    assert_eq!(tables.len(), 19, "{tables:?}");
    let url = database.url(&database.role());
    for table in &tables {
        // No statement names a space here, as if the program had forgotten to.
        let count = |space: &str| {
            let set =
                if space.is_empty() { String::new() } else { format!("SET wellread.space = '{space}'; ") };
            let set = format!("{set}SET wellread.\"user\" = '*'; ");
            run_sql(&url, &format!("{set}SELECT count(*) FROM wellread.{table}")).unwrap()
        };
        assert_eq!((count("theirs"), count("")), ("0".to_owned(), "0".to_owned()), "{table}");
        let all = database.run_sql(&format!("SELECT count(*) FROM wellread.{table}")).unwrap();
        assert_eq!(count("ours"), all, "{table}");
        let forced = format!(
            "SELECT relrowsecurity AND relforcerowsecurity FROM pg_class WHERE oid = 'wellread.{table}'::regclass"
        );
        assert_eq!(database.run_sql(&forced).as_deref(), Some("t"), "{table}");
        let key = format!(
            "SELECT a.attname FROM pg_index i JOIN pg_attribute a ON a.attrelid = i.indrelid AND a.attnum = i.indkey[0] \
             WHERE i.indisprimary AND i.indrelid = 'wellread.{table}'::regclass"
        );
        assert_eq!(database.run_sql(&key).as_deref(), Some("space"), "{table}");
    }
    for write in [
        "INSERT INTO wellread.spaces VALUES ('ours2')",
        "SET wellread.space = 'theirs'; INSERT INTO wellread.sessions (space, id, last, state, sum) VALUES ('ours', 'x', 1, '', '')",
        "SET wellread.space = 'theirs'; INSERT INTO wellread.spaces VALUES ('theirs'); UPDATE wellread.spaces SET space = 'mine'",
    ] {
        let error = try_sql(&url, write).unwrap_err();
        assert_eq!(error.code(), Some(&tokio_postgres::error::SqlState::INSUFFICIENT_PRIVILEGE), "{write}");
    }
    run_sql(
        &url,
        "SET wellread.\"user\" = '*'; SET wellread.space = 'theirs'; DELETE FROM wellread.sessions; \
         UPDATE wellread.jobs SET place = 99",
    );
    assert_eq!(ours.sessions(10).unwrap().len(), 1);
    assert_eq!(database.run_sql("SELECT max(place) FROM wellread.jobs").as_deref(), Some("2"));
}

#[test]
fn the_role_can_not_change_what_must_never_change() {
    let Some(database) = TestDatabase::create() else { return };
    fill(&database.open("ours"));
    let attempts = [
        "DELETE FROM wellread.events",
        "UPDATE wellread.events SET at = 0",
        "DELETE FROM wellread.runs",
        "UPDATE wellread.snapshots SET length = 1",
        "INSERT INTO wellread.events VALUES ('ours', 'x', 7, 0, '{}', '')",
        "DELETE FROM wellread.audit",
        "UPDATE wellread.audit SET at = 0",
    ];
    for url in [database.url(&database.role()), database.url("postgres")] {
        for attempt in attempts {
            let set = "SET wellread.space = 'ours'; SET wellread.\"user\" = '*'";
            assert!(try_sql(&url, &format!("{set}; {attempt}")).is_err(), "{attempt}");
        }
    }
    for attempt in
        ["CREATE TABLE wellread.x (a int)", "DROP TABLE wellread.runs", "DELETE FROM wellread.schema_version"]
    {
        assert!(try_sql(&database.url(&database.role()), attempt).is_err(), "{attempt}");
    }
}

#[test]
fn a_changed_event_or_header_is_damage_and_nothing_else_is_lost() {
    let Some(database) = TestDatabase::create() else { return };
    let records = database.open("ours");
    let (run, other) = (fill(&records), fill(&records));
    let change = |sql: &str| {
        database.run_sql(&format!("SET session_replication_role = replica; {sql} AND run = '{run}'"));
    };
    change("UPDATE wellread.events SET event = replace(event, 'Honey', 'Money') WHERE number = 0");
    let error = records.events(&run).unwrap_err();
    assert!(error.message().contains("event 0") && error.message().contains("damaged"), "{error}");
    change("DELETE FROM wellread.events WHERE number = 0");
    assert!(records.events(&run).unwrap_err().message().contains("damaged"));
    records.events(&other).unwrap();
    database.run_sql(&format!(
        "UPDATE wellread.runs SET header = replace(header, 'Honey', 'Money') WHERE id = '{other}'"
    ));
    assert!(records.events(&other).unwrap_err().message().contains("the header of run"));
}

#[test]
fn tables_are_made_once_by_whoever_comes_first() {
    let Some(database) = TestDatabase::create() else { return };
    let empty = TestDatabase::create_empty_on(&std::env::var("WELLREAD_TEST_POSTGRES").unwrap());
    let error = empty.open_as("postgres", "x").runs("", 1).unwrap_err();
    assert_eq!(error.kind(), ErrorKind::NotSetUp, "{error}");
    assert!(error.hint_text().unwrap().contains("wellread db migrate"), "{error}");
    let reports: Vec<_> = std::thread::scope(|scope| {
        let migrate = || empty.open_as("postgres", "x").migrate().unwrap();
        let threads: Vec<_> = (0..4).map(|_| scope.spawn(migrate)).collect();
        threads.into_iter().map(|thread| thread.join().unwrap()).collect()
    });
    assert_eq!(reports.iter().filter(|report| report.from == 0).count(), 1, "{reports:?}");
    assert!(reports.iter().all(|report| report.to == 2));
    empty.open_as("postgres", "x").runs("", 1).unwrap();

    // Who may not create tables is told so, and one of a newer version is left alone.
    let stranger = TestDatabase::create_empty_on(&std::env::var("WELLREAD_TEST_POSTGRES").unwrap());
    let error = open_url(&stranger.url(&database.role()), "x").migrate().unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Denied, "{error}");
    empty.run_sql("INSERT INTO wellread.schema_version VALUES (99)");
    for error in [
        empty.open_as("postgres", "x").runs("", 1).unwrap_err(),
        empty.open_as("postgres", "x").migrate().unwrap_err(),
    ] {
        assert!(
            error.message().contains("newer version") && error.message().contains("schema 99"),
            "{error}"
        );
    }
    assert_eq!(empty.run_sql("SELECT max(version) FROM wellread.schema_version").as_deref(), Some("99"));
}

#[test]
fn a_call_from_inside_a_runtime_and_a_drop_there_are_fine() {
    let Some(database) = TestDatabase::create() else { return };
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    runtime.block_on(async {
        let records = database.open("ours");
        let run = fill(&records);
        let held = records.lock_run(&run).unwrap();
        drop(records);
        drop(held);
    });
}

#[test]
fn a_change_that_panics_or_fails_leaves_nothing_and_nothing_locked() {
    let Some(database) = TestDatabase::create() else { return };
    let records = database.open("ours");
    let approved = propose_and_approve(&records, &agenda(1));
    // More often than there are connections.
    for _ in 0..12 {
        let panicked = catch_unwind(AssertUnwindSafe(|| {
            records.change_agenda(&approved.id, AgendaActor::User, &mut |change| {
                change.agenda.message = Some("never".to_owned());
                panic!("of a test")
            })
        }));
        assert!(panicked.is_err());
        let failed = records.change_agenda(&approved.id, AgendaActor::User, &mut |change| {
            change.agenda.message = Some("never".to_owned());
            Err(wellread_core::Error::refused("no"))
        });
        assert_eq!(failed.unwrap_err().kind(), ErrorKind::Refused);
    }
    assert_eq!(records.agenda(&approved.id).unwrap().unwrap(), approved);
    let open =
        "SELECT count(*) FROM pg_stat_activity WHERE datname = current_database() AND state LIKE 'idle in%'";
    assert_eq!(database.run_sql(open).as_deref(), Some("0"));
}

#[test]
fn forgotten_runs_leave_no_text() {
    let Some(database) = TestDatabase::create() else { return };
    let records = database.open("ours");
    let (kept, gone) = (RunId::fresh(), RunId::fresh());
    for (run, word) in [(&kept, "Honey"), (&gone, "Secret")] {
        let page = records.keep(&format!("{word} page")).unwrap();
        let cites = RunEvent::Plan { plan: serde_json::json!({ "page": page.to_string() }) };
        let done = ended_event(RunOutcome::Done, word);
        record_run(&records, run, RunKind::Ask, word, &[began_event(RunKind::Ask, word), cites, done]);
        let mut session = conversation(word);
        session.state = serde_json::json!({ "run": run.to_string() });
        records.keep_session(&session).unwrap();
    }
    let busy = RunId::fresh();
    let held_run = records.lock_run(&busy).unwrap();
    records.begin(&run_header(&busy, RunKind::Ask, "x"), &began_event(RunKind::Ask, "x")).unwrap();
    let held = records.forget_runs(std::slice::from_ref(&busy), event_time(9)).unwrap();
    assert_eq!((held.runs, held.in_progress), (0, vec![busy.to_string()]));
    drop(held_run);
    let forgotten = records.forget_runs(std::slice::from_ref(&gone), event_time(9)).unwrap();
    assert_eq!((forgotten.runs, forgotten.sessions, forgotten.snapshots), (1, 1, 1));
    assert_eq!(records.events(&gone).unwrap_err().kind(), ErrorKind::NotFound);
    assert_eq!(records.events(&kept).unwrap().len(), 3);
    let left =
        "SELECT count(*) FROM wellread.events e, wellread.runs r WHERE e.event || r.header LIKE '%Secret%'";
    assert_eq!(database.run_sql(left).as_deref(), Some("0"));
}
