//! The index in a database, from outside: one process indexes, the others search.

use std::process::{Child, Command, Stdio};
use std::thread;
use std::time::{Duration, Instant};

use rustix::process::{Pid, Signal, kill_process};
use serde_json::{Value, json};

use crate::desk::{Desk, PATIENCE, Ran};
use crate::postgres_server::{OwnServer, TestDatabase};
use crate::served::Served;

/// The binary on this desk, with the index in this database, in a space that all desks share.
pub fn here(desk: &Desk, url: &str) -> Command {
    let mut command = desk.here();
    command.env("WELLREAD_DATABASE_URL", url).env("WELLREAD_DATABASE_SPACE", "team");
    command.env("WELLREAD_DATABASE_INDEX", "on");
    command
}

pub fn run(desk: &Desk, url: &str, args: &[&str]) -> Ran {
    Ran::of(here(desk, url).args(args))
}

/// The files that a search finds.
fn find(desk: &Desk, url: &str, words: &str) -> Vec<String> {
    paths(&run(desk, url, &["search", "--mode", "keyword", "--json", words]).done())
}

fn paths(answer: &Value) -> Vec<String> {
    let hits = answer["results"].as_array().unwrap();
    hits.iter().map(|hit| hit["path"].as_str().unwrap().to_owned()).collect()
}

/// A database with the tables, made as a user makes them; the address is that of the role with the least rights.
fn prepare(server: &str, desk: &Desk) -> (TestDatabase, String) {
    let database = TestDatabase::create_empty_on(server);
    let migrated = run(desk, &database.url("postgres"), &["db", "migrate", "--json"]).done();
    assert_eq!(migrated["index"], json!({ "from": 0, "to": 1 }), "{migrated}");
    database.create_role();
    let url = database.url(&database.role());
    (database, url)
}

fn start_indexer(desk: &Desk, url: &str) -> Child {
    let mut command = here(desk, url);
    command.args(["serve", "--role", "indexer"]);
    command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap()
}

#[test]
fn one_machine_indexes_and_the_others_search() {
    let Some(mut server) = OwnServer::start() else { return };
    let (indexing, searching) = (Desk::new(), Desk::new());
    let (_database, url) = prepare(&server.address, &indexing);
    let checked = run(&indexing, &url, &["db", "check", "--json"]).done();
    assert_eq!(
        (&checked["ok"], &checked["database"]["index_schema"]),
        (&json!(true), &json!(1)),
        "{checked}"
    );

    let api = Served::of(here(&searching, &url), &["--role", "api"]);
    let search = |words: &str| api.get(&format!("/api/search?mode=keyword&q={words}"));
    assert_eq!(paths(&search("honey").done()), [""; 0], "nobody has indexed anything yet");
    let mut indexer = start_indexer(&indexing, &url);
    let begun = Instant::now();
    while paths(&search("honey").done()).is_empty() {
        assert!(begun.elapsed() < PATIENCE);
        thread::sleep(Duration::from_millis(50));
    }
    assert!(!searching.data().join("index.db").exists(), "its own index was not made");
    assert!(!find(&searching, &url, "honey").is_empty());
    // A note that both have, and only one has indexed.
    for desk in [&searching, &indexing] {
        desk.save("Zanzibar.md", "The zanzibar hive.\n");
    }
    let begun = Instant::now();
    while paths(&search("zanzibar").done()) != ["Zanzibar.md"] {
        assert!(begun.elapsed() < PATIENCE);
        thread::sleep(Duration::from_millis(50));
    }
    // What is edited here is found at once.
    let new = json!({ "path": "Quetzal.md", "content": "quetzal\n" });
    api.tool("create_file", &new).done();
    assert_eq!(paths(&search("quetzal").done()), ["Quetzal.md"]);

    server.order("stop");
    let begun = Instant::now();
    let away = search("honey");
    assert!(away.status == 503 && begun.elapsed() < Duration::from_secs(10), "{away:?}");
    assert!(away.json().to_string().contains("can't be reached"), "{away:?}");
    let ran = run(&searching, &url, &["search", "honey"]);
    assert!(ran.status == Some(5) && ran.stderr.contains("the index is in the database"), "{ran:?}");
    let read = run(&searching, &url, &["tool", "read_file", r#"{"path": "Home"}"#]);
    assert_eq!(read.status, Some(0), "{read:?}");
    let edited = json!({ "path": "Wax.md", "content": "Wax.\n" }).to_string();
    assert_eq!(run(&searching, &url, &["tool", "create_file", &edited]).status, Some(0));
    server.order("start");
    assert!(!paths(&search("honey").done()).is_empty());
    kill_process(Pid::from_child(&indexer), Signal::TERM).unwrap();
    assert!(indexer.wait().unwrap().success());
    api.end();
}

#[test]
fn an_index_in_a_database_needs_a_database_and_its_tables() {
    let desk = Desk::new();
    let mut command = desk.here();
    command.env("WELLREAD_DATABASE_INDEX", "on");
    let ran = Ran::of(command.arg("status"));
    assert!(ran.status == Some(2) && ran.stderr.contains("database.url"), "{ran:?}");
    let Some(database) = TestDatabase::create() else { return };
    let ran = run(&desk, &database.url(&database.role()), &["search", "honey"]);
    assert!(ran.status != Some(0) && ran.stderr.contains("wellread db migrate"), "{ran:?}");
    let mut without = desk.here();
    without.env("WELLREAD_DATABASE_URL", database.url(&database.role()));
    assert_eq!(Ran::of(without.args(["search", "honey"])).status, Some(0));
}
