//! Who is asked to search the web and to write down recordings, where keys go and do not go.

use std::fs;
use std::process::Command;

use serde_json::{Value, json};
use wellread_testkit::WebServer;
use wellread_testkit::web_server::{WebServerReply, arxiv, brave, duckduckgo, tavily};

use crate::desk::{Desk, Ran};
use crate::served::Served;
use crate::talk::{Revision, Talk};

type Variables<'a> = &'a [(&'a str, &'a str)];

fn with(desk: &Desk, variables: Variables, args: &[&str]) -> Ran {
    let ran = Ran::of(desk.here().envs(variables.iter().copied()).args(args));
    assert!(!ran.stdout.contains("sk-") && !ran.stderr.contains("sk-"), "{ran:?}");
    ran
}

fn setting(desk: &Desk, variables: Variables, path: &str) -> (Value, String) {
    let shown = with(desk, variables, &["config", "show", "--json"]).done();
    let setting = &shown["settings"][path];
    (setting["value"].clone(), setting["from"].as_str().unwrap().to_owned())
}

fn settings(desk: &Desk, text: &str) {
    let folder = desk.home().join(".config/wellread");
    fs::create_dir_all(&folder).unwrap();
    fs::write(folder.join("config.toml"), text).unwrap();
}

/// What a tool of the real program answers.
fn tool(desk: &Desk, variables: Variables, name: &str, args: &Value) -> Value {
    let args = args.to_string();
    with(desk, variables, &["tool", name, &args]).json()
}

const SERVICES: &str = "WELLREAD_SEARCH_SERVICES";
const ROWS: &[(&str, &str, &str)] = &[("Old hives", "https://a.example/", "They are old.")];

#[test]
fn nobody_is_asked_until_the_user_chose() {
    let desk = Desk::new();
    assert_eq!(setting(&desk, &[], "search.services"), (json!([]), "default".to_owned()));
    let answer = tool(&desk, &[], "web_search", &json!({"query": "hives"}));
    assert_eq!(answer["success"], false);
    assert!(answer["hint"].as_str().unwrap().contains("search.services"), "{answer}");
}

#[test]
fn a_key_in_the_environment_chooses_where_nothing_is_written_down() {
    let desk = Desk::bare();
    let both = [("TAVILY_API_KEY", "sk-t"), ("BRAVE_API_KEY", "sk-b")];
    assert_eq!(
        setting(&desk, &both, "search.services"),
        (json!(["brave", "tavily"]), "$BRAVE_API_KEY".to_owned())
    );
    assert_eq!(setting(&desk, &both[..1], "search.services").0, json!(["tavily"]));
    assert_eq!(setting(&desk, &both, "search.brave.api_key").0, "********");
    settings(&desk, "[search]\nservices = [\"duckduckgo\"]\n");
    assert_eq!(setting(&desk, &both, "search.services").0, json!(["duckduckgo"]));
    settings(&desk, "[search]\nservices = []\n");
    assert_eq!(setting(&desk, &both, "search.services").0, json!([]), "none is a choice, too");
    // A key of the file is none: it says with what, and not that.
    settings(&desk, "[search.brave]\napi_key = \"sk-b\"\n");
    assert_eq!(setting(&desk, &[], "search.services").0, json!([]));
}

#[test]
fn an_unknown_service_is_an_error_that_names_the_known_ones() {
    let desk = Desk::bare();
    let ran = with(&desk, &[(SERVICES, "duckduckgo,goggle")], &["config", "show"]);
    assert!(ran.stderr.contains("`goggle`"), "{ran:?}");
    settings(&desk, "[search]\nservices = [\"goggle\"]\n");
    let ran = with(&desk, &[], &["config", "show"]);
    assert!(
        ran.stderr.contains("`goggle`") && ran.stderr.contains("duckduckgo, brave, tavily, searxng, arxiv"),
        "{ran:?}"
    );
    fs::remove_file(desk.home().join(".config/wellread/config.toml")).unwrap();
    assert_eq!(
        setting(&desk, &[(SERVICES, " Brave, arxiv,brave ")], "search.services").0,
        json!(["brave", "arxiv"])
    );
    let set = |path, value| assert_eq!(with(&desk, &[], &["config", "set", path, value]).status, Some(0));
    set("search.services", "tavily,searxng");
    set("search.searxng.base_url", "http://127.0.0.1:8888");
    assert_eq!(setting(&desk, &[], "search.services").0, json!(["tavily", "searxng"]));
    assert_eq!(setting(&desk, &[], "search.searxng.base_url").0, "http://127.0.0.1:8888");
}

#[test]
fn services_are_asked_in_turn_where_the_settings_say_they_are() {
    let desk = Desk::new();
    let server = WebServer::start()
        .with_reply("/html/", WebServerReply::status(202))
        .with_reply("/res/v1/web/search", brave(ROWS))
        .with_reply("/api/query", arxiv(1, &[("2301.00001v1", "On hives", "Old.")]));
    let variables = [
        (SERVICES, "duckduckgo,brave,arxiv"),
        ("WELLREAD_SEARCH_DUCKDUCKGO_BASE_URL", server.base.as_str()),
        ("WELLREAD_SEARCH_BRAVE_BASE_URL", &server.base),
        ("WELLREAD_SEARCH_ARXIV_BASE_URL", &server.base),
        ("BRAVE_API_KEY", "sk-b"),
    ];
    let answer = tool(&desk, &variables, "web_search", &json!({"query": "old hives"}));
    assert_eq!(
        (&answer["service"], &answer["results"][0]["title"]),
        (&json!("brave"), &json!("Old hives")),
        "{answer}"
    );
    assert!(answer["notice"].as_str().unwrap().contains("robot"), "{answer}");
    let papers = tool(&desk, &variables, "arxiv_search", &json!({"query": "hives"}));
    assert_eq!(
        (&papers["total"], &papers["results"][0]["id"]),
        (&json!(1), &json!("2301.00001v1")),
        "{papers}"
    );
    assert_eq!(server.requests().len(), 3);
}

#[test]
fn a_key_of_the_settings_file_goes_to_no_address_that_only_the_environment_names() {
    let desk = Desk::new();
    let server = WebServer::start().with_reply("/search", tavily(None, ROWS));
    settings(&desk, "[search]\nservices = [\"tavily\"]\n[search.tavily]\napi_key = \"sk-file\"\n");
    let named = ("WELLREAD_SEARCH_TAVILY_BASE_URL", server.base.as_str());
    let answer = tool(&desk, &[named], "web_search", &json!({"query": "hives"}));
    assert!(answer["hint"].as_str().unwrap().contains("TAVILY_API_KEY"), "{answer}");
    assert!(server.requests().is_empty());
    let own = [named, ("TAVILY_API_KEY", "sk-own")];
    assert_eq!(tool(&desk, &own, "web_search", &json!({"query": "hives"}))["success"], true);
    settings(
        &desk,
        &format!(
            "[search]\nservices = [\"tavily\"]\n[search.tavily]\napi_key = \"sk-file\"\nbase_url = \"{}\"\n",
            server.base
        ),
    );
    assert_eq!(tool(&desk, &[], "web_search", &json!({"query": "hives"}))["success"], true);
    let keys: Vec<String> =
        server.requests().iter().map(|request| request.header("authorization").unwrap().to_owned()).collect();
    assert_eq!(keys, ["Bearer sk-own", "Bearer sk-file"]);
}

#[test]
fn offline_nothing_is_sent() {
    let desk = Desk::new();
    let server = WebServer::start().with_reply("/html/", duckduckgo(ROWS));
    let variables = [(SERVICES, "duckduckgo"), ("WELLREAD_SEARCH_DUCKDUCKGO_BASE_URL", server.base.as_str())];
    let args = json!({"query": "hives"}).to_string();
    let answer = with(&desk, &variables, &["--offline", "tool", "web_search", &args]).json();
    assert!(answer["error"].as_str().unwrap().contains("offline"), "{answer}");
    assert!(server.requests().is_empty());
    let answer = tool(&desk, &variables, "web_search", &json!({"query": "hives"}));
    assert_eq!(answer["results"][0]["url"], "https://a.example/", "{answer}");
}

#[test]
fn recordings_are_sent_where_the_settings_say_or_heard_by_a_program() {
    let desk = Desk::new();
    desk.save("Talk.md", "![[memo.mp3]]\n");
    desk.save("Clips/memo.mp3", "sound");
    let server = WebServer::start()
        .with_reply("/v1/audio/transcriptions", WebServerReply::json(&json!({"text": "Buy wax."})));
    let base = server.url("/v1");
    let variables = [
        ("WELLREAD_SPEECH_BASE_URL", base.as_str()),
        ("WHISPER_MODEL", "small"),
        ("ATTACHMENTS_DIR", "Clips"),
    ];
    let path = json!({"path": "Talk"});
    let answer = tool(&desk, &variables, "transcribe_audio", &path);
    assert_eq!(answer["results"], json!([{"file": "memo.mp3", "transcript": "Buy wax."}]), "{answer}");
    assert!(server.requests()[0].body.contains("\r\n\r\nsmall\r\n"));
    let answer = tool(&desk, &[("WELLREAD_SPEECH_COMMAND", "cat")], "transcribe_audio", &path);
    assert_eq!(answer["results"][0]["transcript"], "sound", "{answer}");
    let answer = tool(&desk, &[], "transcribe_audio", &path);
    assert!(answer["hint"].as_str().unwrap().contains("speech.base_url"), "{answer}");
}

#[test]
fn recordings_are_transcribed_over_mcp_and_http() {
    let desk = Desk::new();
    desk.save("Talk.md", "![[memo.mp3]]\n");
    desk.save("memo.mp3", "sound");
    let server = WebServer::start()
        .with_reply("/v1/audio/transcriptions", WebServerReply::json(&json!({"text": "Buy wax."})));
    let set_up = |command: &mut Command| {
        command.env("WELLREAD_SPEECH_BASE_URL", server.url("/v1"));
    };
    let expected = json!([{"file": "memo.mp3", "transcript": "Buy wax."}]);
    let mut command = desk.here();
    set_up(&mut command);
    let mut talk = Talk::of(command, Revision::June2025, &["--tools", "research"]);
    talk.greet();
    let heard = talk.call("transcribe_audio", &json!({"path": "Talk.md"}));
    assert_eq!(heard["structuredContent"]["results"], expected, "{heard}");
    assert_eq!(talk.end().0, Some(0));
    let served = Served::with(&desk, &[], |command| {
        set_up(command);
        command
    });
    assert_eq!(served.tool("transcribe_audio", &json!({"path": "Talk.md"})).done()["results"], expected);
    served.end();
    assert_eq!(server.requests().len(), 2);
}

#[test]
fn the_doctor_says_who_transcribes_recordings() {
    let desk = Desk::new();
    let check = |variables: Variables| {
        let all = with(&desk, variables, &["doctor", "--json"]).json()["checks"].clone();
        let speech = all.as_array().unwrap().iter().find(|check| check["name"] == "speech").unwrap().clone();
        (speech["ok"] == true, format!("{} {}", speech["detail"], speech["remedy"]))
    };
    for (variables, ok, says) in [
        (&[] as Variables, true, "speech.command"),
        (&[("WELLREAD_SPEECH_COMMAND", "sh")], true, "/sh"),
        (&[("WELLREAD_SPEECH_COMMAND", "no-such-program -m base")], false, "no-such-program"),
        (&[("WELLREAD_SPEECH_BASE_URL", "http://127.0.0.1:9/v1")], true, "http://127.0.0.1:9"),
        (&[("WELLREAD_SPEECH_BASE_URL", "nonsense")], false, "speech"),
    ] {
        let (is_ok, said) = check(variables);
        assert!(is_ok == ok && said.contains(says), "{variables:?}: {said}");
    }
}

#[test]
fn the_doctor_names_a_search_key_that_is_missing() {
    let desk = Desk::new();
    let checks = |services: &str| {
        let answer = Ran::of(desk.command().env("WELLREAD_SEARCH_SERVICES", services).args([
            "doctor",
            "--offline",
            "--json",
        ]));
        let all = answer.json()["checks"].clone();
        let all = all.as_array().unwrap().iter().filter(|check| check["name"] == "web");
        all.cloned().collect::<Vec<_>>()
    };
    let missing = checks("duckduckgo,brave");
    assert_eq!(missing.len(), 2);
    assert_eq!((&missing[0]["ok"], &missing[1]["ok"]), (&true.into(), &false.into()));
    assert_eq!(missing[1]["detail"], "brave needs a key, and none is set");
    assert!(missing[1]["remedy"].as_str().unwrap().contains("BRAVE_API_KEY"), "{missing:?}");
    assert_eq!(checks("duckduckgo")[0]["ok"], true);
    assert_eq!(checks("")[0]["ok"], true);
}

#[test]
fn a_search_key_that_is_refused_is_named_by_the_doctor_and_by_the_command() {
    let desk = Desk::new();
    let server = WebServer::start().with_reply("/res/v1/web/search", WebServerReply::status(401));
    let variables = [("BRAVE_API_KEY", "sk-wrong"), ("WELLREAD_SEARCH_BRAVE_BASE_URL", server.base.as_str())];
    let check = |args: &[&str]| {
        let checks = with(&desk, &variables, args).json()["checks"].clone();
        checks.as_array().unwrap().iter().find(|check| check["name"] == "web").unwrap().clone()
    };
    // Nothing leaves this machine for it unless that is asked for.
    for args in [&["doctor", "--json"][..], &["doctor", "--try", "--offline", "--json"]] {
        let untested = check(args);
        assert_eq!(untested["ok"], true, "{untested}");
        assert!(untested["detail"].as_str().unwrap().contains("not tested"), "{untested}");
    }
    assert!(server.requests().is_empty());
    let refused = check(&["doctor", "--try", "--json"]);
    assert_eq!(refused["detail"], "brave rejected the key (status 401)");
    assert_eq!(refused["remedy"], "set BRAVE_API_KEY or `search.brave.api_key`");
    assert_eq!(server.requests().len(), 1);
    let searched = tool(&desk, &variables, "web_search", &json!({"query": "hives"}));
    assert_eq!(searched["error"], "brave rejected the key (status 401)", "{searched}");
    assert_eq!(searched["hint"], "set BRAVE_API_KEY or `search.brave.api_key`");

    let server = WebServer::start().with_reply("/res/v1/web/search", brave(ROWS));
    let variables = [("BRAVE_API_KEY", "sk-b"), ("WELLREAD_SEARCH_BRAVE_BASE_URL", server.base.as_str())];
    let said = with(&desk, &variables, &["doctor", "--try"]);
    assert!(said.stdout.contains("brave: it answers"), "{said:?}");
}
