//! What the database alone keeps from one user who works for another: no statement here says whose a row has to be, as if the program
//! had forgotten every check. And how a database of an earlier version comes to know users.

use wellread_adapters::postgres::PostgresRecords;
use wellread_core::domain::id::RunId;
use wellread_core::ports::agenda::IdempotentRequest;
use wellread_core::ports::event::RunKind;
use wellread_core::ports::{
    Accounts as _, IdempotencyStore as _, RecordViewer, RunLogs as _, Sessions as _, StoredSession,
};
use wellread_testkit::contract::accounts::{entry, invite};
use wellread_testkit::contract::views::user;
use wellread_testkit::run_fixtures::{event_time, events, record_run};

use crate::postgres_server::{TestDatabase, run_sql, try_sql};

/// A run, a conversation and an answer.
fn fill(records: &PostgresRecords, viewer: &RecordViewer, word: &str) -> RunId {
    let (records, run) = (records.for_viewer(viewer), RunId::fresh());
    record_run(&records, &run, RunKind::Ask, word, &events(&run, RunKind::Ask, word));
    let state = serde_json::json!({ "said": word });
    records
        .keep_session(&StoredSession { id: word.to_owned(), active_file: None, last: event_time(1), state })
        .unwrap();
    let once = IdempotentRequest::new(&viewer.scope_key("key"), "accept", &word).unwrap();
    records.keep_answer(&once, word).unwrap();
    run
}

/// The tables with rows of users, and what of a row would tell somebody of it.
const OWNED: [(&str, &str); 4] = [
    ("runs", "id || header"),
    ("events", "run || event"),
    ("sessions", "convert_from(id, 'UTF8') || state"),
    ("answers", "convert_from(key, 'UTF8') || convert_from(answer, 'UTF8')"),
];

#[test]
fn the_database_alone_keeps_users_apart() {
    let Some(database) = TestDatabase::create() else { return };
    let records = database.open("ours");
    let anna = fill(&records, &user("anna"), "Zugunruhe");
    let bob = fill(&records, &user("bob"), "Xerophyte");
    let owner = fill(&records, &RecordViewer::owner(), "Quokka");
    invite(&records, "anna", "link").unwrap();
    let url = database.url(&database.role());
    let ask = |viewer: &str, sql: &str| {
        run_sql(&url, &format!("SET wellread.space = 'ours'; SET wellread.\"user\" = '{viewer}'; {sql}"))
    };
    for (table, text) in OWNED {
        let all = |viewer: &str| {
            ask(viewer, &format!("SELECT coalesce(string_agg({text}, ' '), '') FROM wellread.{table}"))
                .unwrap()
        };
        for (viewer, own, word, others) in [
            ("anna", &anna, "Zugunruhe", ["Xerophyte", "Quokka"]),
            ("bob", &bob, "Xerophyte", ["Zugunruhe", "Quokka"]),
            ("@", &owner, "Quokka", ["Zugunruhe", "Xerophyte"]),
        ] {
            let seen = all(viewer);
            assert!(seen.contains(word), "{viewer} {table}: {seen}");
            let strangers = [&anna, &bob, &owner].map(|run| run.as_str().to_owned());
            let hidden = strangers.iter().filter(|run| **run != own.as_str());
            for other in hidden.map(String::as_str).chain(others) {
                assert!(!seen.contains(other), "{viewer} {table}: {seen}");
            }
        }
        // One who says nothing, or a name that nobody has, sees nothing at all.
        for nobody in ["", "carl", "ANNA", "anna~1"] {
            assert_eq!(all(nobody), "", "{nobody} {table}");
        }
        let unset = format!("SET wellread.space = 'ours'; SELECT count(*) FROM wellread.{table}");
        assert_eq!(run_sql(&url, &unset).as_deref(), Some("0"), "{table}");
        assert!(["Zugunruhe", "Xerophyte", "Quokka"].iter().all(|word| all("*").contains(word)), "{table}");
    }
    for table in ["accounts", "audit"] {
        let count = |viewer: &str| ask(viewer, &format!("SELECT count(*) FROM wellread.{table}")).unwrap();
        assert_eq!((count("anna"), count(""), count("@")), ("0".into(), "0".into(), "1".into()), "{table}");
    }
}

#[test]
fn the_database_alone_keeps_users_from_changing_what_is_not_theirs() {
    let Some(database) = TestDatabase::create() else { return };
    let records = database.open("ours");
    let anna = fill(&records, &user("anna"), "Honey");
    let vaults = fill(&records, &RecordViewer::vault(), "Nectar");
    let before = records.for_viewer(&user("anna")).events(&anna).unwrap();
    let url = database.url(&database.role());
    let attempt = |sql: &str| {
        try_sql(&url, &format!("SET wellread.space = 'ours'; SET wellread.\"user\" = 'bob'; {sql}"))
    };
    for sql in [
        "UPDATE wellread.runs SET header = 'mine', owner = 'bob'",
        "UPDATE wellread.sessions SET state = 'mine', owner = 'bob'",
        "UPDATE wellread.answers SET answer = 'mine', owner = 'bob'",
        "DELETE FROM wellread.sessions",
        "DELETE FROM wellread.answers",
        "DELETE FROM wellread.events",
        "UPDATE wellread.accounts SET state = '{}'",
    ] {
        // It finds nothing to change, or is refused.
        let _ = attempt(sql);
    }
    for run in [&anna, &vaults] {
        for sql in [
            format!("INSERT INTO wellread.events VALUES ('ours', '{run}', {}, 0, '{{}}', '')", before.len()),
            format!("INSERT INTO wellread.forgotten VALUES ('ours', '{run}', 0)"),
        ] {
            assert!(attempt(&sql).is_err(), "{sql}");
        }
    }
    for owner in ["anna", "@", "*"] {
        let sql = "INSERT INTO wellread.sessions (space, id, last, state, sum, owner) VALUES ('ours', 'x', 1, '', '', ";
        assert!(attempt(&format!("{sql}'{owner}')")).is_err(), "nobody writes for {owner}");
    }
    let hers = records.for_viewer(&user("anna"));
    assert_eq!(hers.events(&anna).unwrap(), before);
    assert_eq!(hers.session("Honey").unwrap().unwrap().state["said"], "Honey");
    let once = IdempotentRequest::new(&user("anna").scope_key("key"), "accept", &"Honey").unwrap();
    assert_eq!(hers.record_request(&once).unwrap().as_deref(), Some("Honey"));
    assert!(records.for_viewer(&user("bob")).events(&vaults).is_ok(), "what is the vault's can be read");
}

#[test]
fn the_log_shows_what_was_changed_in_it() {
    let Some(database) = TestDatabase::create() else { return };
    let records = database.open("ours");
    for action in ["one", "two", "three"] {
        records.append_audit(&entry(action)).unwrap();
    }
    database.run_sql(
        "SET session_replication_role = replica; UPDATE wellread.audit SET entry = replace(entry, 'two', 'tow')",
    );
    assert!(records.for_each_audit(&mut |_, _| {}).unwrap_err().message().contains("entry 1"));
}

/// Takes out again what the second version added.
const BACK_TO_FIRST: &str = "DROP FUNCTION wellread.sees CASCADE; DROP FUNCTION wellread.may_change CASCADE; \
    DROP POLICY user_sees ON wellread.events; DROP POLICY user_sees ON wellread.forgotten; \
    ALTER TABLE wellread.runs DROP COLUMN owner; ALTER TABLE wellread.sessions DROP COLUMN owner; \
    ALTER TABLE wellread.answers DROP COLUMN owner; DROP TABLE wellread.accounts; DROP TABLE wellread.audit; \
    DELETE FROM wellread.schema_version WHERE version > 1";

#[test]
fn a_database_of_the_first_version_becomes_one_with_users_and_keeps_everything() {
    let Some(database) = TestDatabase::create() else { return };
    let records = database.open("ours");
    let run = fill(&records, &RecordViewer::owner(), "Honey");
    let (events, sessions) = (records.events(&run).unwrap(), records.sessions(10).unwrap());
    drop(records);
    database.run_sql(BACK_TO_FIRST);
    assert!(database.open("ours").runs("", 1).unwrap_err().message().contains("earlier version"));
    let report = database.open_as("postgres", "ours").migrate().unwrap();
    assert_eq!((report.from, report.to), (1, 2));
    let role = database.role();
    database.run_sql(&format!(
        "GRANT SELECT, INSERT, UPDATE ON wellread.accounts TO {role}; GRANT SELECT, INSERT ON wellread.audit TO {role}"
    ));
    let records = database.open("ours");
    assert_eq!((records.events(&run).unwrap(), records.sessions(10).unwrap()), (events, sessions));
    let owners = "SELECT string_agg(DISTINCT owner, ' ' ORDER BY owner) FROM wellread.sessions";
    assert_eq!(database.run_sql(owners).as_deref(), Some("@"));
    // From now on a row belongs to whoever writes it.
    fill(&records, &user("anna"), "Wax");
    assert_eq!(database.run_sql(owners).as_deref(), Some("@ anna"));
    assert_eq!(records.inspect(false).unwrap().missing_rights, [""; 0]);
}
