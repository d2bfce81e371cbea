//! What reaches the outside world, and where: I/O, changes of notes, standard output, the network, `unsafe`.

use super::lexer::{Token, code, paths};
use super::sources::{Source, check, finds, is_test};

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
    finds(reaches_out, "crates/core/src/domain/id.rs", text, &[1, 2, 3, 4, 8]);
    finds(reaches_out, "crates/adapters/src/clock.rs", text, &[]);
}

fn commits(source: &Source) -> Vec<String> {
    // What re-indexes the files of a change, hides private ones, or logs who made it, passes the change on.
    let passes_on = [
        "crates/core/src/library/indexing/reindexing_files.rs",
        "crates/core/src/library/public_view/files.rs",
        "crates/wellread/src/audited_files.rs",
    ];
    let passes_on = passes_on.contains(&source.path.as_str());
    if source.path.starts_with("crates/core/src/library/vault/") || passes_on || is_test(&source.path) {
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
    lines.map(|line| source.at(line, "a change is committed outside `core/src/library/vault`")).collect()
}

#[test]
fn notes_are_changed_in_one_place() {
    check(commits);
}

#[test]
fn a_change_in_another_place_is_found() {
    let text = "fn f(files: &dyn Files) {\n    files.commit(&change);\n    Files::commit(files, &change);\n    commit::commit(x);\n    // files.commit(x)\n    transaction.commit()?;\n}\n";
    finds(commits, "crates/wellread/src/app.rs", text, &[2, 3]);
    finds(commits, "crates/core/src/faces/tools/edit.rs", text, &[2, 3]);
    finds(commits, "crates/core/src/library/vault/change.rs", text, &[]);
    finds(commits, "crates/adapters/tests/it/files.rs", text, &[]);
}

fn unsafe_code(source: &Source) -> Vec<String> {
    let has_a_reason = [
        "crates/adapters/src/files/lease.rs",
        "crates/adapters/src/memory.rs",
        "crates/adapters/src/platform/macos.rs",
        "crates/adapters/src/platform/windows.rs",
        "crates/adapters/src/platform/windows/facts.rs",
        "crates/adapters/src/platform/windows/moves.rs",
        "crates/adapters/src/platform/windows/network.rs",
        "crates/adapters/src/platform/windows/private.rs",
        "crates/adapters/src/platform/windows/processes.rs",
        "crates/encoder/src/kernels.rs",
        "crates/encoder/src/kernels/arm.rs",
        "crates/encoder/src/kernels/scan.rs",
        "crates/encoder/src/kernels/scan/arm.rs",
        "crates/encoder/src/kernels/scan/x86.rs",
        "crates/encoder/src/kernels/x86.rs",
    ];
    if has_a_reason.contains(&source.path.as_str()) {
        return Vec::new();
    }
    let found = code(&source.text).into_iter().filter(|token| token.text == "unsafe");
    found.map(|token| source.at(token.line, "unsafe code")).collect()
}

#[test]
fn unsafe_code_stands_in_four_modules() {
    check(unsafe_code);
}

#[test]
fn unsafe_code_in_another_file_is_found() {
    let text = "#![deny(unsafe_code)]\n// unsafe\nfn f() { let s = \"unsafe\"; unsafe { g() } }\n";
    finds(unsafe_code, "crates/core/src/domain/id.rs", text, &[3]);
    finds(unsafe_code, "crates/adapters/src/files/lease.rs", text, &[]);
}

/// What is written goes through `TerminalText`, on standard error as on standard output.
fn speaks(source: &Source) -> Vec<String> {
    const MACROS: [&str; 5] = ["print", "println", "eprint", "eprintln", "dbg"];
    const HANDLES: [&str; 6] = ["stdout", "Stdout", "STDOUT_FILENO", "stderr", "Stderr", "STDERR_FILENO"];
    let may = ["crates/wellread/src/output.rs", "crates/wellread/build.rs", "crates/encoder/build.rs"]
        .contains(&source.path.as_str());
    if may || source.path.starts_with("crates/wellread/src/output/") || is_test(&source.path) {
        return Vec::new();
    }
    let tokens = code(&source.text);
    let macros = tokens.windows(2).filter(|two| MACROS.contains(&two[0].text.as_str()) && two[1].text == "!");
    let methods = tokens
        .windows(3)
        .filter(|three| three[0].text == "." && three[1].text == "print" && three[2].text == "(");
    // Whether somebody sits there may be asked anywhere: `std::io::stderr().is_terminal()`.
    let asks_for_terminal = |at: usize| tokens.get(at + 4).is_some_and(|token| token.text == "is_terminal");
    // What a child says to us is after a dot: `command.stdout(…)`, `child.stdout`.
    let after_a_dot = |at: usize| at > 0 && tokens[at - 1].text == ".";
    let handles = tokens.iter().enumerate().filter(|(at, token)| {
        HANDLES.contains(&token.text.as_str()) && !after_a_dot(*at) && !asks_for_terminal(*at)
    });
    let lines = macros
        .map(|two| two[0].line)
        .chain(methods.map(|three| three[1].line))
        .chain(handles.map(|(_, token)| token.line));
    lines.map(|line| source.at(line, "only output.rs writes to standard output and standard error")).collect()
}

#[test]
fn one_module_writes_to_standard_output_and_standard_error() {
    check(speaks);
}

#[test]
fn another_module_that_writes_there_is_found() {
    let text = "fn f() {\n    println!(\"x\");\n    print!(\"x\");\n    std::io::stdout().lock();\n    eprintln!();\n    error.print();\n    command.stdout(Stdio::piped());\n    use std::io::{Stdout};\n    std::io::stderr().write_all(b\"x\");\n    std::io::stderr().is_terminal();\n}\n";
    finds(speaks, "crates/wellread/src/cli.rs", text, &[2, 3, 5, 6, 4, 8, 9]);
    finds(speaks, "crates/wellread/src/output.rs", text, &[]);
}

/// What goes out goes through the adapters' `http`, and to a database through `postgres`: others may name headers and
/// addresses, and nothing that sends.
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
        [first, ..] if first == "tokio_postgres" => {
            !(source.path == "crates/adapters/src/postgres.rs"
                || source.path.starts_with("crates/adapters/src/postgres/"))
        }
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
    let database = "use tokio_postgres::NoTls;\nuse std::net::TcpStream;\n";
    finds(dials, "crates/adapters/src/records.rs", database, &[1, 2]);
    finds(dials, "crates/adapters/src/postgres/session.rs", database, &[2]);
    finds(dials, "crates/adapters/tests/it/endpoint.rs", text, &[]);
}
