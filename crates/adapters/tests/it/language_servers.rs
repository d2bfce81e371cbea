//! A language server that does everything wrong: each time the question ends with a failure that says why, in bounded
//! time and memory, and nothing of the server is left.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;

use serde_json::{Value, json};
use wellread_adapters::lsp::{LanguageServerPool, states};
use wellread_core::ports::{
    LanguageServers, NoServers, ServerAnswer, ServerAsked, ServerFailure, ServerQuestion,
};
use wellread_core::{Error, Kind};

use crate::studied::{Studied, ask, hover, in_venv, places};

const SERVER: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/it/hostile_server.py");
const BEES: &str = "🐝 = 1\nwax = 🐝\n";

struct Hostile {
    studied: Studied,
}

impl Hostile {
    fn new(mode: &str, answers: &Value) -> Self {
        let mut studied = Studied::new(&[("bees.py", BEES), ("more.py", "import bees\n")], &[]);
        let around = studied.around();
        fs::write(around.join("answers"), answers.to_string()).unwrap();
        let words = [&in_venv("python"), "-I", "-S", SERVER, mode]
            .map(str::to_owned)
            .into_iter()
            .chain(["log", "answers"].map(|name| around.join(name).display().to_string()));
        studied.settings.commands.insert("python".to_owned(), words.collect());
        Self { studied }
    }

    fn question(&self) -> ServerQuestion {
        self.studied.question(ServerAsked::Definition, "bees.py", "= <>🐝")
    }

    fn asked(&self, pool: &LanguageServerPool) -> Result<ServerAnswer, ServerFailure> {
        ask(pool, &self.question())
    }

    /// The messages that the server got, and what it said of itself at each start.
    fn log(&self) -> Vec<Value> {
        let log = fs::read_to_string(self.studied.around().join("log")).unwrap_or_default();
        log.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
    }

    fn starts(&self) -> usize {
        self.log().iter().filter(|line| line.get("cwd").is_some()).count()
    }

    /// That no process of this server is there, whatever it called itself.
    fn nothing_is_left(&self) {
        let folder = self.studied.around().display().to_string();
        let until = std::time::Instant::now() + Duration::from_secs(20);
        loop {
            let left: Vec<String> =
                processes().filter(|(_, words)| words.contains(&folder)).map(|(_, words)| words).collect();
            if left.is_empty() {
                return;
            }
            assert!(std::time::Instant::now() < until, "{left:#?}");
            std::thread::yield_now();
        }
    }
}

/// Every process of this machine and its words.
fn processes() -> impl Iterator<Item = (PathBuf, String)> {
    let all = fs::read_dir("/proc").unwrap().flatten().map(|entry| entry.path());
    all.filter_map(|process| {
        let words = fs::read(process.join("cmdline")).ok()?;
        Some((process, String::from_utf8_lossy(&words).into_owned()))
    })
}

/// Children of ours that have ended and were not waited for.
fn unburied() -> Vec<PathBuf> {
    let ours = |process: &PathBuf| {
        let stat = fs::read_to_string(process.join("stat")).unwrap_or_default();
        let after_name = stat.rsplit(") ").next().unwrap_or_default().to_owned();
        let name = stat.split(['(', ')']).nth(1).unwrap_or_default().to_owned();
        let mut fields = after_name.split(' ');
        let ended = fields.next() == Some("Z");
        ended
            && fields.next() == Some(&std::process::id().to_string())
            && (name == "unshare" || name.starts_with("python"))
    };
    processes().map(|(process, _)| process).filter(ours).collect()
}

fn place(path: &Path, line: u32, from: u32, to: u32) -> Value {
    let at = |character| json!({"line": line, "character": character});
    json!({"uri": format!("file://{}", path.display()), "range": {"start": at(from), "end": at(to)}})
}

fn broken(failure: &ServerFailure) -> &str {
    match failure {
        ServerFailure::Broken { why, .. } => why,
        other => panic!("{other:?}"),
    }
}

#[test]
fn a_server_is_asked_and_its_answer_is_in_the_repositorys_terms() {
    let hostile = Hostile::new("well", &Value::Null);
    let root = hostile.studied.root();
    let answers = json!([place(&root.join("bees.py"), 0, 0, 2), place(Path::new("/etc/passwd"), 0, 0, 1)]);
    fs::write(hostile.studied.around().join("answers"), answers.to_string()).unwrap();
    let pool = hostile.studied.pool();
    let answer = hostile.asked(&pool).unwrap();
    assert_eq!(places(&answer), ["bees.py 1:1"]);
    assert_eq!(answer.places[0].columns, (1, 2));
    assert_eq!(answer.partial.unwrap(), "a place that is not among the repository's files is left out");
    hostile.asked(&pool).unwrap();
    drop(pool);
    hostile.nothing_is_left();

    let log = hostile.log();
    assert_eq!((hostile.starts(), &log[0]["cwd"]), (1, &json!(root)));
    let methods: Vec<&str> = log.iter().filter_map(|message| message["method"].as_str()).collect();
    let asked = "textDocument/definition";
    assert_eq!(
        methods,
        ["initialize", "initialized", "textDocument/didOpen", asked, asked, "shutdown", "exit"]
    );
    let asked = log.iter().find(|message| message["method"] == asked).unwrap();
    assert_eq!(asked["params"]["position"], json!({"line": 1, "character": 6}));
    let shown = &log.iter().find(|message| message["method"] == "textDocument/didOpen").unwrap()["params"];
    assert_eq!(
        (&shown["textDocument"]["text"], &shown["textDocument"]["languageId"]),
        (&json!(BEES), &json!("python"))
    );
}

#[test]
fn a_server_learns_nothing_of_our_environment_and_reaches_no_network() {
    let hostile = Hostile::new("well", &Value::Null);
    hostile.asked(&hostile.studied.pool()).unwrap();
    let about = &hostile.log()[0];
    // Cargo sets this one for us: what is in our environment is not in the server's.
    assert!(std::env::var_os("CARGO_MANIFEST_DIR").is_some());
    let known = [
        "HOME",
        "LANG",
        "LC_ALL",
        "LC_CTYPE",
        "LOGNAME",
        "PATH",
        "RUSTUP_HOME",
        "CARGO_HOME",
        "TERM",
        "TMPDIR",
        "TZ",
        "USER",
    ];
    let known: Vec<&str> =
        known.into_iter().chain(["GOPATH", "GOROOT", "JAVA_HOME", "LANGUAGE", "PYTHONSAFEPATH"]).collect();
    for name in about["environment"].as_array().unwrap() {
        let name = name.as_str().unwrap();
        assert!(known.contains(&name) || name.starts_with("XDG_"), "{name}");
    }
    assert!(about["path"].as_str().unwrap().split(':').all(|folder| folder.starts_with('/')));

    // With a program that lists the networks that it sees, where it can be kept from them here.
    let networks = hostile.studied.around().join("networks");
    let script = format!("cat /proc/net/dev > '{}'; exec cat", networks.display());
    let mut listing = Hostile::new("well", &Value::Null);
    listing.studied.settings.start_limit = Duration::from_millis(200);
    listing
        .studied
        .settings
        .commands
        .insert("python".to_owned(), vec!["sh".to_owned(), "-c".to_owned(), script]);
    let is_off = states(&listing.studied.settings)[0].network_is_off;
    // `cat` gives our own words back, which are no answer.
    drop(listing.asked(&listing.studied.pool()).unwrap_err());
    let seen = fs::read_to_string(networks).unwrap();
    let seen: Vec<&str> =
        seen.lines().skip(2).filter_map(|line| line.split(':').next()).map(str::trim).collect();
    println!("the network is off: {is_off}, seen: {seen:?}");
    assert!(!is_off || seen == ["lo"], "{seen:?}");
}

#[test]
fn what_a_server_asks_for_is_answered_and_nothing_is_changed_or_shown() {
    let hostile = Hostile::new("asks", &Value::Null);
    let uri = format!("file://{}", hostile.studied.root().join("bees.py").display());
    let insert = json!({"range": {"start": {"line": 0, "character": 0}, "end": {"line": 0, "character": 0}}, "newText": "import os\n"});
    let asked = json!([
        ["workspace/applyEdit", {"edit": {"changes": {uri: [insert]}}}],
        ["window/showDocument", {"uri": "https://example.com/?q=secret", "external": true}],
        ["workspace/configuration", {"items": [{"section": "python"}, {"section": "python.analysis"}]}],
        ["client/registerCapability", {"registrations": []}],
        ["window/workDoneProgress/create", {"token": 1}],
        ["window/showMessageRequest", {"type": 1, "message": "May I?", "actions": [{"title": "Yes"}]}],
        ["workspace/executeCommand", {"command": "rm"}],
        ["workspace/workspaceFolders", null],
    ]);
    let found = place(&hostile.studied.root().join("bees.py"), 0, 0, 2);
    let answers = json!({"asked": asked, "places": found});
    fs::write(hostile.studied.around().join("answers"), answers.to_string()).unwrap();
    let answer = hostile.asked(&hostile.studied.pool()).unwrap();
    assert_eq!((places(&answer), answer.partial), (vec!["bees.py 1:1".to_owned()], None));
    assert_eq!(fs::read_to_string(hostile.studied.root().join("bees.py")).unwrap(), BEES);
    let log = hostile.log();
    let replies: Vec<&Value> =
        log.iter().filter(|line| line["id"].as_str().is_some_and(|id| id.starts_with('q'))).collect();
    let results: Vec<&Value> =
        replies.iter().map(|reply| reply.get("result").unwrap_or(&reply["error"]["code"])).collect();
    let folder = json!([{"uri": format!("file://{}", hostile.studied.root().display()), "name": "repo"}]);
    assert_eq!(results[0]["applied"], false);
    let rest = [
        json!({"success": false}),
        json!([null, null]),
        json!(null),
        json!(null),
        json!(null),
        json!(-32601),
        folder,
    ];
    assert!(results[1..].iter().copied().eq(&rest), "{results:#?}");
}

#[test]
fn a_server_that_says_what_is_no_message_is_ended() {
    for (mode, why) in [
        ("welcomes", "no message of the protocol"),
        ("endless head", "head of a message is too long"),
        ("large message", "too large"),
        ("garbage", "no JSON"),
        ("deep", "no JSON"),
        ("odd units", "introduction"),
    ] {
        let hostile = Hostile::new(mode, &Value::Null);
        let pool = hostile.studied.pool();
        let failure = hostile.asked(&pool).unwrap_err();
        assert!(broken(&failure).contains(why), "{mode}: {failure:?}");
        assert!(failure.message().contains("python") && failure.hint().is_some(), "{mode}");
        hostile.nothing_is_left();
    }
}

#[test]
fn an_answer_of_another_shape_is_none() {
    for wrong in [json!("x"), json!(7), json!([{"uri": 7}]), json!([[]])] {
        let hostile = Hostile::new("well", &wrong);
        let failure = hostile.asked(&hostile.studied.pool()).unwrap_err();
        assert!(broken(&failure).contains("not of the shape"), "{wrong}: {failure:?}");
    }
    let hostile = Hostile::new("error", &json!([-32603, -32601, -32801, -32802]));
    let pool = hostile.studied.pool();
    let failure = hostile.asked(&pool).unwrap_err();
    assert_eq!(broken(&failure), "it answered with the error -32603");
    assert!(!failure.message().contains("Ignore"));
    assert!(matches!(
        hostile.asked(&pool).unwrap_err(),
        ServerFailure::Unable { what: ServerAsked::Definition, .. }
    ));
    assert_eq!(hostile.asked(&pool).unwrap(), ServerAnswer::default(), "what passes is asked again");
    assert_eq!(hostile.starts(), 1);
}

#[test]
fn a_server_that_dies_is_started_again_and_left_alone_when_it_does_so_too_often() {
    for (mode, said) in
        [("dies", Some("out of wax")), ("half", None), ("dies at start", Some("\u{1b}[31mno licence"))]
    {
        let hostile = Hostile::new(mode, &Value::Null);
        let pool = hostile.studied.pool();
        for _ in 0..3 {
            match hostile.asked(&pool).unwrap_err() {
                ServerFailure::Died { said: last, .. } => {
                    assert_eq!(last.as_ref().map(|said| said.look()), said, "{mode}");
                }
                other => panic!("{mode}: {other:?}"),
            }
        }
        let failure = hostile.asked(&pool).unwrap_err();
        assert!(matches!(failure, ServerFailure::GivenUp { times: 3, .. }), "{mode}: {failure:?}");
        assert!(failure.hint().is_some());
        assert_eq!(hostile.starts(), 3, "{mode}");
        hostile.nothing_is_left();
    }
}

#[test]
fn a_server_that_does_not_start_in_time_is_not_ready_and_ended_in_the_end() {
    let mut hostile = Hostile::new("hangs at start", &Value::Null);
    hostile.studied.settings.start_limit = Duration::from_millis(300);
    let pool = hostile.studied.pool();
    let short = ServerQuestion { limit: Duration::from_millis(1), ..hostile.question() };
    for question in [&short, &hostile.question()] {
        let failure = ask(&pool, question).unwrap_err();
        assert!(matches!(failure, ServerFailure::NotReady { .. }), "{failure:?}");
    }
    hostile.nothing_is_left();
}

#[test]
fn a_pool_that_is_dropped_while_a_server_starts_leaves_nothing_behind() {
    let hostile = Hostile::new("hangs at start", &Value::Null);
    let pool = hostile.studied.pool();
    let short = ServerQuestion { limit: Duration::from_millis(500), ..hostile.question() };
    assert!(matches!(ask(&pool, &short).unwrap_err(), ServerFailure::NotReady { .. }));
    drop(pool);
    hostile.nothing_is_left();
}

#[test]
fn a_question_that_is_not_answered_is_taken_back_and_the_second_time_the_server_is_ended() {
    let hostile = Hostile::new("hangs", &Value::Null);
    let pool = hostile.studied.pool();
    // Once it runs, a start does not count towards the limit.
    let short = ServerQuestion { limit: Duration::from_millis(700), ..hostile.question() };
    let mut timed_out = 0;
    for _ in 0..20 {
        match ask(&pool, &short).unwrap_err() {
            ServerFailure::TimedOut { .. } => timed_out += 1,
            ServerFailure::NotReady { .. } => {}
            other => panic!("{other:?}"),
        }
        if timed_out == 2 {
            break;
        }
    }
    assert_eq!(timed_out, 2);
    let log = hostile.log();
    let id = |method: &str, pointer: &str| {
        let message = log.iter().find(|message| message["method"] == method);
        message.and_then(|message| message.pointer(pointer)).cloned().unwrap_or_else(|| panic!("no {method}"))
    };
    assert_eq!(id("$/cancelRequest", "/params/id"), id("textDocument/definition", "/id"));
    hostile.nothing_is_left();
    let deaf = Hostile::new("deaf", &Value::Null);
    let much = format!("{BEES}# {}\n", "x".repeat(3 << 20));
    let pool = deaf.studied.pool();
    let failures: Vec<_> = (0..6)
        .map(|_| {
            ask(
                &pool,
                &ServerQuestion { limit: Duration::from_millis(500), text: much.clone(), ..deaf.question() },
            )
        })
        .map(Result::unwrap_err)
        .collect();
    assert!(failures.iter().any(|failure| matches!(failure, ServerFailure::TimedOut { .. })), "{failures:?}");
    drop(pool);
    deaf.nothing_is_left();
}

#[test]
fn a_flood_of_news_and_questions_is_survived() {
    let hostile = Hostile::new("floods", &Value::Null);
    let found = place(&hostile.studied.root().join("bees.py"), 0, 0, 2);
    fs::write(hostile.studied.around().join("answers"), found.to_string()).unwrap();
    let answer = hostile.asked(&hostile.studied.pool()).unwrap();
    assert_eq!(places(&answer), ["bees.py 1:1"]);
    let complains = Hostile::new("complains", &Value::Null);
    assert_eq!(complains.asked(&complains.studied.pool()).unwrap(), ServerAnswer::default());
}

#[test]
fn an_answer_from_before_all_was_read_is_asked_for_again_or_marked() {
    let hostile = Hostile::new("indexes", &Value::Null);
    let root = hostile.studied.root();
    let both = json!([place(&root.join("bees.py"), 0, 0, 2), place(&root.join("more.py"), 0, 7, 11)]);
    fs::write(hostile.studied.around().join("answers"), both.to_string()).unwrap();
    let pool = hostile.studied.pool();
    let answer = hostile.asked(&pool).unwrap();
    assert_eq!(places(&answer), ["bees.py 1:1", "more.py 1:8"]);
    assert_eq!(answer.partial, None);

    let never = Hostile::new("never ready", &json!([place(&root.join("bees.py"), 0, 0, 2)]));
    let question = ServerQuestion { limit: Duration::from_secs(2), ..never.question() };
    let failure = ask(&never.studied.pool(), &question).unwrap_err();
    assert!(matches!(failure, ServerFailure::NotReady { .. }), "places elsewhere are none: {failure:?}");
    let found = json!([place(&never.studied.root().join("bees.py"), 0, 0, 2)]);
    fs::write(never.studied.around().join("answers"), found.to_string()).unwrap();
    let answer = ask(&never.studied.pool(), &question).unwrap();
    assert_eq!(answer.partial.unwrap(), "the language server was still reading the repository");
}

#[test]
fn what_a_server_started_ends_with_it() {
    let hostile = Hostile::new("leaves others behind", &Value::Null);
    let is_apart = states(&hostile.studied.settings)[0].network_is_off;
    let pool = hostile.studied.pool();
    hostile.asked(&pool).unwrap();
    assert!(hostile.log().iter().any(|line| line["others"] == 2));
    drop(pool);
    if is_apart {
        hostile.nothing_is_left();
    }
    let seen = unburied();
    let until = std::time::Instant::now() + Duration::from_secs(20);
    while seen.iter().any(|process| unburied().contains(process)) {
        assert!(std::time::Instant::now() < until, "{seen:?} were not waited for");
        std::thread::yield_now();
    }
}

#[test]
fn a_server_that_nobody_asks_is_ended_and_started_again_when_somebody_does() {
    let mut hostile = Hostile::new("well", &Value::Null);
    hostile.studied.settings.idle = Duration::ZERO;
    let pool = hostile.studied.pool();
    hostile.asked(&pool).unwrap();
    hostile.nothing_is_left();
    hostile.asked(&pool).unwrap();
    hostile.nothing_is_left();
    for _ in 0..4 {
        hostile.asked(&pool).expect("an end that we asked for is no failure of the server");
        hostile.nothing_is_left();
    }
    assert_eq!(hostile.starts(), 6);
}

#[test]
fn languages_with_one_command_share_a_server_and_each_repository_has_its_own() {
    let mut hostile = Hostile::new("well", &json!({"contents": "words"}));
    let command = hostile.studied.settings.commands["python"].clone();
    hostile.studied.settings.commands.insert("c".to_owned(), command);
    hostile.studied.write("bees.c", "int bees;\n");
    let pool = hostile.studied.pool();
    assert!(pool.serves("c") && pool.serves("python") && !pool.serves("rust"));
    let question = hostile.studied.question(ServerAsked::Hover, "bees.c", "int <>bees");
    assert_eq!(hover(&ask(&pool, &question).unwrap()), "words");
    let question = ServerQuestion { what: ServerAsked::Hover, ..hostile.question() };
    assert_eq!(hover(&ask(&pool, &question).unwrap()), "words");
    assert_eq!(hostile.starts(), 1);
    let elsewhere = ServerQuestion { repository: "other".to_owned(), ..hostile.question() };
    assert!(matches!(ask(&pool, &elsewhere).unwrap_err(), ServerFailure::NoSuchPlace { .. }));
}

#[test]
fn a_question_without_a_place_or_a_server_is_answered_at_once() {
    let hostile = Hostile::new("well", &Value::Null);
    let pool = hostile.studied.pool();
    for (line, column) in [(0, 1), (9, 1), (1, 0), (1, 99)] {
        let question = ServerQuestion { line, column, ..hostile.question() };
        let failure = ask(&pool, &question).unwrap_err();
        assert!(matches!(failure, ServerFailure::NoSuchPlace { .. }), "{failure:?}");
    }
    let rust = ServerQuestion { language: "rust".to_owned(), ..hostile.question() };
    let not_on = ServerFailure::NotSwitchedOn { language: "rust".to_owned() };
    assert_eq!(ask(&pool, &rust).unwrap_err(), not_on);
    assert!(!NoServers.serves("rust"));
    let runtime = tokio::runtime::Builder::new_current_thread().build().unwrap();
    assert_eq!(runtime.block_on(NoServers.ask(&rust)).unwrap_err(), not_on);
    assert_eq!(Error::from(not_on).kind(), Kind::NotSetUp);

    let missing = Studied::new(&[("bees.py", BEES)], &[("python", &["no-such-server", "--stdio"])]);
    let failure =
        ask(&missing.pool(), &missing.question(ServerAsked::Hover, "bees.py", "<>wax")).unwrap_err();
    assert_eq!(failure, ServerFailure::Missing { command: "no-such-server".to_owned() });
    assert!(failure.hint().unwrap().contains("install"));
}

#[test]
fn a_program_of_the_repository_is_not_taken_for_the_server() {
    let rust = Studied::new(
        &[("src/main.rs", "fn main() {}\n"), (".cargo/config.toml", "[build]\nrustc-wrapper = \"./evil\"\n")],
        &[("rust", &["rust-analyzer"])],
    );
    let failure =
        ask(&rust.pool(), &rust.question(ServerAsked::Hover, "src/main.rs", "fn <>main")).unwrap_err();
    assert!(
        matches!(&failure, ServerFailure::Unsafe { why, .. } if why.contains(".cargo/config.toml")),
        "{failure:?}"
    );
    assert_eq!(Error::from(failure).kind(), Kind::Refused);

    // Named by a path that does not begin at the root, it would be the repository's.
    let evil =
        Studied::new(&[("bees.py", BEES), ("evil", "#!/bin/sh\ntouch ran\n")], &[("python", &["./evil"])]);
    assert!(Command::new("chmod").arg("+x").arg(evil.root().join("evil")).status().unwrap().success());
    let failure = ask(&evil.pool(), &evil.question(ServerAsked::Hover, "bees.py", "<>wax")).unwrap_err();
    assert!(matches!(failure, ServerFailure::Missing { .. }), "{failure:?}");
    assert!(!evil.root().join("ran").exists());
}
