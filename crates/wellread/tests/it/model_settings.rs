//! Which language model is chosen, where its key goes and does not go, and what `doctor` says of it.

use std::fs;

use serde_json::{Value, json};
use wellread_testkit::{ModelServer, Turn};

use crate::desk::{Desk, Ran};

type Variables<'a> = &'a [(&'a str, &'a str)];

fn with(desk: &Desk, variables: Variables, args: &[&str]) -> Ran {
    Ran::of(desk.here().envs(variables.iter().copied()).args(args))
}

/// Provider, address, model and key as they hold, each with where it came from.
fn chosen(desk: &Desk, variables: Variables) -> [(String, String); 4] {
    let shown = with(desk, variables, &["config", "show", "--json"]).done();
    ["provider", "base_url", "name", "api_key"].map(|name| {
        let setting = &shown["settings"][format!("model.{name}")];
        (setting["value"].as_str().unwrap().to_owned(), setting["from"].as_str().unwrap().to_owned())
    })
}

fn values(desk: &Desk, variables: Variables) -> [String; 4] {
    chosen(desk, variables).map(|(value, _)| value)
}

/// The line of `doctor` about the model.
fn examined(desk: &Desk, variables: Variables, args: &[&str]) -> Value {
    let ran = with(desk, variables, &[args, &["doctor", "--json"]].concat());
    assert!(!ran.stdout.contains("sk-") && !ran.stderr.contains("sk-"), "{ran:?}");
    let checks = ran.json()["checks"].clone();
    checks.as_array().unwrap().iter().find(|check| check["name"] == "model").unwrap().clone()
}

fn settings(desk: &Desk, text: &str) {
    let folder = desk.home().join(".config/wellread");
    fs::create_dir_all(&folder).unwrap();
    fs::write(folder.join("config.toml"), text).unwrap();
}

const HIDDEN: &str = "********";
const FIREWORKS: &str = "https://api.fireworks.ai/inference/v1";
const OPENAI: &str = "https://api.openai.com/v1";
const ANTHROPIC: &str = "https://api.anthropic.com";

#[test]
fn a_known_key_chooses_the_service_where_nothing_else_does() {
    let desk = Desk::bare();
    assert_eq!(values(&desk, &[]), ["none", "", "", ""]);
    let deepseek = "accounts/fireworks/models/deepseek-v3p1";
    let by = |name: &str| format!("${name}");
    let is = |value: &str, from: String| (value.to_owned(), from);
    let key = "FIREWORKS_API_KEY";
    assert_eq!(
        chosen(&desk, &[(key, "sk-f")]),
        [
            is("openai", by(key)),
            is(FIREWORKS, by(key)),
            is(deepseek, "default".to_owned()),
            is(HIDDEN, by(key))
        ]
    );
    for (variables, expected) in [
        (vec![("OPENAI_API_KEY", "sk-o")], ["openai", OPENAI, "gpt-4.1-mini", HIDDEN]),
        (vec![("ANTHROPIC_API_KEY", "sk-a")], ["anthropic", ANTHROPIC, "claude-sonnet-4-5", HIDDEN]),
        (
            vec![(key, "sk-f"), ("FIREWORKS_MODEL", "glm"), ("LLM_MODEL", "x")],
            ["openai", FIREWORKS, "glm", HIDDEN],
        ),
        (vec![(key, "sk-f"), ("LLM_MODEL", "x")], ["openai", FIREWORKS, "x", HIDDEN]),
        (
            vec![(key, "sk-f"), ("FIREWORKS_MODEL", "glm"), ("WELLREAD_MODEL_NAME", "mine")],
            ["openai", FIREWORKS, "mine", HIDDEN],
        ),
        (
            vec![("OPENAI_API_KEY", "sk-o"), ("FIREWORKS_MODEL", "glm")],
            ["openai", OPENAI, "gpt-4.1-mini", HIDDEN],
        ),
        (
            vec![
                ("OPENAI_API_KEY", "sk-o"),
                ("OPENAI_BASE_URL", "http://proxy.example/v1"),
                ("LLM_MODEL", "x"),
            ],
            ["openai", "http://proxy.example/v1", "x", HIDDEN],
        ),
        (vec![("OPENAI_BASE_URL", "http://127.0.0.1:1/v1")], ["openai", "http://127.0.0.1:1/v1", "", ""]),
        (
            vec![
                ("ANTHROPIC_API_KEY", "sk-a"),
                ("ANTHROPIC_BASE_URL", "http://proxy.example"),
                ("LLM_MODEL", "x"),
            ],
            ["anthropic", "http://proxy.example", "x", HIDDEN],
        ),
        (vec![(key, "sk-f"), ("OPENAI_API_KEY", "sk-o")], ["openai", FIREWORKS, deepseek, HIDDEN]),
        (vec![(key, "sk-f"), ("WELLREAD_MODEL_PROVIDER", "none")], ["none", "", "", ""]),
        (
            vec![(key, "sk-f"), ("OPENAI_API_KEY", "sk-o"), ("WELLREAD_MODEL_PROVIDER", "openai")],
            ["openai", OPENAI, "gpt-4.1-mini", HIDDEN],
        ),
        (vec![(key, "sk-f"), ("WELLREAD_MODEL_PROVIDER", "openai")], ["openai", FIREWORKS, deepseek, HIDDEN]),
        (
            vec![(key, "sk-f"), ("WELLREAD_MODEL_PROVIDER", "anthropic")],
            ["anthropic", ANTHROPIC, "claude-sonnet-4-5", ""],
        ),
        (
            vec![("WELLREAD_MODEL_BASE_URL", OPENAI), ("OPENAI_API_KEY", "sk-o")],
            ["openai", OPENAI, "gpt-4.1-mini", HIDDEN],
        ),
        (
            vec![("WELLREAD_MODEL_BASE_URL", "https://api.anthropic.com/v1"), ("ANTHROPIC_API_KEY", "sk-a")],
            ["anthropic", "https://api.anthropic.com/v1", "claude-sonnet-4-5", HIDDEN],
        ),
    ] {
        assert_eq!(values(&desk, &variables), expected, "{variables:?}");
    }
}

#[test]
fn a_key_is_for_its_own_host_alone() {
    let desk = Desk::bare();
    let all = [("FIREWORKS_API_KEY", "sk-f"), ("OPENAI_API_KEY", "sk-o"), ("ANTHROPIC_API_KEY", "sk-a")];
    let [_, _, _, key] =
        values(&desk, &[&all[..], &[("WELLREAD_MODEL_BASE_URL", "http://127.0.0.1:1/v1")]].concat());
    assert_eq!(key, "", "an endpoint of the user's own gets no service's key");
    for imposter in [
        "http://api.openai.com/v1",
        "https://api.openai.com:8443/v1",
        "https://api.openai.com.example.com/v1",
        "https://api.openai.com@example.com/v1",
        "https://example.com/https://api.openai.com/v1",
    ] {
        let [_, _, _, key] = values(&desk, &[&all[..], &[("WELLREAD_MODEL_BASE_URL", imposter)]].concat());
        assert_eq!(key, "", "{imposter}");
    }
    // One service's key does not go to the address that is set for another.
    let found = chosen(&desk, &[("FIREWORKS_API_KEY", "sk-f"), ("OPENAI_BASE_URL", "http://127.0.0.1:1/v1")]);
    assert_eq!(found[1].0, FIREWORKS);
    let variables = [
        ("WELLREAD_MODEL_PROVIDER", "openai"),
        ("FIREWORKS_API_KEY", "sk-f"),
        ("OPENAI_BASE_URL", "http://127.0.0.1:1/v1"),
    ];
    let [_, base, _, key] = values(&desk, &variables);
    assert_eq!((base.as_str(), key.as_str()), ("http://127.0.0.1:1/v1", ""));
    // Nor does one of the settings file to an address that only the environment names.
    settings(
        &desk,
        "[model]\nprovider = \"openai\"\nbase_url = \"https://mine.example/v1\"\nname = \"m\"\napi_key = \"sk-file\"\n",
    );
    assert_eq!(values(&desk, &all), ["openai", "https://mine.example/v1", "m", HIDDEN]);
    let [_, base, _, key] = values(&desk, &[("WELLREAD_MODEL_BASE_URL", "http://127.0.0.1:1/v1")]);
    assert_eq!((base.as_str(), key.as_str()), ("http://127.0.0.1:1/v1", ""));
    settings(&desk, "[model]\nprovider = \"openai\"\napi_key = \"sk-file\"\n");
    assert_eq!(values(&desk, &[]), ["openai", OPENAI, "gpt-4.1-mini", HIDDEN]);
    let [_, base, _, key] = values(&desk, &[("OPENAI_BASE_URL", "http://127.0.0.1:1/v1")]);
    assert_eq!((base.as_str(), key.as_str()), ("http://127.0.0.1:1/v1", ""));
    // A file's own key is for the service of that name, whatever else the environment holds.
    assert_eq!(values(&desk, &[("FIREWORKS_API_KEY", "sk-f")])[1], OPENAI);
}

#[test]
fn the_key_that_is_sent_is_the_one_that_was_meant() {
    let desk = Desk::bare();
    let sent = |provider: &str, variables: Variables| {
        let server = ModelServer::start([Turn::says("ready")]);
        let base = server.base_url();
        let own = [
            ("WELLREAD_MODEL_BASE_URL", base.as_str()),
            ("WELLREAD_MODEL_PROVIDER", provider),
            ("LLM_MODEL", "m"),
        ];
        let check = {
            let ran = with(&desk, &[&own, variables].concat(), &["doctor", "--try", "--json"]);
            assert!(!ran.stdout.contains("sk-") && !ran.stderr.contains("sk-"), "{ran:?}");
            ran.json()["checks"]
                .as_array()
                .unwrap()
                .iter()
                .find(|check| check["name"] == "model")
                .unwrap()
                .clone()
        };
        assert!(check["detail"].as_str().unwrap().ends_with(": it answers"), "{check}");
        let asked = server.into_requests().remove(0);
        let header = |name: &str| asked.header(name).map(str::to_owned);
        assert_eq!(asked.body["model"], "m");
        (header("authorization"), header("x-api-key"))
    };
    assert_eq!(sent("openai", &[("OPENAI_API_KEY", "sk-o")]), (None, None));
    assert_eq!(sent("openai", &[("WELLREAD_MODEL_API_KEY", "sk-1")]), (Some("Bearer sk-1".to_owned()), None));
    assert_eq!(
        sent("anthropic", &[("WELLREAD_MODEL_API_KEY", "env:MINE"), ("MINE", "sk-2")]),
        (None, Some("sk-2".to_owned()))
    );
    let file = desk.folder().join("key");
    fs::write(&file, "sk-3\n").unwrap();
    let named = format!("file:{}", file.display());
    assert_eq!(sent("openai", &[("WELLREAD_MODEL_API_KEY", &named)]), (Some("Bearer sk-3".to_owned()), None));
}

#[test]
fn doctor_says_what_is_set_up_and_tries_only_what_is_on_this_machine() {
    let desk = Desk::bare();
    let none = examined(&desk, &[], &[]);
    assert_eq!(
        (
            &none["ok"],
            none["detail"].as_str().unwrap().starts_with("no model is set up (set FIREWORKS_API_KEY")
        ),
        (&json!(true), true)
    );
    // Switched off is another thing than not set up, and has another way out, whatever else is set.
    for more in [&[][..], &[("OPENAI_API_KEY", "sk-o")], &[("WELLREAD_MODEL_API_KEY", "sk-o")]] {
        let off = [&[("WELLREAD_MODEL_PROVIDER", "none")], more].concat();
        let off = examined(&desk, &off, &[])["detail"].as_str().unwrap().to_owned();
        assert!(off.starts_with("the model is switched off: `model.provider` is `none`"), "{more:?}: {off}");
        assert!(off.contains("config unset model.provider"), "{more:?}: {off}");
    }
    let hosted = examined(&desk, &[("OPENAI_API_KEY", "sk-o"), ("RESEARCH_MODEL", "gpt-large")], &[]);
    let expected = "gpt-4.1-mini, gpt-large for research at https://api.openai.com/v1, a key: set up, not tested; `wellread doctor --try` tests it";
    assert_eq!((&hosted["ok"], hosted["detail"].as_str().unwrap()), (&json!(true), expected));

    let missing = examined(&desk, &[("WELLREAD_MODEL_PROVIDER", "anthropic")], &[]);
    assert_eq!(
        (&missing["ok"], missing["remedy"].as_str().unwrap()),
        (&json!(false), "set ANTHROPIC_API_KEY or `model.api_key`")
    );
    let missing = examined(&desk, &[("WELLREAD_MODEL_BASE_URL", FIREWORKS)], &[]);
    assert!(missing["remedy"].as_str().unwrap().contains("FIREWORKS_API_KEY"), "{missing}");
    let lost = examined(&desk, &[("WELLREAD_MODEL_API_KEY", "sk-1")], &[]);
    assert!(lost["detail"].as_str().unwrap().contains("no endpoint"), "{lost}");
    let nameless = examined(&desk, &[("OPENAI_BASE_URL", "http://127.0.0.1:1/v1")], &[]);
    assert!(nameless["detail"].as_str().unwrap().contains("model.name"), "{nameless}");
    let wrong = examined(&desk, &[("OPENAI_BASE_URL", "localhost"), ("LLM_MODEL", "m")], &[]);
    assert!(wrong["detail"].as_str().unwrap().contains("not a valid endpoint address"), "{wrong}");
    let unset = [
        ("WELLREAD_MODEL_BASE_URL", "http://127.0.0.1:1/v1"),
        ("LLM_MODEL", "m"),
        ("WELLREAD_MODEL_API_KEY", "env:NOT_THERE"),
    ];
    assert!(examined(&desk, &unset, &[])["detail"].as_str().unwrap().contains("NOT_THERE"));

    let nobody = examined(&desk, &[("OPENAI_BASE_URL", "http://127.0.0.1:1/v1"), ("LLM_MODEL", "m")], &[]);
    assert_eq!(nobody["ok"], false);
    assert!(nobody["detail"].as_str().unwrap().contains("can't be reached"), "{nobody}");
}

#[test]
fn doctor_knocks_at_a_model_on_this_machine_without_asking_it_anything() {
    let listener = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let base = format!("http://{}/v1", listener.local_addr().unwrap());
    let knocked = std::thread::spawn(move || {
        use std::io::{Read, Write};
        let (mut stream, _) = listener.accept().unwrap();
        let mut head = [0; 2000];
        let length = stream.read(&mut head).unwrap();
        stream.write_all(b"HTTP/1.1 404 X\r\ncontent-length: 0\r\n\r\n").unwrap();
        String::from_utf8_lossy(&head[..length]).into_owned()
    });
    let desk = Desk::bare();
    let variables =
        [("WELLREAD_MODEL_BASE_URL", base.as_str()), ("LLM_MODEL", "m"), ("WELLREAD_MODEL_API_KEY", "sk-1")];
    let there = examined(&desk, &variables, &["--offline"]);
    assert_eq!(there["detail"], format!("m at {base}, a key: it responds"));
    let request = knocked.join().unwrap();
    assert!(request.starts_with("GET /v1/models HTTP/1.1\r\n") && !request.contains("sk-1"), "{request}");
}

#[test]
fn offline_only_a_model_on_this_machine_is_asked() {
    let desk = Desk::bare();
    let hosted = examined(&desk, &[("OPENAI_API_KEY", "sk-o")], &["--offline"]);
    assert!(
        hosted["detail"]
            .as_str()
            .unwrap()
            .starts_with("the model at https://api.openai.com is not used: --offline"),
        "{hosted}"
    );
    let server = ModelServer::start([Turn::says("ready")]);
    let base = server.base_url();
    let variables = [("OPENAI_BASE_URL", base.as_str()), ("LLM_MODEL", "m")];
    let ran = with(&desk, &variables, &["--offline", "doctor", "--try", "--json"]).json();
    assert!(
        ran["checks"].as_array().unwrap().iter().find(|check| check["name"] == "model").unwrap()["detail"]
            .as_str()
            .unwrap()
            .ends_with("it answers"),
        "{ran}"
    );
    assert_eq!(server.into_requests().len(), 1);
}

#[test]
fn a_model_that_does_not_answer_is_told_with_a_remedy() {
    let desk = Desk::bare();
    for (turn, expected, remedy) in [
        (
            Turn::status(401, "{\"error\":{\"message\":\"bad sk-1\"}}"),
            "rejected the key",
            "set OPENAI_API_KEY",
        ),
        (Turn::status(404, ""), "has no model `m`", "check `model.name`"),
        (Turn::status(200, "<html>"), "is not JSON", "try again"),
    ] {
        let server = ModelServer::start([turn]);
        let base = server.base_url();
        let variables = [("OPENAI_BASE_URL", base.as_str()), ("OPENAI_API_KEY", "sk-1"), ("LLM_MODEL", "m")];
        let ran = with(&desk, &variables, &["doctor", "--try", "--json", "-vv"]);
        assert!(!ran.stdout.contains("sk-1") && !ran.stderr.contains("sk-1"), "{ran:?}");
        let check = ran.json()["checks"]
            .as_array()
            .unwrap()
            .iter()
            .find(|check| check["name"] == "model")
            .unwrap()
            .clone();
        assert_eq!(check["ok"], false);
        assert!(check["detail"].as_str().unwrap().contains(expected), "{check}");
        assert!(check["remedy"].as_str().unwrap().contains(remedy), "{check}");
    }
}
