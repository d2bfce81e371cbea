//! Settings and codebases that are changed over HTTP: what is written, what is refused, and what a client is told.

use std::fs;
use std::path::PathBuf;
use std::thread;

use serde_json::{Value, json};

use crate::desk::{Desk, column, mode_of};
use crate::served::{Reply, Served};

fn file(desk: &Desk) -> PathBuf {
    PathBuf::from(desk.run(["config", "path"]).stdout.trim_end())
}

fn text(desk: &Desk) -> String {
    fs::read_to_string(file(desk)).unwrap_or_default()
}

fn set(served: &Served, key: &str, value: impl Into<Value>) -> Reply {
    served.post(&format!("/api/settings/{key}"), &json!({ "value": value.into() }))
}

fn delete(served: &Served, path: &str) -> Reply {
    served.raw(served.head(&format!("DELETE {path}"), "Connection: close\r\n").as_bytes())
}

fn unset(served: &Served, key: &str) -> Reply {
    delete(served, &format!("/api/settings/{key}"))
}

#[test]
fn a_setting_is_written_and_counts_when_the_server_starts_again() {
    let desk = Desk::new();
    let served = Served::start(&desk);
    for (key, value) in [
        ("chat.rounds", json!(7)),
        ("okf.fields", json!(true)),
        ("model.name", json!("llama, the \"small\" one")),
        ("model.base_url", json!("http://localhost:11434/v1")),
        ("search.services", json!(["brave", "arxiv"])),
        ("research.schedule", json!("Sunday 9")),
        ("log.level", json!("error")),
        ("model.api_key", json!("sk-not-to-be-seen")),
    ] {
        let reply = set(&served, key, value);
        assert!(!reply.body.contains("sk-not-to-be-seen"), "{reply:?}");
        let answer = reply.done();
        assert_eq!(answer["notes"], json!([]), "{answer}");
        // The same as the list says.
        assert_eq!(answer["settings"], served.get("/api/settings").done()["settings"]);
    }
    let settings = served.get("/api/settings").done()["settings"].clone();
    let rounds = &settings["chat.rounds"];
    assert_eq!((&rounds["value"], &rounds["from"]), (&json!(20), &json!("default")), "{rounds}");
    assert_eq!(rounds["next"], json!({ "value": 7, "from": file(&desk) }));
    assert_eq!(settings["model.api_key"]["next"]["value"], "********");
    assert_eq!(mode_of(&file(&desk)), 0o600);
    served.end();

    let again = Served::start(&desk);
    let settings = again.get("/api/settings").done()["settings"].clone();
    for (key, value) in [
        ("chat.rounds", json!(7)),
        ("okf.fields", json!("on")),
        ("model.name", json!("llama, the \"small\" one")),
        ("search.services", json!(["brave", "arxiv"])),
        ("research.schedule", json!("sunday 9")),
        ("model.api_key", json!("********")),
    ] {
        assert_eq!(settings[key]["value"], value, "{key}");
        assert_eq!(settings[key].get("next"), None, "{key}");
    }
    assert!(text(&desk).contains("sk-not-to-be-seen"));
    // And back: what is no longer set has its default.
    let answer = unset(&again, "chat.rounds").done();
    assert_eq!(answer["settings"]["chat.rounds"]["next"], json!({ "value": 20, "from": "default" }));
    unset(&again, "model.api_key").done();
    assert!(!text(&desk).contains("rounds") && !text(&desk).contains("sk-"), "{}", text(&desk));
    again.end();
}

#[test]
fn a_browser_can_change_nothing_that_runs_a_program_or_opens_a_door() {
    let desk = Desk::new();
    let served = Served::start(&desk);
    set(&served, "chat.rounds", 7).done();
    let before = text(&desk);
    let settings = served.get("/api/settings").done()["settings"].clone();
    let locked: Vec<&String> = settings
        .as_object()
        .unwrap()
        .iter()
        .filter(|(_, entry)| entry.get("locked").is_some())
        .map(|(key, _)| key)
        .collect();
    for key in [
        "server.token",
        "speech.command",
        "code.language_servers",
        "vault.path",
        "mcp.private",
        "embedding.name",
        "research.auto_approve",
    ] {
        assert!(locked.iter().any(|known| *known == key), "{key}");
    }
    for key in locked {
        for value in [json!("/bin/sh"), json!(["rust=/bin/sh"]), json!(true), json!(1), json!("")] {
            let problem = set(&served, key, value).problem(403);
            assert!(problem["hint"].as_str().unwrap().contains("`wellread "), "{problem}");
        }
        unset(&served, key).problem(403);
    }
    // What may be changed may still not lead a key or a text elsewhere.
    for (key, value, status) in [
        ("model.base_url", "https://evil.example/v1", 403),
        ("embedding.base_url", "http://10.0.0.1:80/v1", 403),
        ("search.brave.base_url", "https://evil.example", 403),
        ("telemetry.otlp_endpoint", "https://evil.example", 403),
        ("model.api_key", "file:/etc/passwd", 403),
        ("model.api_key", " env:HOME", 403),
        ("model.api_key", "sk-1\nsk-2", 400),
        ("model.api_key", "", 400),
        ("model.base_url", "not an address", 400),
        ("model.name", "a\nb", 400),
        ("vault.attachments", "/etc", 400),
        ("vault.fleeting_folder", "../../x", 400),
        ("vault.daily_notes", ".obsidian", 400),
    ] {
        let problem = set(&served, key, value).problem(status);
        assert!(!problem["detail"].as_str().unwrap().contains("sk-"), "{problem}");
    }
    assert_eq!(text(&desk), before);
    served.end();
}

#[test]
fn a_wrong_value_is_answered_in_plain_words_and_changes_nothing() {
    let desk = Desk::new();
    let served = Served::start(&desk);
    let before = text(&desk);
    for (key, value, said) in [
        ("chat.rounds", json!("many"), "a whole number from 0 to 1000"),
        ("chat.rounds", json!(1001), "a whole number from 0 to 1000"),
        ("chat.rounds", json!(["1"]), "one value, not a list"),
        ("model.provider", json!("skynet"), "one of none, openai, anthropic"),
        ("search.services", json!(["brave", "altavista"]), "does not accept `altavista`"),
        ("gate.model", json!("perhaps"), "on or off"),
        ("research.schedule", json!("someday"), "a weekday and an hour"),
        ("http.decoded_bytes", json!(0), "must be more than 0"),
        ("http.user_agent", json!("Bienen/ä"), "plain ASCII"),
        ("model.nam", json!("x"), "there is no setting `model.nam`"),
    ] {
        let problem = set(&served, key, value).problem(400);
        assert!(problem["detail"].as_str().unwrap().contains(said), "{key}: {problem}");
    }
    for body in [json!({}), json!({ "value": null }), json!({ "value": {} }), json!({ "value": 1, "x": 2 })] {
        served.post("/api/settings/chat.rounds", &body).problem(400);
    }
    unset(&served, "model.nam").problem(400);
    assert_eq!(text(&desk), before);
    // A file that can't be read is said, and left alone.
    fs::create_dir_all(file(&desk).parent().unwrap()).unwrap();
    fs::write(file(&desk), "chat = [\n").unwrap();
    set(&served, "chat.rounds", 7).problem(400);
    assert!(served.get("/api/settings").done()["file_problem"].as_str().unwrap().contains("can't be read"));
    assert_eq!(text(&desk), "chat = [\n");
    served.end();
}

#[test]
fn what_a_variable_says_still_counts_and_that_is_said() {
    let desk = Desk::new();
    let served = Served::with(&desk, &[], |command| command.env("WELLREAD_CHAT_ROUNDS", "9"));
    let answer = set(&served, "chat.rounds", 7).done();
    assert_eq!(answer["notes"], json!(["9 from $WELLREAD_CHAT_ROUNDS still takes precedence"]));
    assert_eq!(answer["settings"]["chat.rounds"].get("next"), None);
    served.end();
}

#[test]
fn changes_at_the_same_time_are_all_kept() {
    let desk = Desk::new();
    let served = Served::start(&desk);
    let keys =
        ["chat.rounds", "chat.tool_seconds", "code.steps", "code.seconds", "budget.cents", "budget.tokens"];
    for round in 1..4 {
        thread::scope(|scope| {
            for key in keys {
                scope.spawn(|| set(&served, key, round).done());
            }
        });
        let settings = served.get("/api/settings").done()["settings"].clone();
        for key in keys {
            assert_eq!(settings[key]["next"]["value"], round, "{key}");
        }
    }
    served.end();
}

/// Whoever leads an address elsewhere would be sent the key.
#[test]
fn a_key_that_is_set_keeps_its_address() {
    let desk = Desk::new();
    let served = Served::start(&desk);
    set(&served, "model.base_url", "https://api.openai.com/v1").done();
    set(&served, "model.api_key", "sk-not-to-be-seen").done();
    set(&served, "search.brave.base_url", "http://127.0.0.1:9").done();
    let before = text(&desk);
    for (key, value) in [
        ("model.base_url", "http://127.0.0.1:18099/v1"),
        ("model.base_url", "https://api.fireworks.ai/inference/v1"),
        ("model.provider", "anthropic"),
    ] {
        let problem = set(&served, key, value).problem(403);
        assert!(problem["detail"].as_str().unwrap().contains("`model.api_key` is set"), "{problem}");
    }
    unset(&served, "model.base_url").problem(403);
    assert_eq!(text(&desk), before);
    unset(&served, "model.api_key").done();
    set(&served, "model.base_url", "http://127.0.0.1:18099/v1").done();
    let nothing = unset(&served, "model.api_key").done();
    assert!(nothing["notes"][0].as_str().unwrap().contains("nothing was removed"), "{nothing}");
    served.end();
}

#[test]
fn codebases_are_added_and_removed_by_stricter_rules_than_on_the_command_line() {
    let desk = Desk::new();
    let code = desk.folder().join("apiary");
    let folders = ["apiary/.git", "plain", ".hidden/.git", "home/.hidden/inner/.git"];
    folders.iter().for_each(|folder| fs::create_dir_all(desk.folder().join(folder)).unwrap());
    let there = |folder: &str| desk.folder().join(folder).display().to_string();
    let served = Served::start(&desk);
    let add = |path: &str, name: &str| served.post("/api/repos", &json!({ "path": path, "name": name }));
    let (vault, data) = (desk.vault().display().to_string(), desk.data().display().to_string());
    for (path, name, status) in [
        ("", "x", 400),
        ("apiary", "x", 400),
        ("../apiary", "x", 400),
        ("/no/such/folder", "x", 404),
        ("/etc/hostname", "x", 400),
        (code.to_str().unwrap(), "two words", 400),
        (&vault, "x", 403),
        (&format!("{vault}/Bees"), "x", 403),
        (&data, "x", 403),
        ("/", "x", 403),
        // Whoever got one request through could name any folder.
        (&there("plain"), "x", 403),
        (&there(".hidden"), "x", 403),
        (&there("home/.hidden/inner"), "x", 403),
        ("/etc", "x", 403),
        ("/proc/self", "x", 403),
        ("~", "x", 403),
    ] {
        assert_eq!(add(path, name).status, status, "{path}");
    }
    assert_eq!(text(&desk), "");
    let listed = add(code.to_str().unwrap(), "").done()["repos"].clone();
    assert_eq!(column(&listed, "state"), ["added"], "{listed}");
    add(code.to_str().unwrap(), "other").problem(409);
    let by_command = desk.run(["repo", "list", "--json"]).done();
    assert_eq!(column(&by_command["repos"], "name"), ["apiary"]);
    served.end();

    let again = Served::start(&desk);
    assert_eq!(column(&again.get("/api/repos").done()["repos"], "state"), ["served"]);
    delete(&again, "/api/repos/apiry").problem(404);
    let listed = delete(&again, "/api/repos/apiary").done()["repos"].clone();
    assert_eq!(column(&listed, "state"), ["removed"]);
    assert!(code.is_dir() && text(&desk).is_empty(), "{}", text(&desk));
    again.end();
}
