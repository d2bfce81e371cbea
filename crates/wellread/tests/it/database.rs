//! The records in a PostgreSQL database, from outside: settings, `wellread db`, and what goes on without it.

use std::fs;
use std::process::Command;

use serde_json::{Value, json};
use wellread_core::domain::id::RunId;
use wellread_core::ports::event::RunKind;
use wellread_testkit::run_fixtures::{events, record_run};

use crate::desk::{Desk, Ran};
use crate::postgres_server::{OwnServer, TestDatabase};

/// The binary on this desk, with this database.
fn with_database(desk: &Desk, url: &str) -> Command {
    let mut command = desk.here();
    command.env("WELLREAD_DATABASE_URL", url);
    command
}

fn run(desk: &Desk, url: &str, args: &[&str]) -> Ran {
    Ran::of(with_database(desk, url).args(args))
}

#[test]
fn a_url_that_can_not_be_used_is_refused_before_anything_is_sent() {
    let desk = Desk::new();
    for (url, reason) in [
        ("postgres://me:s3cret@localhost/x", "has a password in it"),
        ("postgres://me@db.example.org/x?sslmode=disable", "unencrypted"),
        ("mysql://me@localhost/x", "postgres://"),
    ] {
        let ran = run(&desk, url, &["status"]);
        assert!(ran.status != Some(0) && ran.stderr.contains(reason), "{ran:?}");
        assert!(!ran.stderr.contains("s3cret"), "{ran:?}");
    }
    let ran = desk.run(["db", "migrate"]);
    assert!(ran.status != Some(0) && ran.stderr.contains("database.url"), "{ran:?}");
    let ran = Ran::of(with_database(&desk, "postgres://me@db.example.org/x").args(["--offline", "runs"]));
    assert!(ran.status == Some(5) && ran.stderr.contains("--offline"), "{ran:?}");
}

#[test]
fn without_the_database_notes_are_read_searched_and_edited() {
    let desk = Desk::new();
    // Nobody listens there.
    let url = "postgres://me@127.0.0.1:1/x";
    let read = run(&desk, url, &["tool", "read_file", r#"{"path": "Home"}"#]);
    assert_eq!(read.status, Some(0), "{read:?}");
    let edited = json!({ "path": "New.md", "content": "Wax.\n" }).to_string();
    assert_eq!(run(&desk, url, &["tool", "create_file", &edited]).status, Some(0));
    assert_eq!(desk.text("New.md"), "Wax.\n");
    let found = run(&desk, url, &["search", "--json", "honey"]);
    assert_eq!(found.status, Some(0), "{found:?}");
    let ran = run(&desk, url, &["runs"]);
    assert_eq!(ran.status, Some(5), "{ran:?}");
    assert!(ran.stderr.contains("the database at 127.0.0.1:1/x can't be reached"), "{ran:?}");
    assert!(ran.stderr.contains("editing notes goes on"), "{ran:?}");
    let status = run(&desk, url, &["status", "--json"]).done();
    assert!(status["records"]["unavailable"].as_str().unwrap().contains("can't be reached"), "{status}");
    assert!(status["notes"].as_u64().unwrap() > 0);
    let doctor: Value = run(&desk, url, &["doctor", "--json"]).json();
    let records =
        doctor["checks"].as_array().unwrap().iter().find(|check| check["name"] == "records").unwrap();
    assert_eq!(records["ok"], false, "{records}");
}

#[test]
fn records_move_into_the_database_and_back() {
    let Some(server) = OwnServer::start() else { return };
    let database = TestDatabase::create_empty_on(&server.address);
    let desk = Desk::new();
    let id = RunId::fresh();
    record_run(&desk.records(), &id, RunKind::Ask, "What keeps?", &events(&id, RunKind::Ask, "What keeps?"));
    let before = desk.run(["db", "check", "--json"]).done();
    assert_eq!((before["ok"].clone(), before["counts"]["runs"].clone()), (json!(true), json!(1)));
    let exported = desk.run(["db", "export", "records.jsonl", "--json"]).done();
    assert_eq!(exported["digest"], before["digest"]);

    let url = database.url("postgres");
    let unprepared = run(&desk, &url, &["runs"]);
    assert!(unprepared.stderr.contains("wellread db migrate"), "{unprepared:?}");
    let migrated = run(&desk, &url, &["db", "migrate", "--json"]).done();
    assert_eq!((migrated["from"].clone(), migrated["to"].clone()), (json!(0), json!(2)));
    assert_eq!(run(&desk, &url, &["db", "migrate", "--json"]).done()["from"], json!(2));
    database.create_role();
    let url = database.url(&database.role());
    assert_eq!(
        run(&desk, &url, &["db", "import", "records.jsonl", "--json"]).done()["digest"],
        before["digest"]
    );

    let checked = run(&desk, &url, &["db", "check", "--json"]).done();
    assert_eq!((checked["ok"].clone(), checked["digest"].clone()), (json!(true), before["digest"].clone()));
    assert_eq!(checked["database"]["sees_all_spaces"], json!(false));
    let shown = run(&desk, &url, &["db", "check"]);
    assert!(shown.stdout.contains("every hash chain and checksum holds"), "{shown:?}");
    let listed = run(&desk, &url, &["runs", "--json"]).done();
    assert_eq!(listed["runs"][0]["id"], json!(id.to_string()));
    let status = run(&desk, &url, &["status"]);
    assert!(status.stdout.contains("PostgreSQL at 127.0.0.1"), "{status:?}");
    // Research in the database, and another space that knows nothing of it.
    assert_eq!(
        run(&desk, &url, &["ask", "what", "is", "in", "Home", "--json"]).json()["success"],
        json!(true)
    );
    assert!(run(&desk, &url, &["runs", "--json"]).done()["runs"].as_array().unwrap().len() > 1);
    let mut other = with_database(&desk, &url);
    other.env("WELLREAD_DATABASE_SPACE", "another");
    assert_eq!(Ran::of(other.args(["runs", "--json"])).done()["runs"], json!([]));

    let back = Desk::new();
    let file = desk.folder().join("back.jsonl");
    let file = file.to_str().unwrap();
    let exported = run(&desk, &url, &["db", "export", file, "--json"]).done();
    assert_eq!(back.run(["db", "import", file, "--json"]).done()["digest"], exported["digest"]);
    assert_eq!(back.run(["db", "check", "--json"]).done()["digest"], exported["digest"]);
}

#[test]
fn a_check_names_what_is_damaged_and_which_rights_are_missing() {
    let Some(database) = TestDatabase::create() else { return };
    let desk = Desk::new();
    let id = RunId::fresh();
    let url = database.url(&database.role());
    record_run(&database.open("default"), &id, RunKind::Ask, "Wax?", &events(&id, RunKind::Ask, "Wax?"));
    assert_eq!(run(&desk, &url, &["db", "check"]).status, Some(0));
    let changed = "UPDATE wellread.events SET event = replace(event, 'Wax', 'Max') WHERE number = 0";
    database.run_sql(&format!("SET session_replication_role = replica; {changed}"));
    database.run_sql(&format!("REVOKE INSERT ON wellread.runs FROM {}", database.role()));
    let ran = run(&desk, &url, &["db", "check"]);
    assert_eq!(ran.status, Some(1), "{ran:?}");
    assert!(ran.stdout.contains(&format!("events {id} 0")), "{ran:?}");
    assert!(ran.stdout.contains("lacks INSERT on runs"), "{ran:?}");
    let seen = run(&desk, &database.url("postgres"), &["db", "check"]);
    assert!(seen.stdout.contains("row-level security does not apply"), "{seen:?}");
    let file = desk.folder().join("x");
    fs::write(&file, "no records").unwrap();
    let ran = run(&desk, &url, &["db", "import", "x"]);
    assert!(ran.status == Some(2) && ran.stderr.contains("can't be imported"), "{ran:?}");
}

#[test]
fn records_are_not_exported_into_a_vault_or_a_repository() {
    let desk = Desk::new();
    fs::create_dir(desk.folder().join("code")).unwrap();
    desk.run(["repo", "add", "code"]).succeeded();
    for file in ["vault/records.jsonl", "vault/New/../records.jsonl", "code/records.jsonl"] {
        let refused = desk.run(["db", "export", file]);
        refused.complains(4);
        assert!(!desk.folder().join(file).exists(), "{file}");
    }
    desk.run(["db", "export", "records.jsonl"]).succeeded();
}
