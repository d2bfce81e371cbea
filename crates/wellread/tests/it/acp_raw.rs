//! The Agent Client Protocol in raw JSON-RPC: what no well-behaved editor sends, ends in the middle, and what stays on this machine.

use std::fs;
use std::os::unix::fs::symlink;

use rustix::process::{Pid, Signal, kill_process};
use serde_json::{Value, json};
use wellread_testkit::{ModelServer, Turn};

use crate::desk::Desk;
use crate::partner::{Wire, cites, reads, with};
use crate::talk::Talk;

pub fn talk(desk: &Desk, server: Option<&ModelServer>) -> Talk {
    let mut command = desk.here();
    if let Some(server) = server {
        with(&mut command, server);
    }
    let mut talk = Talk::acp(command);
    let hello = talk.ask("initialize", json!({ "protocolVersion": 1, "clientCapabilities": {} }));
    assert_eq!(hello["protocolVersion"], 1);
    talk
}

pub fn opens(talk: &mut Talk, desk: &Desk) -> Value {
    talk.ask("session/new", json!({ "cwd": desk.vault(), "mcpServers": [] }))["sessionId"].clone()
}

pub fn text(text: &str) -> Value {
    json!({ "type": "text", "text": text })
}

pub fn prompt(session: &Value, blocks: &[Value]) -> Value {
    json!({ "sessionId": session, "prompt": blocks })
}

#[test]
fn what_is_no_request_gets_its_error_and_the_next_one_is_served() {
    let desk = Desk::bare();
    let mut talk = Talk::acp(desk.here());
    let early = talk.refused("session/new", json!({ "cwd": "/", "mcpServers": [] }));
    assert_eq!(early["code"], -32600, "{early}");
    for version in [json!(null), json!("1"), json!(-1), json!(70_000), json!(1.5)] {
        let error = talk.refused("initialize", json!({ "protocolVersion": version }));
        assert_eq!(error["code"], -32602, "{version}: {error}");
    }
    // Whatever version the client asks for, it is told the one that is spoken.
    for version in [0, 1, 2, 65_535] {
        assert_eq!(talk.ask("initialize", json!({ "protocolVersion": version }))["protocolVersion"], 1);
    }
    for (line, code) in [
        (&b"{\"jsonrpc\": \"2.0\", \"id\": 1, \n"[..], -32700),
        (b"\xff\xfe\n", -32700),
        (b"[{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"initialize\"}]\n", -32600),
        (b"{\"id\":1,\"method\":\"initialize\"}\n", -32600),
        (b"17\n", -32600),
    ] {
        talk.say_raw(line);
        assert_eq!(talk.next()["error"]["code"], code, "{}", String::from_utf8_lossy(line));
    }
    let mut huge = vec![b' '; 9 * 1024 * 1024];
    huge.push(b'\n');
    talk.say_raw(&huge);
    let error = talk.next();
    assert_eq!((&error["id"], &error["error"]["code"]), (&Value::Null, &json!(-32600)), "{error}");
    talk.say_raw(b"\n  \n");
    for method in ["session/frob", "fs/read_text_file", "session/set_mode", "_x/y", ""] {
        assert_eq!(talk.refused(method, json!({}))["code"], -32601, "{method}");
    }
    for params in [json!({}), json!({ "cwd": "notes" }), json!({ "cwd": 7 }), json!([]), json!(null)] {
        assert_eq!(talk.refused("session/new", params.clone())["code"], -32602, "{params}");
    }
    assert_eq!(talk.refused("authenticate", json!({ "methodId": "x" }))["code"], -32602);
    for (method, params) in [
        ("session/prompt", prompt(&json!("none"), &[text("Hi")])),
        ("session/prompt", prompt(&json!("none"), &[json!(7)])),
        ("session/load", json!({ "sessionId": "none", "cwd": "/", "mcpServers": [] })),
        ("session/close", json!({ "sessionId": "none" })),
    ] {
        assert_eq!(talk.refused(method, params)["code"], -32002, "{method}");
    }
    let session = opens(&mut talk, &desk);
    for blocks in [
        json!(null),
        json!({}),
        json!([7]),
        json!([{ "type": "text" }]),
        json!([{ "type": "image", "data": "", "mimeType": "image/png" }]),
        json!([{ "type": "resource", "resource": { "uri": "file:///x", "blob": "" } }]),
        json!([{ "type": "resource_link" }]),
        json!([{ "type": "text", "text": " \n" }]),
        json!([]),
    ] {
        let error = talk.refused("session/prompt", json!({ "sessionId": session, "prompt": blocks }));
        assert_eq!(error["code"], -32602, "{blocks}: {error}");
    }
    // Too much is refused before a file is looked at: nothing that comes later is wrong here.
    let link = json!({ "type": "resource_link", "name": "x", "uri": "file:///x" });
    let long = json!({ "type": "resource", "resource": { "uri": "file:///x", "text": "x".repeat(200_001) } });
    for blocks in [vec![link; 51], vec![long, json!(7)]] {
        let error = talk.refused("session/prompt", prompt(&session, &blocks));
        assert!(
            error["message"].as_str().unwrap().contains("a message can have 50 attached texts"),
            "{error}"
        );
    }
    // Notifications and answers that belong to nothing are not answered.
    for message in [
        json!({ "jsonrpc": "2.0", "method": "session/frob" }),
        json!({ "jsonrpc": "2.0", "method": "session/cancel" }),
        json!({ "jsonrpc": "2.0", "method": "session/cancel", "params": { "sessionId": "none" } }),
        json!({ "jsonrpc": "2.0", "method": "session/cancel", "params": { "sessionId": session } }),
        json!({ "jsonrpc": "2.0", "id": 99, "result": {} }),
        json!({ "jsonrpc": "2.0", "id": "x", "error": { "code": 1, "message": "no" } }),
    ] {
        talk.say(&message);
    }
    talk.say_raw(b"{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"initi");
    let (status, rest, _) = talk.end();
    assert_eq!((status, rest), (Some(0), Vec::new()));
}

/// Nothing that was sent can be taken back, so the editor is told what counts.
#[test]
fn an_answer_that_is_written_again_is_told_apart_from_the_first() {
    let desk = Desk::bare();
    desk.save("Hive.md", "# Hive\n\nThe hive weighs 41 kg in July.\n");
    let server = ModelServer::start([
        reads("Hive"),
        cites("Let me see.\n\nWell.\n\nThe hive weighs 99 kg in July. [id]"),
        cites("The hive weighs 41 kg in July. [id]"),
    ]);
    let mut talk = talk(&desk, Some(&server));
    let session = opens(&mut talk, &desk);
    let asked = talk.request("session/prompt", prompt(&session, &[text("How heavy?")]));
    let mut heard = vec![talk.next()];
    while heard.last().unwrap()["id"] != asked {
        heard.push(talk.next());
    }
    let said = |kind: &str| -> String {
        let updates = heard.iter().map(|message| &message["params"]["update"]);
        let chunks = updates.filter(|update| update["sessionUpdate"] == kind);
        chunks.filter_map(|update| update["content"]["text"].as_str()).collect()
    };
    assert!(said("agent_thought_chunk").contains("did not pass the check"), "{heard:?}");
    let text = said("agent_message_chunk");
    let (before, after) = text.split_once("does not count").unwrap_or_else(|| panic!("{text}"));
    assert!(before.starts_with("Let me see."), "{text}");
    assert!(after.contains("41 kg") && !text.contains("99 kg"), "{text}");
    assert_eq!(talk.end().0, Some(0));
    server.into_requests();
}

#[test]
fn a_turn_that_reaches_its_limit_says_so() {
    let desk = Desk::bare();
    desk.save("Bees.md", "# Bees\n");
    let server = ModelServer::start([reads("Bees"), reads("Bees")]);
    let mut command = desk.here();
    with(&mut command, &server).env("WELLREAD_CHAT_ROUNDS", "1");
    let mut talk = Talk::acp(command);
    talk.ask("initialize", json!({ "protocolVersion": 1 }));
    let session = opens(&mut talk, &desk);
    let asked = talk.request("session/prompt", prompt(&session, &[text("Look")]));
    assert_eq!(talk.answer_to(asked)["result"]["stopReason"], "max_turn_requests");
    assert_eq!(talk.end().0, Some(0));
    server.into_requests();
}

#[test]
fn a_signal_ends_it_in_the_middle_of_a_turn() {
    let desk = Desk::bare();
    let server = ModelServer::start([Turn::hangs()]);
    let mut talk = talk(&desk, Some(&server));
    let session = opens(&mut talk, &desk);
    talk.request("session/prompt", prompt(&session, &[text("Wait")]));
    server.wait_for_requests(1);
    kill_process(Pid::from_child(talk.process()), Signal::TERM).unwrap();
    assert_eq!(talk.end().0, Some(143));
}

#[test]
fn the_editors_folder_and_its_servers_change_nothing() {
    let desk = Desk::bare();
    desk.save("Private/Diary.md", "# Diary\n\nThe code is 4711.\n");
    let server = ModelServer::start([Turn::says("Yes.")]);
    let mut talk = talk(&desk, Some(&server));
    let mark = desk.folder().join("started");
    let servers = json!([{ "name": "x", "command": "/usr/bin/touch", "args": [mark], "env": [] }]);
    let cwd = desk.vault().join("Private");
    let session = talk.ask("session/new", json!({ "cwd": cwd, "mcpServers": servers }))["sessionId"].clone();
    let id = talk.request("session/prompt", prompt(&session, &[text("Hi")]));
    assert_eq!(talk.answer_to(id)["result"]["stopReason"], "end_turn");
    assert_eq!(talk.end().0, Some(0));
    assert!(!mark.exists(), "a server of the editor was started");
    let asked = server.into_requests();
    let (system, said) = Wire::OpenAi.said(&asked[0]);
    assert_eq!(said, [("user".to_owned(), "Hi".to_owned())]);
    assert!(!system.contains("Private") && !system.contains("Diary"), "{system}");
}

/// Whatever the editor calls it, a private note is not sent to a model elsewhere: nothing is begun, and the user is told.
#[test]
fn an_attached_private_note_never_leaves_the_machine() {
    let desk = Desk::bare();
    desk.save("Private/My diary.md", "The code is 4711.\n");
    for name in ["Lawyer.md", "My lawyer.md", "Lawyer #2.md", "Law%41.md", "100% mine.md"] {
        desk.save(name, "---\nprivate: true\n---\nThe code is 4711.\n");
    }
    desk.save("Open.md", "Nothing special.\n");
    symlink(desk.vault(), desk.folder().join("other")).unwrap();
    fs::hard_link(desk.vault().join("Private/My diary.md"), desk.folder().join("linked.rs")).unwrap();
    fs::create_dir_all(desk.data()).unwrap();
    // An address that is not known to be this machine, and leads to it.
    let server = ModelServer::start([Turn::says("Nothing.")]);
    let mut command = desk.here();
    command.envs(Wire::OpenAi.variables(&server, "sk-1"));
    command.env("OPENAI_BASE_URL", server.base_url().replace("127.0.0.1", "0.0.0.0"));
    command.env("WELLREAD_VAULT_PRIVATE_FOLDERS", "Private");
    let mut talk = Talk::acp(command);
    talk.ask("initialize", json!({ "protocolVersion": 1 }));
    let session = opens(&mut talk, &desk);
    let (vault, folder) = (desk.vault(), desk.folder());
    let (vault, folder) = (vault.display(), folder.display());
    let own = "---\nprivate: true\n---\nThe code is 4711.\n";
    for (uri, content) in [
        (format!("file://{vault}/Private/My%20diary.md"), "4711"),
        (format!("file://{vault}/Private/My%20diary.md#L1:1"), "4711"),
        (format!("FILE://localhost{vault}/Lawyer.md?symbol=x"), "4711"),
        (format!("file://{folder}/other/Lawyer.md"), "4711"),
        (format!("file://{folder}/linked.rs"), "4711"),
        (format!("zed:///agent/selection?path={folder}/linked.rs#L1:1"), "4711"),
        (format!("file://{vault}/new/../Private/./My diary.md"), "4711"),
        (format!("file://{vault}/Private/Unsaved.md"), "4711"),
        (format!("file://{vault}/Unsaved.md"), own),
        (format!("{vault}/Lawyer.md"), "4711"),
        (format!("zed:///agent/selection?path={vault}/Lawyer.md#L4:4"), "4711"),
        (format!("file://{folder}/data/journal/old.md"), "4711"),
        ("file:///elsewhere/Copy.md".to_owned(), own),
        ("untitled:Untitled-1".to_owned(), own),
        // What can be read in more than one way is judged in every one.
        (format!("file://{vault}/Private/100% sure.md"), "4711"),
        (format!("file://{vault}/100% mine.md"), "4711"),
        (format!("{vault}/Lawyer #2.md"), "4711"),
        (format!("{vault}/Law%41.md"), "4711"),
        (format!("zed:///agent/file?path={vault}/My+lawyer.md&line=1"), "4711"),
        (format!("git:{vault}/Lawyer.md?{{\"ref\":\"~\"}}"), "4711"),
        ("vault:///Private/My%20diary.md".to_owned(), "4711"),
        ("vault:///Lawyer.md".to_owned(), "4711"),
        ("obsidian://open?vault=v&file=Private%2FMy%20diary".to_owned(), "4711"),
        ("obsidian://open?vault=v&file=Lawyer".to_owned(), "4711"),
        // Nobody can tell which file is meant.
        ("obsidian://open?vault=v&file=My%20diary".to_owned(), "4711"),
        ("file:Private/My diary.md".to_owned(), "4711"),
        ("file://Private/My%20diary.md".to_owned(), "4711"),
        ("Private/My diary.md".to_owned(), "4711"),
        ("My diary.md".to_owned(), "4711"),
        (String::new(), "4711"),
    ] {
        let resource = json!({ "type": "resource", "resource": { "uri": uri, "text": content } });
        let error = talk.refused("session/prompt", prompt(&session, &[text("What is it?"), resource]));
        assert!(error["message"].as_str().unwrap().contains("private notes"), "{uri}: {error}");
    }
    let link = json!({ "type": "resource_link", "name": "x", "uri": format!("file://{vault}/Lawyer.md") });
    let error = talk.refused("session/prompt", prompt(&session, &[text("Read it"), link]));
    assert!(error["message"].as_str().unwrap().contains("private notes"), "{error}");
    assert_eq!(desk.run(["runs", "--json"]).done()["runs"], json!([]), "no turn was begun");

    assert!(server.requests_so_far().is_empty());

    // What is not private is sent.
    let open = [
        format!("file://{vault}/Open.md"),
        format!("file://{vault}/Open.md?symbol=x#L1:1"),
        format!("{vault}/New.md"),
        format!("zed:///agent/selection?path={vault}/Open.md#L1:1"),
        "vault:///Open.md".to_owned(),
        "obsidian://open?vault=v&file=Open".to_owned(),
        "file:///elsewhere/x.rs".to_owned(),
        "untitled:Untitled-1".to_owned(),
        "zed:///agent/git-diff?base=main".to_owned(),
    ];
    let attached = open
        .iter()
        .map(|uri| json!({ "type": "resource", "resource": { "uri": uri, "text": "Nothing special." } }));
    let blocks: Vec<Value> = [text("What is it?")].into_iter().chain(attached).collect();
    let id = talk.request("session/prompt", prompt(&session, &blocks));
    let answer = talk.answer_to(id);
    assert_eq!(answer["result"]["stopReason"], "end_turn", "{answer}");
    assert_eq!(talk.end().0, Some(0));
    server.into_requests();
}
