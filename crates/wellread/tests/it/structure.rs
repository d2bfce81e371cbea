//! The rules that the sources follow, read from the sources. Each rule is a function from a source to what is wrong
//! with it, and is shown to find something in a source that breaks it.

mod lexer;
mod wiring;

use std::fs;
use std::path::{Path, PathBuf};

use toml_edit::{DocumentMut, Item};

use self::lexer::{Token, code, paths};
use crate::desk::repository;

/// A source file by its path from the checkout's root.
struct Source {
    path: String,
    text: String,
}

impl Source {
    fn made_up(path: &str, text: &str) -> Self {
        Self { path: path.to_owned(), text: text.to_owned() }
    }

    fn at(&self, line: usize, what: impl std::fmt::Display) -> String {
        format!("{}:{line}: {what}", self.path)
    }
}

/// Every Rust file of the workspace.
fn sources() -> Vec<Source> {
    let root = repository();
    let mut found = Vec::new();
    for crate_folder in fs::read_dir(root.join("crates")).unwrap() {
        collect(&root, &crate_folder.unwrap().path(), &mut found);
    }
    assert!(found.len() > 50, "{} sources", found.len());
    found
}

fn collect(root: &Path, folder: &Path, found: &mut Vec<Source>) {
    for entry in fs::read_dir(folder).into_iter().flatten() {
        let path: PathBuf = entry.unwrap().path();
        if path.is_dir() && path.file_name().is_some_and(|name| name != "target") {
            collect(root, &path, found);
        } else if path.extension().is_some_and(|ending| ending == "rs") {
            let text = fs::read_to_string(&path).unwrap();
            found.push(Source { path: path.strip_prefix(root).unwrap().display().to_string(), text });
        }
    }
}

fn check(rule: impl Fn(&Source) -> Vec<String>) {
    let wrong: Vec<String> = sources().iter().flat_map(rule).collect();
    assert!(wrong.is_empty(), "\n{}\n", wrong.join("\n"));
}

/// That a rule finds exactly these lines wrong in a made-up source.
fn finds(rule: impl Fn(&Source) -> Vec<String>, path: &str, text: &str, lines: &[usize]) {
    let found = rule(&Source::made_up(path, text));
    let at: Vec<usize> =
        found.iter().map(|wrong| wrong.split(':').nth(1).unwrap().parse().unwrap()).collect();
    assert_eq!(at, lines, "{found:#?}");
}

fn is_test(path: &str) -> bool {
    path.contains("/tests/")
        || path.ends_with("/tests.rs")
        || path.contains("/benches/")
        || path.starts_with("crates/testkit/")
}

/// Which crate may depend on which.
const ARROWS: [(&str, &[&str]); 5] = [
    ("text", &[]),
    ("core", &["text"]),
    ("adapters", &["core", "text"]),
    ("testkit", &["core", "text"]),
    ("wellread", &["core", "adapters"]),
];

fn wrong_arrows(name: &str, manifest: &str) -> Vec<String> {
    let Some((_, allowed)) = ARROWS.iter().find(|(known, _)| *known == name) else {
        return vec![format!("crates/{name}: a crate that no rule speaks of")];
    };
    let manifest: DocumentMut = manifest.parse().unwrap();
    let by_target = manifest.get("target").and_then(Item::as_table_like);
    let by_target = by_target.into_iter().flat_map(|targets| targets.iter());
    let by_target =
        by_target.flat_map(|(_, target)| target.as_table_like().into_iter().flat_map(|table| table.iter()));
    let mut wrong = Vec::new();
    for (table, item) in manifest.iter().chain(by_target) {
        let more: &[&str] = if table == "dev-dependencies" { &["testkit"] } else { &[] };
        if !table.ends_with("dependencies") {
            continue;
        }
        for (dependency, _) in item.as_table_like().into_iter().flat_map(|table| table.iter()) {
            let ours = dependency
                .strip_prefix("wellread-")
                .or(ARROWS.iter().map(|(name, _)| *name).find(|name| *name == dependency));
            if let Some(ours) = ours.filter(|ours| !allowed.contains(ours) && !more.contains(ours)) {
                wrong.push(format!("crates/{name}/Cargo.toml: {table} has an arrow to {ours}"));
            }
        }
    }
    wrong
}

#[test]
fn arrows_between_crates_run_down() {
    let mut wrong = Vec::new();
    for entry in fs::read_dir(repository().join("crates")).unwrap() {
        let folder = entry.unwrap().path();
        let name = folder.file_name().unwrap().to_str().unwrap().to_owned();
        wrong.extend(wrong_arrows(&name, &fs::read_to_string(folder.join("Cargo.toml")).unwrap()));
    }
    assert!(wrong.is_empty(), "\n{}\n", wrong.join("\n"));
}

#[test]
fn an_arrow_that_runs_up_is_found() {
    let up = "[dependencies]\nwellread-adapters.workspace = true\nserde = \"1\"\n[dev-dependencies]\nwellread-testkit.workspace = true\n";
    assert_eq!(wrong_arrows("core", up).len(), 1);
    assert_eq!(wrong_arrows("wellread", "[build-dependencies]\nwellread-text = { path = \"x\" }\n").len(), 1);
    assert_eq!(wrong_arrows("testkit", "[dev-dependencies]\nwellread-adapters.workspace = true\n").len(), 1);
    let by_target = "[target.'cfg(unix)'.dependencies]\nwellread-core.workspace = true\n[target.x.dev-dependencies]\nserde = \"1\"\n";
    assert_eq!(wrong_arrows("text", by_target).len(), 1);
    assert_eq!(wrong_arrows("gadgets", "").len(), 1);
}

/// The floors of `core`, from the top; a module names its own floor and those above it.
const FLOORS: [&[&str]; 13] = [
    &["error", "id", "untrusted", "watching"],
    &["corpus", "prompt"],
    &["evidence"],
    &["ports", "event", "gate", "recheck", "citing", "agenda"],
    &["indexing", "llm", "reach"],
    &["search", "vault", "codebase"],
    &["run", "logbook", "graph", "locate", "inspect"],
    &["agent", "gather", "checking", "keyless"],
    &["health"],
    &["research"],
    &["jobs", "inbox"],
    &["tools", "evaluation"],
    &["chat", "skills"],
];

fn floor(module: &str) -> Option<usize> {
    FLOORS.iter().position(|floor| floor.contains(&module))
}

fn wrong_floors(source: &Source) -> Vec<String> {
    let Some(inside) = source.path.strip_prefix("crates/core/src/").filter(|path| *path != "lib.rs") else {
        return Vec::new();
    };
    let parts: Vec<&str> = inside.trim_end_matches(".rs").split('/').collect();
    let Some(own) = floor(parts[0]) else { return vec![source.at(1, "a module that stands on no floor")] };
    let named_at_the_root = |path: &[String]| -> Option<String> {
        let ups = path.iter().take_while(|part| *part == "super").count();
        let rest = if path.first().is_some_and(|first| first == "crate") { &path[1..] } else { &path[ups..] };
        let at_root = path[0] == "crate" || ups == parts.len();
        at_root.then(|| rest.first().cloned()).flatten()
    };
    let mut wrong = Vec::new();
    for (line, path) in paths(&code(&source.text)) {
        let Some(module) = named_at_the_root(&path) else { continue };
        match floor(&module) {
            Some(other) if other > own => {
                wrong.push(source.at(line, format!("`{}` names `{module}`, which is below it", parts[0])));
            }
            // `crate::Result` and its like are of the first floor; a module that is new has to be given a floor.
            None if module.starts_with(char::is_lowercase) && module != "self" => {
                wrong.push(source.at(line, format!("`{module}` stands on no floor")));
            }
            _ => {}
        }
    }
    wrong
}

#[test]
fn a_module_of_core_names_only_the_floors_above_it() {
    check(wrong_floors);
}

#[test]
fn a_module_that_names_a_floor_below_it_is_found() {
    let text = "//! x\nuse crate::vault::Vault;\nuse crate::{Error, corpus::Hash, tools::{Ctx, Tool}};\nfn f() { crate::tools::named() }\n// crate::tools\n";
    finds(wrong_floors, "crates/core/src/ports.rs", text, &[2, 3, 3, 4]);
    finds(
        wrong_floors,
        "crates/core/src/corpus/path.rs",
        "use super::super::ports::Files;\nuse super::Hash;\nuse super::vault;",
        &[1],
    );
    finds(
        wrong_floors,
        "crates/core/src/corpus.rs",
        "use super::ports::Files;\nuse super::error::Error;",
        &[1],
    );
    finds(
        wrong_floors,
        "crates/core/src/vault/x.rs",
        "use crate::ports::Files;\nuse crate::gadgets::X;\nlet s = \"crate::tools\";",
        &[2],
    );
    finds(wrong_floors, "crates/core/src/gadgets.rs", "", &[1]);
}

fn reaches_out(source: &Source) -> Vec<String> {
    let pure = ["crates/core/src/", "crates/text/src/"].iter().any(|folder| source.path.starts_with(folder));
    if !pure {
        return Vec::new();
    }
    let forbidden = |path: &[String]| match path {
        [first, ..] if first == "tokio" => true,
        [first, second, ..] => {
            first == "std" && ["fs", "env", "net", "process", "os"].contains(&second.as_str())
        }
        _ => false,
    };
    let out = paths(&code(&source.text)).into_iter().filter(|(_, path)| forbidden(path));
    out.map(|(line, path)| source.at(line, format!("{} reaches for the outside world", path.join("::"))))
        .collect()
}

#[test]
fn core_and_text_reach_for_nothing_outside() {
    check(reaches_out);
}

#[test]
fn a_reach_for_the_outside_world_is_found() {
    let text = "use std::fs;\nuse std::{collections::HashMap, env, io};\nfn f() { std::process::exit(1) }\nuse tokio::time;\n/// std::fs\nlet x = \"std::net\"; // std::net\nuse std::{\n  net::{TcpStream},\n};\nuse std::fmt;\n";
    finds(reaches_out, "crates/core/src/id.rs", text, &[1, 2, 3, 4, 8]);
    finds(reaches_out, "crates/adapters/src/clock.rs", text, &[]);
}

fn commits(source: &Source) -> Vec<String> {
    // What hears of a change passes it on.
    let passes_on = source.path == "crates/core/src/indexing/heard.rs";
    if source.path.starts_with("crates/core/src/vault/") || passes_on || is_test(&source.path) {
        return Vec::new();
    }
    let tokens = code(&source.text);
    // A transaction of a database is committed without saying what.
    let by_method = tokens.windows(4).filter(|four| {
        four[0].text == "." && four[1].text == "commit" && four[2].text == "(" && four[3].text != ")"
    });
    let by_path = paths(&tokens)
        .into_iter()
        .filter(|(_, path)| path.ends_with(&["Files".to_owned(), "commit".to_owned()]));
    let lines = by_method.map(|four: &[Token]| four[1].line).chain(by_path.map(|(line, _)| line));
    lines.map(|line| source.at(line, "a change is committed outside `core/src/vault`")).collect()
}

#[test]
fn notes_are_changed_in_one_place() {
    check(commits);
}

#[test]
fn a_change_in_another_place_is_found() {
    let text = "fn f(files: &dyn Files) {\n    files.commit(&change);\n    Files::commit(files, &change);\n    commit::commit(x);\n    // files.commit(x)\n    transaction.commit()?;\n}\n";
    finds(commits, "crates/wellread/src/app.rs", text, &[2, 3]);
    finds(commits, "crates/core/src/tools/edit.rs", text, &[2, 3]);
    finds(commits, "crates/core/src/vault/change.rs", text, &[]);
    finds(commits, "crates/adapters/tests/it/files.rs", text, &[]);
}

/// What speaks to models, or for them, does not look at text that others wrote: it hands it to `prompt`.
fn looks(source: &Source) -> Vec<String> {
    const BLIND: [&str; 9] = [
        "crates/core/src/llm/",
        "crates/core/src/llm.rs",
        "crates/core/src/agent/",
        "crates/core/src/agent.rs",
        "crates/core/src/chat/",
        "crates/core/src/chat.rs",
        "crates/core/src/research/",
        "crates/core/src/research.rs",
        "crates/wellread/src/",
    ];
    if !BLIND.iter().any(|folder| source.path.starts_with(folder)) || is_test(&source.path) {
        return Vec::new();
    }
    let tokens = code(&source.text);
    let by_method = tokens
        .windows(4)
        .filter(|four| [".", "look", "(", ")"].iter().zip(*four).all(|(text, token)| token.text == *text));
    let by_path = paths(&tokens)
        .into_iter()
        .filter(|(_, path)| path.ends_with(&["Untrusted".to_owned(), "look".to_owned()]));
    let lines = by_method.map(|four: &[Token]| four[1].line).chain(by_path.map(|(line, _)| line));
    lines.map(|line| source.at(line, "text that others wrote goes through `prompt`")).collect()
}

#[test]
fn what_speaks_to_models_does_not_look_at_text_that_others_wrote() {
    check(looks);
}

#[test]
fn a_look_at_such_text_in_another_place_is_found() {
    let text = "fn f(text: &Untrusted) {\n    send(text.look());\n    texts.iter().map(Untrusted::look);\n    // text.look()\n    mirror.look(3);\n    entry.text\n        .look();\n}\n";
    for path in [
        "crates/core/src/llm/send.rs",
        "crates/core/src/agent.rs",
        "crates/core/src/chat/turn.rs",
        "crates/core/src/research/note.rs",
        "crates/wellread/src/app.rs",
    ] {
        finds(looks, path, text, &[2, 7, 3]);
    }
    finds(looks, "crates/core/src/prompt/barrier.rs", text, &[]);
    finds(looks, "crates/core/src/gate/quote.rs", text, &[]);
    finds(looks, "crates/core/src/chat/tests.rs", text, &[]);
}

fn unsafe_code(source: &Source) -> Vec<String> {
    // A sample is read as text, and never compiled.
    let has_a_reason = ["crates/adapters/src/files/lease.rs", "crates/adapters/src/memory.rs"];
    if has_a_reason.contains(&source.path.as_str()) || source.path.contains("/samples/") {
        return Vec::new();
    }
    let found = code(&source.text).into_iter().filter(|token| token.text == "unsafe");
    found.map(|token| source.at(token.line, "unsafe code")).collect()
}

#[test]
fn unsafe_code_stands_in_two_files() {
    check(unsafe_code);
}

#[test]
fn unsafe_code_in_another_file_is_found() {
    let text = "#![deny(unsafe_code)]\n// unsafe\nfn f() { let s = \"unsafe\"; unsafe { g() } }\n";
    finds(unsafe_code, "crates/core/src/id.rs", text, &[3]);
    finds(unsafe_code, "crates/adapters/src/files/lease.rs", text, &[]);
}

fn speaks(source: &Source) -> Vec<String> {
    let may = ["crates/wellread/src/output.rs", "crates/wellread/build.rs"].contains(&source.path.as_str());
    if may || is_test(&source.path) {
        return Vec::new();
    }
    let tokens = code(&source.text);
    let macros = tokens
        .windows(2)
        .filter(|two| ["print", "println"].contains(&two[0].text.as_str()) && two[1].text == "!");
    let methods = tokens
        .windows(3)
        .filter(|three| three[0].text == "." && three[1].text == "print" && three[2].text == "(");
    // What a child says to us is after a dot: `command.stdout(…)`, `child.stdout`.
    let after_a_dot = |at: usize| at > 0 && tokens[at - 1].text == ".";
    let handles = tokens.iter().enumerate().filter(|(at, token)| {
        ["stdout", "Stdout", "STDOUT_FILENO"].contains(&token.text.as_str()) && !after_a_dot(*at)
    });
    let lines = macros
        .map(|two| two[0].line)
        .chain(methods.map(|three| three[1].line))
        .chain(handles.map(|(_, token)| token.line));
    lines.map(|line| source.at(line, "only output.rs writes to standard output")).collect()
}

#[test]
fn one_module_writes_to_standard_output() {
    check(speaks);
}

#[test]
fn another_module_that_writes_to_standard_output_is_found() {
    let text = "fn f() {\n    println!(\"x\");\n    print!(\"x\");\n    std::io::stdout().lock();\n    eprintln!();\n    error.print();\n    command.stdout(Stdio::piped());\n    use std::io::{Stdout};\n}\n";
    finds(speaks, "crates/wellread/src/cli.rs", text, &[2, 3, 6, 4, 8]);
    finds(speaks, "crates/wellread/src/output.rs", text, &[]);
}

/// What goes out goes through the adapters' `http`: others may name headers and addresses, and nothing that sends.
fn dials(source: &Source) -> Vec<String> {
    let at_home =
        source.path == "crates/adapters/src/http.rs" || source.path.starts_with("crates/adapters/src/http/");
    if at_home || is_test(&source.path) {
        return Vec::new();
    }
    const SOCKETS: [&str; 6] =
        ["TcpStream", "TcpSocket", "UdpSocket", "UnixDatagram", "ToSocketAddrs", "lookup_host"];
    let tokens = code(&source.text);
    let clients = paths(&tokens).into_iter().filter(|(_, path)| match path.as_slice() {
        [first, rest @ ..] if first == "reqwest" => {
            !rest.first().is_some_and(|part| ["header", "Url"].contains(&part.as_str()))
        }
        [first, second, ..] => ["hyper", "hyper_util"].contains(&first.as_str()) && second == "client",
        _ => false,
    });
    let sockets = tokens
        .iter()
        .filter(|token| SOCKETS.contains(&token.text.as_str()) || token.text == "to_socket_addrs");
    let lines = clients.map(|(line, _)| line).chain(sockets.map(|token| token.line));
    lines.map(|line| source.at(line, "what goes out goes through `adapters/src/http`")).collect()
}

#[test]
fn one_place_sends_things_out() {
    check(dials);
}

#[test]
fn another_place_that_sends_things_out_is_found() {
    let text = "use reqwest::header::{ACCEPT, HeaderValue};\nuse reqwest::Client;\nuse reqwest::{Url, blocking};\nuse hyper::client::conn::http1;\nuse hyper::server::conn::http1;\nuse std::net::{IpAddr, TcpStream};\nfn f() { tokio::net::TcpStream::connect(x); reqwest::get(x); }\n// reqwest::get\nlet s = \"TcpStream\";\nuse tokio::net::TcpListener;\nuse hyper_util::{client::legacy, rt::TokioIo};\nlet a = name.to_socket_addrs();\nuse reqwest as web;\n";
    finds(dials, "crates/wellread/src/app.rs", text, &[2, 3, 4, 7, 11, 13, 6, 7, 12]);
    finds(dials, "crates/adapters/src/web/brave.rs", text, &[2, 3, 4, 7, 11, 13, 6, 7, 12]);
    finds(dials, "crates/adapters/src/httpd.rs", "use std::net::UdpSocket;\n", &[1]);
    finds(dials, "crates/adapters/src/http/dial.rs", text, &[]);
    finds(dials, "crates/adapters/tests/it/endpoint.rs", text, &[]);
}

fn headless(source: &Source) -> Vec<String> {
    let head = source
        .text
        .lines()
        .next()
        .is_some_and(|line| line.strip_prefix("//! ").is_some_and(|head| head.len() > 5));
    if head { Vec::new() } else { vec![source.at(1, "does not begin by saying what it is")] }
}

#[test]
fn every_source_begins_by_saying_what_it_is() {
    check(headless);
}

#[test]
fn a_source_without_a_head_is_found() {
    finds(headless, "crates/core/src/id.rs", "use x;\n//! Late.\n", &[1]);
    finds(headless, "crates/core/src/id.rs", "", &[1]);
    finds(headless, "crates/core/src/id.rs", "//! Identifiers.\n", &[]);
}

fn nameless(source: &Source) -> Vec<String> {
    const SAYS_NOTHING: [&str; 10] =
        ["util", "utils", "common", "helper", "helpers", "misc", "manager", "managers", "shared", "stuff"];
    let parts = source.path.trim_end_matches(".rs").split('/');
    let empty = parts.filter(|part| SAYS_NOTHING.contains(&part.to_lowercase().as_str()));
    empty.map(|part| source.at(1, format!("`{part}` says nothing"))).collect()
}

#[test]
fn every_file_has_a_name_that_says_something() {
    check(nameless);
}

#[test]
fn a_name_that_says_nothing_is_found() {
    finds(nameless, "crates/core/src/utils.rs", "", &[1]);
    finds(nameless, "crates/core/tests/common/mod.rs", "", &[1]);
    finds(nameless, "crates/core/src/vault/commonplace.rs", "", &[]);
}
