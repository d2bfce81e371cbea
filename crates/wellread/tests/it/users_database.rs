//! Users whose accounts and records are in a database that two machines share.

use serde_json::{Value, json};
use wellread_core::domain::id::RunId;
use wellread_core::ports::event::RunKind;
use wellread_testkit::contract::views::user;
use wellread_testkit::run_fixtures::{events, record_run};

use crate::desk::{Desk, Ran};
use crate::postgres_server::TestDatabase;
use crate::served::Served;
use crate::users::{join, send};

fn run(desk: &Desk, url: &str, args: &[&str]) -> Ran {
    Ran::of(desk.here().env("WELLREAD_DATABASE_URL", url).args(args))
}

fn serve(desk: &Desk, url: &str) -> Served {
    Served::with(desk, &[], |command| command.env("WELLREAD_DATABASE_URL", url))
}

fn add(desk: &Desk, url: &str, served: &Served, name: &str) -> String {
    let rights = ["users", "invite", name, "--rights", "read,research,write,decide", "--json"];
    let link = run(desk, url, &rights).done()["link"].as_str().unwrap().to_owned();
    join(served, &link).done()["token"].as_str().unwrap().to_owned()
}

#[test]
fn two_machines_share_users_and_each_user_has_their_own() {
    let Some(database) = TestDatabase::create() else { return };
    let url = database.url(&database.role());
    let (desk, other) = (Desk::new(), Desk::new());
    let (one, two) = (serve(&desk, &url), serve(&other, &url));
    // Invited on one machine, and let in by both.
    let (anna, bob) = (add(&desk, &url, &one, "anna"), add(&other, &url, &two, "bob"));
    let ask = |served: &Served, token: &str| {
        let body = json!({ "query": "What is a nectar flow?" }).to_string();
        send(served, token, "POST", "/api/ask", Some(&body)).done()
    };
    let runs = |served: &Served, token: &str| -> Vec<Value> {
        send(served, token, "GET", "/api/runs", None).done()["runs"].as_array().unwrap().clone()
    };
    ask(&one, &anna);
    ask(&two, &bob);
    for served in [&one, &two] {
        let (hers, his) = (runs(served, &anna), runs(served, &bob));
        assert_eq!((hers.len(), his.len(), runs(served, &served.token).len()), (1, 1, 0));
        assert_ne!(hers[0]["id"], his[0]["id"]);
        let path = format!("/api/runs/{}", hers[0]["id"].as_str().unwrap());
        assert_eq!(send(served, &anna, "GET", &path, None).status, 200);
        for token in [&bob, &served.token] {
            assert_eq!(send(served, token, "GET", &path, None).status, 404);
        }
    }
    // The same key of two users is two keys.
    let propose = |token: &str| {
        let body = json!({ "sourceNoteId": null }).to_string();
        let head = format!(
            "POST /api/research/trigger HTTP/1.1\r\nHost: 127.0.0.1:{}\r\nAuthorization: Bearer {token}\r\nConnection: close\r\n\
             Idempotency-Key: the same\r\nContent-Type: application/json\r\nContent-Length: {}\r\n\r\n{body}",
            one.port,
            body.len()
        );
        one.raw(head.as_bytes())
    };
    let (first, again, his) = (propose(&anna), propose(&anna), propose(&bob));
    assert_eq!((first.status, again.status, his.status), (201, 201, 201), "{first:?} {his:?}");
    assert_eq!(first.json()["id"], again.json()["id"]);
    assert_ne!(first.json()["id"], his.json()["id"]);
    // An agenda belongs to the vault.
    let agendas = send(&two, &bob, "GET", "/api/research/agenda", None).body;
    assert!(agendas.contains(first.json()["id"].as_str().unwrap()), "{agendas}");

    assert_eq!(run(&other, &url, &["users", "remove", "anna"]).status, Some(0));
    for served in [&one, &two] {
        assert_eq!(send(served, &anna, "GET", "/api/runs", None).status, 401);
        assert!(!runs(served, &bob).is_empty());
    }
    let log = run(&desk, &url, &["users", "audit", "--json"]).done();
    let who: Vec<&str> =
        log["entries"].as_array().unwrap().iter().map(|row| row["action"].as_str().unwrap()).collect();
    assert_eq!(who, ["users invite", "users join", "users invite", "users join", "users remove"]);
    assert_eq!(run(&desk, &url, &["db", "check"]).status, Some(0));
    one.end();
    two.end();
}

/// What owners have is copied with them, and a copy from before there were owners has the same digest.
#[test]
fn owners_go_along_when_records_are_moved() {
    let Some(database) = TestDatabase::create() else { return };
    let url = database.url(&database.role());
    let desk = Desk::new();
    let (own, hers) = (RunId::fresh(), RunId::fresh());
    let records = desk.records();
    record_run(&records, &own, RunKind::Ask, "Wax?", &events(&own, RunKind::Ask, "Wax?"));
    let before = desk.run(["db", "export", "own.jsonl", "--json"]).done();
    let line = std::fs::read_to_string(desk.folder().join("own.jsonl")).unwrap();
    let row: Value = serde_json::from_str(line.lines().nth(1).unwrap()).unwrap();
    assert_eq!(row.as_array().unwrap().len(), 5, "whoever has the machine is not written down: {row}");
    record_run(
        &records.for_viewer(&user("anna")),
        &hers,
        RunKind::Ask,
        "Honey?",
        &events(&hers, RunKind::Ask, "Honey?"),
    );
    let exported = desk.run(["db", "export", "all.jsonl", "--json"]).done();
    assert_ne!(exported["digest"], before["digest"]);
    let imported = run(&desk, &url, &["db", "import", "all.jsonl", "--json"]).done();
    assert_eq!(imported["digest"], exported["digest"]);
    let listed = run(&desk, &url, &["runs", "--json"]).done();
    assert_eq!(listed["runs"].as_array().unwrap().len(), 1, "hers is still hers");
    let theirs = database.open("default").for_viewer(&user("anna"));
    assert!(wellread_core::ports::RunLogs::events(&theirs, &hers).is_ok());
}
