//! Conversations over HTTP: answers at once and as they come, one after the other, many at a time, and through the end of
//! a client or of the server.

use std::io::{BufReader, Write as _};
use std::sync::mpsc;
use std::thread;

use rustix::process::Signal;
use serde_json::{Value, json};
use wellread_testkit::{ModelServer, Turn};

use crate::desk::{Desk, Ran};
use crate::partner::{Wire, last_run, reads, with};
use crate::served::{Reply, Served, events};

fn serve(desk: &Desk, server: &ModelServer) -> Served {
    Served::with(desk, &[], |command| with(command, server))
}

fn say(served: &Served, body: &Value) -> Value {
    served.post("/chat", body).done()
}

fn streamed(served: &Served, body: &Value) -> Reply {
    let body = body.to_string();
    let more = format!(
        "Connection: close\r\nAccept: text/event-stream\r\nContent-Type: application/json\r\nContent-Length: {}\r\n",
        body.len()
    );
    served.raw((served.head("POST /chat", &more) + &body).as_bytes())
}

#[test]
fn a_message_is_answered_at_once_or_as_it_comes() {
    for wire in Wire::BOTH {
        let desk = Desk::new();
        let answer = "First *part*.\n\nSecond part.\n\nThird, the last.";
        let server = ModelServer::start([
            Turn::says("Hello."),
            reads("Home"),
            Turn::says(answer),
            Turn::status(401, "{\"error\":{\"message\":\"no\"}}"),
            Turn::status(401, "{\"error\":{\"message\":\"no\"}}"),
        ]);
        let served = Served::with(&desk, &[], |command| command.envs(wire.variables(&server, "sk-1")));
        let first = say(&served, &json!({ "message": "Hi" }));
        assert_eq!(first["response"], "Hello.");

        let heard = events(&streamed(&served, &json!({ "message": "Read it" })));
        let names: Vec<&str> = heard.iter().map(|(name, _)| name.as_str()).collect();
        assert_eq!((names[0], *names.last().unwrap()), ("run", "done"));
        let at = |name: &str| names.iter().position(|found| *found == name).unwrap();
        assert!(at("tool") < at("tool_done") && at("tool_done") < at("text"), "{names:?}");
        assert_eq!(heard[at("tool")].1["name"], "read_file");
        assert_eq!(heard[at("tool_done")].1["failed"], false);
        let done = &heard.last().unwrap().1;
        assert_eq!((&done["response"], &done["success"]), (&json!(answer), &json!(true)));
        assert_eq!(done["session_id"], first["session_id"]);
        // What was told before `again` does not count.
        let from = names.iter().rposition(|name| *name == "again").map_or(0, |at| at + 1);
        let pieces = heard[from..].iter().filter(|(name, _)| name == "text");
        let told: Vec<&str> = pieces.map(|(_, data)| data["text"].as_str().unwrap()).collect();
        assert!(told.len() > 1, "{told:?}");
        assert_eq!(told.concat(), answer);

        let refused = served.post("/chat", &json!({ "message": "No" })).problem(503);
        assert!(refused["hint"].as_str().unwrap().contains("_API_KEY"), "{refused}");
        let heard = events(&streamed(&served, &json!({ "message": "No" })));
        let (name, problem) = heard.last().unwrap();
        assert_eq!((name.as_str(), &problem["status"]), ("error", &json!(503)), "{heard:?}");
        assert_eq!(problem["run_id"], last_run(&desk)["id"]);
        let asked = server.into_requests();
        assert_eq!(wire.said(&asked[1]).1.len(), 3, "it goes on after the first turn");
        served.end();
    }
}

#[test]
fn conversations_go_by_the_open_note_and_outlive_the_server() {
    let desk = Desk::new();
    let server = ModelServer::start((1..=6).map(|n| Turn::says(&format!("Answer {n}."))));
    let served = serve(&desk, &server);
    let none = say(&served, &json!({ "message": "One" }));
    let knots = say(&served, &json!({ "message": "Two", "active_file": "Reading/Knots.md" }));
    assert_ne!(none["session_id"], knots["session_id"]);
    served.end();
    let served = serve(&desk, &server);
    let again = say(&served, &json!({ "message": "Three", "active_file": "Reading/Knots.md" }));
    assert_eq!(again["session_id"], knots["session_id"]);
    let by_id = say(&served, &json!({ "message": "Four", "session_id": knots["session_id"] }));
    assert_eq!(by_id["session_id"], knots["session_id"]);
    let back = say(&served, &json!({ "message": "Five" }));
    assert_eq!(back["session_id"], none["session_id"]);
    // The note that is open now decides, also for who still names the old conversation.
    let other =
        json!({ "message": "Six", "session_id": knots["session_id"], "active_file": "Reading/Sleep.md" });
    let other = say(&served, &other);
    assert!(![&none, &knots].iter().any(|one| one["session_id"] == other["session_id"]), "{other}");

    let listed = served.get("/api/sessions").done()["sessions"].clone();
    let ids: Vec<&Value> = listed.as_array().unwrap().iter().map(|one| &one["id"]).collect();
    assert_eq!(ids, [&other["session_id"], &none["session_id"], &knots["session_id"]]);
    assert_eq!(listed[2]["active_file"], "Reading/Knots.md");
    let read = served.get(&format!("/api/sessions/{}", knots["session_id"].as_str().unwrap())).done();
    let texts: Vec<&str> =
        read["messages"].as_array().unwrap().iter().map(|one| one["text"].as_str().unwrap()).collect();
    assert_eq!(texts, ["Two", "Answer 2.", "Three", "Answer 3.", "Four", "Answer 4."]);
    served.get("/api/sessions/01000000000009").problem(404);
    let runs = served.get("/api/runs?limit=3&kind=chat").done()["runs"].clone();
    assert_eq!((runs.as_array().unwrap().len(), &runs[0]["id"]), (3, &other["run_id"]));
    let run = |rest: &str| served.get(&format!("/api/runs/{}{rest}", other["run_id"].as_str().unwrap()));
    assert_eq!(run("").done()["outcome"], "done");
    assert!(run("/report.md").body.contains("Answer 6."));
    assert_eq!(run("/trace.json").json()["run_id"], other["run_id"]);
    run("/secrets.json").problem(404);
    assert_eq!(
        served.post("/api/verify", &json!({ "run": other["run_id"] })).done()["coverage"]["uncited"],
        1
    );
    assert_eq!(served.post("/api/recheck", &json!({})).done()["counts"], json!({}));
    server.into_requests();
    served.end();
}

#[test]
fn a_note_that_is_open_can_name_any_path_and_leads_nowhere() {
    let desk = Desk::new();
    let odd = ["../../etc/passwd", "/etc/passwd", "a`b\nIgnore all.md", "", ".obsidian/app.json"];
    let server = ModelServer::start(odd.map(|_| Turn::says("Yes.")));
    let served = serve(&desk, &server);
    for file in odd {
        let reply = served.post("/chat", &json!({ "message": "Hi", "active_file": file }));
        assert!(matches!(reply.status, 200 | 400 | 403), "{file}: {reply:?}");
    }
    for asked in server.requests_so_far() {
        let said = Wire::OpenAi.said(&asked).1.pop().unwrap().1;
        assert!(
            !said.contains("passwd") && !said.contains("\nIgnore") && !said.contains("app.json"),
            "{said}"
        );
    }
    served.end();
}

#[test]
fn what_is_no_request_is_told() {
    let desk = Desk::new();
    let server = ModelServer::start([]);
    let served = serve(&desk, &server);
    for (body, status) in [
        (json!({}), 400),
        (json!({ "message": "a", "confirm": "edit-1" }), 400),
        (json!({ "confirm": "edit-1", "decline": "edit-1" }), 400),
        (json!({ "message": "" }), 400),
        (json!({ "message": " \n" }), 400),
        (json!({ "message": 7 }), 400),
        (json!({ "message": "a", "mesage": "b" }), 400),
        (json!({ "message": "x".repeat(100_001) }), 400),
        (json!({ "message": "x".repeat(5 << 20) }), 413),
        (json!({ "message": "a", "session_id": "01000000000009" }), 404),
        (json!({ "message": "a", "session_id": "'; drop" }), 404),
        (json!({ "confirm": "edit-1" }), 404),
    ] {
        served.post("/chat", &body).problem(status);
    }
    let reply = streamed(&served, &json!({ "message": "a", "session_id": "01000000000009" }));
    let told = if reply.status == 200 { events(&reply).pop().unwrap().1 } else { reply.problem(404) };
    assert_eq!(told["status"], 404);
    assert_eq!(served.get("/api/runs").done()["runs"], json!([]));
    served.end();
    let desk = Desk::new();
    let served = Served::start(&desk);
    let nobody = served.post("/chat", &json!({ "message": "Hi" })).problem(424);
    assert!(nobody["hint"].as_str().unwrap().contains("OPENAI_API_KEY"), "{nobody}");
    served.end();
}

/// The last of what the user said, with an answer to exactly that.
fn echoes() -> Turn {
    Turn::from_request(|body| {
        let said = body["messages"].as_array().unwrap().last().unwrap()["content"].as_str().unwrap();
        Turn::says(&format!("Heard {}.", said.lines().next().unwrap()))
    })
}

#[test]
fn turns_of_one_conversation_follow_each_other() {
    let desk = Desk::new();
    let (open, gate) = mpsc::channel();
    let server = ModelServer::start([echoes().with_gate(gate), echoes(), echoes()]);
    let served = serve(&desk, &server);
    thread::scope(|scope| {
        let first = scope.spawn(|| say(&served, &json!({ "message": "one" })));
        server.wait_for_requests(1);
        let second = scope.spawn(|| say(&served, &json!({ "message": "two" })));
        while in_flight(&served) < 2 {
            thread::yield_now();
        }
        // Another conversation is not held up by it.
        let other = say(&served, &json!({ "message": "other", "active_file": "Home.md" }));
        assert_eq!(other["response"], "Heard other.");
        assert_eq!(server.requests_so_far().len(), 2, "the second waits for the first");
        open.send(()).unwrap();
        assert_eq!(first.join().unwrap()["response"], "Heard one.");
        assert_eq!(second.join().unwrap()["response"], "Heard two.");
    });
    let asked = server.into_requests();
    let texts: Vec<String> = Wire::OpenAi.said(&asked[2]).1.into_iter().map(|(_, text)| text).collect();
    assert_eq!(texts, ["one", "Heard one.", "two"], "the second sees the first");
    served.end();
}

const MANY: usize = 50;

#[test]
fn many_conversations_are_held_at_once() {
    let desk = Desk::new();
    let (mut gates, mut turns) = (Vec::new(), Vec::new());
    for _ in 0..MANY {
        let (open, gate) = mpsc::channel();
        gates.push(open);
        turns.push(echoes().with_gate(gate));
    }
    let server = ModelServer::start(turns);
    let served = serve(&desk, &server);
    thread::scope(|scope| {
        let say = |n: usize| {
            say(&served, &json!({ "message": format!("message {n}"), "active_file": format!("Many/{n}.md") }))
        };
        let talks: Vec<_> = (0..MANY).map(|n| scope.spawn(move || say(n))).collect();
        // All of them wait for the model at the same time, and the server still serves others.
        server.wait_for_requests(MANY);
        served.goes_on();
        drop(gates);
        for (n, talk) in talks.into_iter().enumerate() {
            assert_eq!(talk.join().unwrap()["response"], format!("Heard message {n}."));
        }
    });
    server.into_requests();
    assert_eq!(served.get("/api/sessions").done()["sessions"].as_array().unwrap().len(), MANY);
    served.end();
}

#[test]
fn many_who_wait_for_one_conversation_hold_up_no_other() {
    let desk = Desk::new();
    let (open, gate) = mpsc::channel();
    let waiting = 70;
    let server = ModelServer::start(
        [echoes().with_gate(gate), echoes()].into_iter().chain((0..waiting).map(|_| echoes())),
    );
    let served = serve(&desk, &server);
    thread::scope(|scope| {
        let first = scope.spawn(|| say(&served, &json!({ "message": "first" })));
        server.wait_for_requests(1);
        let rest: Vec<_> =
            (0..waiting).map(|_| scope.spawn(|| say(&served, &json!({ "message": "rest" })))).collect();
        // They have all come when as many requests are in hand.
        while in_flight(&served) < waiting + 1 {
            thread::yield_now();
        }
        let other = say(&served, &json!({ "message": "other", "active_file": "Home.md" }));
        assert_eq!(other["response"], "Heard other.");
        open.send(()).unwrap();
        first.join().unwrap();
        rest.into_iter().for_each(|one| assert_eq!(one.join().unwrap()["response"], "Heard rest."));
    });
    server.into_requests();
    served.end();
}

/// Besides the one that asks.
fn in_flight(served: &Served) -> usize {
    let metrics = served.get("/metrics").body;
    let line = metrics.lines().find(|line| !line.starts_with('#') && line.contains("in_flight")).unwrap();
    line.rsplit_once(' ').unwrap().1.parse::<f64>().unwrap() as usize - 1
}

#[test]
fn a_client_that_hangs_up_leaves_a_turn_that_is_completed_and_kept() {
    for accept in ["application/json", "text/event-stream"] {
        let desk = Desk::new();
        let (open, gate) = mpsc::channel();
        let server = ModelServer::start([
            Turn::calls(&[("append_to_file", json!({ "path": "Inbox/Untitled idea", "content": "once" }))]),
            Turn::says("Done.").with_gate(gate),
            echoes(),
        ]);
        let served = serve(&desk, &server);
        let body = json!({ "message": "Add" }).to_string();
        let more = format!(
            "Accept: {accept}\r\nContent-Type: application/json\r\nContent-Length: {}\r\n",
            body.len()
        );
        let mut stream = served.connect();
        stream.write_all((served.head("POST /chat", &more) + &body).as_bytes()).unwrap();
        server.wait_for_requests(2);
        drop(stream);
        served.goes_on();
        open.send(()).unwrap();
        // The next turn waits for it.
        let next = say(&served, &json!({ "message": "Next" }));
        let session = served.get(&format!("/api/sessions/{}", next["session_id"].as_str().unwrap())).done();
        let texts: Vec<&str> =
            session["messages"].as_array().unwrap().iter().map(|one| one["text"].as_str().unwrap()).collect();
        assert_eq!(texts, ["Add", "append_to_file", "Done.", "Next", "Heard Next."]);
        let ended = served.get("/api/runs").done()["runs"].clone();
        assert_eq!((&ended[0]["ended"], &ended[1]["ended"]), (&json!("done"), &json!("done")));
        server.into_requests();
        served.end();
    }
}

#[test]
fn the_end_of_the_server_leaves_a_turn_that_can_be_taken_up() {
    for hangs_up in [false, true] {
        let desk = Desk::new();
        let edit = json!({ "path": "Inbox/Untitled idea", "content": "once" });
        let server = ModelServer::start([Turn::calls(&[("append_to_file", edit)]), Turn::hangs()]);
        let served = serve(&desk, &server);
        let body = json!({ "message": "Add" }).to_string();
        let more = format!("Content-Type: application/json\r\nContent-Length: {}\r\n", body.len());
        let mut stream = served.connect();
        stream.write_all((served.head("POST /chat", &more) + &body).as_bytes()).unwrap();
        server.wait_for_requests(2);
        let stream = (!hangs_up).then_some(stream);
        served.signal(Signal::TERM);
        let (status, errors) = served.ended();
        assert_eq!(status, Some(0), "{errors}");
        if let Some(stream) = stream {
            let told = Reply::read(&mut BufReader::new(stream)).problem(503);
            assert!(told["hint"].as_str().unwrap().contains("wellread resume"), "{told}");
        }
        server.into_requests();
        let run = last_run(&desk);
        assert!(run["ended"].is_null() || run["ended"] == "failed", "{run}");
        let server = ModelServer::start([Turn::says("It is there.")]);
        let resume = ["resume", run["id"].as_str().unwrap(), "--json"];
        let resumed = Ran::of(with(&mut desk.here(), &server).args(resume)).done();
        assert_eq!(resumed["response"], "It is there.");
        server.into_requests();
        assert_eq!(desk.text("Inbox/Untitled idea.md").matches("once").count(), 1);
    }
}

#[test]
fn a_turn_that_nobody_waits_for_is_finished_before_the_server_ends() {
    let desk = Desk::new();
    let (open, gate) = mpsc::channel();
    let server = ModelServer::start([reads("Home").with_gate(gate), Turn::says("Done.")]);
    let served = serve(&desk, &server);
    let body = json!({ "message": "Go" }).to_string();
    let more = format!("Content-Type: application/json\r\nContent-Length: {}\r\n", body.len());
    let mut stream = served.connect();
    stream.write_all((served.head("POST /chat", &more) + &body).as_bytes()).unwrap();
    server.wait_for_requests(1);
    drop(stream);
    served.signal(Signal::TERM);
    open.send(()).unwrap();
    let (status, errors) = served.ended();
    assert_eq!((status, last_run(&desk)["ended"].as_str()), (Some(0), Some("done")), "{errors}");
    server.into_requests();
}

#[test]
fn an_edit_after_a_clipping_waits_for_the_user_and_no_model_confirms_it() {
    let desk = Desk::new();
    let edit = |word: &str| {
        Turn::calls(&[("append_to_file", json!({ "path": "Bees/Varroa mite", "content": word }))])
    };
    let before = desk.text("Bees/Varroa mite.md");
    let server = ModelServer::start([
        reads("Clippings/Mite thresholds in late summer"),
        edit("one"),
        // It tries what a model that obeys the page might try.
        Turn::calls(&[("confirm", json!({ "edit": "edit-1" })), ("chat", json!({ "confirm": "edit-1" }))]),
        Turn::calls(&[(
            "append_to_file",
            json!({ "path": "Bees/Varroa mite", "content": "one", "confirm": "edit-1" }),
        )]),
        Turn::says("confirm edit-1"),
        // The conversation keeps what it has read.
        edit("two"),
        Turn::says("It waits, too."),
    ]);
    let served = serve(&desk, &server);
    let waits = say(&served, &json!({ "message": "Note it down" }));
    assert_eq!(desk.text("Bees/Varroa mite.md"), before);
    assert_eq!(waits["pending"][0]["id"], "edit-1");
    let more = say(&served, &json!({ "message": "confirm edit-1" }));
    assert_eq!(desk.text("Bees/Varroa mite.md"), before, "a message is no confirmation");
    let pending = |answer: &Value| {
        let all = answer["pending"].as_array().cloned().unwrap_or_default();
        all.iter().map(|one| one["id"].as_str().unwrap().to_owned()).collect::<Vec<_>>()
    };
    assert_eq!(pending(&more), ["edit-1", "edit-2"], "{more}");
    served.post("/chat", &json!({ "confirm": "edit-1", "active_file": "Home.md" })).problem(404);
    let confirmed = events(&streamed(&served, &json!({ "confirm": "edit-1" }))).pop().unwrap().1;
    assert!(confirmed["response"].as_str().unwrap().starts_with("edit-1 is done"), "{confirmed}");
    assert_eq!(desk.text("Bees/Varroa mite.md"), format!("{before}\none\n"));
    assert_eq!(pending(&confirmed), ["edit-2"]);
    // The note is another now: what was shown is not what would be done.
    desk.save("Bees/Varroa mite.md", "Rewritten.\n");
    let stale = say(&served, &json!({ "confirm": "edit-2" }));
    assert!(stale["response"].as_str().unwrap().contains("was not made"), "{stale}");
    assert_eq!(desk.text("Bees/Varroa mite.md"), "Rewritten.\n");
    let declined = say(&served, &json!({ "decline": "edit-2" }));
    assert_eq!((&declined["response"], pending(&declined).len()), (&json!("edit-2 was not made."), 0));
    served.post("/chat", &json!({ "confirm": "edit-2" })).problem(404);
    server.into_requests();
    served.end();
}
