//! What a language server is told, gets to see and is refused, and that nothing of it is left.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;

use serde_json::{Value, json};
use wellread_adapters::lsp::server_states;
use wellread_core::ports::{LanguageServers, NoServers, ServerFailure, ServerQuestion, ServerQuestionKind};
use wellread_core::{Error, ErrorKind};

use crate::hostile::{BEES, Hostile, place, processes};
use crate::studied::{Studied, ask, hover, places};

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
    let known: Vec<&str> = known
        .into_iter()
        .chain(["GOPATH", "GOROOT", "JAVA_HOME", "LANGUAGE", "PYTHONSAFEPATH", "GOCACHE", "CARGO_TARGET_DIR"])
        .collect();
    for name in about["environment"].as_array().unwrap() {
        let name = name.as_str().unwrap();
        // Settings of git that we make ourselves, against those of the repository.
        let is_ours = name.starts_with("GIT_CONFIG_");
        // The shell that makes the mounts read-only sets these.
        let is_shells = ["PWD", "OLDPWD", "SHLVL", "_"].contains(&name);
        assert!(known.contains(&name) || name.starts_with("XDG_") || is_ours || is_shells, "{name}");
    }
    for ours in ["GIT_CONFIG_COUNT", "GIT_CONFIG_KEY_0", "GIT_CONFIG_KEY_1"] {
        assert!(about["environment"].as_array().unwrap().iter().any(|name| name == ours), "{ours}");
    }
    assert!(about["path"].as_str().unwrap().split(':').all(|folder| folder.starts_with('/')));

    // With a program that lists the networks that it sees, where it can be kept from them here.
    let mut listing = Hostile::new("well", &Value::Null);
    let networks = listing.studied.around().join("scratch/networks");
    let script = format!("cat /proc/net/dev > '{}'", networks.display());
    listing
        .studied
        .settings
        .commands
        .insert("python".to_owned(), vec!["sh".to_owned(), "-c".to_owned(), script]);
    let is_off = server_states(&listing.studied.settings)[0].network_is_off;
    // It ends without an answer.
    drop(listing.asked(&listing.studied.pool()).unwrap_err());
    let seen = fs::read_to_string(networks).unwrap();
    let seen: Vec<&str> =
        seen.lines().skip(2).filter_map(|line| line.split(':').next()).map(str::trim).collect();
    println!("the network is off: {is_off}, seen: {seen:?}");
    assert!(!is_off || seen == ["lo"], "{seen:?}");
}

#[test]
fn a_server_that_nobody_knows_writes_in_its_scratch_folder_alone() {
    let mut hostile = Hostile::new("well", &Value::Null);
    let studied = &mut hostile.studied;
    let (outside, inside) = (studied.around().join("outside"), studied.around().join("scratch/inside"));
    let brought = studied.root().join("brought.py");
    let script = format!("touch '{}' '{}' '{}'", outside.display(), brought.display(), inside.display());
    studied.settings.commands.insert("python".to_owned(), ["sh", "-c", &script].map(str::to_owned).to_vec());
    let state = &server_states(&studied.settings)[0];
    drop(hostile.asked(&hostile.studied.pool()).unwrap_err());
    assert!(inside.exists());
    assert_eq!((outside.exists(), brought.exists()), (!state.writing_is_off, !state.writing_is_off));
    if !state.writing_is_off {
        wellread_testkit::skip("this system does not let mounts be made read-only");
    }
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
fn what_a_server_started_ends_with_it() {
    let hostile = Hostile::new("leaves others behind", &Value::Null);
    let is_apart = server_states(&hostile.studied.settings)[0].network_is_off;
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
    let question = hostile.studied.question(ServerQuestionKind::Hover, "bees.c", "int <>bees");
    assert_eq!(hover(&ask(&pool, &question).unwrap()), "words");
    let question = ServerQuestion { what: ServerQuestionKind::Hover, ..hostile.question() };
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
    assert_eq!(Error::from(not_on).kind(), ErrorKind::NotSetUp);

    let missing = Studied::new(&[("bees.py", BEES)], &[("python", &["no-such-server", "--stdio"])]);
    let failure =
        ask(&missing.pool(), &missing.question(ServerQuestionKind::Hover, "bees.py", "<>wax")).unwrap_err();
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
        ask(&rust.pool(), &rust.question(ServerQuestionKind::Hover, "src/main.rs", "fn <>main")).unwrap_err();
    assert!(
        matches!(&failure, ServerFailure::Unsafe { why, .. } if why.contains(".cargo/config.toml")),
        "{failure:?}"
    );
    assert_eq!(Error::from(failure).kind(), ErrorKind::Refused);

    // Named by a path that does not begin at the root, it would be the repository's.
    let evil =
        Studied::new(&[("bees.py", BEES), ("evil", "#!/bin/sh\ntouch ran\n")], &[("python", &["./evil"])]);
    assert!(Command::new("chmod").arg("+x").arg(evil.root().join("evil")).status().unwrap().success());
    let failure =
        ask(&evil.pool(), &evil.question(ServerQuestionKind::Hover, "bees.py", "<>wax")).unwrap_err();
    assert!(matches!(failure, ServerFailure::Missing { .. }), "{failure:?}");
    assert!(!evil.root().join("ran").exists());
}
