//! Research of the knowledge base from outside, as it should go: by HTTP, as events, and on the command line.

use std::fs;
use std::io::{BufRead as _, BufReader, Write as _};
use std::net::TcpStream;
use std::thread;

use serde_json::{Value, json};
use wellread_core::domain::id::AgendaId;

use crate::agenda_bench::{Bench, PAGES, Trap, agenda, approve, done, findings, keyed, notes, until_ended};
use crate::desk::{Ran, borne_out, column};
use crate::served::{Reply, Served};

const NOWHERE: &str = "00000000000000";

fn trigger(served: &Served) -> Value {
    done(&served.post("/api/research/trigger", &json!({ "sourceNoteId": "Bees.md" })), 201)
}

fn id_in(agenda: &Value) -> AgendaId {
    AgendaId::parse(agenda["id"].as_str().unwrap()).unwrap()
}

fn finding_path(finding: &Value, what: &str) -> String {
    format!("/api/research/findings/{}{what}", finding["id"].as_str().unwrap())
}

#[test]
fn a_note_is_researched_from_the_wish_to_the_note_of_what_was_found() {
    let bench = Bench::with_model(Trap::nowhere());
    let records = bench.desk.records();
    let served = bench.serve();
    let agenda = trigger(&served);
    assert_eq!((&agenda["status"], &agenda["trigger"]), (&json!("pending"), &json!("note")), "{agenda}");
    assert_eq!(agenda["sourceNoteId"], "Bees.md");
    assert_eq!(column(&agenda["tasks"], "query"), ["heather honey", "oak galls"]);
    assert_eq!(column(&agenda["tasks"], "status"), ["proposed"; 2]);
    assert_eq!(agenda["tasks"][0]["relatedNotes"], json!(["Bees.md"]));
    let id = id_in(&agenda);
    let path = format!("/api/research/agenda/{id}");
    assert_eq!(served.get(&path).done(), agenda);
    let listed = served.get("/api/research/agenda?status=pending&limit=5").done();
    assert_eq!(column(&listed["agendas"], "id"), [id.as_str()]);
    assert_eq!(bench.asked(), [""; 0], "nothing is looked up before it is approved");
    assert_eq!(served.get("/api/research/counts").done()["pending"], 1);

    let blocked = agenda["tasks"][1]["id"].clone();
    let approved = served.post(&format!("{path}/approve"), &json!({ "blockedTaskIds": [blocked] }));
    assert_eq!(column(&done(&approved, 202)["tasks"], "status"), ["queued", "blocked"]);
    until_ended(&records, &id);
    let ended = served.get(&path).done();
    assert_eq!((&ended["status"], &ended["findings"]), (&json!("done"), &json!(PAGES)), "{ended}");
    assert_eq!(ended["message"], "2 new findings in the inbox");
    assert_eq!(column(&ended["tasks"], "status"), ["done", "blocked"]);
    let counts =
        json!({ "results": 2, "fetched": 2, "duplicates": 0, "foundBefore": 0, "findings": 2, "skipped": 0 });
    assert_eq!(ended["tasks"][0]["counts"], counts);
    assert!(!bench.asked().iter().any(|path| path.contains("oak")), "a blocked task never runs");
    approve(&served, &id).problem(409);
    served.post(&format!("{path}/cancel"), &json!({})).problem(409);

    let inbox = served.get("/api/research/findings?status=new").done();
    assert_eq!(inbox["counts"]["new"], 2, "{inbox}");
    let found = inbox["findings"].as_array().unwrap();
    for finding in found {
        assert_eq!((&finding["agendaId"], &finding["taskId"]), (&agenda["id"], &agenda["tasks"][0]["id"]));
        assert_eq!((&finding["status"], &finding["source"]), (&json!("new"), &json!("web")));
        let summary = finding["summary"].as_str().unwrap();
        assert!(summary.contains("hill is known for") && !summary.contains("ev-"), "{finding}");
        let sentence = &finding["sentences"][0];
        assert_eq!((&sentence["verdict"], &sentence["part"]), (&json!("quoted"), &json!("summary")));
        let evidence = &finding["evidence"][0];
        assert_eq!(evidence["id"], sentence["evidence"][0]);
        assert!(evidence["quote"].as_str().unwrap().contains(summary.trim_end_matches('.')), "{finding}");
        assert_eq!(evidence["url"], finding["url"]);
        assert!(finding["similarity"].as_f64().unwrap() < 0.85 && finding["notePath"].is_null(), "{finding}");
        assert_eq!(finding["relatedNotes"], json!(["Bees.md", "Ink.md"]));
        assert_eq!(served.get(&finding_path(finding, "")).done()["id"], finding["id"]);
    }
    accepted_and_dismissed(&bench, &served, &found[0], &found[1]);
    served.end();
}

fn accepted_and_dismissed(bench: &Bench, served: &Served, one: &Value, other: &Value) {
    let accepted = served.post(&finding_path(one, "/accept"), &json!({})).done();
    let note = accepted["notePath"].as_str().unwrap().to_owned();
    assert!(note.starts_with("Inbox/"), "{accepted}");
    let text = bench.desk.text(&note);
    for part in
        ["- research-agent", "source: ", "date: ", "[[Bees]]", "[[Ink]]", one["summary"].as_str().unwrap()]
    {
        assert!(text.contains(part), "`{part}` is not in\n{text}");
    }
    // Once more it is what it is, and other words are not dropped without a word.
    let again = served.post(&finding_path(one, "/accept"), &json!({})).done();
    assert_eq!(again["notePath"], accepted["notePath"]);
    let other_words = served.post(&finding_path(one, "/accept"), &json!({ "title": "Other" })).problem(409);
    assert!(other_words["hint"].as_str().unwrap().contains(&note), "{other_words}");
    assert_eq!(notes(&bench.desk).len(), 1);
    served.post(&finding_path(one, "/dismiss"), &json!({})).problem(409);
    let dismissed = served.post(&finding_path(other, "/dismiss"), &json!({ "suppressTopic": true })).done();
    assert_eq!(dismissed["status"], "dismissed");
    served.post(&finding_path(other, "/accept"), &json!({})).problem(409);
    let topics = served.get("/api/research/suppressed").done();
    assert_eq!(column(&topics["topics"], "topic"), ["heather honey"]);
    // Both tasks of the next agenda would be: one is held back.
    assert!(!column(&trigger(served)["tasks"], "query").contains(&"heather honey".to_owned()));
    let left = served.post("/api/research/suppressed/forget", &json!({ "topic": "heather honey" })).done();
    assert_eq!(left["topics"], json!([]));
    served.post("/api/research/suppressed/forget", &json!({ "topic": "heather honey" })).problem(404);

    bench.desk.save(&note, format!("{text}\nMy own words.\n"));
    served.post(&finding_path(one, "/undo"), &json!({})).problem(409);
    assert!(bench.desk.text(&note).contains("My own words."));
    bench.desk.save(&note, &text);
    let undone = served.post(&finding_path(one, "/undo"), &json!({})).done();
    assert_eq!((&undone["status"], notes(&bench.desk).len()), (&json!("new"), 0));
    in_own_words(bench, served, one);
    let counts = served.get("/api/research/counts").done();
    assert_eq!(
        (&counts["new"], &counts["accepted"], &counts["dismissed"]),
        (&json!(0), &json!(1), &json!(1))
    );
}

/// What the user types is kept to the letter; what was found and left as it was keeps what it cites.
fn in_own_words(bench: &Bench, served: &Served, finding: &Value) {
    let accept = |words: &Value| served.post(&finding_path(finding, "/accept"), words);
    for (words, what) in [
        (json!({ "summary": " \n" }), "empty"),
        (json!({ "title": "" }), "empty"),
        (json!({ "title": "t".repeat(201) }), "200 characters"),
        (json!({ "summary": "s".repeat(20_001) }), "20000 characters"),
    ] {
        let refused = accept(&words).problem(400);
        assert!(refused["detail"].as_str().unwrap().contains(what), "{refused}");
    }
    let found = finding["sentences"][0]["text"].as_str().unwrap();
    let own = "My own: https://example.org/x, 50%% off, <!-- mine --> and [[Nobody]] \
        ![p](http://192.0.2.1/p.png) [ev-00].";
    let edited =
        json!({ "title": "Heather <traps>", "summary": format!("{own} {found}\nEnd."), "folder": "Kept" });
    let kept = accept(&edited).done();
    assert_eq!(kept["notePath"], "Kept/Heather traps.md");
    let text = bench.desk.text("Kept/Heather traps.md");
    assert!(text.contains("# Heather <traps>\n"), "{text}");
    let cited = format!("{own} {found} ([");
    assert!(text.contains(&cited) && text.contains("\nEnd.\n"), "`{cited}` is not in\n{text}");
    assert!(text.contains(finding["bearing"].as_str().unwrap_or_default()), "{text}");
    let verified = bench.run(&["verify", "Kept/Heather traps.md", "--json"]).json();
    assert!(borne_out(&verified["coverage"]).as_u64().unwrap() > 0, "{verified}");
    // The same words once more are the same; others are not.
    assert_eq!(accept(&edited).done()["notePath"], kept["notePath"]);
    accept(&json!({ "summary": "Other words." })).problem(409);
    assert_eq!(bench.desk.text("Kept/Heather traps.md"), text);
}

#[test]
fn the_same_key_is_the_same_answer() {
    let bench = Bench::with_model(Trap::nowhere());
    let records = bench.desk.records();
    let served = bench.serve();
    let wish = json!({ "sourceNoteId": "Bees.md" });
    // Two at once, and one later.
    let mut agendas: Vec<Value> = thread::scope(|scope| {
        let ask = || done(&keyed(&served, "/api/research/trigger", "k1", &wish), 201);
        let asked = [scope.spawn(ask), scope.spawn(ask)];
        asked.map(|asked| asked.join().unwrap()).to_vec()
    });
    agendas.push(done(&keyed(&served, "/api/research/trigger", "k1", &wish), 201));
    assert!(agendas.iter().all(|agenda| agenda["id"] == agendas[0]["id"]), "{agendas:?}");
    assert_eq!(served.get("/api/research/agenda").done()["agendas"].as_array().unwrap().len(), 1);
    let other = done(&keyed(&served, "/api/research/trigger", "k2", &wish), 201);
    assert_ne!(other["id"], agendas[0]["id"]);

    let id = id_in(&agendas[0]);
    let path = format!("/api/research/agenda/{id}/approve");
    let approved: Vec<Value> = thread::scope(|scope| {
        let ask = || done(&keyed(&served, &path, "k3", &json!({ "blockedTaskIds": [] })), 202);
        [scope.spawn(ask), scope.spawn(ask)].map(|asked| asked.join().unwrap()).to_vec()
    });
    assert_eq!(approved[0], approved[1]);
    until_ended(&records, &id);
    assert_eq!(done(&keyed(&served, &path, "k3", &json!({})), 202), approved[0], "as it was answered then");
    keyed(&served, &path, "k4", &json!({})).problem(409);

    let finding = &findings(&records)[0].id;
    let path = format!("/api/research/findings/{finding}/accept");
    let accepted: Vec<Value> = thread::scope(|scope| {
        let ask = || keyed(&served, &path, "k5", &json!({})).done();
        [scope.spawn(ask), scope.spawn(ask)].map(|asked| asked.join().unwrap()).to_vec()
    });
    assert_eq!(accepted[0], accepted[1]);
    assert_eq!(notes(&bench.desk).len(), 1);
    for wrong in ["", "k".repeat(256).as_str(), "schlüssel"] {
        keyed(&served, "/api/research/trigger", wrong, &wish).problem(400);
    }
    served.end();
}

#[test]
fn a_key_with_another_request_is_refused_and_changes_nothing() {
    let bench = Bench::new(Trap::nowhere());
    bench.desk.save("Mead.md", "# Mead\n\nWhat is mead made of?\n");
    let records = bench.desk.records();
    let served = bench.serve();
    let trigger = |key: &str, body: &Value| keyed(&served, "/api/research/trigger", key, body);
    let agenda = done(&trigger("k1", &json!({ "sourceNoteId": "Bees.md" })), 201);
    let refused = |reply: &Reply| {
        let problem = reply.problem(409);
        assert!(
            problem["detail"].as_str().unwrap().contains("was already used for another request"),
            "{problem}"
        );
        assert!(problem["hint"].as_str().unwrap().contains("nothing was changed"), "{problem}");
    };
    for body in [json!({ "sourceNoteId": "Mead.md" }), json!({})] {
        refused(&trigger("k1", &body));
    }
    assert_eq!(served.get("/api/research/agenda").done()["agendas"].as_array().unwrap().len(), 1);
    // Another address is another request.
    let id = id_in(&agenda);
    let approve = format!("/api/research/agenda/{id}/approve");
    refused(&keyed(&served, &approve, "k1", &json!({})));
    assert_eq!(served.get(&format!("/api/research/agenda/{id}")).done()["status"], "pending");
    let blocked = json!({ "blockedTaskIds": [agenda["tasks"][0]["id"]] });
    let approved = done(&keyed(&served, &approve, "k2", &json!({})), 202);
    refused(&keyed(&served, &approve, "k2", &blocked));
    until_ended(&records, &id);
    assert_eq!(done(&keyed(&served, &approve, "k2", &json!({ "blockedTaskIds": [] })), 202), approved);

    let of = |finding: usize, what: &str| {
        format!("/api/research/findings/{}/{what}", findings(&records)[finding].id)
    };
    let (accept, undo) = (of(0, "accept"), of(0, "undo"));
    let accepted = keyed(&served, &accept, "k3", &json!({ "title": null })).done();
    refused(&keyed(&served, &accept, "k3", &json!({ "title": "Another" })));
    refused(&keyed(&served, &of(1, "accept"), "k3", &json!({})));
    assert_eq!(notes(&bench.desk).len(), 1);
    // Taken back in between: the answer is the same, and no note is made again, not even after a restart.
    served.post(&undo, &json!({})).done();
    assert_eq!(keyed(&served, &accept, "k3", &json!({})).done(), accepted);
    served.end();
    let served = bench.serve();
    assert_eq!(keyed(&served, &accept, "k3", &json!({})).done(), accepted);
    let finding = served.get(accept.trim_end_matches("/accept")).done();
    assert_eq!((notes(&bench.desk), &finding["status"]), (Vec::new(), &json!("new")));
    assert_eq!(keyed(&served, &accept, "k4", &json!({})).done()["status"], "accepted");
    assert_eq!(notes(&bench.desk).len(), 1);
    served.end();
}

#[test]
fn a_note_that_was_moved_is_taken_back_where_it_stands_and_stays_where_it_was_edited() {
    let bench = Bench::new(Trap::nowhere());
    let records = bench.desk.records();
    let id = bench.proposed(&records, &["heather honey"]);
    let served = bench.serve();
    done(&approve(&served, &id), 202);
    until_ended(&records, &id);
    let address = format!("/api/research/findings/{}", findings(&records)[0].id);
    let post = |what: &str| served.post(&format!("{address}/{what}"), &json!({}));
    let accept = || post("accept").done()["notePath"].as_str().unwrap().to_owned();
    let vault = bench.desk.vault();
    fs::create_dir_all(vault.join("Hills")).unwrap();
    fs::rename(vault.join(accept()), vault.join("Hills/Mine.md")).unwrap();
    // Asked again, it is not made again.
    accept();
    assert_eq!(notes(&bench.desk).len(), 1);
    let back = post("undo").done();
    assert_eq!(back["status"], "new");
    assert!(back["message"].as_str().unwrap().contains("moved to `Hills/Mine.md`"), "{back}");
    assert_eq!(notes(&bench.desk), []);

    fs::rename(vault.join(accept()), vault.join("Hills/Mine.md")).unwrap();
    let text = bench.desk.text("Hills/Mine.md") + "\nMore of mine.\n";
    bench.desk.save("Hills/Mine.md", &text);
    let problem = post("undo").problem(409);
    assert!(problem["detail"].as_str().unwrap().contains("`Hills/Mine.md`, was edited"), "{problem}");
    assert_eq!((problem["path"].as_str(), bench.desk.text("Hills/Mine.md")), (Some("Hills/Mine.md"), text));
    assert_eq!(served.get(&address).done()["status"], "accepted");
    fs::remove_file(vault.join("Hills/Mine.md")).unwrap();
    let back = post("undo").done();
    assert!(back["message"].as_str().unwrap().contains("is not in the vault any more"), "{back}");
    served.end();
}

#[test]
fn what_is_no_request_is_told() {
    let bench = Bench::new(Trap::nowhere());
    let records = bench.desk.records();
    let id = bench.proposed(&records, &["heather honey"]);
    let served = bench.serve();
    let agenda_at = |id: &str, what: &str| format!("/api/research/agenda/{id}{what}");
    let finding_at = |id: &str, what: &str| format!("/api/research/findings/{id}{what}");
    let nothing = json!({});
    for (path, body, status) in [
        ("/api/research/trigger".to_owned(), json!({ "sourceNoteId": "Nowhere" }), 404),
        ("/api/research/trigger".to_owned(), json!({ "sourceNoteId": 7 }), 400),
        ("/api/research/trigger".to_owned(), json!({ "note": "Bees.md" }), 400),
        ("/api/research/trigger".to_owned(), json!({ "sourceNoteId": "../Bees.md" }), 403),
        (agenda_at(NOWHERE, "/approve"), nothing.clone(), 404),
        (agenda_at("what", "/approve"), nothing.clone(), 400),
        (agenda_at(id.as_str(), "/approve"), json!({ "blockedTaskIds": ["what"] }), 400),
        (agenda_at(id.as_str(), "/approve"), json!({ "blockedTaskIds": [format!("{id}-9")] }), 400),
        (agenda_at(id.as_str(), "/approve"), json!({ "blocked": [] }), 400),
        (agenda_at(NOWHERE, "/cancel"), nothing.clone(), 404),
        (finding_at(NOWHERE, "/accept"), nothing.clone(), 404),
        (finding_at("../../etc", "/accept"), nothing.clone(), 404),
        (finding_at(NOWHERE, "/accept"), json!({ "path": "x" }), 400),
        (finding_at(NOWHERE, "/dismiss"), nothing.clone(), 404),
        (finding_at(NOWHERE, "/dismiss"), json!({ "suppressTopic": "yes" }), 400),
        (finding_at(NOWHERE, "/undo"), nothing.clone(), 404),
    ] {
        let reply = served.post(&path, &body);
        assert_eq!(reply.status, status, "{path} {body}: {reply:?}");
        reply.problem(status);
    }
    served.get(&agenda_at(NOWHERE, "")).problem(404);
    served.get(&agenda_at("what", "")).problem(400);
    served.get("/api/research/agenda?status=some").problem(400);
    served.get(&finding_at(NOWHERE, "")).problem(404);
    served.get("/api/research/findings?status=some").problem(400);
    assert_eq!(served.get("/api/research/findings?status=all").done()["findings"], json!([]));
    served.get("/api/research/findings?agenda=what").problem(400);
    // After all of it, it waits as it did.
    assert_eq!(agenda(&records, &id).status.name(), "pending");
    let cancelled = served.post(&agenda_at(id.as_str(), "/cancel"), &nothing).done();
    assert_eq!(cancelled["status"], "cancelled");
    approve(&served, &id).problem(409);
    assert_eq!(bench.asked(), [""; 0]);
    served.end();
}

/// Events as they come: number, name and data.
struct Heard(BufReader<TcpStream>);

impl Heard {
    fn from(served: &Served, after: Option<u64>) -> Self {
        let mut stream = served.connect();
        let after = after.map(|after| format!("Last-Event-ID: {after}\r\n")).unwrap_or_default();
        stream.write_all(served.head("GET /api/research/events", &after).as_bytes()).unwrap();
        Self(BufReader::new(stream))
    }

    fn next(&mut self) -> (Option<u64>, String, Value) {
        let (mut number, mut name) = (None, String::new());
        loop {
            let mut line = String::new();
            assert!(self.0.read_line(&mut line).unwrap() > 0, "it ends");
            let line = line.trim_end();
            if let Some(id) = line.strip_prefix("id: ") {
                number = Some(id.parse().unwrap());
            } else if let Some(event) = line.strip_prefix("event: ") {
                name = event.to_owned();
            } else if let Some(data) = line.strip_prefix("data: ") {
                return (number, name, serde_json::from_str(data).unwrap());
            }
        }
    }

    /// All that comes until an agenda has ended.
    fn rest(&mut self) -> Vec<(Option<u64>, String, Value)> {
        let mut all = Vec::new();
        loop {
            let event = self.next();
            let is_end = event.1 == "agenda" && event.2["status"] == "done";
            all.push(event);
            if is_end {
                return all;
            }
        }
    }
}

#[test]
fn what_happens_is_told_in_order_and_again_to_who_missed_it() {
    let bench = Bench::new(Trap::nowhere());
    let records = bench.desk.records();
    let id = bench.proposed(&records, &["heather honey"]);
    let served = bench.serve();
    let mut heard = Heard::from(&served, None);
    let (number, name, counts) = heard.next();
    assert_eq!((number, name.as_str(), &counts["pending"]), (None, "counts", &json!(1)));
    done(&approve(&served, &id), 202);
    let told = heard.rest();
    let kept: Vec<&(Option<u64>, String, Value)> = told.iter().filter(|told| told.0.is_some()).collect();
    assert!(kept.is_sorted_by_key(|told| told.0), "{told:?}");
    let words: Vec<String> = kept
        .iter()
        .filter(|told| told.1 != "counts")
        .map(|(_, name, data)| {
            format!("{name} {}", data["status"].as_str().unwrap_or_default()).trim().to_owned()
        })
        .collect();
    let expected = [
        "task queued",
        "agenda approved",
        "task running",
        "agenda running",
        "finding",
        "finding",
        "task done",
        "agenda done",
    ];
    assert_eq!(words, expected);
    let steps: Vec<&str> = told
        .iter()
        .filter(|told| told.1 == "progress")
        .map(|told| told.2["step"].as_str().unwrap())
        .collect();
    for step in ["search", "fetch", "write_up", "check"] {
        assert!(steps.contains(&step), "{steps:?}");
    }
    drop(heard);

    // Who comes back says what it heard last, and hears the rest.
    let (from, rest) = (kept[2].0.unwrap(), &kept[3..]);
    let mut again = Heard::from(&served, Some(from));
    assert_eq!(again.next().1, "counts");
    let missed = again.rest();
    assert_eq!(missed.iter().collect::<Vec<_>>(), rest, "nothing twice, nothing left out");
    served.end();
}

#[test]
fn all_of_it_on_the_command_line_without_a_server() {
    let bench = Bench::with_model(Trap::nowhere());
    let proposed = bench.run(&["agenda", "new", "--note", "Bees", "--json"]).done();
    let id = proposed["id"].as_str().unwrap();
    assert_eq!(proposed["status"], "pending");
    assert_eq!(bench.run(&["agenda", "run"]).status, Some(0));
    assert_eq!(bench.asked(), [""; 0], "nothing is approved");
    let approved = bench.run(&["agenda", "approve", id, "--block", "2", "--json"]).done();
    assert_eq!(column(&approved["tasks"], "status"), ["queued", "blocked"]);
    assert_eq!(bench.run(&["agenda", "run"]).status, Some(0));
    let shown = bench.run(&["agenda", "show", id, "--json"]).done();
    assert_eq!((&shown["status"], &shown["findings"]), (&json!("done"), &json!(2)), "{shown}");
    let inbox = bench.run(&["inbox", "--json"]).done();
    let ids = column(&inbox["findings"], "id");
    let said = bench.run(&["inbox", "show", &ids[0]]);
    assert!(said.status == Some(0) && said.stdout.contains("quoted"), "{said:?}");
    let none = bench.run(&["inbox", "-n", "0"]);
    assert!(none.status == Some(0) && none.stderr.contains("none shown: `-n` sets how many"), "{none:?}");
    let none = bench.run(&["inbox", "--status", "dismissed"]);
    assert!(none.stderr.contains("no finding is dismissed"), "{none:?}");
    let accepted = bench.run(&["inbox", "accept", &ids[0], "--json"]).done();
    assert_eq!(notes(&bench.desk).len(), 1);
    bench.run(&["verify", accepted["notePath"].as_str().unwrap(), "--json"]).done();
    bench.run(&["inbox", "dismiss", &ids[1], "--suppress", "--json"]).done();

    bench.run(&["inbox", "accept", &ids[1], "--json"]).failed(4);
    bench.run(&["inbox", "dismiss", &ids[0], "--json"]).failed(4);
    bench.run(&["inbox", "show", NOWHERE, "--json"]).failed(3);
    bench.run(&["inbox", "accept", NOWHERE, "--json"]).failed(3);
    bench.run(&["agenda", "show", NOWHERE, "--json"]).failed(3);
    bench.run(&["agenda", "approve", NOWHERE, "--json"]).failed(3);
    bench.run(&["agenda", "approve", id, "--json"]).failed(4);
    bench.run(&["agenda", "cancel", id, "--json"]).failed(4);
    bench.run(&["agenda", "show", "what", "--json"]).failed(2);
    bench.run(&["agenda", "list", "--status", "some"]).complains(2);
    bench.run(&["agenda", "new", "--note", "Nowhere", "--json"]).failed(3);
    assert_eq!(bench.run(&["inbox", "undo", &ids[0], "--json"]).done()["status"], "new");
    assert_eq!(notes(&bench.desk).len(), 0);
}

#[test]
fn an_empty_vault_is_told_what_to_do_and_nothing_has_failed() {
    let bench = Bench::new(Trap::nowhere());
    for note in ["Bees.md", "Ink.md"] {
        std::fs::remove_file(bench.desk.vault().join(note)).unwrap();
    }
    let listed = bench.run(&["agenda", "list"]);
    assert!(listed.status == Some(0) && listed.stderr.contains("there is no agenda yet"), "{listed:?}");
    let refused = bench.run(&["agenda", "new", "--json"]).failed(4);
    assert!(refused["error"].as_str().unwrap().contains("no note in the vault yet"), "{refused}");
    let served = bench.serve();
    let problem = served.post("/api/research/trigger", &json!({})).problem(409);
    assert!(problem["hint"].as_str().unwrap().contains("write a note first"), "{problem}");
    served.end();
    assert_eq!(bench.run(&["runs", "--json"]).done()["runs"], json!([]));
}

#[test]
fn where_nobody_can_be_asked_it_says_so_and_the_agenda_waits() {
    let bench = Bench::new(Trap::nowhere());
    let proposed = bench.desk.run(["agenda", "new", "--note", "Bees", "--json"]).done();
    let id = proposed["id"].as_str().unwrap();
    assert!(proposed["message"].as_str().unwrap().contains("no search service"), "{proposed}");
    let refused = bench.desk.run(["agenda", "approve", id, "--json"]).failed(5);
    assert!(refused["hint"].as_str().unwrap().contains("search.services"), "{refused}");
    bench.run(&["--offline", "agenda", "approve", id, "--json"]).failed(4);
    let served = Served::start(&bench.desk);
    let id = AgendaId::parse(id).unwrap();
    assert!(approve(&served, &id).problem(424)["hint"].as_str().unwrap().contains("search.services"));
    served.end();
    assert_eq!(agenda(&bench.desk.records(), &id).status.name(), "pending");
    assert_eq!(bench.asked(), [""; 0]);
    // Where somebody can, it is carried out at once.
    let ran = bench.run(&["agenda", "approve", id.as_str(), "--run", "--json"]).done();
    assert!(ran["status"] == "done" && !bench.asked().is_empty(), "{ran}");
}

#[test]
fn what_is_approved_by_a_setting_is_worked_off_without_a_word() {
    let bench = Bench::with_model(Trap::nowhere());
    let served = bench.serve_with(|command| command.env("WELLREAD_RESEARCH_AUTO_APPROVE", "true"));
    let agenda = trigger(&served);
    assert_ne!(agenda["status"], "pending", "{agenda}");
    let ended = until_ended(&bench.desk.records(), &id_in(&agenda));
    assert_eq!((ended.status.name(), ended.findings), ("done", 4));
    assert_eq!(notes(&bench.desk).len(), 0, "what is found waits for the user all the same");
    served.end();
    let without: Ran = bench.run(&["agenda", "new", "--note", "Bees", "--json"]);
    assert_eq!(without.done()["status"], "pending");
}
