//! `wellread chat` from outside: one message, a pipe of lines, a conversation for each note, and edits that wait.

use serde_json::json;
use wellread_testkit::{ModelServer, Turn};

use crate::desk::{Desk, Ran};
use crate::partner::{Wire, chat, last_run, reads, with};

const KEY: &str = "sk-of-nobody-7261";

#[test]
fn one_message_is_answered_in_either_wire_format() {
    for wire in Wire::BOTH {
        let desk = Desk::new();
        let server = ModelServer::start([reads("Bees/Hive weight"), Turn::says("It weighed **38.5 kg**.")]);
        let mut command = desk.here();
        command.envs(wire.variables(&server, KEY)).args(["chat", "How heavy?"]);
        let ran = Ran::of(&mut command);
        assert_eq!((ran.status, ran.stdout.as_str()), (Some(0), "It weighed **38.5 kg**.\n"), "{ran:?}");
        assert!(ran.stderr.contains("[read_file Bees/Hive weight]"), "{ran:?}");
        let asked = server.into_requests();
        let (system, said) = wire.said(&asked[0]);
        assert!(system.starts_with("You are the assistant inside Wellread"), "{system}");
        assert!(system.contains("## User Preferences"), "the example vault has some");
        assert_eq!(said, [("user".to_owned(), "How heavy?".to_owned())]);
        let tools = wire.tools(&asked[0]);
        assert!(tools.len() > 20 && tools.contains(&"get_continuation".to_owned()), "{tools:?}");
        assert_eq!(asked[0].body["model"], "scripted");
        let key = match wire {
            Wire::OpenAi => asked[0].header("authorization").unwrap().to_owned(),
            Wire::Anthropic => format!("Bearer {}", asked[0].header("x-api-key").unwrap()),
        };
        assert_eq!(key, format!("Bearer {KEY}"));
        let (again, said) = wire.said(&asked[1]);
        assert_eq!(again, system);
        let [user, called, answered] = said.as_slice() else { panic!("{said:?}") };
        assert_eq!(user.1, "How heavy?");
        assert_eq!(
            called,
            &("assistant".to_owned(), json!(["read_file", { "path": "Bees/Hive weight" }]).to_string())
        );
        assert!(
            answered.1.contains("weighed 38.5 kg") && answered.1.contains("the user's notes"),
            "{said:?}"
        );
    }
}

#[test]
fn standard_input_is_one_message_and_json_is_one_object() {
    let desk = Desk::new();
    let server = ModelServer::start([Turn::says("One."), Turn::says("Two."), Turn::says("Three.")]);
    let fed = |args: &[&str], input: &str| {
        Ran::fed(with(desk.here().arg("chat"), &server).args(args), input.as_bytes())
    };
    let piped = fed(&["-"], "First line.\nSecond line.\n");
    assert_eq!((piped.status, piped.stdout.as_str()), (Some(0), "One.\n"), "{piped:?}");
    let answer = fed(&["-", "--json"], "More.").done();
    assert_eq!(answer["response"], "Two.");
    assert_eq!(answer["run_id"], last_run(&desk)["id"]);
    assert!(answer["session_id"].as_str().is_some_and(|id| id.len() == 14), "{answer}");
    // Who pipes and asks for JSON wants one answer to all of it.
    assert_eq!(fed(&["--json"], "a\nb\n").done()["response"], "Three.");
    let asked = server.into_requests();
    assert_eq!(Wire::OpenAi.said(&asked[0]).1[0].1, "First line.\nSecond line.");
    assert_eq!(Wire::OpenAi.said(&asked[2]).1[4].1, "a\nb");
}

#[test]
fn lines_from_a_pipe_are_messages_and_commands() {
    let desk = Desk::new();
    let appends = json!({ "path": "Inbox/Untitled idea", "content": "added by chat" });
    let before = desk.text("Inbox/Untitled idea.md");
    let server = ModelServer::start([
        Turn::says("Good morning."),
        Turn::calls(&[("append_to_file", appends)]),
        Turn::says("It is there."),
        Turn::says("About Knots."),
        Turn::says("Anew."),
    ]);
    let lines = "/help\n/history\n/pending\nHello\n\n/history\nAdd a line\n/undo\n/undo\n/file Reading/Knots\nWhat is this?\n\
                 /file\n/history\n/new\n/history\nAgain\n/confirm\n/confirm edit-1\n/dance\n/file Nowhere at all\n/quit\nnever said\n";
    let ran = Ran::fed(with(desk.here().arg("chat"), &server), lines.as_bytes());
    assert_eq!(ran.stdout, "Good morning.\nIt is there.\nAbout Knots.\nAnew.\n", "{ran:?}");
    assert_eq!(ran.status, Some(1), "some lines were wrong, and a script is told");
    for said in [
        "/confirm EDIT    apply a pending edit",
        "nothing said yet",
        "no edit is waiting",
        "> Hello\nGood morning.",
        "[append_to_file Inbox/Untitled idea, added by chat]",
        "undone: Inbox/Untitled idea.md",
        "scripted about Reading/Knots.md. /help",
        "scripted, continuing after 2 turns (/new starts again)",
        "  [append_to_file]\nIt is there.",
        "started a new conversation",
        "error: /confirm needs an edit",
        "error: no edit `edit-1` is waiting in this conversation",
        "error: there is no command /dance",
        "error: ",
    ] {
        assert!(ran.stderr.contains(said), "{said}\n{}", ran.stderr);
    }
    assert_eq!(desk.text("Inbox/Untitled idea.md"), before, "undone");
    let asked = server.into_requests();
    assert_eq!(Wire::OpenAi.said(&asked[3]).1.len(), 1, "a note has a conversation of its own");
    assert!(Wire::OpenAi.said(&asked[3]).1[0].1.contains("has the note `Reading/Knots.md` open"));
    assert_eq!(Wire::OpenAi.said(&asked[4]).1, [("user".to_owned(), "Again".to_owned())]);
}

#[test]
fn each_note_has_a_conversation_of_its_own_and_coming_back_goes_on() {
    let desk = Desk::new();
    let server = ModelServer::start((1..=6).map(|n| Turn::says(&format!("Answer {n}."))));
    let say = |args: &[&str]| chat(&desk, &server, &[args, &["--json"]].concat()).done();
    let none = say(&["One"]);
    let knots = say(&["Two", "--file", "Reading/Knots.md"]);
    let again = say(&["Three", "--file", "Reading/Knots"]);
    let back = say(&["Four"]);
    assert_ne!(none["session_id"], knots["session_id"]);
    assert_eq!((&again["session_id"], &back["session_id"]), (&knots["session_id"], &none["session_id"]));
    let anew = say(&["Five", "--new"]);
    assert_ne!(anew["session_id"], none["session_id"]);
    let named = say(&["Six", "--session", none["session_id"].as_str().unwrap()]);
    assert_eq!(named["session_id"], none["session_id"]);
    let heard: Vec<Vec<String>> = server
        .into_requests()
        .iter()
        .map(|asked| Wire::OpenAi.said(asked).1.into_iter().map(|(_, text)| text).collect())
        .collect();
    let open = |text: &str| format!("{text}\n\n(The user has the note `Reading/Knots.md` open.)");
    assert_eq!(heard[2], ["Two".to_owned(), "Answer 2.".to_owned(), open("Three")]);
    assert_eq!(heard[3], ["One", "Answer 1.", "Four"]);
    assert_eq!(heard[4], ["Five"]);
    assert_eq!(heard[5], ["One", "Answer 1.", "Four", "Answer 4.", "Six"]);
    let unknown = desk.run(["chat", "Hello", "--session", "01000000000009", "--json"]).failed(3);
    assert!(unknown["hint"].is_string(), "{unknown}");
    assert!(desk.run(["chat", "Hello", "--file", "Nowhere at all"]).complains(3).contains("Nowhere"));
}

#[test]
fn an_edit_after_a_clipping_waits_until_the_user_confirms_it() {
    let desk = Desk::new();
    let edit = |content: &str| {
        Turn::calls(&[("append_to_file", json!({ "path": "Bees/Varroa mite", "content": content }))])
    };
    let before = desk.text("Bees/Varroa mite.md");
    let server = ModelServer::start([
        reads("Clippings/Mite thresholds in late summer"),
        edit("one"),
        edit("two"),
        Turn::says("Both wait."),
    ]);
    let waits = chat(&desk, &server, &["Note the threshold down", "--json"]).done();
    assert_eq!(desk.text("Bees/Varroa mite.md"), before, "nothing was written");
    let ids: Vec<&str> =
        waits["pending"].as_array().unwrap().iter().map(|one| one["id"].as_str().unwrap()).collect();
    assert_eq!(ids, ["edit-1", "edit-2"]);
    assert!(waits["pending"][0]["diff"].as_str().unwrap().contains("+one"), "{waits}");
    let asked = server.into_requests();
    let told = Wire::OpenAi.said(&asked[2]).1.pop().unwrap().1;
    assert!(told.contains("the user has to confirm this edit; it waits as edit-1"), "{told}");
    // No model is needed for the user's word.
    let listed = Ran::fed(desk.here().arg("chat"), b"/pending\n");
    assert!(listed.stderr.contains("edit-1: append_to_file") && listed.stderr.contains("+two"), "{listed:?}");
    let declined = desk.run(["chat", "--decline", "edit-1"]);
    assert_eq!((declined.status, declined.stdout.as_str()), (Some(0), "edit-1 was not made.\n"));
    assert_eq!(desk.text("Bees/Varroa mite.md"), before);
    let confirmed = desk.run(["chat", "--confirm", "edit-2", "--json"]).done();
    assert!(confirmed["response"].as_str().unwrap().starts_with("edit-2 is done"), "{confirmed}");
    assert_eq!(desk.text("Bees/Varroa mite.md"), format!("{before}\ntwo\n"));
    desk.run(["chat", "--confirm", "edit-2", "--json"]).failed(3);
    desk.run(["chat", "--confirm", "edit-1", "--json"]).failed(3);
    assert_eq!(desk.run(["chat", "and", "--confirm", "edit-1"]).status, Some(2));
}

#[test]
fn what_is_no_message_is_told_and_begins_no_run() {
    let desk = Desk::new();
    let server = ModelServer::start([]);
    chat(&desk, &server, &["  ", "--json"]).failed(2);
    let long = "x".repeat(100_001);
    chat(&desk, &server, &[&long, "--json"]).failed(2);
    let binary = Ran::fed(with(desk.here().args(["chat", "-", "--json"]), &server), b"\xff\xfe\x00");
    binary.failed(2);
    let lines = Ran::fed(with(desk.here().arg("chat"), &server), b"\xff\xfe\n");
    assert_eq!(lines.status, Some(2), "{lines:?}");
    let nothing = Ran::fed(with(desk.here().arg("chat"), &server), b"");
    assert_eq!((nothing.status, nothing.stdout.as_str()), (Some(0), ""), "{nothing:?}");
    assert_eq!(desk.run(["runs", "--json"]).done()["runs"], json!([]));
}
