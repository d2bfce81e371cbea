//! Users whose accounts and records are in a database that two machines share.

use std::process::Command;

use serde_json::{Value, json};
use wellread_core::domain::id::{FindingId, RunId};
use wellread_core::ports::event::RunKind;
use wellread_core::ports::{AgendaActor, AgendaChange, Records};
use wellread_testkit::agenda_fixtures::{agenda, new_finding};
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

/// The log of decisions, a line for each entry.
fn audit(ran: &Ran) -> Vec<String> {
    let text = |row: &Value, name: &str| row[name].as_str().unwrap_or_default().to_owned();
    let line = |row: &Value| ["who", "face", "action", "target"].map(|name| text(row, name)).join(" ");
    ran.done()["entries"].as_array().unwrap().iter().map(line).collect()
}

#[test]
fn accounts_and_the_log_move_with_the_records_and_back() {
    let Some(database) = TestDatabase::create() else { return };
    let url = database.url(&database.role());
    let desk = Desk::new();
    let served = Served::start(&desk);
    let anna = crate::users::add_user(&desk, &served, "anna", &["--rights", "read,research"]);
    let bob = crate::users::add_user(&desk, &served, "bob", &[]);
    desk.run(["users", "remove", "bob"]).succeeded();
    served.end();
    let log = audit(&desk.run(["users", "audit", "--json"]));
    assert_eq!(log.len(), 5, "{log:?}");
    let exported = desk.run(["db", "export", "all.jsonl", "--json"]).done();
    let file = desk.folder().join("all.jsonl");
    let text = std::fs::read_to_string(&file).unwrap();
    assert!(!text.contains(anna.rsplit_once('.').unwrap().1), "only the hash of a token is there");

    let file = file.to_str().unwrap();
    let imported = run(&desk, &url, &["db", "import", file, "--json"]).done();
    assert_eq!(imported["digest"], exported["digest"]);
    let checked = run(&desk, &url, &["db", "check", "--json"]).done();
    assert_eq!((&checked["digest"], &checked["counts"]["audit"]), (&exported["digest"], &json!(5)));
    assert_eq!(audit(&run(&desk, &url, &["users", "audit", "--json"])), log);
    let there = serve(&desk, &url);
    assert_eq!(send(&there, &anna, "GET", "/api/status", None).status, 200, "her token goes along");
    assert_eq!(send(&there, &bob, "GET", "/api/status", None).status, 401, "and he is still removed");
    there.end();

    // The log is part of the check.
    let back = Desk::new();
    assert_eq!(back.run(["db", "import", file, "--json"]).done()["digest"], exported["digest"]);
    assert_eq!(audit(&back.run(["users", "audit", "--json"])), log);
    let changed = "UPDATE wellread.audit SET entry = replace(entry, 'remove', 'invite') WHERE number = 4";
    database.run_sql(&format!("SET session_replication_role = replica; {changed}"));
    let damaged = run(&desk, &url, &["db", "check"]);
    assert!(damaged.status == Some(1) && damaged.stdout.contains("audit 4"), "{damaged:?}");
}

/// An agenda that waits for approval, one that is to be cancelled, and three findings that wait for a decision.
fn fill_inbox(records: &dyn Records) -> ([String; 2], Vec<FindingId>) {
    let (approve, mut cancel) = (agenda(1), agenda(1));
    cancel.max_findings = 3;
    for proposed in [&approve, &cancel] {
        records.propose(proposed, None).unwrap();
    }
    let found = |number: usize| {
        new_finding(&cancel.id, &cancel.tasks[0].id, &format!("https://wax.example/{number}"))
    };
    let new: Vec<_> = (0..3).map(found).collect();
    let mut add = |change: &mut AgendaChange| {
        change.findings = new.clone();
        Ok(())
    };
    records.change_agenda(&cancel.id, AgendaActor::User, &mut add).unwrap();
    let ids = new.into_iter().map(|new| new.finding.id).collect();
    ([approve.id.to_string(), cancel.id.to_string()], ids)
}

/// Runs the binary with these words.
type Run<'a> = &'a dyn Fn(&[&str]) -> Ran;

#[test]
fn what_is_decided_on_the_command_line_is_in_the_log_where_there_are_accounts() {
    let Some(database) = TestDatabase::create() else { return };
    let (own, shared) = (Desk::new(), Desk::new());
    let url = database.url(&database.role());
    // Nothing is approved that could not be looked up.
    let with_service = |command: &mut Command, args: &[&str]| {
        Ran::of(command.env("WELLREAD_SEARCH_SERVICES", "duckduckgo").args(args))
    };
    let in_file = |args: &[&str]| with_service(&mut own.here(), args);
    let in_database = |args: &[&str]| with_service(shared.here().env("WELLREAD_DATABASE_URL", &url), args);
    let (file, team) = (own.records(), database.open("default"));
    let places: [(Run<'_>, &dyn Records); 2] = [(&in_file, &file), (&in_database, &team)];
    for (run, records) in places {
        let ([approve, cancel], findings) = fill_inbox(records);
        let ids: Vec<String> = findings.iter().map(ToString::to_string).collect();
        let (first, second, third) = (ids[0].as_str(), ids[1].as_str(), ids[2].as_str());
        run(&["inbox", "dismiss", first, "--suppress"]).succeeded();
        assert_eq!(audit(&run(&["users", "audit", "--json"])), [""; 0], "there are no accounts yet");
        run(&["users", "invite", "anna"]).succeeded();
        run(&["agenda", "approve", &approve]).succeeded();
        run(&["agenda", "cancel", &cancel]).succeeded();
        run(&["inbox", "accept", second]).succeeded();
        run(&["inbox", "undo", second]).succeeded();
        run(&["tool", "dismiss_finding", &json!({ "id": third }).to_string()]).succeeded();
        run(&["inbox", "show", second]).succeeded();
        assert_ne!(run(&["agenda", "approve", &cancel]).status, Some(0), "what is refused is not logged");
        assert_eq!(
            audit(&run(&["users", "audit", "--json"])),
            [
                "@ terminal users invite anna".to_owned(),
                format!("@ terminal approve_agenda {approve}"),
                format!("@ terminal cancel_agenda {cancel}"),
                format!("@ terminal accept_finding {second}"),
                format!("@ terminal undo_accept {second}"),
                format!("@ terminal dismiss_finding {third}"),
            ]
        );
    }
}
